"""Comparisons and gates as files: JSON for programs, Markdown for a pull request, JUnit XML for a CI's tests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
from junitparser import Failure, JUnitXml, Skipped, TestCase, TestSuite

from windlull.metrics import metric
from windlull.reports.indented import readable
from windlull.reports.verdicts import (
    allowed,
    asked_in_all,
    bare,
    change,
    change_heading,
    counted,
    deciding_p,
    heading,
    measured,
    method,
    on_links,
    p_value,
    place_of,
    reason,
    subject,
    wanted,
    wanted_headings,
    wants,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from windlull.reports.verdicts import About
    from windlull.stats.compare import Comparison
    from windlull.stats.gate import Gate

MARKS = {
    "better": "✅", "worse": "❌", "differs": "⚠️", "equal": "🟰", "inconclusive": "❔", "pass": "✅", "fail": "❌",
}  # fmt: skip
"""Beside the word, for an eye that runs down a column."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""What XML cannot have."""


def comparison_json(about: About, comparison: Comparison) -> bytes:
    """Return the comparison as JSON: the words of docs/statistics.md, a line a finding."""
    return _json(about, "comparison", comparison)


def gate_json(about: About, gate: Gate) -> bytes:
    """Return the gate as JSON: a line a check."""
    return _json(about, "gate", gate)


def comparison_markdown(about: About, comparison: Comparison) -> bytes:
    """Return the comparison as a section of Markdown, as a pull request shows it."""
    lines = _heading(about)
    for place in dict.fromkeys(place_of(finding) for finding in comparison.findings):
        findings = [finding for finding in comparison.findings if place_of(finding) == place]
        lines += ["", f"**{_plain(place)}**, {counted(findings[0].runs, paired=findings[0].paired)}", ""]
        lines += _table(
            ("", "baseline", "candidate", change_heading(paired=findings[0].paired), "effect", "p", "verdict"),
            [
                (
                    heading(one.metric),
                    *((bare(one.metric, of) for of in one.medians) if one.medians else ("-", "-")),
                    change(one),
                    "-" if one.effect is None else f"{one.effect:+.2f}",
                    p_value(deciding_p(one)),
                    f"{MARKS[one.verdict]} {one.verdict}",
                )
                for one in findings
            ],
        )
        for line in filter(None, (reason(one, comparison) for one in findings)):
            lines += ["", _plain(line)]
        still_open = [one for one in findings if one.needed]
        if still_open:
            rows = [
                (metric(one.metric).label, wanted(one.needed.seen), wanted(one.needed.margin))
                for one in still_open
                if one.needed
            ]
            lines += ["", *_table(wanted_headings(comparison.margin, paired=findings[0].paired), rows)]
    lines += [*(["", links] if (links := on_links(comparison)) else []), "", method(comparison), ""]
    return "\n".join(lines).encode()


def gate_markdown(about: About, gate: Gate) -> bytes:
    """Return the gate as a section of Markdown, as a pull request shows it."""
    lines = _heading(about)
    lines += ["", f"## {MARKS[gate.status]} gate: {gate.status}{asked_in_all(gate)}", ""]
    lines += _table(
        ("", "rule", "of", "measured", "why"),
        [
            (
                f"{MARKS[one.status]} {one.status}",
                f"`{one.rule}`",
                subject(one),
                measured(one) or "-",
                "; ".join(part for part in (one.why, wants(one)) if part),
            )
            for one in gate.checks
        ],
    )
    return "\n".join([*lines, *(["", links] if (links := on_links(gate)) else []), ""]).encode()


def gate_junit(about: About, gate: Gate, *, strict: bool) -> bytes:
    """Return the gate as JUnit XML: a test case a check.

    What is inconclusive is skipped, which is neither passed nor failed; with `strict` it is a failure.
    """
    cases = []
    for check in gate.checks:
        case = TestCase(clean(check.rule), clean(subject(check)), 0)
        said = "\n".join(part for part in (measured(check), allowed(check), check.why, wants(check)) if part)
        if check.status == "fail":
            case.result = [with_text(Failure(clean(check.why), "fail"), said)]
        elif check.status == "inconclusive" and strict:
            case.result = [with_text(Failure(clean(check.why), "inconclusive"), said)]
        elif check.status == "inconclusive":
            case.result = [with_text(Skipped(clean(check.why), "inconclusive"), said)]
        else:
            case.system_out = clean(said)
        cases.append(case)
    return junit("windlull gate", about, cases)


def junit(name: str, about: About, cases: Sequence[TestCase]) -> bytes:
    """Return test cases as a document of JUnit XML with one suite."""
    suite = TestSuite(name)
    for key, said in (("title", about.title), ("baseline", about.baseline), ("candidate", about.candidate)):
        suite.add_property(key, clean(said))
    for note in about.notes:
        suite.add_property("note", clean(note))
    for case in cases:
        suite.add_testcase(case)
    document = JUnitXml("windlull")
    document.add_testsuite(suite)
    document.update_statistics()  # type: ignore[no-untyped-call]
    return bytes(document.tostring())  # type: ignore[no-untyped-call]


def with_text(result: Any, said: str) -> Any:  # noqa: ANN401 - Failure or Skipped, which share no typed base
    """Return a test case's result with what there is to say about it."""
    result.text = clean(said)
    return result


def _json(about: About, what: str, of: Comparison | Gate) -> bytes:
    return readable({"version": 1, "about": msgspec.to_builtins(about), what: msgspec.to_builtins(of)}, depth=3)


def _heading(about: About) -> list[str]:
    lines = [
        f"# {_plain(about.title)}",
        "",
        f"baseline: {_plain(about.baseline)}  ",
        f"candidate: {_plain(about.candidate)}",
    ]
    return lines + (["", *(f"- {_plain(note)}" for note in about.notes)] if about.notes else [])


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table; a bar in a cell would end it."""
    return [
        "| " + " | ".join(headings) + " |",
        "|" + "---|" * len(headings),
        *("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows),
    ]


def _cell(text: str) -> str:
    return " ".join((text if text.startswith("`") else _plain(text)).replace("|", "\\|").split())


def _plain(text: str) -> str:
    """Return text in which nothing is Markdown or HTML: names come from people's files."""
    return re.sub(r"([\\`*_\[\]<>&#])", r"\\\1", " ".join(text.split()))


def clean(text: str) -> str:
    """Return a text without what XML cannot have."""
    return _CONTROL.sub("�", text)
