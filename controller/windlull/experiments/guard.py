"""Whether a script may start processes: each of them imports it again, and must not come to the same call.

Python starts them by `spawn`, which runs the main module once more under another name (the documentation of
`multiprocessing`, "Safe importing of main module").
"""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path

from windlull.errors import BadInputError


def refuse_without_guard() -> None:
    """Raise BadInputError if the main module calls this, by whatever way, outside of `if __name__ == "__main__":`."""
    frame = inspect.currentframe()
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals is vars(sys.modules["__main__"]):
            file = frame.f_globals.get("__file__")
            # An interpreter or a notebook has no file that would be imported.
            if file is not None and not _guarded(Path(file), frame.f_lineno):
                raise BadInputError(
                    f"{file}:{frame.f_lineno}: a sweep starts processes that import this file again; put the call "
                    'under `if __name__ == "__main__":`'
                )
            return
        frame = frame.f_back


def _guarded(file: Path, line: int) -> bool:
    """Return whether the line is under a condition on the module's name; also if it cannot be known."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return True
    tests = (one for one in tree.body if isinstance(one, ast.If) and one.lineno <= line <= (one.end_lineno or line))
    return any(isinstance(part, ast.Name) and part.id == "__name__" for one in tests for part in ast.walk(one.test))
