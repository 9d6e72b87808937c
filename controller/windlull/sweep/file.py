"""A sweep as a file: which experiment, and its grid.

| key | meaning |
|---|---|
| `experiment` | a name, or the path of a file, relative to this one |
| `repetitions`, `seed` | instead of the experiment's own |
| `[grid]` | for each key a list: `"tcp.mss" = ["256 B", "1460 B"]`; or a text, which is one as `--grid` takes it |
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windlull.errors import BadInputError, FailureError, nearest
from windlull.runner.options import REPETITIONS, SEEDS, Range
from windlull.sweep import values
from windlull.sweep.grid import Axis

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_KEYS = ("experiment", "repetitions", "seed", "grid")


@dataclass(frozen=True, slots=True)
class SweepFile:
    """What such a file says; None is what it leaves to the experiment."""

    experiment: str
    repetitions: int | None
    seed: int | None
    axes: tuple[Axis, ...]


def read(path: Path) -> SweepFile | None:
    """Return what the file says; None if it is no sweep: it has neither `experiment` nor `grid`.

    Raises BadInputError, which names the file and the key; FailureError if the file cannot be read.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FailureError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: is not UTF-8 text, octet {error.start}") from error
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"{path}: {error}") from error
    if not {"experiment", "grid"} & set(document):
        return None
    for key in document:
        if key not in _KEYS:
            raise BadInputError(f"{path}: {key}: unknown key; {hint(key, _KEYS)}")
    return SweepFile(
        _experiment(path, document),
        _whole(path, document, "repetitions", REPETITIONS),
        _seed(path, document),
        _axes(path, document.get("grid", {})),
    )


def hint(word: str, known: tuple[str, ...]) -> str:
    """Say which known word was meant, or which there are."""
    meant = nearest(word, known)
    return f'did you mean "{meant}"?' if meant else f"there are {', '.join(known)}"


def _experiment(path: Path, document: dict[str, Any]) -> str:
    named = document.get("experiment")
    if not isinstance(named, str) or not named:
        raise BadInputError(f"{path}: experiment: say which, by its name or by the path of its file")
    return str(path.parent / named) if named.endswith(".toml") else named


def _whole(path: Path, document: dict[str, Any], key: str, within: Range) -> int | None:
    value = document.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not within.holds(value):
        raise BadInputError(f"{path}: {key}: `{value}` is no whole number from {within.least} to {within.most}")
    return value


def _seed(path: Path, document: dict[str, Any]) -> int | None:
    """Return the seed: a whole number, or the text of one, as of those above TOML's numbers."""
    value = document.get("seed")
    if isinstance(value, str) and value.isascii() and value.isdecimal():
        value = int(value)
    return _whole(path, document | {"seed": value}, "seed", SEEDS) if value is not None else None


def _axes(path: Path, grid: Any) -> tuple[Axis, ...]:  # noqa: ANN401 - whatever TOML has
    if not isinstance(grid, dict):
        raise BadInputError(f"{path}: grid: is no table; write [grid], and below it a line for each key")
    axes = []
    for key, listed in _flat(grid):
        try:
            axes.append(Axis(key, _values(listed)))
        except BadInputError as error:
            raise BadInputError(f"{path}: grid: {error}") from error
    return tuple(axes)


def _flat(table: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield keys with their values: `"link.both.rate" = [...]` and `link.both.rate = [...]` are the same key."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _values(listed: Any) -> tuple[values.Value, ...]:  # noqa: ANN401 - whatever TOML has
    if isinstance(listed, str):
        return values.parse(listed)
    return tuple(values.of_toml(value) for value in (listed if isinstance(listed, list) else [listed]))
