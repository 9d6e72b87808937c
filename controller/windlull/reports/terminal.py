"""The terminal, at which what is printed for a person is at most 100 columns wide."""

from __future__ import annotations

import io
import re
import sys
from typing import TYPE_CHECKING, Any, TextIO, cast

from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Callable

WIDTH = 100
PIPED_WIDTH = 1000
"""What a program reads is not cut to fit: tables are as wide as they need."""

_RULE = re.compile(r"^(─{160})─+$", re.MULTILINE)
"""A rule that is longer than any table of figures: it is below a column of sentences."""


def console(*, to_stderr: bool = False) -> Console:
    """Return a console that guesses nothing about the text; rich itself honours NO_COLOR and a missing terminal."""
    stream = sys.stderr if to_stderr else sys.stdout
    made = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=False)
    if not made.is_terminal:
        made.width = PIPED_WIDTH
        made.file = cast("TextIO", _Unpadded(stream))
    elif made.width > WIDTH:
        made.width = WIDTH
    return made


def text_of(write: Callable[[Console], None], width: int = PIPED_WIDTH) -> str:
    """Return as text, without colours, what is printed for a person; tables are as wide as they need."""
    stream = io.StringIO()
    made = Console(
        file=cast("TextIO", _Unpadded(stream)), width=width, color_system=None, force_terminal=False,
        force_jupyter=False, highlight=False, markup=False, emoji=False,
    )  # fmt: skip
    write(made)
    return stream.getvalue().strip("\n")


class _Unpadded:
    """A stream without the blanks that fill a table's lines up to its width, and with rules of at most 160 columns."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - the stream's own
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        return self._stream.write(_RULE.sub(r"\1", re.sub(r" +\n", "\n", text)))
