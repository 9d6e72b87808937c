"""What a suite's runs on two kernels amount to: a verdict for each scenario, with one correction over all of them.

Pure, as stats.compare is, whose verdicts these are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from windlull.metrics import METRICS
from windlull.stats.compare import Comparison, Finding, compare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windlull.patches.scenarios import Played

Verdict = Literal["worse", "better", "equal", "inconclusive", "failed"]


@dataclass(frozen=True, slots=True)
class Judged:
    """A scenario, on one of its links if it has several: the candidate is `failed` if a run of it came to nothing.

    Else it is worse if it is in any metric; better if it is in any, and worse in none; equal if it is in all.
    """

    name: str
    title: str
    verdict: Verdict
    findings: tuple[Finding, ...]
    failed: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing shows the candidate to be worse."""
        return self.verdict not in {"worse", "failed"}


@dataclass(frozen=True, slots=True)
class Check:
    """All scenarios of a suite, and the comparison of which their findings are."""

    scenarios: tuple[Judged, ...]
    comparison: Comparison

    @property
    def passed(self) -> bool:
        """Whether all did."""
        return all(one.passed for one in self.scenarios)


def judge(played: Sequence[Played]) -> Check:
    """Compare all scenarios at once, so that Holm's correction covers them together."""
    metrics = [name for name in METRICS if any(name in one.scenario.metrics for one in played)]
    comparison = compare([match for one in played for match in one.matches], metrics=metrics)
    judged = []
    for one in played:
        names = dict.fromkeys(match.link for match in one.matches) or [one.scenario.name]
        for name in names:
            findings = tuple(finding for finding in comparison.findings if finding.link == name)
            judged.append(Judged(name, one.scenario.title, _verdict(findings, one.failed), findings, one.failed))
    return Check(tuple(judged), comparison)


def _verdict(findings: Sequence[Finding], failed: Sequence[str]) -> Verdict:
    found = {finding.verdict for finding in findings}
    if failed:
        return "failed"
    for verdict in ("worse", "better"):
        if verdict in found:
            return verdict
    return "equal" if found == {"equal"} else "inconclusive"
