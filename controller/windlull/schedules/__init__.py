"""Experiments that run at set times: when, what is made of them, how they are judged, and who is told."""
