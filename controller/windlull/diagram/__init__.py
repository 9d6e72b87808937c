"""The time-sequence diagram of a run as one SVG document, for a notebook or a paper."""
