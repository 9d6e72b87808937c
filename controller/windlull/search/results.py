"""What a search came to, in words and for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from windlull.metrics import number

if TYPE_CHECKING:
    from windlull.search.explore import Explored
    from windlull.search.findings import Finding
    from windlull.search.found import Written
    from windlull.search.journal import Trial
    from windlull.search.outcome import Outcome
    from windlull.search.plan import Search


@dataclass(frozen=True, slots=True)
class Reported:
    """A finding, what happens in a sentence, and its files."""

    finding: Finding
    sentence: str
    files: Written


@dataclass(frozen=True, slots=True)
class Result:
    """All that was tried, and what was found, the worst first."""

    explored: Explored
    found: tuple[Reported, ...]


def sentence(search: Search, base: Trial, finding: Finding) -> str:
    """Say what the link of a finding does, and what its variants then measured, by medians over the fresh seeds."""
    there = _measured(search, finding.confirmed.outcome)
    usual = _measured(search, base.outcome)
    return f"{finding.candidate.words()} {search.aim.metric.label}: {there}; on the base link {usual}."


def document(search: Search, result: Result) -> dict[str, Any]:
    """Return `search.json`."""
    aim = search.aim
    base = result.explored.base
    return {
        "experiment": search.experiment,
        "testbed": search.testbed,
        "seed": str(search.seed),
        "version": search.engine.version,
        "commit": search.engine.commit,
        "worst": aim.metric.name,
        "variant": aim.variant,
        "against": aim.baseline,
        "by": aim.by,
        "budget": search.request.budget,
        "at_random": search.request.at_random,
        "repetitions": search.repetitions,
        "random": search.random,
        "base": _shown(search, base.outcome),
        "found": [_found(search, one) for one in result.found],
        "tried": [
            {
                "trial": trial.number,
                "value": _shown(search, trial.outcome),
                "kinds": list(trial.candidate.kinds()),
                **({"problem": trial.outcome.problem} if trial.outcome.problem else {}),
            }
            for trial in result.explored.trials
        ],
    }


def _found(search: Search, one: Reported) -> dict[str, Any]:
    finding, confirmed = one.finding, one.finding.confirmed
    low, high = confirmed.interval
    return {
        "sentence": one.sentence,
        "kind": {"link": list(finding.kind.link), "wrong": list(finding.kind.wrong)},
        "fails_if": finding.failing.text,
        "value": search.aim.shown(finding.badness),
        "link": msgspec.to_builtins(finding.candidate),
        "found": {
            "trial": finding.number,
            "value": search.aim.shown(finding.found_badness),
            "link": msgspec.to_builtins(finding.found),
        },
        "shrunk": {"tried": finding.tried, "minimal": finding.minimal},
        "steady": None
        if finding.steady is None
        else {"answer": finding.steady.answer, "runs": finding.steady.runs, "failed": finding.steady.hits},
        "confirmed": {
            "seed": str(confirmed.seed),
            "runs": len(confirmed.fails),
            "failed": confirmed.hits,
            "interval": [low, high] if search.random else None,
            "value": _shown(search, confirmed.outcome),
        },
        "story": list(one.files.story),
        "files": {
            "experiment": one.files.experiment,
            "run": one.files.run,
            "capsule": one.files.capsule,
            "packetdrill": one.files.script,
            **({"no_packetdrill": one.files.no_script} if one.files.no_script else {}),
        },
    }


def _shown(search: Search, outcome: Outcome) -> float | None:
    badness = search.aim.badness(outcome)
    return None if badness is None else search.aim.shown(badness)


def _measured(search: Search, outcome: Outcome) -> str:
    metric = search.aim.metric
    said = []
    for variant in search.template.variants:
        median = outcome.median(variant, metric.name)
        value = "no value" if median is None else f"{number(median, metric.digits)} {metric.unit}".rstrip()
        late = outcome.unfinished.get(variant, 0)
        said.append(f"{variant} {value}" + (f" ({late} did not end in order)" if late else ""))
    return ", ".join(said)
