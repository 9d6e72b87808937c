"""A run's series on disk: columns that are read where they lie, and windows of them for a narrow drawing."""
