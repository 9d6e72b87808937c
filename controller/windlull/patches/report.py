"""A check of a kernel as a table at a terminal, as JUnit XML for a CI's tests, and as Markdown and JSON to keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from junitparser import Error, Failure, TestCase
from rich import box
from rich.table import Table
from rich.text import Text

from windlull.patches.ktap import bail_out, details, ktap
from windlull.reports.indented import readable
from windlull.reports.verdict_files import clean, comparison_markdown, junit, with_text
from windlull.reports.verdicts import STYLES, bare, change, change_heading, deciding_p, heading, method, p_value

if TYPE_CHECKING:
    from rich.console import Console

    from windlull.patches.verdicts import Check
    from windlull.reports.verdicts import About


def print_check(out: Console, about: About, check: Check) -> None:
    """Print a row for each metric of each scenario."""
    out.print(Text(about.title, style="bold"))
    out.print(Text(f"base: {about.baseline}\nkernel: {about.candidate}"), soft_wrap=True)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column, justify in (
        ("scenario", "left"), ("", "left"), ("pairs", "right"), ("base", "right"), ("kernel", "right"),
        (change_heading(paired=True), "right"), ("p", "right"), ("verdict", "left"),
    ):  # fmt: skip
        table.add_column(Text(column), justify=justify, no_wrap=True)  # type: ignore[arg-type]  # one of rich's words
    for one in check.scenarios:
        name = one.name
        if one.failed:
            table.add_row(Text(name), *[Text("-")] * 6, Text("failed", style=STYLES["fail"]))
        for finding in one.findings:
            medians = [bare(finding.metric, of) for of in finding.medians] if finding.medians else ["-", "-"]
            cells = (
                heading(finding.metric),
                str(finding.runs),
                *medians,
                change(finding),
                p_value(deciding_p(finding)),
            )
            table.add_row(Text(name), *map(Text, cells), Text(finding.verdict, style=STYLES[finding.verdict]))
            name = ""
    out.print(table)
    out.print(Text(method(check.comparison), style="dim"))


def written(about: About, check: Check) -> dict[str, bytes]:
    """Return the files of a check, by name."""
    return {
        "check.ktap": ktap(about, check).encode(),
        "check.xml": check_junit(about, check),
        "check.md": check_markdown(about, check),
        "check.json": check_json(about, check),
    }


def stopped(about: About, why: str) -> dict[str, bytes]:
    """Return the files of a check that came to nothing, by name: each says why."""
    case = TestCase("check", clean(about.title), 0)
    case.result = [with_text(Error("there is no check"), why)]
    return {
        "check.ktap": bail_out(why).encode(),
        "check.xml": junit("windlull kernel check", about, [case]),
        "check.md": f"# {about.title}\n\nThere is no check: {why}\n".encode(),
    }


def check_junit(about: About, check: Check) -> bytes:
    """Return the check as JUnit XML: a test case for each scenario, which fails if the candidate is worse or failed."""
    cases = []
    for one in check.scenarios:
        case = TestCase(clean(one.name), clean(one.title), 0)
        said = "\n".join(details(one))
        if one.passed:
            case.system_out = clean(said)
        else:
            why = "runs in the kernel fail" if one.failed else "the kernel is worse"
            case.result = [with_text(Failure(why, one.verdict), said)]
        cases.append(case)
    return junit("windlull kernel check", about, cases)


def check_markdown(about: About, check: Check) -> bytes:
    """Return the check as a section of Markdown."""
    failed = [f"- {one.name}: {line}" for one in check.scenarios if one.failed for line in one.failed]
    return comparison_markdown(about, check.comparison) + "\n".join([*failed, ""] if failed else []).encode()


def check_json(about: About, check: Check) -> bytes:
    """Return the check as JSON: the scenarios' verdicts, and the findings as `windlull compare --json` writes them."""
    scenarios = [
        {"name": one.name, "title": one.title, "verdict": one.verdict, "failed": list(one.failed)}
        for one in check.scenarios
    ]  # fmt: skip
    comparison = msgspec.to_builtins(check.comparison)
    document = {"version": 1, "about": msgspec.to_builtins(about), "scenarios": scenarios, "comparison": comparison}
    return readable(document, depth=3)
