"""One file with all of a run: packed so that the same run gives the same bytes, and read as if a stranger wrote it."""
