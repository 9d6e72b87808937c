"""`windlull link`: the link of an emulator, seen and changed while traffic passes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from windlull.commands import link_capture, link_import, structured
from windlull.commands.options import EMULATOR
from windlull.contract.engine import EmulatorDirection, EmulatorLink, LinkChange
from windlull.emulator import Emulator
from windlull.errors import BadInputError
from windlull.runner.messages import understood

DIRECTION = click.option(
    "--on", "direction", type=click.Choice(["both", "down", "up"]), default="both", show_default=True,
    help="Which way; down is from server to client.",
)  # fmt: skip
LENGTH = click.option("--for", "length", metavar="TIME", help='For how long, as "3 s".  [default: until it is cleared]')
JSON = click.option("--json", "as_json", is_flag=True, help="Print the emulator's own answer, as JSON.")


@click.group("link")
def command() -> None:
    """Show, replace, change and capture the link of an emulator, while traffic passes; make a link of a recording."""


command.add_command(link_capture.command)
command.add_command(link_import.command)


@command.command("show")
@EMULATOR
@JSON
def _show(url: str, as_json: bool) -> None:  # noqa: FBT001 - click passes by name
    """Show the current link, changes made by hand, and what it has carried and lost."""
    link = Emulator(url).link()
    if as_json:
        structured.write(link)
    else:
        click.echo(in_lines(link))


@command.command("load")
@click.argument("link")
@click.option("--seed", type=click.IntRange(0, (1 << 64) - 1), default=1, show_default=True,
              help="Of the link's random events.")  # fmt: skip
@click.option("--plane", type=click.Choice(["model", "netem"]),
              help="What plays it: the simulator's own link, or the kernel's netem.  "
              "[default: what the emulator was started with]")  # fmt: skip
@EMULATOR
def _load(link: str, seed: int, plane: str | None, url: str) -> None:
    """Load another LINK: a name that the emulator knows, or a .toml file of yours.

    It starts at its time zero; packets inside the old link are lost, and changes by hand end.
    """
    replacement: dict[str, Any] = {"seed": str(seed)}
    if plane is not None:
        replacement["plane"] = plane
    if link.endswith(".toml"):
        try:
            replacement["profile"] = Path(link).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInputError(f"cannot read {link}: {error}") from error
    else:
        replacement["name"] = link
    click.echo(in_lines(Emulator(url).replace(replacement)))


@command.command("set")
@click.option("--rate", metavar="RATE", help='As "64 kbit/s".')
@click.option("--delay", metavar="TIME", help='One way, as "200 ms".')
@click.option("--loss", metavar="PROBABILITY", help='As "1 %".')
@DIRECTION
@LENGTH
@EMULATOR
def _set(rate: str | None, delay: str | None, loss: str | None, direction: str, length: str | None, url: str) -> None:
    """Set rate, delay or loss."""
    given = {"rate": rate, "delay": delay, "loss": loss}
    wanted = {key: value for key, value in given.items() if value is not None}
    if not wanted:
        raise BadInputError("nothing to set; give --rate, --delay or --loss")
    _change(url, {"kind": "set", "direction": direction, "for": length, "set": wanted})


@command.command("hold")
@DIRECTION
@LENGTH
@EMULATOR
def _hold(direction: str, length: str | None, url: str) -> None:
    """Deliver nothing, keep everything, and release it in order at the end."""
    _change(url, {"kind": "hold", "direction": direction, "for": length})


@command.command("drop")
@DIRECTION
@LENGTH
@EMULATOR
def _drop(direction: str, length: str | None, url: str) -> None:
    """Lose everything."""
    _change(url, {"kind": "drop", "direction": direction, "for": length})


@command.command("clear")
@click.argument("change", type=click.IntRange(min=1), required=False)
@EMULATOR
def _clear(change: int | None, url: str) -> None:
    """Take one CHANGE back by its number, or all of them: back to the profile."""
    click.echo(in_lines(Emulator(url).take_back(change)))


def _change(url: str, change: dict[str, Any]) -> None:
    click.echo(_in_words(understood(Emulator(url).change(change), LinkChange, "change of the link")))


def _in_words(change: LinkChange) -> str:
    """Return a change in a line."""
    what: str = change.kind
    if change.set is not None:
        said = {"rate": change.set.rate, "delay": change.set.delay, "loss": change.set.loss}
        what += " " + ", ".join(f"{key} {value}" for key, value in said.items() if value is not None)
    where = {"both": "both ways", "down": "down", "up": "up"}[change.direction]
    until = f"until {change.until}" if change.until else "until it is cleared"
    return f"change {change.id}: {what}, {where}, {until}"


def in_lines(answer: dict[str, Any]) -> str:
    """Return how the link is, in lines."""
    link = understood(answer, EmulatorLink, "link")
    return "\n".join(
        [
            f"{link.link.name}: {link.link.title} (seed {link.seed}, plane {link.plane})",
            f"lent to run {link.run}" if link.state == "lent" else f"{link.state} since {link.since}",
            *map(_in_words, link.changes),
            f"down: {_direction(link.down)}",
            f"up:   {_direction(link.up)}",
        ]
    )


def _direction(way: EmulatorDirection) -> str:
    lost = [f"{count:,} {cause}" for cause, count in sorted(way.dropped.items()) if count]
    parts = [
        "no limit" if way.rate_bps is None else f"{way.rate_bps / 1000:g} kbit/s",
        "random delay" if way.delay_ms is None else f"{way.delay_ms:g} ms",
        f"{way.packets:,} packets, {way.octets:,} octets",
        f"{way.inside_packets:,} inside, {way.queued_packets:,} of them queued",
        "lost: " + (", ".join(lost) or "none"),
        *(word for word, on in (("HELD", way.held), ("DROPPING", way.dropping)) if on),
    ]
    return "; ".join(parts)
