"""`windlull gate`: whether a candidate may pass, for CI."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

import click

from windlull.commands.contest import FILE, Share, check_places, options
from windlull.errors import BadInputError, ExitCode
from windlull.runner.messages import MOST_REPETITIONS

if TYPE_CHECKING:
    from pathlib import Path

    from windlull.commands.sides import Contest, Contests
    from windlull.stats.gate import Gate
    from windlull.stats.rules import Rule


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
    from windlull.commands import sides  # noqa: PLC0415
    from windlull.reports import files, terminal, verdict_files, verdicts  # noqa: PLC0415
    from windlull.stats.rules import RuleError, parse  # noqa: PLC0415

    try:
        parsed = [parse(rule) for rule in rules]
    except RuleError as error:
        raise BadInputError(f"--fail-if: {error}") from error
    check_places(junit_file, json_file, markdown_file)
    contests = sides.find(source, **given)
    contest, verdict = _decide(contests, parsed, alpha=alpha, resolution=resolution, power=power, most=most)
    if verdict is None:
        return ExitCode.INTERRUPTED
    verdicts.print_gate(terminal.console(), contest.about, verdict)
    if junit_file:
        files.write(junit_file, verdict_files.gate_junit(contest.about, verdict, strict=strict))
    if json_file:
        files.write(json_file, verdict_files.gate_json(contest.about, verdict))
    if markdown_file:
        files.write(markdown_file, verdict_files.gate_markdown(contest.about, verdict))
    if verdict.status == "fail":
        return GateCode.FAILED
    ended = contest.ended()
    if ended == ExitCode.OK and verdict.status == "inconclusive" and strict:
        return GateCode.UNDECIDED
    return ended


def _decide(
    contests: Contests,
    rules: list[Rule],
    *,
    alpha: float,
    resolution: float | None,
    power: float,
    most: int | None,
) -> tuple[Contest, Gate | None]:
    """Return the contest that decided, or the last one, and its verdict; none if it was interrupted."""
    from windlull.stats.gate import gate  # noqa: PLC0415
    from windlull.stats.looks import Look, looks  # noqa: PLC0415

    planned: list[Look | None] = [None]
    if most is not None:
        first = contests.repetitions
        if first is None:
            raise BadInputError(f"--until-decided {most}: these results are finished; nothing is run")
        if contests.live:
            raise BadInputError(
                f"--until-decided {most}: live runs that are made again are other runs; it goes with --testbed sim"
            )
        if most < first:
            raise BadInputError(f"--until-decided {most}: the first {first} repetitions are more; give fewer as --reps")
        planned = [*looks(first, most, alpha)]
    contest, verdict = None, None
    for place, look in enumerate(planned, 1):
        contest = contests.contest(look.runs if look else None)
        if contest.exit_code == ExitCode.INTERRUPTED:
            return contest, None
        verdict = gate(
            contest.matches, rules, alpha=look.alpha if look else alpha, resolution=resolution,
            power=power, whole=contest.whole,
        )  # fmt: skip
        if look and (verdict.status != "inconclusive" or look is planned[-1]):
            contest = contest.noted(
                f"look {place} of at most {len(planned)}, with {look.runs} of at most {most} repetitions; of the "
                f"{100 * alpha:g} % of error allowed this look may cost {100 * look.alpha:.2g} %"
            )
        if verdict.status != "inconclusive" or contest.error:
            break
    assert contest is not None  # noqa: S101 - there is a first look
    return contest, verdict
