"""Where results lie: a directory that was named, or a temporary one that goes with the last object that reads it."""

from __future__ import annotations

import weakref
from contextlib import ExitStack
from typing import TYPE_CHECKING

from windlull.runner.workplace import workplace

if TYPE_CHECKING:
    from pathlib import Path


class Place:
    """A directory of results. Whatever reads it later holds this object, and not its path alone."""

    def __init__(self, path: Path | None = None) -> None:
        """Take the directory of that path, or make one. Raises FailureError if none can be made."""
        self.named = path is not None
        if path is None:
            stack = ExitStack()
            # A name of its own below: what is there before it is written to is somebody else's.
            path = stack.enter_context(workplace()) / "results"
            weakref.finalize(self, stack.close)
        self.path = path
