"""Calls the engine and reads what it says."""
