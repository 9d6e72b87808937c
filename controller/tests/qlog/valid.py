"""Whether a qlog file is valid against the schema of its drafts.

`python -m tests.qlog.valid FILE...` prints what is wrong with files, and ends with 1 if something is.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema_rs

from tests.qlog import schema

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD, EVENT = jsonschema_rs.validator_for(schema.HEAD), jsonschema_rs.validator_for(schema.EVENT)


def faults(file: Path) -> Iterator[str]:
    """Yield what is wrong with a file: the sequence (RFC 7464, section 2.2), its head, its events."""
    nothing, *texts = file.read_bytes().split(b"\x1e")
    if nothing or not texts:
        yield "it does not begin with a record separator"
    before = 0.0
    for place, text in enumerate(texts):
        if not text.endswith(b"\n"):
            yield f"text {place} does not end with a newline"
        value: Any = json.loads(text)
        yield from (f"text {place}: {error.message}" for error in (EVENT if place else HEAD).iter_errors(value))
        if place:
            if value["time"] < before:
                yield f"text {place}: its time is before that of the one before"
            before = value["time"]


if __name__ == "__main__":
    sys.exit("\n".join(f"{file}: {fault}" for file in sys.argv[1:] for fault in faults(Path(file))) or 0)
