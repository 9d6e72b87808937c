"""What comparisons and gates say to a person at a terminal; docs/statistics.md explains the words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from windlull.metrics import metric, number, significant
from windlull.stats.gate import Gate
from windlull.stats.unseen import FACTOR

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from windlull.stats.compare import Comparison, Finding
    from windlull.stats.gate import Check
    from windlull.stats.planning import Runs
    from windlull.stats.questions import IntervalEstimate

STYLES = {
    "better": "green", "worse": "bold red", "differs": "yellow", "equal": "", "inconclusive": "yellow",
    "pass": "green", "fail": "bold red",
}  # fmt: skip


MOST_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class About:
    """What is compared: a title, both sides in words, and what somebody who trusts the verdict should know."""

    title: str
    baseline: str
    candidate: str
    notes: tuple[str, ...] = ()


def print_comparison(out: Console, about: About, comparison: Comparison) -> None:
    """Print a table for each link, testbed and candidate, then what would decide the rest."""
    _print_about(out, about)
    for place, findings in groupby(comparison.findings, key=place_of):
        of = list(findings)
        out.print()
        out.print(Text.assemble((place, "bold"), f", {counted(of[0].runs, paired=of[0].paired)}"))
        out.print(_findings(of))
        for line in filter(None, (reason(one, comparison) for one in of)):
            out.print(Text(line), soft_wrap=True)
        if any(finding.needed for finding in of):
            out.print(_needed(of, comparison.margin))
    if links := on_links(comparison):
        out.print()
        out.print(Text(links))
    out.print()
    out.print(Text(method(comparison), style="dim"))


def print_gate(out: Console, about: About, gate: Gate) -> None:
    """Print every check with its numbers, then the gate's own verdict."""
    _print_about(out, about)
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=12, no_wrap=True)
    grid.add_column()
    for check in gate.checks:
        said = Text.assemble((check.rule, "bold"), f"\n{subject(check)}")
        for line, style in (
            (measured(check), ""), (allowed(check), ""), (check.why, "dim"), (wants(check), "yellow"),
        ):  # fmt: skip
            if line:
                said.append(f"\n{line}", style=style)
        grid.add_row(Text(check.status, style=STYLES[check.status]), said.append("\n"))
    out.print()
    out.print(grid)
    if links := on_links(gate):
        out.print(Text(f"{links}\n"))
    out.print(Text.assemble("gate: ", (gate.status, STYLES[gate.status]), asked_in_all(gate)))


def in_a_sentence(gate: Gate) -> str:
    """Return a gate's verdict, the rules that it is of, and what decided."""
    decisive = [check for check in gate.checks if check.status == gate.status]
    rules = list(dict.fromkeys(check.rule for check in decisive))
    match gate.status:
        case "fail":
            first, more = decisive[0], len(decisive) - 1
            others = f", and {more} more" if more else ""
            return f"The gate failed: {' and '.join(rules)}. {subject(first)}: {measured(first)}{others}."
        case "inconclusive":
            return f"The gate is not decided: {' and '.join(rules)}. {decisive[0].why}."
        case "pass":
            what = f"{rules[0]} does not hold" if len(rules) == 1 else f"none of these holds: {'; '.join(rules)}"
            return f"The gate passed: {what}."


def place_of(one: Finding) -> str:
    """Say where a finding is from, and who meets whom."""
    return f"{one.candidate} against {one.baseline}, {one.link}, {one.testbed}"


def subject(check: Check) -> str:
    """Say whom a check is about, and where."""
    whom = check.candidate if check.baseline is None else f"{check.candidate} against {check.baseline}"
    return f"{whom}, {check.link}, {check.testbed}"


def counted(runs: int, *, paired: bool) -> str:
    """Say how many pairs or runs there are."""
    what = "pair" if paired else "run"
    return f"{runs} {what}{'' if runs == 1 else 's'}" + ("" if paired else " of each side, not in pairs")


def bare(name: str, of: float, fine: int = 0) -> str:
    """Write a value of a metric without its unit, with at least `fine` decimals unless it is a whole count."""
    if metric(name).digits == 0 and float(of).is_integer():
        return number(of, 0)
    return number(of, max(fine, metric(name).digits or int(abs(of) < 1000)))


def value(name: str, of: float, fine: int = 0) -> str:
    """Write a value of a metric with its unit."""
    return f"{bare(name, of, fine)} {metric(name).unit}".rstrip()


def heading(name: str) -> str:
    """Name a metric, and its unit unless it is a count, whose name says of what."""
    about = metric(name)
    return f"{about.label}, {about.unit}" if about.digits or about.unit.endswith("/s") else about.label


def p_value(of: float | None) -> str:
    """Write a p-value: below one in ten thousand, how small it is depends on what nobody can check."""
    if of is None:
        return "-"
    return "<0.0001" if of < 0.0001 else f"{of:.2g}"


def deciding_p(finding: Finding) -> float | None:
    """Return the p-value, after Holm, of what decided: of the mean where it is that, else of the runs."""
    return finding.mean_p_adjusted if finding.by == "mean" else finding.p_adjusted


def reason(finding: Finding, comparison: Comparison) -> str:
    """Say why nothing is decided, or what shows a difference that the median does not show; else nothing."""
    if finding.verdict == "inconclusive":
        return f"{metric(finding.metric).label}: {finding.why}"
    if finding.by is None or (finding.by == "runs" and _in_median(finding, comparison.margin)):
        return ""
    mean = finding.mean_ratio
    far = "" if mean is None else f"; mean {per_cent(mean)}, {mean.sure(comparison.confidence)} interval"
    return f"{metric(finding.metric).label}: {finding.why}{far}"


def _in_median(finding: Finding, margin: float) -> bool:
    """Return whether the median is beyond the margin on the side where more runs are."""
    way = math.copysign(1, finding.effect or 0)
    if finding.ratio is not None:
        return way * (finding.ratio.value - 1) > margin
    return finding.difference is not None and way * finding.difference.value > 0


def change_heading(*, paired: bool) -> str:
    """Head a column of what `change` says."""
    return "median of pairs' changes" if paired else "change of the median"


def change(finding: Finding) -> str:
    """Say the median of the pairs' changes, or that of the medians: in per cent, or in the unit if a baseline is 0."""
    if finding.ratio is not None:
        return per_cent(finding.ratio)
    if finding.difference is None:
        return "-"
    digits = metric(finding.metric).digits
    numbers = [
        f"{end:+,.{digits or int(not float(end).is_integer())}f}"
        for end in (finding.difference.value, finding.difference.low, finding.difference.high)
        if end is not None
    ]
    return numbers[0] + (f" ({numbers[1]} to {numbers[2]})" if len(numbers) == 3 else "")


def per_cent(ratio: IntervalEstimate) -> str:
    """Say how much more or less than the baseline a ratio is, and its interval."""
    change = f"{significant(100 * (ratio.value - 1), '+')} %"
    if ratio.low is None or ratio.high is None:
        return change
    low, high = (significant(100 * (end - 1), "+") for end in (ratio.low, ratio.high))
    return f"{change} ({low} to {high})"


def wanted(runs: Runs | None) -> str:
    """Say how many runs, and between which numbers that may lie."""
    if runs is None:
        return "-"
    if runs.high is None:
        return f"at least {runs.runs:,}" if runs.low == runs.runs else f"{runs.runs:,} (at least {runs.low:,})"
    return f"{runs.runs:,}" if runs.low == runs.high else f"{runs.runs:,} ({runs.low:,} to {runs.high:,})"


def wanted_headings(margin: float, *, paired: bool) -> tuple[str, str, str]:
    """Head a table of how many runs would decide."""
    what = "pairs" if paired else "runs of each side"
    return f"{what} that would decide", "if it is as large as it looks", f"if by less than {100 * margin:g} %"


def measured(check: Check) -> str:
    """Say a check's numbers; nothing if no run has the metric."""
    if check.value is None or check.limit is None or check.excess is None:
        return ""
    beyond = check.excess
    fine, ends = _decimals(beyond), beyond.interval
    against = "" if check.baseline_value is None else f", baseline {value(check.metric, check.baseline_value, fine)}"
    digits = max(fine, metric(check.metric).digits or 1)
    sure = f"{beyond.sure(check.confidence)} interval"
    interval = "" if ends is None else f" ({sure} {ends[0]:+,.{digits}f} to {ends[1]:+,.{digits}f})"
    away = f"{beyond.value:+,.{digits}f} {metric(check.metric).unit}".rstrip()
    return (
        f"{check.statistic} {value(check.metric, check.value, fine)}{against}, "
        f"limit {value(check.metric, check.limit, fine)}: {away}{interval} from the limit"
    )


def _decimals(beyond: IntervalEstimate) -> int:
    """Return with how many decimals a distance has two digits, or, if its interval is much wider, that has."""
    size = max(abs(beyond.value), (beyond.interval[1] - beyond.interval[0]) / 10 if beyond.interval else 0)
    return min(MOST_DECIMALS, max(0, 1 - math.floor(math.log10(size)))) if size > 0 else 0


def allowed(check: Check) -> str:
    """Say what the interval of a mean allows for; nothing of other statistics."""
    if check.unseen is None:
        return ""
    what = "pairs" if check.paired else "runs"
    return (
        f"allowed for: an event in {100 * check.unseen:.2g} % of runs, which {check.runs} {what} need not have shown, "
        f"and in which a run may be up to {FACTOR:g} times the usual"
    )


def wants(check: Check) -> str:
    """Say how many runs would decide a check, or what else; nothing if it is decided."""
    parts = []
    if check.asked and check.asked.runs:
        what = "pairs" if check.paired else "runs"
        away = f"if the candidate is {significant(100 * check.asked.resolution)} % or more from the limit"
        if check.asked.runs.decides:
            parts.append(f"{wanted(check.asked.runs)} {what} would decide, {away}")
        else:
            parts.append(f"make {check.asked.runs.runs:,} {what}: fewer cannot tell how many would decide")
    if check.advice:
        parts.append(check.advice)
    return "; ".join(parts)


def asked_in_all(gate: Gate) -> str:
    """Say with how many repetitions to run again, if that helps."""
    return (
        f"; run again with --reps {gate.asked} and a new --seed" if gate.status == "inconclusive" and gate.asked else ""
    )


def on_links(of: Comparison | Gate) -> str:
    """Say what more repetitions tell where there are several links and something is open; nothing where not."""
    if isinstance(of, Gate):
        verdicts = [(check.link, check.status == "inconclusive") for check in of.checks]
    else:
        verdicts = [(finding.link, finding.verdict == "inconclusive") for finding in of.findings]
    links = {link for link, _ in verdicts}
    if len(links) < 2 or not any(still_open for _, still_open in verdicts):
        return ""
    return (
        f"each of {len(links)} links is decided by its own runs: more repetitions say more about these "
        "links; only more links say anything about others"
    )


def method(comparison: Comparison) -> str:
    """Say by what the verdicts were reached."""
    return (
        f"Intervals are {100 * comparison.confidence:g} % intervals of the median, in pairs those of the pairs' "
        f"ratios; where many values are the same they are wider. {_tests(comparison.family)} What "
        f"differs by less than {100 * comparison.margin:g} % is equal. "
        f"Numbers of runs are for a power of {100 * comparison.power:g} %."
    )


def _tests(family: int) -> str:
    """Say for how many tests each p is corrected."""
    if family == 0:
        return "Nothing could be tested: the runs are the same, or too few (it takes 6)."
    return "p is of one test." if family == 1 else f"p is corrected for {family} tests (Holm)."


def _print_about(out: Console, about: About) -> None:
    out.print(Text(about.title, style="bold"))
    out.print(Text(f"baseline: {about.baseline}\ncandidate: {about.candidate}"), soft_wrap=True)
    for note in about.notes:
        out.print(Text.assemble(("note: ", "bold"), note), soft_wrap=True)


def _findings(findings: Sequence[Finding]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(Text(""), no_wrap=True)
    for column in ("baseline", "candidate", change_heading(paired=findings[0].paired), "effect", "p"):
        table.add_column(Text(column), justify="right", no_wrap=True)
    table.add_column(Text("verdict"), no_wrap=True, min_width=len("inconclusive"))
    for one in findings:
        medians = [bare(one.metric, of) for of in one.medians] if one.medians else ["-", "-"]
        table.add_row(
            Text(heading(one.metric)),
            *(Text(of) for of in medians),
            Text(change(one)),
            Text("-" if one.effect is None else f"{one.effect:+.2f}"),
            Text(p_value(deciding_p(one))),
            Text(one.verdict, style=STYLES[one.verdict]),
        )
    return table


def _needed(findings: Sequence[Finding], margin: float) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), style="dim", header_style="dim")
    first, *others = wanted_headings(margin, paired=findings[0].paired)
    table.add_column(Text(first), no_wrap=True)
    for column in others:
        table.add_column(Text(column), justify="right", no_wrap=True)
    for one in findings:
        if one.needed:
            ends = (wanted(one.needed.seen), wanted(one.needed.margin))
            table.add_row(Text(metric(one.metric).label), *(Text(of) for of in ends))
    return table
