"""A sweep from the request to the results."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlull import locate, signals
from windlull.reports.terminal import console
from windlull.runner.cluster import connect
from windlull.runner.dispatch import Dispatch
from windlull.sweep import terminal
from windlull.sweep.directory import Directory
from windlull.sweep.execute import Execution
from windlull.sweep.merge import merge
from windlull.sweep.plan import Request, Sweep, prepare
from windlull.sweep.progress import meter

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from windlull.sweep.directory import Target
    from windlull.sweep.parts import Part


@dataclass(frozen=True, slots=True)
class Made:
    """A sweep as far as it was made: its results if all `finished` runs are all there are, else None."""

    sweep: Sweep
    finished: int
    results: Path | None


def make(request: Request, target: Target, *, quiet: bool = False) -> Made:
    """Make what is missing of the sweep, then the results.

    Raises BadInputError before anything is written or started. After an interrupt the finished parts stay, and the
    same request goes on with them. `quiet`: nothing is said of how far it is.
    """
    sweep = prepare(request, [locate.profiles()])
    directory = Directory(target.out, sweep)
    with directory.held():
        if not directory.is_complete():
            finished = _make(sweep, directory, target, quiet=quiet)
            if finished < sweep.runs:
                return Made(sweep, finished, None)
            merge(sweep, directory)
        directory.discard_parts()
        if target.json is not None:
            terminal.write_json(target.json, sweep, directory.results)
    return Made(sweep, sweep.runs, directory.results)


def _make(sweep: Sweep, directory: Directory, target: Target, *, quiet: bool) -> int:
    """Have the missing parts made, and return how many runs are finished: all, unless it was interrupted."""
    missing = [part for part in sweep.parts() if not directory.has(part)]
    finished = sweep.runs - sum(part.rows for part in missing)
    if not missing:
        return finished
    with _meter(sweep, finished, quiet=quiet) as advance:

        def keep(part: Part, octets: bytes) -> None:
            nonlocal finished
            directory.keep(part, octets)
            finished += part.rows
            advance(part.rows)

        with signals.noted() as interrupted, connect(target.cluster, target.jobs) as client:
            say = _nothing if quiet else _say
            Execution(Dispatch(client), sweep, directory.plan, keep, say, interrupted=interrupted).run(missing)
    return finished


def _meter(sweep: Sweep, finished: int, *, quiet: bool) -> AbstractContextManager[Callable[[int], None]]:
    return nullcontext(_nothing) if quiet else meter(sweep.experiment, sweep.runs, finished)


def _say(sentence: str) -> None:
    console(to_stderr=True).print(sentence, soft_wrap=True)


def _nothing(_said: object) -> None:
    """Say nothing."""
