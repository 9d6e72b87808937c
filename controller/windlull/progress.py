"""How far a long run is: a bar at a terminal, a plain line now and then elsewhere; always on standard error."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from windlull.reports.terminal import console

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console


class Meter(Protocol):
    """Is told how much there is to do, and each time a run is finished."""

    def start(self, name: str, total: int) -> None:
        """Begin: `total` runs of the experiment `name`."""

    def advance(self) -> None:
        """Note one more finished run."""


@contextmanager
def meter() -> Iterator[Meter]:
    """Yield the meter that fits standard error."""
    out = console(to_stderr=True)
    if not out.is_terminal:
        yield _Lines(out)
        return
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=40),
        MofNCompleteColumn(),
        TextColumn("runs"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=out,
        transient=True,
    )
    with bar:
        yield _Bar(bar)


class _Bar:
    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._task = bar.add_task("reading the experiment", total=None)

    def start(self, name: str, total: int) -> None:
        self._bar.update(self._task, description=name, total=total)

    def advance(self) -> None:
        self._bar.advance(self._task)


class _Lines:
    """The first run, then every tenth part of them."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._total = 0
        self._finished = 0

    def start(self, name: str, total: int) -> None:
        self._total = total
        self._out.print(f"{name}: {total} {'run' if total == 1 else 'runs'}", soft_wrap=True)

    def advance(self) -> None:
        self._finished += 1
        tenth = self._finished * 10 // self._total > (self._finished - 1) * 10 // self._total
        if self._finished == 1 or tenth:
            self._out.print(f"{self._finished} of {self._total} runs finished")
