"""Sums up what the runs measured and judges claims."""
