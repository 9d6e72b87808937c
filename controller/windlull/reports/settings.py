"""The kernel settings that the live runs read back, summed up by variant for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlull.reports.frame import ReportSettings
from windlull.reports.records import record
from windlull.runner.messages import SIMULATED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from windlull.runner.messages import Run


def settings_of(runs: Sequence[Run], directory: Path) -> tuple[ReportSettings, ...]:
    """Return for each variant and testbed what its runs recorded: by setting, its distinct values in order of runs.

    One value is the rule; where a kernel's own value changed between two runs, both stand there.
    Raises FailureError if a run's record cannot be read.
    """
    found: dict[tuple[str, str], list[dict[str, str]]] = {}
    for run in runs:
        if run.testbed == SIMULATED:
            continue
        settings = record(directory / run.directory)
        kernel = {"kernel.release": settings.provenance.kernel} if settings.provenance.kernel else {}
        found.setdefault((run.variant, run.testbed), []).append(kernel | settings.settings)
    return tuple(
        ReportSettings(variant=variant, testbed=testbed, runs=len(settings), values=_distinct(settings))
        for (variant, testbed), settings in found.items()
    )


def _distinct(settings: Sequence[dict[str, str]]) -> dict[str, tuple[str, ...]]:
    names = sorted({name for one in settings for name in one})
    return {name: tuple(dict.fromkeys(one[name] for one in settings if name in one)) for name in names}
