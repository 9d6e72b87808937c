"""What the resolved files of an experiment say about its runs: whether anything in them is drawn at random."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
    if not isinstance(resolved, dict):
        return resolved
    return {key: meaning(value) for key, value in resolved.items() if key not in WORDS}


def differing(old: Mapping[str, Any], new: Mapping[str, Any]) -> str | None:
    """Say what of two resolved experiments differs that makes their runs answer other questions; None if nothing does.

    That is a link of the same name, or what is transferred on it. The variants may differ.
    """
    theirs = {link["name"]: link for link in new.get("links", ())}
    for link in old.get("links", ()):
        if (other := theirs.get(link["name"])) is None:
            continue
        if meaning(other.get("resolved")) != meaning(link.get("resolved")):
            return f"the link {link['name']}"
        old_workload, new_workload = (
            of.get("workload") or whole.get("workload") for of, whole in ((link, old), (other, new))
        )
        if meaning(old_workload) != meaning(new_workload):
            return "the workload"
    return None


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
