"""Options that `compare` and `gate` have in common: what meets what, and how it is run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from windlull.commands.run_options import run_options
from windlull.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Callable

FILE = click.Path(path_type=Path)


class Share(click.ParamType[float]):
    """A share, as `1 %` or `0.01`, from `least` up to below `most`."""

    name = "SHARE"

    def __init__(self, least: float, most: float) -> None:
        self._least, self._most = least, most

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it. Fails as click's types do."""
        text = str(value).strip()
        number = text.removesuffix("%").strip()
        try:
            share = float(number) / (100 if text.endswith("%") else 1)
        except ValueError:
            self.fail(f"{value!r} is not a share; write it as 5 % or 0.05", param, ctx)
        if not self._least <= share < self._most:
            self.fail(f"{text} is not from {100 * self._least:g} % to below {100 * self._most:g} %", param, ctx)
        return share


_OPTIONS = (
    click.argument("source", required=False),
    click.option("--variants", metavar="A,B,...",
                 help="Variants of SOURCE to compare; the first is the baseline. An experiment is run with others too, "
                      "as with linux@base,linux@patched on kernel.  [default: all of them]"),
    click.option("--baseline", metavar="RESULTS[:VARIANT]",
                 help="Finished results, without SOURCE: results.json or an output directory, and a variant of it."),
    click.option("--candidate", metavar="RESULTS[:VARIANT]", help="What is compared with it, likewise."),
    run_options("repetitions", "seed", "testbed", "plane", "attempts", "jobs", "captures"),
    click.option("--out", type=FILE, help="Where runs, results and report go.  [default: out/EXPERIMENT]"),
    click.option("--power", type=Share(0.51, 1), default="90 %", show_default=True,
                 help="The probability with which the suggested numbers of runs decide."),
    click.option("--json", "json_file", type=FILE, help="Write the verdicts to this file as JSON."),
    click.option("--markdown", "markdown_file", type=FILE, help="Write them to this file as Markdown."),
)  # fmt: skip


def options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command all of them."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def check_places(*files: Path | None) -> None:
    """Find out before the runs, not after them, that there is no place for a file. Raises BadInputError."""
    for file in files:
        if file is None:
            continue
        if file.is_dir():
            raise BadInputError(f"{file}: is a directory")
        if not file.absolute().parent.is_dir():
            raise BadInputError(f"{file}: there is no directory {file.parent}")
