"""How far a search is, on standard error: a bar with the worst so far at a terminal, else a line each tenth of it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from windlull.metrics import significant
from windlull.reports.terminal import console

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console

    from windlull.search.outcome import Aim


class Meter:
    """Is told of each batch and of each finding."""

    def __init__(self, out: Console, total: int, show: Callable[[int, str], None]) -> None:
        self._out = out
        self._total = total
        self._show = show
        self._done = 0
        self._worst: float | None = None

    def tried(self, count: int, badness: Sequence[float | None], aim: Aim) -> None:
        """Note a batch and how bad its links were."""
        self._done += count
        known = [value for value in (self._worst, *badness) if value is not None]
        self._worst = max(known, default=None)
        worst = "nothing measured yet" if self._worst is None else f"worst {significant(aim.shown(self._worst))}"
        self._show(self._done, worst)

    def shrinking(self, tried: int) -> None:
        """Note how many simpler links were tried, since the search itself has ended."""
        self._show(self._done, f"shrinking what was found: {tried:,} tried")

    def found(self, place: int, sentence: str) -> None:
        """Say at once what was found."""
        self._out.print(f"{place}: {sentence}", soft_wrap=True, markup=False, highlight=False)


@contextmanager
def meter(name: str, total: int) -> Iterator[Meter]:
    """Yield the meter that fits standard error; `total` links are to be tried."""
    out = console(to_stderr=True)
    if not out.is_terminal:
        out.print(f"{name}: {total:,} links to try", soft_wrap=True, markup=False)
        yield Meter(out, total, _Lines(out, total).show)
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=40),
        MofNCompleteColumn(),
        TextColumn("links, {task.fields[worst]}", markup=False),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task(name, total=total, worst="")
        yield Meter(out, total, lambda done, worst: bar.update(task, completed=done, worst=worst))


class _Lines:
    def __init__(self, out: Console, total: int) -> None:
        self._out = out
        self._total = total
        self._tenth = 0

    def show(self, done: int, worst: str) -> None:
        tenth = done * 10 // self._total
        if tenth > self._tenth:
            self._tenth = tenth
            self._out.print(f"{done:,} of {self._total:,} links tried, {worst}", markup=False, highlight=False)
