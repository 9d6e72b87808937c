"""What can go wrong, and the exit code that says so.

| code | meaning |
|---|---|
| 0 | done |
| 1 | failure: the machine did not let us finish; finished runs stay readable |
| 2 | bad input: a name, a file, an option; nothing was written |
| 5 | a process that makes live runs is not there, or of another build; nothing was written |
| 130 | interrupted; finished runs stay readable |
"""

import difflib
from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of the command, for people who script it."""

    OK = 0
    FAILURE = 1
    BAD_INPUT = 2
    MISSING = 5
    INTERRUPTED = 130


class WindlullError(Exception):
    """A message for the person at the terminal, and the exit code that goes with it."""

    exit_code = ExitCode.FAILURE


class FailureError(WindlullError):
    """The machine did not let us finish: a full disk, no permission, no engine, an engine that broke."""


class BadInputError(WindlullError):
    """What the person gave cannot be right."""

    exit_code = ExitCode.BAD_INPUT


class EngineError(WindlullError):
    """The engine ended with an error and has said why: its message is passed through unchanged."""

    def __init__(self, message: str, exit_code: ExitCode) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class EngineDiedError(EngineError):
    """A signal ended the engine: it had no say in it, and what it did may be tried again."""


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that was likely meant, None if none is like it."""
    return next(iter(difflib.get_close_matches(word, list(known), n=1)), None)
