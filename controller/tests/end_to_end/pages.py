"""Pages whose commands are run as a reader would type them.

Two kinds of blocks are done, in the order of the page and in one directory; CONTRIBUTING.md says so to who writes them:

- a fence with a file's name behind the language is written to that file;
- `console`: each line behind `$ ` is a command for bash; what follows is all that it prints, `...` for what varies.

Other blocks are to be read.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LOOSELY = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Command:
    """What is typed, and what the page says that it prints."""

    typed: str
    prints: str


@dataclass(frozen=True)
class File:
    """What the reader is to save, and as what."""

    name: str
    text: str


def steps(page: Path) -> list[Command | File]:
    """What a reader of the page does, in order."""
    found: list[Command | File] = []
    for fence in FENCE.finditer(page.read_text(encoding="utf-8")):
        language, _, name = fence["info"].partition(" ")
        if language == "console":
            found += _commands(fence["text"])
        elif name:
            found.append(File(name, fence["text"]))
    return found


def _commands(text: str) -> list[Command]:
    typed = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert not typed[0].strip(), f"a console that begins with what is printed: {typed[0]!r}"
    return [Command(*each.split("\n", 1)) for each in typed[1:]]


class Reader:
    """Somebody who does what pages say, in a directory of their own, with `windlull` and its `python` on the path."""

    def __init__(self, directory: Path) -> None:
        self._at = directory / "work"
        self._at.mkdir()
        programs = directory / "bin"
        programs.mkdir()
        for name, arguments in (("windlull", " -m windlull"), ("python", "")):
            command = programs / name
            command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)}{arguments} "$@"\n', encoding="utf-8")
            command.chmod(0o755)
        self._environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "NO_COLOR": "1"}

    def does(self, step: Command | File) -> None:
        """Do it, and look at what comes of it."""
        if isinstance(step, File):
            file = self._at / step.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.text, encoding="utf-8")
            return
        ended = subprocess.run(
            ["bash", "-c", step.typed], cwd=self._at, env=self._environment, capture_output=True, text=True, check=False
        )
        # Progress goes to standard error as well, and looks otherwise at a terminal.
        errors = [line for line in ended.stderr.splitlines(keepends=True) if line.startswith("error:")]
        printed = ended.stdout + "".join(errors)
        checker = doctest.OutputChecker()
        assert checker.check_output(step.prints, printed, LOOSELY), (
            f"$ {step.typed}\nthe page says:\n{step.prints}\nit printed:\n{printed}{ended.stderr}"
        )
