"""A file that somebody gives, and what can be wrong with it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from windlull.errors import BadInputError

MOST_BYTES = 32 << 20
"""Larger files are refused; an hour of ten samples a second has a hundredth of it."""

MOST_ROWS = 604_800
"""A week in seconds; the engine reads no more rows of a recording either."""


class RecordingError(BadInputError):
    """A file cannot be read: which one, the line and column from 1 where they are known, and what would be right."""

    def __init__(self, message: str, *, file: str, line: int | None = None, column: str | None = None) -> None:
        self.said, self.file, self.line, self.column = message, file, line, column
        place = file if line is None else f"{file}, line {line}"
        super().__init__(f"{place}{'' if column is None else f', column {column}'}: {message}")


@dataclass(frozen=True)
class Source:
    """A file: its name and its bytes."""

    name: str
    data: bytes

    @cached_property
    def text(self) -> str:
        """Its text: UTF-8, with a byte-order mark or without, or else Latin-1, as measuring software writes it."""
        if len(self.data) > MOST_BYTES:
            raise self.wrong(f"too large ({len(self.data) >> 20} MiB, limit {MOST_BYTES >> 20} MiB); cut it into parts")
        if b"\0" in self.data[:4096]:
            raise self.wrong("this is not a text file")
        try:
            text = self.data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = self.data.decode("latin-1")
        if not text.strip():
            raise self.wrong("the file is empty")
        return text

    @cached_property
    def lines(self) -> list[str]:
        """Its lines, without their ends."""
        return self.text.splitlines()

    @property
    def head(self) -> list[str]:
        """Its first lines that say something: what a format is recognised by."""
        return [line.strip() for line in self.text[:65536].splitlines()[:60] if line.strip()]

    @cached_property
    def json(self) -> dict[str, Any]:
        """Its JSON object."""
        try:
            value = json.loads(self.text)
        except json.JSONDecodeError as error:
            message = f"this is not JSON: {error.msg} at character {error.colno}"
            raise self.wrong(message, line=error.lineno) from error
        except RecursionError as error:
            raise self.wrong("this JSON is nested too deeply") from error
        if not isinstance(value, dict):
            raise self.wrong("this JSON is not an object")
        return value

    def is_json_with(self, *keys: str) -> bool:
        """Return whether it is a JSON object that has all these keys."""
        if not self.text.lstrip().startswith("{"):
            return False
        try:
            return all(key in self.json for key in keys)
        except RecordingError:
            return False

    def wrong(self, message: str, *, line: int | None = None, column: str | None = None) -> RecordingError:
        """Return an error that names this file."""
        return RecordingError(message, file=self.name, line=line, column=column)
