"""The kernel settings that the live runs read back, summed up by variant for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from windlull.errors import FailureError
from windlull.reports.frame import ReportSettings
from windlull.runner.messages import SIMULATED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from windlull.runner.messages import Run

RECORD = "run.json"


class _Provenance(msgspec.Struct, frozen=True):
    kernel: str | None = None


class _Record(msgspec.Struct, frozen=True):
    """The part of run.json that is read here."""

    provenance: _Provenance = _Provenance()
    settings: dict[str, str] = {}


def settings_of(runs: Sequence[Run], directory: Path) -> tuple[ReportSettings, ...]:
    """Return for each variant and testbed what its runs recorded: by setting, its distinct values in order of runs.

    One value is the rule; where a kernel's own value changed between two runs, both stand there.
    Raises FailureError if a run's record cannot be read.
    """
    found: dict[tuple[str, str], list[dict[str, str]]] = {}
    for run in runs:
        if run.testbed == SIMULATED:
            continue
        record = _record(directory / run.directory / RECORD)
        kernel = {"kernel.release": record.provenance.kernel} if record.provenance.kernel else {}
        found.setdefault((run.variant, run.testbed), []).append(kernel | record.settings)
    return tuple(
        ReportSettings(variant=variant, testbed=testbed, runs=len(told), values=_distinct(told))
        for (variant, testbed), told in found.items()
    )


def _distinct(told: Sequence[dict[str, str]]) -> dict[str, tuple[str, ...]]:
    names = sorted({name for one in told for name in one})
    return {name: tuple(dict.fromkeys(one[name] for one in told if name in one)) for name in names}


def _record(file: Path) -> _Record:
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Record)
    except OSError as error:
        raise FailureError(f"cannot read {file}: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise FailureError(f"{file} is not a run's record: {error}") from error
