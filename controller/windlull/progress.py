"""How far a long run is: a bar at a terminal, a plain line now and then elsewhere; always on standard error."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as ProgressBar
from rich.text import Text

from windlull.reports.terminal import console
from windlull.runner.messages import SIMULATED, Failed, Progress, Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console
    from rich.progress import Task


class Meter(Protocol):
    """Is told how much there is to do, and each time a run has ended."""

    def start(self, name: str, total: int, *, live: bool, needs: Sequence[str] = ()) -> None:
        """Begin: `total` runs of the experiment `name`, some of them on kernels if `live`; say what they need.

        How long a live run takes is what it is to find out, so that nothing is said of the time that remains.
        """

    def advance(self, run: Run | Failed) -> None:
        """Note one more run that has ended, and say at once if it came to nothing or is not valid."""

    def move(self, progress: Progress) -> None:
        """Note how far a live run is."""


@contextmanager
def meter() -> Iterator[Meter]:
    """Yield the meter that fits standard error."""
    out = console(to_stderr=True)
    if not out.is_terminal:
        yield _Lines(out)
        return
    bar = ProgressBar(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=40),
        MofNCompleteColumn(),
        TextColumn("runs"),
        TimeElapsedColumn(),
        _Remaining(),
        console=out,
        transient=True,
    )
    with bar:
        yield _Bar(bar)


class Quiet:
    """Says nothing: for programs."""

    def start(self, name: str, total: int, *, live: bool, needs: Sequence[str] = ()) -> None:
        """Say nothing."""

    def advance(self, run: Run | Failed) -> None:
        """Say nothing: what came to nothing is in the results."""

    def move(self, progress: Progress) -> None:
        """Say nothing."""


class _Remaining(TimeRemainingColumn):
    """The time that remains, where the runs before tell it."""

    def render(self, task: Task) -> Text:
        return Text("") if task.fields.get("live") else super().render(task)


class _Bar:
    def __init__(self, bar: ProgressBar) -> None:
        self._bar = bar
        self._task = bar.add_task("reading the experiment", total=None)
        self._name = ""
        self._ended = 0

    def start(self, name: str, total: int, *, live: bool, needs: Sequence[str] = ()) -> None:
        self._name = name
        self._ended = 0
        for line in needs:
            self._bar.console.print(line, soft_wrap=True)
        self._bar.update(self._task, description=name, total=total, completed=0, live=live)

    def advance(self, run: Run | Failed) -> None:
        self._ended += 1
        self._bar.update(self._task, description=self._name, completed=self._ended)
        if trouble := _trouble(run):
            self._bar.console.print(trouble, soft_wrap=True)

    def move(self, progress: Progress) -> None:
        part = min(1.0, progress.octets / progress.of)
        where = f"{progress.variant} {progress.repetition}: {part:.0%} after {progress.at_s:.0f} s"
        # The bar moves by less than a run, so that it is seen to move at all.
        self._bar.update(self._task, description=f"{self._name}, {where}", completed=self._ended + 0.99 * part)


class _Lines:
    """The first run, then every tenth part of them; of live runs each one."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._total = 0
        self._finished = 0

    def start(self, name: str, total: int, *, live: bool, needs: Sequence[str] = ()) -> None:
        self._total = total
        self._finished = 0
        each = ", those on kernels told one by one" if live else ""
        for line in (f"{name}: {total:,} {'run' if total == 1 else 'runs'}{each}", *needs):
            self._out.print(line, soft_wrap=True)

    def advance(self, run: Run | Failed) -> None:
        self._finished += 1
        if trouble := _trouble(run):
            self._out.print(trouble, soft_wrap=True)
        if run.testbed != SIMULATED:
            self._out.print(f"{self._finished:,} of {self._total:,}: {run.key}", soft_wrap=True)
            return
        tenth = self._finished * 10 // self._total > (self._finished - 1) * 10 // self._total
        if self._finished == 1 or tenth:
            self._out.print(f"{self._finished:,} of {self._total:,} runs finished")

    def move(self, progress: Progress) -> None:
        """Say nothing: a file or a log wants to know what has ended."""


def _trouble(run: Run | Failed) -> str | None:
    """Say what is wrong with a run that does not count."""
    if isinstance(run, Failed):
        return f"failed: {run.key}: {run.reason}"
    if run.invalid is None:
        return None
    times = "" if run.attempts == 1 else f" {run.attempts} times, the last time"
    return f"invalid{times}: {run.key}: {'; '.join(run.invalid) or 'no reason given'}"
