"""Writes results and reports: the terminal's table, results.json, report.html."""
