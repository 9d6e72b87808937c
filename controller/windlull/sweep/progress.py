"""How far a sweep is, on standard error: a bar at a terminal, a line each tenth of it elsewhere."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from windlull.reports.terminal import console

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def meter(name: str, total: int, done: int) -> Iterator[Callable[[int], None]]:
    """Yield what is to be called with the number of runs that have ended; `done` of `total` have before."""
    out = console(to_stderr=True)
    if not out.is_terminal:
        lines = _Lines(name, total, done)
        yield lines.advance
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=40),
        MofNCompleteColumn(),
        TextColumn("runs"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task(name, total=total, completed=done)
        yield lambda runs: bar.advance(task, runs)


class _Lines:
    def __init__(self, name: str, total: int, done: int) -> None:
        self._out = console(to_stderr=True)
        self._total, self._done = total, done
        before = f", {done:,} of them finished before" if done else ""
        self._out.print(f"{name}: {total:,} runs{before}", soft_wrap=True)

    def advance(self, runs: int) -> None:
        tenth = self._done * 10 // self._total
        self._done += runs
        if self._done * 10 // self._total > tenth:
            self._out.print(f"{self._done:,} of {self._total:,} runs finished")
