"""What two batches were given that is not the same: link, workload, variant, testbed, seed, versions.

Pure: what the engine resolved in, a row for each value that differs out. A comparison tells it beside its verdicts, as
a difference of the results may be one of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from windlull.runner.setting import meaning

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

What = Literal["link", "workload", "variant", "experiment", "testbed", "seed", "repetitions", "engine"]
"""What a value belongs to."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a variant of a batch was given: the experiment as the engine resolved it, and the cell that is looked at."""

    experiment: Mapping[str, Any]
    variant: str
    link: str
    testbed: str
    plane: str | None
    seed: str
    repetitions: int


@dataclass(frozen=True, slots=True)
class Apart:
    """A value that is not the same; None where one of the two does not have it.

    `key` is where it stands in the file, such as `down.rate`; None where the thing itself is another.
    """

    what: What
    key: str | None
    baseline: str | None
    candidate: str | None


def apart(baseline: Given, candidate: Given) -> list[Apart]:
    """Return what differs, the link first."""
    sides = (baseline, candidate)
    links, variants = ([_named(of, key) for of in sides] for key in ("links", "variants"))
    workloads = [
        link.get("workload") or of.experiment.get("workload") or {} for of, link in zip(sides, links, strict=True)
    ]
    wholes: list[tuple[What, list[str | None]]] = [
        ("link", [of.link for of in sides]),
        ("workload", [of.get("name") for of in workloads]),
        ("variant", [of.variant for of in sides]),
        ("testbed", [of.testbed + (f", {of.plane}" if of.plane else "") for of in sides]),
        ("seed", [of.seed for of in sides]),
        ("repetitions", [str(of.repetitions) for of in sides]),
        ("engine", [f"{of.experiment.get('version')} ({of.experiment.get('commit')})" for of in sides]),
    ]
    parts: dict[What, Sequence[Mapping[str, Any]]] = {
        "link": [link.get("resolved") or {} for link in links],
        "workload": [{key: value for key, value in of.items() if key != "name"} for of in workloads],
        "variant": [{**(of.get("resolved") or {}), "kernel": of.get("kernel")} for of in variants],
    }
    found: list[Apart] = []
    for of, (left, right) in wholes:
        if left != right:
            found.append(Apart(of, None, left, right))
        if of in parts:
            found += _values(of, *parts[of])
    rest = [{key: side.experiment.get(key) for key in ("access", "network", "time_limit_s")} for side in sides]
    return found + _values("experiment", *rest)


def _named(of: Given, key: Literal["links", "variants"]) -> Mapping[str, Any]:
    name = of.link if key == "links" else of.variant
    return next((one for one in of.experiment.get(key, ()) if one["name"] == name), {})


def _values(of: What, baseline: Mapping[str, Any], candidate: Mapping[str, Any]) -> list[Apart]:
    left, right = (dict(_leaves(meaning(one), "")) for one in (baseline, candidate))
    keys = dict.fromkeys([*left, *right])
    return [Apart(of, key, left.get(key), right.get(key)) for key in keys if left.get(key) != right.get(key)]


def _leaves(value: Any, at: str) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - JSON
    """Yield each value as text, by its key; a table of a list goes by its name, if it has one, else by its number."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(part, f"{at}.{key}" if at else key)
    elif isinstance(value, list):
        for number, part in enumerate(value, 1):
            named = part.get("name") if isinstance(part, dict) else None
            yield from _leaves(meaning(part), f"{at}.{named or number}")
    elif value is not None:
        yield at, str(value).lower() if isinstance(value, bool) else str(value)
