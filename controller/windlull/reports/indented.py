"""JSON that people read: its outer levels on lines of their own."""

from __future__ import annotations

import json


def readable(value: object, depth: int) -> bytes:
    """Return JSON with the outermost `depth` levels on lines of their own and each value below on one line."""
    return (_readable(value, depth, "\n") + "\n").encode()


def _readable(value: object, depth: int, newline: str) -> str:
    if depth == 0 or not value or not isinstance(value, dict | list | tuple):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    inner = newline + "  "
    if isinstance(value, dict):
        items = [
            f"{json.dumps(str(key), ensure_ascii=False)}: {_readable(item, depth - 1, inner)}"
            for key, item in value.items()
        ]
        return "{" + inner + ("," + inner).join(items) + newline + "}"
    items = [_readable(item, depth - 1, inner) for item in value]
    return "[" + inner + ("," + inner).join(items) + newline + "]"
