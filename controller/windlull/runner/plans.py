"""What the engine would run, asked before anything runs: its plan, and everything that is wrong with a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from windlull.contract import engine as contract
from windlull.runner import engine
from windlull.runner.messages import Planning, ProtocolError
from windlull.runner.needs import Estimate
from windlull.runner.options import RunOptions
from windlull.runner.problems import InvalidFilesError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["MOST_RUNS", "InvalidFilesError", "Planned", "check", "plan"]

MOST_RUNS = 1_000_000
"""The engine refuses an experiment of more runs; make several of it."""


class Planned(contract.Plan, Planning, frozen=True):
    """An experiment as the engine resolved it, and its runs, or none if they were not asked for."""

    experiment: Any
    estimate: Estimate | None
    runs: tuple[contract.PlannedRun, ...] = ()


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
