"""What the resolved files of an experiment say about its runs.

Whether anything in them is drawn at random, and whether the runs of two experiments answer the same question.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from windlull.runner.messages import SIMULATED

if TYPE_CHECKING:
    from collections.abc import Mapping

WORDS = {"title", "description", "source", "summary"}
"""Keys that say something about a link or a workload, and change nothing of it."""

_DISTRIBUTION = re.compile(r"[a-z-]+\(|probability|between onsets")
"""How a value that is drawn is written."""

_QUEUES_THAT_DRAW = {"red", "adaptive-red", "pie"}


@dataclass(frozen=True, slots=True)
class Setting:
    """`settled` are the links on which nothing is drawn; `fixed_time`: the workload lasts a given time."""

    settled: frozenset[str] = frozenset()
    fixed_time: bool = False

    def draws(self, link: str, testbed: str) -> bool:
        """Return whether repetitions may differ. Only what is simulated never does."""
        return testbed != SIMULATED or link not in self.settled

    def __and__(self, other: Setting) -> Setting:
        """Return what holds of the runs of both."""
        return Setting(self.settled & other.settled, self.fixed_time and other.fixed_time)


def setting(experiment: Mapping[str, Any]) -> Setting:
    """Read an experiment as the engine resolved it. What is not known counts as drawn."""
    if experiment.get("access") is not None:
        settled = frozenset[str]()
    else:
        settled = frozenset(
            link["name"]
            for link in experiment.get("links", ())
            if link.get("resolved") and not _draws(link["resolved"])
        )
    carriers = [experiment, *experiment.get("links", ())]
    sets = [one for carrier in carriers for one in (carrier.get("workload") or {}).get("sets") or ()]
    return Setting(settled, bool(sets) and all(one.get("duration_s") is not None for one in sets))


def meaning(resolved: Any) -> Any:  # noqa: ANN401 - JSON
    """Return what of a link, a workload or a variant matters to the packets: all but the words about it."""
    if isinstance(resolved, dict):
        return {key: meaning(value) for key, value in resolved.items() if key not in WORDS and value is not None}
    return [meaning(part) for part in resolved] if isinstance(resolved, list) else resolved


class LinkConditions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hashes of a link and of what is transferred on it, without titles and other words about them."""

    link: str
    workload: str


class Conditions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the runs of an experiment were given, as hashes by the names of its links and variants."""

    links: dict[str, LinkConditions]
    variants: dict[str, str]


def conditions(experiment: Mapping[str, Any]) -> Conditions:
    """Return the conditions of an experiment as the engine resolved it."""
    links, access = experiment.get("links", ()), experiment.get("access")
    return Conditions(
        links={
            link["name"]: LinkConditions(
                link=_hash([link.get("resolved"), access]),
                workload=_hash(_nameless(link.get("workload") or experiment.get("workload"))),
            )
            for link in links
        },
        variants={
            one["name"]: _hash([one.get("resolved"), one.get("kernel")]) for one in experiment.get("variants", ())
        },
    )


def differing(old: Conditions, new: Conditions) -> str | None:
    """Say what differs between two experiments that makes their runs answer other questions; None if nothing does.

    That is a link of the same name, or what is transferred on it. The variants may differ.
    """
    for name, link in old.links.items():
        other = new.links.get(name, link)
        if other.link != link.link:
            return f"the link {name}"
        if other.workload != link.workload:
            return "the workload"
    return None


def _nameless(workload: Mapping[str, Any] | None) -> dict[str, Any]:
    return {key: value for key, value in (workload or {}).items() if key != "name"}


def _hash(of: object) -> str:
    text = json.dumps(_counted(meaning(of)), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _counted(of: object) -> object:
    """Return the same with each whole number written as one: 60 and 60.0 are the same setting."""
    if isinstance(of, dict):
        return {key: _counted(value) for key, value in of.items()}
    if isinstance(of, list):
        return [_counted(part) for part in of]
    return int(of) if isinstance(of, float) and of.is_integer() else of


def _draws(of: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether a link, or a part of it, has an impairment, a distribution, a queue or a beginning that draws."""
    if isinstance(of, dict):
        drawn = of.get("kind") in _QUEUES_THAT_DRAW or of.get("start") == "random"
        if drawn or of.get("impairment") or "loss" in of:
            return True
        return any(_draws(value) for key, value in of.items() if key not in WORDS)
    if isinstance(of, list):
        return any(map(_draws, of))
    return isinstance(of, str) and _DISTRIBUTION.search(of) is not None
