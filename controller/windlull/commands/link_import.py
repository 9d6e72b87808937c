"""`windlull link import`: recordings of networks become a link file."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from pathlib import Path
from typing import Any

import click

from windlull.commands import structured
from windlull.errors import BadInputError
from windlull.recordings.choices import QUANTITIES, UNITS, ZEROS, Choices
from windlull.recordings.link import figures, in_words, link_text
from windlull.recordings.reading import FORMATS, Direction, Given, columns_of, read
from windlull.recordings.source import MOST_BYTES, Source
from windlull.reports import files as written
from windlull.runner import engine

_FILE = click.Path(path_type=Path)
_EXAMPLE = "drive.csv"


class _Seconds(click.ParamType[float]):
    """A length of time, as in link files."""

    name = "TIME"

    _UNITS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}  # noqa: RUF012 - never changed

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it. Fails as click's types do."""
        if isinstance(value, float):
            return value
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|min|h)\s*", str(value))
        if match is None:
            self.fail(f"{value!r} is not a time; write a number and ms, s, min or h, such as '90 s'", param, ctx)
        return float(match[1]) * self._UNITS[match[2]]


@click.command("import")
@click.argument("given", metavar="FILE...", nargs=-1, type=_FILE)
@click.option("--down", "down", metavar="FILE", multiple=True, type=_FILE,
              help="A file that tells of the way down alone, from server to client.")  # fmt: skip
@click.option("--up", "up", metavar="FILE", multiple=True, type=_FILE, help="A file that tells of the way up alone.")
@click.option("--format", "form", type=click.Choice([one.name for one in FORMATS]),
              help="What the files are.  [default: what each looks like]")  # fmt: skip
@click.option("--column", "columns", metavar="WHAT=NAME", multiple=True,
              help=f"Of a table: which column has what, by its heading or number, as down='DL kbps'. WHAT is "
                   f"{', '.join(QUANTITIES)}.")  # fmt: skip
@click.option(
    "--unit", "units", metavar="WHAT=UNIT", multiple=True, help="Of a table: a column's unit, as down=kbit/s."
)
@click.option("--row", metavar="ROW", help="Of ERRANT's table: which row, by its number or its words.")
@click.option("--every", "every_s", type=_Seconds(), help="Of ping without -D: how far apart its probes were.")
@click.option("--zeros", type=click.Choice(ZEROS),
              help="What a rate of 0 was: an outage (packets were lost), or a hold (they waited).")  # fmt: skip
@click.option("--from", "from_s", type=_Seconds(), default=0.0, help="Where in the recording to begin.")
@click.option("--to", "to_s", type=_Seconds(), help="Where in the recording to end.")
@click.option("--rate-times", type=float, default=1.0, help="Multiply all rates by this.")
@click.option("--delay-times", type=float, default=1.0, help="Multiply all delays by this.")
@click.option("--once", is_flag=True, help="Keep the last values after the end, instead of beginning again.")
@click.option("--random-start", is_flag=True, help="Begin at a place drawn from the seed, so that repetitions differ.")
@click.option("--down-rate", metavar="RATE", help='Where no file tells it, as "10 Mbit/s".')
@click.option("--up-rate", metavar="RATE", help="The same of the way up.")
@click.option("--delay", metavar="TIME", help='Where no file tells it; one way, as "25 ms".')
@click.option("--loss", metavar="PROBABILITY", help="Where no file tells it.  [default: none]")
@click.option("--queue", metavar="LIMIT", help='Of each direction, as "500 kB".  [default: 300 ms of its mean rate]')
@click.option("--title", help="The link's title.  [default: of the files' names]")
@click.option("--out", type=_FILE, help="Write the link here.  [default: the first file's name with .toml]")
@click.option("--preview", is_flag=True, help="Say what was read, and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Say it as JSON.")
def command(
    given: tuple[Path, ...],
    down: tuple[Path, ...],
    up: tuple[Path, ...],
    form: str | None,
    columns: tuple[str, ...],
    units: tuple[str, ...],
    once: bool,  # noqa: FBT001 - click passes options by name
    out: Path | None,
    preview: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    **rest: Any,  # noqa: ANN401 - the fields of Choices by their names
) -> None:
    """Make a link file of recordings: a drive test, traces, what ping, irtt or iperf3 said.

    Several files tell of one link together: rates from one, delays from another. What no file and no option tells is
    asked for; nothing is guessed.
    """
    choices = Choices(
        format=form, columns=_pairs("--column", columns), units=_pairs("--unit", units), loop=not once, **rest
    )
    of: list[tuple[tuple[Path, ...], Direction]] = [(given, "both"), (down, "down"), (up, "up")]
    everything = [Given(_source(path), direction) for paths, direction in of for path in paths]
    if not everything:
        raise BadInputError(f"give a file, as `windlull link import {_EXAMPLE}`")
    names = [one.source.name for one in everything]
    recording = read(everything, choices)
    text = link_text(recording, choices, names)
    told = figures(recording)
    target = None if preview else out or Path(names[0]).with_suffix(".toml")
    _check(text, target)
    if as_json:
        seen = {one.source.name: columns_of(one, choices) for one in everything}
        answer = {
            "figures": dataclasses.asdict(told),
            "notes": recording.notes,
            "columns": {name: [dataclasses.asdict(one) for one in of] for name, of in seen.items()},
            "file": None if target is None else str(target),
        }
        structured.write(answer)
    else:
        click.echo("\n".join([*in_words(told), *(f"note: {note}" for note in recording.notes)]))
    if target is not None:
        written.write(target, text.encode())
        if not as_json:
            click.echo(f"wrote {target}")


def _check(text: str, target: Path | None) -> None:
    """Let the engine read the link before anybody keeps it. Raises EngineError with its message."""
    with tempfile.TemporaryDirectory() as directory:
        draft = Path(directory) / (target.name if target is not None and target.suffix == ".toml" else "link.toml")
        draft.write_text(text, encoding="utf-8")
        engine.ask(["check", str(draft)])


def _source(path: Path) -> Source:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadInputError(f"{path}: too large (limit {MOST_BYTES >> 20} MiB); cut it into parts")
        return Source(path.name, path.read_bytes())
    except OSError as error:
        raise BadInputError(f"cannot read {path}: {error.strerror}") from error


def _pairs(option: str, given: tuple[str, ...]) -> dict[str, str]:
    """Return `WHAT=VALUE` by what it is of. Raises BadInputError."""
    pairs = {}
    for text in given:
        what, equals, value = text.partition("=")
        if not equals or what not in UNITS:
            raise BadInputError(f"{option} {text}: write WHAT=VALUE, where WHAT is one of {', '.join(UNITS)}")
        pairs[what] = value.strip()
    return pairs
