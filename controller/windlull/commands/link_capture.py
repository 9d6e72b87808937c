"""`windlull link capture`: captures of an emulator's link, taken there and fetched from there."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from windlull.commands import structured
from windlull.commands.options import EMULATOR
from windlull.contract.engine import LinkCapture, LinkCaptures
from windlull.emulator import Emulator
from windlull.errors import BadInputError, FailureError
from windlull.runner.messages import understood

_JSON = click.option("--json", "as_json", is_flag=True, help="Print the emulator's own answer, as JSON.")
_CAPTURE = click.argument("capture", type=click.IntRange(min=1))


@click.group("capture")
def command() -> None:
    """Capture what passes an emulator's link, at both of its devices."""


@command.command("start")
@click.option("--limit", metavar="SIZE", help='How large the file may become, as "100 MB".  [default: the emulator\'s]')
@click.option("--snaplen", metavar="SIZE", help='How much is kept of each packet, as "96 B".  [default: all of it]')
@EMULATOR
def _start(limit: str | None, snaplen: str | None, url: str) -> None:
    """Begin a capture. It ends when it is stopped, at its limit, or with the emulator."""
    given = {"limit": limit, "snaplen": snaplen}
    wanted = {key: value for key, value in given.items() if value is not None}
    click.echo(in_line(Emulator(url).start_capture(wanted)))


@command.command("stop")
@_CAPTURE
@EMULATOR
def _stop(capture: int, url: str) -> None:
    """Stop a CAPTURE by its number."""
    click.echo(in_line(Emulator(url).stop_capture(capture)))


@command.command("list")
@EMULATOR
@_JSON
def _list(url: str, as_json: bool) -> None:  # noqa: FBT001 - click passes by name
    """List the captures that the emulator keeps, the newest first."""
    answer = Emulator(url).captures()
    if as_json:
        structured.write(answer)
    else:
        click.echo(in_lines(answer))


@command.command("get")
@_CAPTURE
@click.option(
    "--out", "path", type=click.Path(path_type=Path), help="Where to write it.  [default: link-capture-N.pcapng]"
)
@EMULATOR
def _get(capture: int, path: Path | None, url: str) -> None:
    """Fetch a CAPTURE that has ended, a pcapng file. An existing file is not overwritten."""
    target = path or Path(f"link-capture-{capture}.pcapng")
    if target.exists():
        raise BadInputError(f"{target} exists already; give another name with --out")
    draft = target.with_name(f".{target.name}.part")
    with Emulator(url).capture_file(capture) as (length, pieces):
        try:
            with draft.open("wb") as out:
                for piece in pieces:
                    out.write(piece)
            draft.rename(target)
        except OSError as error:
            raise FailureError(f"cannot write {target}: {error.strerror or error}") from error
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
    click.echo(f"{target}: {length} octets")


@command.command("delete")
@_CAPTURE
@EMULATOR
def _delete(capture: int, url: str) -> None:
    """Delete a CAPTURE that has ended, from the emulator."""
    click.echo(in_lines(Emulator(url).delete_capture(capture)))


def in_lines(answer: dict[str, Any]) -> str:
    """Return all captures in lines, and why none can be taken."""
    captures = understood(answer, LinkCaptures, "captures of the link")
    lines = [*map(_line, captures.captures), *([captures.unavailable] if captures.unavailable is not None else [])]
    return "\n".join(lines or ["no captures"])


def in_line(answer: dict[str, Any]) -> str:
    """Return a capture in a line."""
    return _line(understood(answer, LinkCapture, "capture of the link"))


def _line(capture: LinkCapture) -> str:
    kept = "whole packets" if capture.snaplen is None else f"{capture.snaplen} octets of each packet"
    parts = [
        f"capture {capture.id}: {capture.state}",
        f"of {capture.link}, since {capture.started}",
        f"{capture.packets:,} packets, {capture.bytes:,} of {capture.limit_bytes:,} octets, {kept}",
    ]
    if capture.dropped:
        parts.append(f"{capture.dropped:,} packets are missing")
    return "; ".join(parts)
