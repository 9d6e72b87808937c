"""`windlull shell`: a program, or a shell, behind a link."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from windlull.runner import engine

if TYPE_CHECKING:
    from collections.abc import Sequence


@click.command("shell", context_settings={"allow_interspersed_args": False})
@click.option("--link", metavar="LINK",
              help="A link by its name or its .toml file, or a scenario of the QUIC network simulator, as "
              '"simple-p2p --delay=15ms --bandwidth=10Mbps --queue=25". Instead of the next five options.')  # fmt: skip
@click.option("--down", metavar="RATE", help='The rate towards the program, as "12 Mbit/s".  [default: unlimited]')
@click.option("--up", metavar="RATE", help="The rate from the program.  [default: unlimited]")
@click.option("--delay", metavar="TIME", help='The delay each way, as "40 ms".  [default: none]')
@click.option("--loss", metavar="PROBABILITY",
              help='The share of packets that is lost each way, as "1 %".  [default: none]')  # fmt: skip
@click.option("--queue", metavar="LIMIT",
              help='What the queue before the link holds each way, as "100 packets" or "64 kB".  '
              "[default: 1000 packets]")  # fmt: skip
@click.option("--down-log", metavar="FILE", help="Write what happens to packets towards the program, as mm-link does.")
@click.option("--up-log", metavar="FILE", help="The same of packets from the program.")
@click.option("--for", "length", metavar="TIME", help='Tell the program to end after so long, as "30 s", and fail.')
@click.option("--seed", type=click.IntRange(0, (1 << 64) - 1), default=1, show_default=True,
              help="Of the link's random events.")  # fmt: skip
@click.option("--pace", type=click.Choice(["precise", "frugal"]), default="frugal", show_default=True,
              help="Wait by polling the clock at the end, or by timers alone.")  # fmt: skip
@click.argument("program", nargs=-1, type=click.UNPROCESSED)
def command(
    link: str | None,
    down: str | None,
    up: str | None,
    delay: str | None,
    loss: str | None,
    queue: str | None,
    down_log: str | None,
    up_log: str | None,
    length: str | None,
    seed: int,
    pace: str,
    program: Sequence[str],
) -> None:
    """Run PROGRAM behind a link, or a shell if there is none, as the user that you are.

    Write -- before a program with options of its own. What listens on this machine's loopback address is at
    $MAHIMAHI_BASE, behind the link. Links nest: a shell in a shell is behind both.

    Exit codes: the program's own, 128 and the signal's number if one ended it, 126 or 127 if it cannot be run or is
    not there; 1 failure, 2 bad input.
    """
    described = {"--down": down, "--up": up, "--delay": delay, "--loss": loss, "--queue": queue}
    besides = [option for option, value in described.items() if value is not None]
    if link is not None and besides:
        raise click.UsageError(f"--link says all of the link; give it without {', '.join(besides)}")
    given = {
        "--link": link, **described, "--down-log": down_log, "--up-log": up_log, "--for": length,
        "--seed": str(seed), "--pace": pace,
    }  # fmt: skip
    options = [f"{option}={value}" for option, value in given.items() if value is not None]
    engine.become(["shell", *options, "--", *program])
