"""What the engine would run, asked before anything runs: its plan, and everything that is wrong with a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from windlull.runner import engine
from windlull.runner.messages import ProtocolError
from windlull.runner.needs import Estimate
from windlull.runner.options import RunOptions
from windlull.runner.problems import InvalidFilesError, Problem

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["MOST_RUNS", "InvalidFilesError", "Planned", "PlannedRun", "Problem", "check", "plan"]

MOST_RUNS = 1_000_000
"""The engine refuses an experiment of more runs; make several of it."""


class PlannedRun(msgspec.Struct, frozen=True):
    """One run to be. `place` counts from 0 and is what the engine's `--runs` takes.

    `key` is the hash of all that its files depend on: equal keys, equal files, to the byte. A live run has none.
    """

    place: int
    testbed: str
    variant: str
    link: str
    repetition: int
    seed: str
    directory: str
    key: str | None = None


class Planned(msgspec.Struct, frozen=True):
    """An experiment as the engine resolved it.

    `files` are the texts of all files that it is made of, by their paths in a profiles directory; `experiment_file` is
    its own among them. `count` is how many runs there are, `estimate` what they are likely to need, None if the
    workload is a command; `runs` are those runs, or nothing if they were not asked for.
    """

    testbeds: tuple[str, ...]
    experiment: dict[str, Any]
    experiment_file: str
    files: dict[str, str]
    count: int
    estimate: Estimate | None
    runs: tuple[PlannedRun, ...] = ()


def plan(
    experiment: str,
    options: RunOptions = RunOptions(),  # noqa: B008 - it is never changed
    *,
    profiles: Sequence[Path],
    brief: bool = False,
    confined: bool = False,
) -> Planned:
    """Return what a run of `experiment` with these options would be. `brief` leaves the runs out.

    `confined` refuses files outside `profiles`, for experiments that others wrote. Raises InvalidFilesError for what is
    wrong with the files, BadInputError for anything else that is wrong with the question.
    """
    arguments = [*(["--brief"] if brief else []), *options.arguments(plan=True)]
    answer = engine.text(["plan", *arguments, "--", experiment], profiles=profiles, confined=confined)
    try:
        return _PLANNED.decode(answer)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProtocolError(f"the engine's plan cannot be understood: {error}") from error


def check(name: str | Path, *, profiles: Sequence[Path], confined: bool = False) -> None:
    """Check a file (or the name of one) and all it names. Raises InvalidFilesError with all that is wrong."""
    engine.text(["check", "--", str(name)], profiles=profiles, confined=confined)


_PLANNED: msgspec.json.Decoder[Planned] = msgspec.json.Decoder(Planned)
