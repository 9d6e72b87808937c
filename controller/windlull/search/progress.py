"""How far a search is, on standard error: a bar with the worst so far at a terminal, else a line each tenth of it.

Once all links are tried it says which kind of failure is shrunk or confirmed: beside the bar, else in lines.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Column

from windlull.metrics import significant
from windlull.reports.terminal import console

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console

    from windlull.search.findings import Step
    from windlull.search.outcome import Aim

_DOING = {
    "chosen": "checking on fresh seeds that it fails",
    "shrunk": "shrinking",
    "checked": "checking on fresh seeds what it shrank to",
    "confirmed": "confirming",
}

_EVERY = 100
"""Without a terminal a line is written each time so many simpler links were tried."""


class Meter:
    """Is told of each batch, of each step with what was found, and of each finding."""

    def __init__(self, out: Console, show: Callable[[int, str], None], step: Callable[[Step], None]) -> None:
        self._out = out
        self._show = show
        self.step = step
        self._done = 0
        self._worst: float | None = None

    def tried(self, count: int, badness: Sequence[float | None], aim: Aim) -> None:
        """Note a batch and how bad its links were."""
        self._done += count
        known = [value for value in (self._worst, *badness) if value is not None]
        self._worst = max(known, default=None)
        worst = "nothing measured yet" if self._worst is None else f"worst {significant(aim.shown(self._worst))}"
        self._show(self._done, worst)

    def found(self, place: int, sentence: str) -> None:
        """Say at once what was found."""
        self._out.print(f"{place}: {sentence}", soft_wrap=True, markup=False, highlight=False)


def in_words(step: Step) -> str:
    """Say what is done with which kind: `shrinking hold (down): spurious timeouts; 37 links tried for it`."""
    tried = f"; {step.tried:,} {'link' if step.tried == 1 else 'links'} tried for it" if step.tried else ""
    return f"{_DOING[step.doing]}: {step.kind}{tried}"


@contextmanager
def meter(name: str, total: int) -> Iterator[Meter]:
    """Yield the meter that fits standard error; `total` links are to be tried."""
    out = console(to_stderr=True)
    if not out.is_terminal:
        out.print(f"{name}: {total:,} links to try", soft_wrap=True, markup=False)
        lines = _Lines(out, total)
        yield Meter(out, lines.show, lines.step)
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=40),
        MofNCompleteColumn(),
        TextColumn("links, {task.fields[worst]}", markup=False, table_column=Column(overflow="ellipsis", no_wrap=True)),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=out, transient=True) as bar:
        task = bar.add_task(name, total=total, worst="")
        yield Meter(
            out,
            lambda done, worst: bar.update(task, completed=done, worst=worst),
            lambda step: bar.update(task, worst=in_words(step)),
        )


class _Lines:
    def __init__(self, out: Console, total: int) -> None:
        self._out = out
        self._total = total
        self._tenth = 0
        self._step: Step | None = None

    def show(self, done: int, worst: str) -> None:
        tenth = done * 10 // self._total
        if tenth > self._tenth:
            self._tenth = tenth
            self._out.print(f"{done:,} of {self._total:,} links tried, {worst}", markup=False, highlight=False)

    def step(self, step: Step) -> None:
        last, self._step = self._step, step
        if last is None or _stage(last) != _stage(step):
            self._out.print(in_words(step), soft_wrap=True, markup=False, highlight=False)


def _stage(step: Step) -> tuple[object, ...]:
    """Return what must change for another line."""
    return step.kind, step.doing, step.tried // _EVERY
