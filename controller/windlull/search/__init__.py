"""Links on which a variant is worst: proposed, run, shrunk and confirmed."""
