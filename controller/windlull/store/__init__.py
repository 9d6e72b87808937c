"""What is kept: the database, and the files of runs by their content."""
