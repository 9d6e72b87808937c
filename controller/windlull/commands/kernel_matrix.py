"""`windlull kernel matrix`: a suite over several kernels, and since which of them something is other than before."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

import click

from windlull import kernels, locate
from windlull.errors import BadInputError, ExitCode, FailureError
from windlull.progress import meter
from windlull.runner.options import OPTIONS, SEEDS

_VERSION = re.compile(r"\d+\.\d+(\.\d+-.+)?")
"""A series of Debian's kernel source, or a version of it."""

_LEAST = 2


@click.command("matrix")
@click.argument("kernel_names", metavar="KERNEL...", nargs=-1, required=True)
@click.option("--suite", "suite_name", default="recovery", show_default=True, metavar="NAME",
              help="The scenarios: recovery, bbr, or quick.")  # fmt: skip
@click.option("--reps", "repetitions", type=click.IntRange(min=1), help=OPTIONS["repetitions"].help)
@click.option("--seed", type=click.IntRange(*SEEDS), help=OPTIONS["seed"].help)
@click.option("--jobs", type=click.IntRange(min=1), help="Kernels at the same time.  [default: one a core]")
@click.option("--out", type=click.Path(path_type=Path),
              help="Where results and reports go.  [default: out/kernel-matrix-SUITE]")  # fmt: skip
def command(
    kernel_names: tuple[str, ...],
    suite_name: str,
    repetitions: int | None,
    seed: int | None,
    jobs: int | None,
    out: Path | None,
) -> ExitCode:
    """Run a suite on several kernels, the oldest first, and hold each against the one before it.

    A KERNEL is one of `windlull kernel list`, or a series or version of Debian's kernel source (6.1, 6.12.107-1), from
    the suite that has it, which is built unless it has been. The table goes to standard output; OUT has it as Markdown
    and JSON, and a report for each scenario.
    """
    # Statistics take a while to load, and most commands need none.
    from windlull.patches import scenarios, suites  # noqa: PLC0415
    from windlull.patches.matrix import matrix, matrix_markdown, print_matrix  # noqa: PLC0415
    from windlull.reports import files, terminal  # noqa: PLC0415
    from windlull.reports.indented import readable  # noqa: PLC0415

    if len(kernel_names) < _LEAST or len(set(kernel_names)) < len(kernel_names):
        raise BadInputError("KERNEL: give at least two kernels, each once, the oldest first")
    suite = suites.suite(locate.profiles(), suite_name)
    planned = scenarios.planned(suite, repetitions, seed)
    names = [_built(name) for name in kernel_names]
    place = out or Path("out") / f"kernel-matrix-{suite_name}"
    with meter() as progress:
        measured = [scenarios.measure(one, names, place / one.name, progress, jobs=jobs) for one in planned]
    found = matrix(names, measured)
    print_matrix(terminal.console(), suite.title, found)
    files.write(place / "matrix.md", matrix_markdown(suite.title, found))
    document = {"version": 1, "kernels": found.kernels, "rows": [asdict(row) for row in found.rows]}
    files.write(place / "matrix.json", readable(document, depth=3))
    return ExitCode.OK


def _built(name: str) -> str:
    """Return the name of a kernel that is there, built now if it is a version of Debian's. Raises BadInputError."""
    directory = locate.kernels()
    if (directory / name / "linux").is_file():
        return name
    if not _VERSION.fullmatch(name):
        raise BadInputError(
            f"{kernels.lacking(directory, [name])[0]}; a series of Debian's, as 6.12, is built by itself"
        )
    called = "debian-" + re.sub(r"[^a-z0-9]+", "-", name)
    code = kernels.build(locate.kernel_builder(), directory, called, ["--version", name], says_to=kernels.STDERR)
    if code == ExitCode.BAD_INPUT:
        raise BadInputError(f"{name}: Debian's kernel source of this version cannot be had")
    if code != ExitCode.OK:
        raise FailureError(f"{name} does not build")
    return called
