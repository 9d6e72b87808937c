"""Brings queued runs to workers and what comes of them back: decisions in a pure machine, effects at the edge."""
