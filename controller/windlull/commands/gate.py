"""`windlull gate`: whether a candidate may pass, for CI."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

import click

from windlull.commands.contest import FILE, Share, check_places, options
from windlull.errors import ExitCode
from windlull.runner.messages import MOST_REPETITIONS

if TYPE_CHECKING:
    from pathlib import Path


class GateCode(IntEnum):
    """The exit codes that a gate has beside those of every command."""

    FAILED = 3
    UNDECIDED = 4


@click.command("gate")
@options
@click.option("--fail-if", "rules", multiple=True, required=True, metavar="RULE",
              help="What fails the gate, such as 'elapsed.median > 1.05 * baseline'. One option per rule.")  # fmt: skip
@click.option("--alpha", type=Share(1e-6, 0.5), default="2.5 %", show_default=True,
              help="The chance that a candidate which keeps all rules fails.")  # fmt: skip
@click.option("--resolution", type=Share(1e-6, 10),
              help="The distance from a limit that the suggested number of runs shows.  [default: how far the limit is "
                   "from the baseline, else 5 %]")  # fmt: skip
@click.option("--until-decided", "most", type=click.IntRange(1, MOST_REPETITIONS), metavar="MAX",
              help="Double the repetitions until the gate is decided, or until there are MAX.")  # fmt: skip
@click.option("--strict", is_flag=True, help="Exit with 4, not 0, if the runs do not decide.")
@click.option("--junit", "junit_file", type=FILE, help="Write the checks to this file as JUnit XML.")
def command(
    source: str | None,
    rules: tuple[str, ...],
    alpha: float,
    resolution: float | None,
    power: float,
    most: int | None,
    strict: bool,  # noqa: FBT001 - click passes options by name
    junit_file: Path | None,
    json_file: Path | None,
    markdown_file: Path | None,
    **given: Any,  # noqa: ANN401 - the options of sides.find
) -> int:
    """Fail if the runs show that a rule is broken; say how many runs would decide if they show neither.

    SOURCE is an experiment (a name of `windlull list experiments`, or a .toml file), which is run, or the finished
    results of one: results.json or an output directory. Two finished results are compared with
    --baseline and --candidate.

    A rule is METRIC.STATISTIC RELATION LIMIT: a metric of docs/results.md (with or without its unit), one of median,
    mean, q1, q3, p1 to p99, one of > >= < <=, and a limit as baseline, 1.05 * baseline, baseline + 2 s, or 30 s.

    Exit codes: 0 passed, or not decided; 3 failed; 4 not decided, with --strict; 1 failure, 2 bad input, 130
    interrupted, as ever.
    """
    # Statistics take a while to load, and most commands need none.
    from windlull.experiments import sides  # noqa: PLC0415
    from windlull.experiments.judging import gated, rules_of  # noqa: PLC0415
    from windlull.reports import files, terminal  # noqa: PLC0415

    parsed = rules_of(rules)
    check_places(junit_file, json_file, markdown_file)
    contests = sides.find(source, **given)
    found = gated(contests, parsed, alpha=alpha, resolution=resolution, power=power, most=most)
    found.print(terminal.console())
    if junit_file:
        files.write(junit_file, found.junit(strict=strict))
    if json_file:
        files.write(json_file, found.json())
    if markdown_file:
        files.write(markdown_file, found.markdown().encode())
    if found.failed:
        return GateCode.FAILED
    ended = found.contest.ended()
    if ended == ExitCode.OK and not found.passed and strict:
        return GateCode.UNDECIDED
    return ended
