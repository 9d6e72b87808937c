"""The commands of Mahimahi, `mm-delay`, `mm-link`, `mm-loss` and `mm-onoff`: their arguments, made a link of ours.

Sources: their usage, and Mahimahi's delay_queue.cc, loss_queue.cc, link_queue.cc and dropping_packet_queue.cc
(Netravali and others, "Mahimahi: Accurate Record-and-Replay for HTTP", USENIX ATC 2015). Uplink is from the program,
downlink towards it.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

import click

from windlull import cli
from windlull.errors import BadInputError
from windlull.runner import engine

if TYPE_CHECKING:
    from collections.abc import Sequence

SEED: Final = "WINDLULL_SEED"
"""Names the seed of random losses; without it each start has another, as with Mahimahi."""

_WAYS: Final = {"uplink": "up", "downlink": "down"}
_FREE: Final = 'rate = "unlimited"\ndelay = "0 ms"\nqueue = { kind = "droptail", limit = "unlimited" }\n'

_WORDS: Final = {"allow_interspersed_args": False, "help_option_names": ["-h", "--help"]}
"""Settings of commands without options: all that follows their arguments is the program."""


def delay() -> NoReturn:
    """Be `mm-delay`."""
    cli.leave_by(_delay)


def loss() -> NoReturn:
    """Be `mm-loss`."""
    cli.leave_by(_loss)


def onoff() -> NoReturn:
    """Be `mm-onoff`."""
    cli.leave_by(_onoff)


def link() -> NoReturn:
    """Be `mm-link`."""
    cli.leave_by(_link)


@click.command("mm-delay", context_settings=_WORDS)
@click.argument("milliseconds", type=click.IntRange(0, 600_000))
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def _delay(milliseconds: int, command: Sequence[str]) -> None:
    """Run COMMAND, or a shell, behind a link that delays each packet by so many MILLISECONDS, each way."""
    both = _FREE.replace("0 ms", f"{milliseconds} ms")
    _start(f"delay {milliseconds} ms", f"[both]\n{both}", command)


@click.command("mm-loss", context_settings=_WORDS)
@click.argument("direction", type=click.Choice(["uplink", "downlink"]))
@click.argument("rate", type=click.FloatRange(0, 1))
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def _loss(direction: str, rate: float, command: Sequence[str]) -> None:
    """Run COMMAND, or a shell, behind a link that loses each packet of a DIRECTION with probability RATE."""
    way = _WAYS[direction]
    process = f'[[impairment]]\nname = "loss"\nkind = "loss"\non = "{way}"\nprobability = "{_number(rate)}"\n'
    _start(f"loss {way}={rate:g}", f"[both]\n{_FREE}{process}", command)


@click.command("mm-onoff", context_settings=_WORDS)
@click.argument("direction", type=click.Choice(["uplink", "downlink"]))
@click.argument("mean-on-time", type=click.FloatRange(0, 36_000))
@click.argument("mean-off-time", type=click.FloatRange(0, 36_000))
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def _onoff(direction: str, mean_on_time: float, mean_off_time: float, command: Sequence[str]) -> None:
    """Run COMMAND, or a shell, behind a link whose DIRECTION comes and goes.

    It is there and away for exponential times of these means, in seconds.
    """
    if mean_on_time == 0 and mean_off_time == 0:
        raise BadInputError("MEAN-ON-TIME and MEAN-OFF-TIME cannot both be 0")
    way = _WAYS[direction]
    label = f"onoff ({way}) on={mean_on_time:g}s off={mean_off_time:g}s"
    process = f'[[impairment]]\nname = "onoff"\non = "{way}"\n'
    if mean_on_time == 0:
        process += 'kind = "loss"\nprobability = "1"\n'
    elif mean_off_time == 0:
        process = ""
    else:
        good, bad = (f"exponential(mean {_number(mean)} s)" for mean in (mean_on_time, mean_off_time))
        process += f'kind = "two-state"\ngood = "{good}"\nbad = "{bad}"\n'
    _start(label, f"[both]\n{_FREE}{process}", command)


@click.command("mm-link", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("uplink")
@click.argument("downlink")
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.option("--uplink-log", metavar="FILE", help="Write what happens to packets from the program.")
@click.option("--downlink-log", metavar="FILE", help="The same of packets towards it.")
@click.option("--once", is_flag=True, help="End with the shorter trace instead of beginning it again, and fail.")
@click.option("--uplink-queue", metavar="KIND", default="infinite", show_default=True,
              help="infinite, droptail, codel or pie.")  # fmt: skip
@click.option("--downlink-queue", metavar="KIND", default="infinite", show_default=True, help="The same.")
@click.option("--uplink-queue-args", metavar="ARGS", default="",
              help='As "packets=100" or "bytes=64000"; of codel also target and interval, of pie qdelay_ref and '
              "max_burst, in milliseconds.")  # fmt: skip
@click.option("--downlink-queue-args", metavar="ARGS", default="", help="The same.")
@click.option("--meter-uplink", "meters", flag_value="--meter-uplink", hidden=True)
@click.option("--meter-uplink-delay", "meters", flag_value="--meter-uplink-delay", hidden=True)
@click.option("--meter-downlink", "meters", flag_value="--meter-downlink", hidden=True)
@click.option("--meter-downlink-delay", "meters", flag_value="--meter-downlink-delay", hidden=True)
@click.option("--meter-all", "meters", flag_value="--meter-all", hidden=True)
def _link(
    uplink: str,
    downlink: str,
    command: Sequence[str],
    uplink_log: str | None,
    downlink_log: str | None,
    once: bool,  # noqa: FBT001 - click passes by name
    uplink_queue: str,
    downlink_queue: str,
    uplink_queue_args: str,
    downlink_queue_args: str,
    meters: str | None,
) -> None:
    """Run COMMAND, or a shell, behind a link whose rates are the traces UPLINK and DOWNLINK.

    Write -- before a command with options of its own.
    """
    if meters is not None:
        raise BadInputError(
            f"{meters} opens a window, which is not here; --uplink-log and --downlink-log have its data"
        )
    up = _path("uplink", uplink, uplink_queue, uplink_queue_args)
    down = _path("downlink", downlink, downlink_queue, downlink_queue_args)
    options = [f"--up-log={uplink_log}"] * (uplink_log is not None)
    options += [f"--down-log={downlink_log}"] * (downlink_log is not None)
    if once:
        options.append(f"--for={min(map(_last, (uplink, downlink)))} ms")
    _start("link", f"[up]\n{up}[down]\n{down}", command, options)


def _path(way: str, trace: str, kind: str, arguments: str) -> str:
    """Return the keys of a direction. A packet takes four octets more, as it has on Mahimahi's devices (TUN)."""
    file = json.dumps(str(Path(trace).absolute()))
    return (
        f'rate = {{ kind = "trace", file = {file} }}\ndelay = "0 ms"\nframing = "4 B"\n'
        f"queue = {_queue(way, kind, arguments)}\n"
    )


_QUEUES: Final = {
    "infinite": {},
    "droptail": {},
    "codel": {"target": "target", "interval": "interval"},
    "pie": {"qdelay_ref": "target", "max_burst": "burst"},
}
"""Kinds of queues, and their arguments in milliseconds: Mahimahi's names of them, and ours."""


def _queue(way: str, kind: str, arguments: str) -> str:
    """Return a queue as a link's file has it. Raises BadInputError for what we have no equal of."""
    if kind not in _QUEUES:
        raise BadInputError(f"--{way}-queue={kind}: there are {', '.join(_QUEUES)}")
    given = dict(re.findall(r"(\w+)=(\d+)", arguments))
    left = re.sub(r"\w+=\d+", "", arguments).strip(" ,")
    known = {"packets", "bytes", *_QUEUES[kind]}
    if left or not known >= given.keys():
        wrong = left or ", ".join(sorted(given.keys() - known))
        raise BadInputError(f"--{way}-queue-args={arguments}: {wrong} is not possible here; {kind} has {_list(known)}")
    if kind == "infinite":
        return '{ kind = "droptail", limit = "unlimited" }'
    limits = [f"{given[name]} {unit}" for name, unit in (("packets", "packets"), ("bytes", "B")) if name in given]
    if len(limits) != 1:
        raise BadInputError(f"--{way}-queue-args={arguments}: {kind} needs a limit, either packets or bytes")
    keys = [f'kind = "{kind}"', f'limit = "{limits[0]}"']
    keys += [f'{ours} = "{given[name]} ms"' for name, ours in _QUEUES[kind].items() if name in given]
    return f"{{ {', '.join(keys)} }}"


def _number(value: float) -> str:
    """Return a number without an exponent, which quantities do not have."""
    return f"{value:.9f}".rstrip("0").rstrip(".")


def _list(names: set[str]) -> str:
    return ", ".join(f"{name}=NUMBER" for name in sorted(names))


def _last(trace: str) -> int:
    """Return the last instant of a trace, in milliseconds. Raises BadInputError; the engine reads the rest of it."""
    try:
        return int(Path(trace).read_text(encoding="utf-8").split()[-1])
    except (OSError, ValueError, IndexError) as error:
        raise BadInputError(f"{trace}: not a trace of one time in milliseconds a line: {error}") from error


def _start(label: str, tables: str, command: Sequence[str], options: Sequence[str] = ()) -> NoReturn:
    """Become the program behind the link of these tables."""
    text = f"title = {json.dumps(label)}\n{tables}"
    seed = os.environ.get(SEED) or str(secrets.randbits(64))
    if not re.fullmatch(r"\d{1,20}", seed):
        raise BadInputError(f"{SEED} is {seed!r}; give a whole number below 2^64")
    engine.become(
        ["shell", f"--profile={text}", f"--label={label}", f"--seed={seed}", *options, "--", *command]
    )  # fmt: skip
