"""Which entries of a link's script never began in which runs: those whose conditions the transport never met."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import msgspec
from rich.text import Text

from windlull.contract.engine import UnmetCondition
from windlull.errors import FailureError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console

    from windlull.runner.messages import Run

METRIC = "unmet_entries"
"""How many of them a run has."""


class _Record(msgspec.Struct, frozen=True):
    """What of a run's record says so."""

    unmet: tuple[UnmetCondition, ...] = ()


def sentence(one: UnmetCondition, runs: str = "") -> str:
    """Say of an entry what it waited for; `runs` says in which runs, where there are several."""
    return f"script {one.entry} never began{runs}: it waited for \u201c{one.condition}\u201d"


def print_unmet(out: Console, place: Path, runs: Sequence[Run]) -> None:
    """Name the entries that never began, for each variant and link; `place` is the runs' output directory.

    Raises FailureError if a run's record cannot be read.
    """
    every: Counter[tuple[str, str, str]] = Counter((run.link, run.testbed, run.variant) for run in runs)
    links, testbeds = ({key[part] for key in every} for part in (0, 1))
    waited: Counter[tuple[tuple[str, str, str], UnmetCondition]] = Counter()
    for run in runs:
        if run.metrics.get(METRIC):
            waited.update(((run.link, run.testbed, run.variant), one) for one in _read(place / run.directory))
    if waited:
        out.print()
    for (key, one), count in waited.items():
        link, testbed, variant = key
        beside = [name for name, several in ((link, len(links) > 1), (testbed, len(testbeds) > 1)) if several]
        who = ", ".join([variant, *beside])
        of = f" in {count} of {every[key]} runs" if every[key] > 1 else ""
        out.print(Text.assemble((who, "bold"), f": {sentence(one, of)}", style="yellow"))


def _read(run: Path) -> tuple[UnmetCondition, ...]:
    try:
        return msgspec.json.decode((run / "run.json").read_bytes(), type=_Record).unmet
    except (OSError, msgspec.MsgspecError) as error:
        raise FailureError(f"cannot read {run / 'run.json'}: {error}") from error
