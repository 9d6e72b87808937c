"""`windlull export`: a link, or an episode of a run, in another program's form."""

from __future__ import annotations

from pathlib import Path

import click

from windlull.errors import BadInputError
from windlull.experiments import own_files
from windlull.reports import files
from windlull.runner import engine

_FILE = click.Path(path_type=Path)


RUN = "run.json"
LISTED = 5
"""How many runs are named where one must be chosen."""


@click.command("export")
@click.argument("what", metavar="LINK|RUN")
@click.option("--format", "form", type=click.Choice(["tc", "packetdrill"]), required=True,
              help="tc: LINK as a shell script of tc and nft commands, to run and to undo. packetdrill: an episode of "
              "RUN as a script for a kernel.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, (1 << 64) - 1), help="Seed of the link's random events.  [default: 1]")
@click.option("--for", "span", metavar="SPAN", help="How long the link's events last, as 60 s or 10 min.")
@click.option("--exact", is_flag=True, help="Refuse what tc and nft cannot express, instead of taking the nearest.")
@click.option("--packet-size", metavar="SIZE",
              help="Packets that are assumed where the nearest depends on them.  [default: 1500 B]")  # fmt: skip
@click.option("--episode", type=click.IntRange(min=1), help="The episode of RUN.  [default: the only one]")
@click.option("--side", type=click.Choice(["sender", "receiver"]),
              help="The end that the script tests.  [default: sender]")  # fmt: skip
@click.option("--tolerance", metavar="SPAN",
              help="How far a segment may be from its time.  [default: 4 ms, as packetdrill's]")  # fmt: skip
@click.option("--out", type=_FILE, help="Write to this file.  [default: standard output]")
def command(
    what: str,
    form: str,
    seed: int | None,
    span: str | None,
    exact: bool,  # noqa: FBT001 - click passes options by name
    packet_size: str | None,
    episode: int | None,
    side: str | None,
    tolerance: str | None,
    out: Path | None,
) -> None:
    """Write LINK (a name of `windlull list links`, or a .toml file) or an episode of RUN in another program's form.

    RUN is the directory of a run, out/EXPERIMENT/runs/VARIANT/001, or one with a single run in it.
    """
    if form == "packetdrill":
        what = str(_run(Path(what)))
    else:
        own_files.refuse_others(what)
    values = (
        ("--seed", seed),
        ("--for", span),
        ("--packet-size", packet_size),
        ("--episode", episode),
        ("--side", side),
        ("--tolerance", tolerance),
    )
    given = [word for option, value in values if value is not None for word in (option, str(value))]
    given += ["--exact"] if exact else []
    script = engine.text(["export", what, "--format", form, *given])
    if out is None:
        click.echo(script, nl=False)
    else:
        files.write(out, script)


def _run(place: Path) -> Path:
    """Return the directory of the one run at or under a place. Raises BadInputError if there is none, or several."""
    if not place.is_dir():
        raise BadInputError(f"{place}: is no directory; give a run's, as out/EXPERIMENT/runs/VARIANT/001")
    if (place / RUN).is_file():
        return place
    found = sorted(file.parent for file in place.rglob(RUN))
    if not found:
        raise BadInputError(
            f"{place}: no {RUN} in it, so it is not a run; give what `windlull run` wrote, or a part of it"
        )
    if len(found) > 1:
        named = "".join(f"\n  {run}" for run in found[:LISTED])
        more = f"\n  and {len(found) - LISTED} more" if len(found) > LISTED else ""
        raise BadInputError(f"{place}: {len(found)} runs; give the directory of one:{named}{more}")
    return found[0]
