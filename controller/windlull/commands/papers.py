"""`windlull papers`: every table, figure and claim of the papers, run and judged, in one report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from windlull import locate
from windlull.commands.contest import check_places

if TYPE_CHECKING:
    from windlull.errors import ExitCode

_FILE = click.Path(path_type=Path)


@click.command("papers")
@click.option("--only", multiple=True, metavar="NAME",
              help="A paper, as wen2010, or one of its experiments, as wen2010/figure-3. May be given more than "
                   "once.  [default: all papers]")  # fmt: skip
@click.option("--repetitions", "reps", type=click.IntRange(1, 100_000),
              help="Of every experiment, instead of the paper's own number.")  # fmt: skip
@click.option("--seeds", type=click.IntRange(1, 100), default=1, show_default=True,
              help="Master seeds that every experiment is run with: its own, and those that follow it. Grades are by "
                   "its own; how they move is shown.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(min=1), help="Runs at the same time.  [default: one a core]")
@click.option("--out", type=_FILE, default=Path("out/papers"), show_default=True,
              help="Where the report and the experiments' directories go.")  # fmt: skip
@click.option("--json", "json_file", type=_FILE, help="Write statements, claims and tables to this file as JSON.")
def command(
    only: tuple[str, ...], reps: int | None, seeds: int, jobs: int | None, out: Path, json_file: Path | None
) -> ExitCode:
    """Run every experiment of the papers, without captures, and write one reproduction report.

    It has each statement of the papers with its grade, its checks and its published numbers beside ours, each published
    table and figure from our runs, and the assumptions. An experiment's own report lies in OUT/PAPER/EXPERIMENT.

    The exit code says whether all of it ran, not whether the statements are supported.
    """
    # Statistics take a while to load, and most commands need none.
    from windlull.papers import document, shipped, terminal  # noqa: PLC0415
    from windlull.papers.reproduce import Request, reproduce  # noqa: PLC0415
    from windlull.progress import meter  # noqa: PLC0415
    from windlull.reports import files, html  # noqa: PLC0415
    from windlull.reports.terminal import console  # noqa: PLC0415

    check_places(json_file)
    chosen = shipped.chosen(shipped.papers(locate.profiles()), only)
    files.make_out(out)
    with meter() as progress:
        found = reproduce(Request(chosen, out, reps, jobs, seeds), progress)
    report = out / "report.html"
    html.write_report(report, locate.report_page(), document.page(found, out), document.drawn(found, out))
    if json_file:
        text = json.dumps(document.results_json(found), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        files.write(json_file, text.encode())
    terminal.print_reproduction(console(), found)
    click.echo(f"report: {report}")
    if found.error:
        raise found.error
    return found.exit_code
