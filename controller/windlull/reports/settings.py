"""The kernel settings that the live runs read back, summed up by variant for the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from windlull.errors import FailureError
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


def settings_json(runs: Sequence[Run], directory: Path) -> list[dict[str, Any]]:
    """Return for each variant and testbed what its runs recorded: by setting, its distinct values in order of runs.

    One value is the rule; where a kernel's own value changed between two runs, both stand there.
    Raises FailureError if a run's record cannot be read.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for run in runs:
        if run.testbed == SIMULATED:
            continue
        record = _record(directory / run.directory / RECORD)
        entry = found.setdefault(
            (run.variant, run.testbed),
            {"variant": run.variant, "testbed": run.testbed, "runs": 0, "values": {}},
        )
        entry["runs"] += 1
        told = dict(record.settings)
        if record.provenance.kernel:
            told.setdefault("kernel.release", record.provenance.kernel)
        for name, value in told.items():
            values = entry["values"].setdefault(name, [])
            if value not in values:
                values.append(value)
    for entry in found.values():
        entry["values"] = dict(sorted(entry["values"].items()))
    return list(found.values())


def _record(file: Path) -> _Record:
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Record)
    except OSError as error:
        raise FailureError(f"cannot read {file}: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise FailureError(f"{file} is not a run's record: {error}") from error
