"""Sweeps: an experiment at every point of a grid of parameters, into one Parquet file."""
