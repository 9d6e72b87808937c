"""`windlull compare`: whether one variant did better than another, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from windlull.commands.contest import Share, check_places, options
from windlull.errors import BadInputError, ExitCode, nearest
from windlull.metrics import BY_ANY_NAME, METRICS, in_order

if TYPE_CHECKING:
    from pathlib import Path


@click.command("compare")
@options
@click.option("--metrics", metavar="A,B,...",
              help="Metrics to compare, as elapsed,goodput, or all.  [default: those of windlull run]")  # fmt: skip
@click.option("--margin", type=Share(0, 1), default="1 %", show_default=True,
              help="The difference that counts as none.")  # fmt: skip
@click.option("--confidence", type=Share(0.51, 1), default="95 %", show_default=True,
              help="Of the intervals and, after Holm's correction, of all verdicts together.")  # fmt: skip
def command(
    source: str | None,
    metrics: str | None,
    margin: float,
    confidence: float,
    power: float,
    json_file: Path | None,
    markdown_file: Path | None,
    **given: Any,  # noqa: ANN401 - the options of sides.find
) -> ExitCode:
    """Compare variants: better, worse, equal or inconclusive, and how many more runs would decide.

    SOURCE is an experiment (a name of `windlull list experiments`, or a .toml file), which is run, or the finished
    results of one: results.json or an output directory. Two finished results are compared with --baseline and
    --candidate. The same repetition of both met the same link, so runs are compared pair by pair.
    """
    # Statistics take a while to load, and most commands need none.
    from windlull.commands import sides  # noqa: PLC0415
    from windlull.reports import files, terminal, verdict_files, verdicts  # noqa: PLC0415
    from windlull.stats.compare import compare  # noqa: PLC0415

    wanted = chosen(metrics)
    check_places(json_file, markdown_file)
    contest = sides.find(source, **given).contest()
    if contest.exit_code == ExitCode.INTERRUPTED:
        return contest.exit_code
    comparison = compare(contest.matches, metrics=wanted, margin=margin, confidence=confidence, power=power)
    verdicts.print_comparison(terminal.console(), contest.about, comparison)
    if json_file:
        files.write(json_file, verdict_files.comparison_json(contest.about, comparison))
    if markdown_file:
        files.write(markdown_file, verdict_files.comparison_markdown(contest.about, comparison))
    return contest.ended()


def chosen(text: str | None) -> list[str] | None:
    """Return the metrics that an option names, in the order of METRICS; None if it is not given.

    Raises BadInputError if there is no such metric.
    """
    if text is None:
        return None
    if text.strip() == "all":
        return list(METRICS)
    found = set()
    for name in (part.strip() for part in text.split(",")):
        if name not in BY_ANY_NAME:
            near = nearest(name, BY_ANY_NAME)
            hint = f"do you mean {near}?" if near else f"there are {', '.join(METRICS)}"
            raise BadInputError(f"--metrics: there is no metric {name}; {hint}")
        found.add(BY_ANY_NAME[name].name)
    return in_order(found)
