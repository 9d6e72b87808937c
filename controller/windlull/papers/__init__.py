"""`windlull papers`: every table, figure and claim of the papers, in one reproduction report."""
