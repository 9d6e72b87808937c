"""The suites by which kernels are checked: `profiles/suites/NAME.toml`, each a list of experiments."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import msgspec

from windlull.errors import BadInputError, nearest
from windlull.metrics import METRICS
from windlull.runner.messages import MOST_REPETITIONS

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "suites"


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An experiment, whose live variants are run on both kernels, and the metrics in which these are compared."""

    experiment: str
    metrics: tuple[str, ...]


class Suite(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Experiments that are compared together. `repetitions` replaces their own number of repetitions."""

    title: str
    scenario: tuple[Entry, ...]
    description: str = ""
    repetitions: int | None = None


def names(profiles: Path) -> list[str]:
    """Return the names of the shipped suites."""
    return sorted(file.stem for file in (profiles / FOLDER).glob("*.toml"))


def suite(profiles: Path, name: str) -> Suite:
    """Read a shipped suite by its name. Raises BadInputError if there is none, or if its file is not right."""
    there = names(profiles)
    if name not in there:
        near = nearest(name, there)
        hint = f"do you mean {near}?" if near else f"there are {', '.join(there)}"
        raise BadInputError(f"--suite {name}: there is no such suite; {hint}")
    file = profiles / FOLDER / f"{name}.toml"
    try:
        read = msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), Suite)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BadInputError(f"{file}: {error}") from error
    for wrong in _wrong(read):
        raise BadInputError(f"{file}: {wrong}")
    return read


def _wrong(of: Suite) -> list[str]:
    unknown = [name for entry in of.scenario for name in entry.metrics if name not in METRICS]
    found = [f"there is no metric {name}" for name in unknown]
    found += [f"{entry.experiment} has no metrics" for entry in of.scenario if not entry.metrics]
    if not of.scenario:
        found.append("there is no [[scenario]]")
    if of.repetitions is not None and not 1 <= of.repetitions <= MOST_REPETITIONS:
        found.append(f"{of.repetitions} repetitions are not from 1 to {MOST_REPETITIONS:,}")
    return found
