"""The worst link so far of a search that goes on: run once more, for its diagram.

OUT/best/
  best.json          which trial it is, how bad, and what its link does
  0.series.json.gz   the diagram's columns of the first repetition of the variant that is searched for
  1.series.json.gz   those of the baseline, if there is one
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import msgspec

from windlull.errors import FailureError, WindlullError
from windlull.runner.messages import Run
from windlull.runner.work import Chunk, octets_of, perform

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from windlull.runner.work import Outcome
    from windlull.search.journal import Trial
    from windlull.search.plan import Search

BEST, SHOWN = "best", "best.json"
SERIES = "series.json.gz"


class Shown(msgspec.Struct, frozen=True):
    """Which trial's runs lie there: its number, its value as people read it, what its link does, and the variants."""

    trial: int
    value: float
    words: str
    variants: tuple[str, ...]


def read(out: Path) -> Shown | None:
    """Return the worst link so far, None if none was run yet, or what lies there cannot be read."""
    try:
        return msgspec.json.decode((out / BEST / SHOWN).read_bytes(), type=Shown)
    except (OSError, msgspec.DecodeError):
        return None


class Best:
    """Hears of every batch of trials, and runs what is worse than all before."""

    def __init__(self, search: Search, out: Path, make: Callable[[Chunk], list[Outcome]] = perform) -> None:
        """`make` makes runs as `runner.work.perform` does."""
        self._search = search
        self._out = out
        self._make = make
        known = read(out)
        # A search that goes on hears of its old trials again: what lies there is of the worst of them.
        self._known = -1 if known is None else known.trial
        self._worst: float | None = None

    def heard(self, batch: Sequence[Trial]) -> None:
        """Take in a batch. A run that comes to nothing leaves the diagram of the one before."""
        aim = self._search.aim
        found = [(badness, trial) for trial in batch if (badness := aim.badness(trial.outcome)) is not None]
        if not found:
            return
        badness, trial = max(found, key=lambda one: (one[0], -one[1].number))
        if self._worst is not None and badness <= self._worst:
            return
        self._worst = badness
        if trial.number > self._known:
            self._write(trial, aim.shown(badness))

    def _write(self, trial: Trial, value: float) -> None:
        search = self._search
        # One repetition: the first of several has the same seed.
        bundle = search.template.bundle(trial.candidate, seed=search.seed, repetitions=1)
        variants = search.template.variants
        chunk = Chunk(
            bundle=bundle,
            seed=str(search.seed),
            repetitions=1,
            places=tuple(range(len(variants))),
            engine=search.engine,
            captures=False,
            programs=search.own,
        )
        try:
            outcomes = self._make(chunk)
        except WindlullError:
            return
        series = {one.run.variant: octets_of(one.files[SERIES]) for one in outcomes if isinstance(one.run, Run)}
        if set(series) != set(variants):
            return
        shown = Shown(trial.number, value, trial.candidate.words(), variants)
        draft, there = self._out / f".{BEST}.part", self._out / BEST
        try:
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir()
            for place, variant in enumerate(variants):
                (draft / f"{place}.{SERIES}").write_bytes(series[variant])
            (draft / SHOWN).write_bytes(msgspec.json.encode(shown))
            shutil.rmtree(there, ignore_errors=True)
            draft.rename(there)
        except OSError as error:
            raise FailureError(f"cannot write {there}: {error.strerror}") from error
