"""Batches of the store as the rest of the package has them: made of a plan, read as cells, set against each other."""
