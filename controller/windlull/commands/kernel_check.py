"""`windlull kernel check`: whether a change of a tree of Linux makes its TCP worse, in KTAP."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from windlull import locate
from windlull.errors import BadInputError, ExitCode, FailureError
from windlull.progress import meter
from windlull.runner.options import OPTIONS, SEEDS

if TYPE_CHECKING:
    from windlull.patches.scenarios import Kernels, Played, Scenario
    from windlull.patches.trees import Source, Tree

WORSE = 1
"""The exit code if something is worse: a failure, as of any test."""


@click.command("check")
@click.argument("tree", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--base", metavar="REF|NAME", help="What TREE is compared with: a kernel of `windlull kernel list`, or a "
              "commit of TREE.  [default: HEAD if TREE has changes that are in no commit, else stock]")  # fmt: skip
@click.option("--suite", "suite_name", default="recovery", show_default=True, metavar="NAME",
              help="The scenarios: recovery, bbr, or quick.")  # fmt: skip
@click.option("--reps", "repetitions", type=click.IntRange(min=1), help=OPTIONS["repetitions"].help)
@click.option("--seed", type=click.IntRange(*SEEDS), help=OPTIONS["seed"].help)
@click.option("--jobs", type=click.IntRange(min=1), help="Kernels at the same time.  [default: one a core]")
@click.option("--out", type=click.Path(path_type=Path),
              help="Where results and reports go.  [default: out/kernel-check-SUITE]")  # fmt: skip
def command(
    tree: Path,
    base: str | None,
    suite_name: str,
    repetitions: int | None,
    seed: int | None,
    jobs: int | None,
    out: Path | None,
) -> int:
    """Build TREE as it stands and what it is compared with, run a suite on both in virtual time, and compare.

    KTAP goes to standard output, a table to standard error; OUT has both, JUnit XML, and a report for each scenario.
    A scenario is `not ok` if the runs show TREE to be worse there, or if runs in its kernel fail.

    Exit codes: 0 nothing is worse; 1 something is, or failure; 2 bad input, 130 interrupted, as ever.
    """
    # Statistics take a while to load, and most commands need none.
    from windlull.patches import ktap, report, scenarios, suites  # noqa: PLC0415
    from windlull.patches.trees import Tree  # noqa: PLC0415
    from windlull.patches.verdicts import judge  # noqa: PLC0415
    from windlull.reports import files, terminal  # noqa: PLC0415
    from windlull.reports.verdicts import About  # noqa: PLC0415

    suite = suites.suite(locate.profiles(), suite_name)
    planned = scenarios.planned(suite, repetitions, seed)
    theirs = Tree.at(tree)
    old, new = theirs.base(base, locate.kernels()), theirs.standing()
    if old.name == new.name:
        raise BadInputError(f"{tree} is {old.words} without a change; choose another --base")
    place = out or Path("out") / f"kernel-check-{suite_name}"
    about = About(suite.title, old.words, new.words)
    try:
        _build(theirs, old, new)
        played = _play(planned, scenarios.Kernels(old.name, new.name), place, jobs)
    except FailureError as error:
        click.echo(ktap.bail_out(str(error)), nl=False)
        place.mkdir(parents=True, exist_ok=True)
        for name, content in report.stopped(about, str(error)).items():
            files.write(place / name, content)
        raise
    if len(played) < len(planned):
        note = f"not a run of {played[-1].scenario.name} finished in this kernel: the scenarios after it were left out"
        about = replace(about, notes=(note,))
    check = judge(played)
    click.echo(ktap.ktap(about, check), nl=False)
    report.print_check(terminal.console(to_stderr=True), about, check)
    for name, content in report.written(about, check).items():
        files.write(place / name, content)
    return ExitCode.OK if check.passed else WORSE


def _build(tree: Tree, *sources: Source) -> None:
    for source in sources:
        if tree.build(source) != ExitCode.OK:
            raise FailureError(f"{source.words} does not build")


def _play(planned: list[Scenario], on: Kernels, place: Path, jobs: int | None) -> list[Played]:
    """Run all scenarios, until one has not a single run on the candidate: that kernel does not work."""
    from windlull.patches.scenarios import play  # noqa: PLC0415

    played = []
    with meter() as progress:
        for one in planned:
            played.append(play(one, on, place / one.name, progress, jobs=jobs))
            if not played[-1].matches:
                break
    return played
