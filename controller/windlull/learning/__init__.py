"""Links learned from captures of both ends of a transfer, one mechanism a file."""
