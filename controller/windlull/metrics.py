"""Every metric: its name, label, unit and definition, as the engine has them (`testbed/analysis/src/metrics.rs`).

Tables, results and reports take their labels from here. `metrics.json` is made of that table, and a test keeps it so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Metric:
    """One number of a run.

    `digits` is how many decimals a person needs; `better` says which way is an improvement, if one is; `together`
    is what several flows have of it, if that follows from what each has.
    """

    name: str
    label: str
    unit: str
    digits: int
    better: Literal["lower", "higher"] | None
    together: Literal["sum", "mean", "largest"] | None
    definition: str


@dataclass(frozen=True, slots=True)
class Remark:
    """What people are told beside the numbers where `metric` is above a bound.

    `{percent}` is its value, and a metric's name in braces the value of that metric.
    """

    metric: str
    above: float
    words: str


@dataclass(frozen=True, slots=True)
class _Table:
    metrics: list[Metric]
    of_sets: list[Metric]
    remarks: list[Remark]


_TABLE = msgspec.json.decode(Path(__file__).with_name("metrics.json").read_bytes(), type=_Table)
_OF_SETS = {metric.name: metric for metric in _TABLE.of_sets}

METRICS: dict[str, Metric] = {metric.name: metric for metric in _TABLE.metrics}
"""All metrics by name, in the order in which they are written everywhere."""

BY_ANY_NAME: dict[str, Metric] = METRICS | {
    name.rsplit("_", 1)[0]: metric for name, metric in METRICS.items() if name.endswith(("_s", "_bps"))
}
"""By their names, with their units and without: `elapsed` is `elapsed_s`."""


def remarks(values: Mapping[str, float]) -> list[str]:
    """Say in words what must not be overlooked: `limited by the receive window for 93 % of the time`."""
    return [_said(one, values) for one in _TABLE.remarks if values.get(one.metric, 0) > one.above]


def _said(remark: Remark, values: Mapping[str, float]) -> str:
    def value(name: re.Match[str]) -> str:
        if name[1] == "percent":
            return str(round(100 * values[remark.metric]))
        return number(values[name[1]], METRICS[name[1]].digits)

    return re.sub(r"\{(\w+)\}", value, remark.words)


def metric(name: str) -> Metric:
    """Return the metric called `name`; one that is unknown here (of a newer engine) is labelled with its own name.

    Those of one flow or of one set of flows, as `flow_2_elapsed_s`, have its number in their names.
    """
    return METRICS.get(name) or _numbered(name) or Metric(name, name.replace("_", " "), "", 2, None, None, "")


def _numbered(name: str) -> Metric | None:
    parts = re.fullmatch(r"(flow|set)_([1-9][0-9]*)_(.+)", name)
    if parts is None:
        return None
    of, number, rest = parts.groups()
    known = (METRICS if of == "flow" else _OF_SETS).get(rest)
    if known is None:
        return None
    whose = f"{of} {number}"
    return replace(known, name=name, label=f"{known.label}, {whose}", definition=f"Of {whose}: {known.definition}")


def in_order(names: set[str]) -> list[str]:
    """Sort metric names as METRICS has them, unknown ones last by name."""
    position = {name: place for place, name in enumerate(METRICS)}
    return sorted(names, key=lambda name: (position.get(name, len(position)), name))


def significant(value: float, sign: str = "") -> str:
    """Write a number with three significant digits, or all before the point; with `sign="+"` it always has one."""
    return f"{value:{sign},.0f}" if abs(value) >= 1000 else f"{value:{sign}.3g}"


def number(value: float, digits: int) -> str:
    """Write a number for a person: `digits` decimals, but a count's half (the median of an even number) in full."""
    if digits == 0 and value != int(value) and abs(value) < 1000:
        return f"{value:.1f}"
    return f"{value:,.{digits}f}"
