"""`windlull compare`: whether one variant did better than another, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from windlull.commands.contest import Share, check_places, options

if TYPE_CHECKING:
    from pathlib import Path

    from windlull.errors import ExitCode


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
    from windlull.experiments import sides  # noqa: PLC0415
    from windlull.experiments.judging import compared, metrics_of  # noqa: PLC0415
    from windlull.reports import files, terminal  # noqa: PLC0415

    wanted = metrics_of(metrics)
    check_places(json_file, markdown_file)
    contests = sides.find(source, **given)
    found = compared(contests, metrics=wanted, margin=margin, confidence=confidence, power=power)
    found.print(terminal.console())
    if json_file:
        files.write(json_file, found.json())
    if markdown_file:
        files.write(markdown_file, found.markdown().encode())
    return found.contest.ended()
