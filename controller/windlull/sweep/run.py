"""`windlull sweep`, from the request to the results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlull import locate, signals
from windlull.errors import ExitCode
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
    from windlull.sweep.directory import Target
    from windlull.sweep.parts import Part


def run(request: Request, target: Target) -> ExitCode:
    """Make what is missing of the sweep, then the results, and print what they say.

    Raises BadInputError before anything is written or started. After an interrupt the finished parts stay, and the
    same request goes on with them.
    """
    sweep = prepare(request, [locate.profiles()])
    directory = Directory(target.out, sweep)
    out = console()
    with directory.held():
        if not directory.is_complete():
            finished = _make(sweep, directory, target)
            if finished < sweep.runs:
                console(to_stderr=True).print(
                    f"interrupted; {finished:,} of {sweep.runs:,} runs are in {target.out}; the same command goes on",
                    soft_wrap=True,
                )
                return ExitCode.INTERRUPTED
            merge(sweep, directory)
        directory.discard_parts()
        if target.json is not None:
            terminal.write_json(target.json, sweep, directory.results)
        terminal.print_summary(out, sweep, directory.results)
    out.print()
    out.print(f"results: {directory.results}", soft_wrap=True)
    return ExitCode.OK


def _make(sweep: Sweep, directory: Directory, target: Target) -> int:
    """Have the missing parts made, and return how many runs are finished: all, unless it was interrupted."""
    missing = [part for part in sweep.parts() if not directory.has(part)]
    finished = sweep.runs - sum(part.rows for part in missing)
    if not missing:
        return finished
    with meter(sweep.experiment, sweep.runs, finished) as advance:

        def keep(part: Part, octets: bytes) -> None:
            nonlocal finished
            directory.keep(part, octets)
            finished += part.rows
            advance(part.rows)

        with signals.noted() as interrupted, connect(target.cluster, target.jobs) as client:
            Execution(Dispatch(client), sweep, directory.plan, keep, _say, interrupted=interrupted).run(missing)
    return finished


def _say(sentence: str) -> None:
    console(to_stderr=True).print(sentence, soft_wrap=True)
