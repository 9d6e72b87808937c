"""A check of a kernel in KTAP, the kernel's own form of test results (Documentation/dev-tools/ktap.rst, version 1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from windlull.metrics import metric
from windlull.reports.verdicts import bare, change, deciding_p, p_value

if TYPE_CHECKING:
    from windlull.patches.verdicts import Check, Judged
    from windlull.reports.verdicts import About
    from windlull.stats.compare import Finding


def ktap(about: About, check: Check) -> str:
    """Return the check as KTAP: a test for each scenario, which is ok unless the candidate is worse or failed.

    What is known of a scenario stands in diagnostic lines before its result.
    """
    lines = ["KTAP version 1", f"1..{len(check.scenarios)}"]
    lines += [_said(text) for text in (f"base: {about.baseline}", f"kernel: {about.candidate}", *about.notes)]
    for number, one in enumerate(check.scenarios, 1):
        lines += [_said(f"{one.name}: {line}") for line in details(one)]
        lines.append(f"{'ok' if one.passed else 'not ok'} {number} {_name(one.name)}")
    return "\n".join(lines) + "\n"


def bail_out(why: str) -> str:
    """Return the line that says that there will be no more results, and why."""
    return f"Bail out! {' '.join(why.split())}\n"


def details(one: Judged) -> list[str]:
    """Say what a scenario's verdict rests on: a line for each metric, or for each run that failed."""
    if one.failed:
        more = f", and {len(one.failed) - 1} more" if len(one.failed) > 1 else ""
        return [f"failed: {one.failed[0]}{more}"]
    return [f"{finding.verdict}: {_measured(finding)}" for finding in one.findings]


def _measured(one: Finding) -> str:
    about = metric(one.metric)
    unit = f" {about.unit}" if about.unit else ""
    medians = (
        "" if one.medians is None else f" {bare(one.metric, one.medians[0])}, {bare(one.metric, one.medians[1])}{unit}"
    )
    p = deciding_p(one)
    shown = f", p {p_value(p)}" if p is not None else ""
    return f"{about.label}{medians} ({change(one)}{shown}); {one.why}"


def _said(text: str) -> str:
    return f"# {' '.join(text.split())}"


def _name(text: str) -> str:
    """Return a test's name; a number sign would begin a directive."""
    return " ".join(text.replace("#", "").split())
