"""Recordings of networks become links: read by format, cut and scaled, told in figures, written as a link file."""
