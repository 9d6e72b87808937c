"""`windlull export`: a link in another program's form."""

from __future__ import annotations

from pathlib import Path

import click

from windlull.commands import own_files
from windlull.reports import files
from windlull.runner import engine

_FILE = click.Path(path_type=Path)


@click.command("export")
@click.argument("link")
@click.option("--format", "form", type=click.Choice(["tc"]), required=True,
              help="tc: a shell script of tc and nft commands, to run and to undo.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, (1 << 64) - 1), help="Seed of the link's random events.  [default: 1]")
@click.option("--for", "span", metavar="SPAN", help="How long the link's events last, as 60 s or 10 min.")
@click.option("--exact", is_flag=True, help="Refuse what tc and nft cannot express, instead of taking the nearest.")
@click.option("--packet-size", metavar="SIZE",
              help="Packets that are assumed where the nearest depends on them.  [default: 1500 B]")  # fmt: skip
@click.option("--out", type=_FILE, help="Write to this file.  [default: standard output]")
def command(
    link: str,
    form: str,
    seed: int | None,
    span: str | None,
    exact: bool,  # noqa: FBT001 - click passes options by name
    packet_size: str | None,
    out: Path | None,
) -> None:
    """Write LINK (a name of `windlull list links`, or a .toml file) in another program's form."""
    own_files.refuse_others(link)
    options = (("--seed", seed), ("--for", span), ("--packet-size", packet_size))
    given = [word for option, value in options if value is not None for word in (option, str(value))]
    given += ["--exact"] if exact else []
    script = engine.text(["export", link, "--format", form, *given])
    if out is None:
        click.echo(script, nl=False)
    else:
        files.write(out, script)
