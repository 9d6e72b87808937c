"""Mahimahi's commands: the links that their arguments make."""

from __future__ import annotations

import subprocess
import tomllib
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

from windlull import locate, mahimahi
from windlull.commands import shell
from windlull.errors import BadInputError
from windlull.runner import engine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class _BecameError(Exception):
    """The process would be the engine's now."""


@pytest.fixture(autouse=True)
def _no_other_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def become(arguments: Sequence[str]) -> None:
        raise _BecameError(list(arguments))

    monkeypatch.setattr(engine, "become", become)
    monkeypatch.setenv(mahimahi.SEED, "7")


def engine_arguments(command: click.Command, *words: str) -> list[str]:
    with pytest.raises(_BecameError) as became:
        command.main(list(words), standalone_mode=False)
    arguments: list[str] = became.value.args[0]
    return arguments


def asked(command: click.Command, *words: str) -> tuple[dict[str, Any], list[str], list[str]]:
    """Return the link that a command asks for, its other options, and its program."""
    name, profile, *rest = engine_arguments(command, *words)
    assert name == "shell"
    at = rest.index("--")
    return tomllib.loads(profile.removeprefix("--profile=")), rest[:at], rest[at + 1 :]


FREE = {"rate": "unlimited", "delay": "0 ms", "queue": {"kind": "droptail", "limit": "unlimited"}}


def test_a_delay_is_that_of_both_directions() -> None:
    link, options, program = asked(mahimahi._delay, "20", "ls", "-l", "--color")
    assert link == {"title": "delay 20 ms", "both": FREE | {"delay": "20 ms"}}
    assert options == ["--label=delay 20 ms", "--seed=7"]
    assert program == ["ls", "-l", "--color"]


def test_a_loss_is_of_one_direction() -> None:
    link, _, program = asked(mahimahi._loss, "uplink", "0.25")
    assert link["impairment"] == [{"name": "loss", "kind": "loss", "on": "up", "probability": "0.25"}]
    assert link["both"] == FREE
    assert program == []


@pytest.mark.parametrize(
    ("on", "off", "process"),
    [
        ("5", "0.5", {"kind": "two-state", "good": "exponential(mean 5 s)", "bad": "exponential(mean 0.5 s)"}),
        ("0", "2", {"kind": "loss", "probability": "1"}),
        ("2", "0", None),
    ],
)
def test_a_direction_comes_and_goes(on: str, off: str, process: dict[str, str] | None) -> None:
    link, _, _ = asked(mahimahi._onoff, "downlink", on, off, "true")
    expected = None if process is None else [{"name": "onoff", "on": "down"} | process]
    assert link.get("impairment") == expected


def traces(place: Path) -> tuple[str, str]:
    (place / "up").write_text("1\n2\n90\n")
    (place / "down").write_text("0\n60\n")
    return str(place / "up"), str(place / "down")


def test_traces_queues_and_logs(tmp_path: Path) -> None:
    up, down = traces(tmp_path)
    link, options, program = asked(
        mahimahi._link, up, down, "--uplink-log=u.log", "--downlink-log", "d.log", "--uplink-queue=droptail",
        "--uplink-queue-args=packets=100", "--downlink-queue=codel",
        "--downlink-queue-args=bytes=64000, target=5, interval=100",
        "--once", "--", "sh", "-c", "true",
    )  # fmt: skip
    path = {"delay": "0 ms", "framing": "4 B"}
    assert link == {
        "title": "link",
        "up": path | {
            "rate": {"kind": "trace", "file": up},
            "queue": {"kind": "droptail", "limit": "100 packets"},
        },
        "down": path | {
            "rate": {"kind": "trace", "file": down},
            "queue": {"kind": "codel", "limit": "64000 B", "target": "5 ms", "interval": "100 ms"},
        },
    }  # fmt: skip
    assert options == ["--label=link", "--seed=7", "--up-log=u.log", "--down-log=d.log", "--for=60 ms"]
    assert program == ["sh", "-c", "true"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--uplink-queue=drophead"], "infinite, droptail, codel, pie"),
        (["--uplink-queue=droptail"], "needs a limit"),
        (["--uplink-queue=droptail", "--uplink-queue-args=packets=1,bytes=2"], "either packets or bytes"),
        (["--uplink-queue=droptail", "--uplink-queue-args=target=5"], "target is not possible here"),
        (["--uplink-queue=droptail", "--uplink-queue-args=packets=many"], "packets=many is not possible here"),
        (["--meter-all"], "--meter-all opens a window"),
    ],
)
def test_what_has_no_equal_is_refused(tmp_path: Path, words: list[str], said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        mahimahi._link.main([*traces(tmp_path), *words], standalone_mode=False)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (mahimahi._delay, ["soon"]),
        (mahimahi._loss, ["sideways", "0.1"]),
        (mahimahi._loss, ["uplink", "1.5"]),
        (mahimahi._onoff, ["uplink", "1"]),
        (mahimahi._link, ["one"]),
    ],
)
def test_wrong_arguments_are_told(command: click.Command, words: list[str]) -> None:
    with pytest.raises(click.UsageError):
        command.main(words, standalone_mode=False)


def test_without_a_seed_each_start_has_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(mahimahi.SEED)
    seeds = {asked(mahimahi._loss, "uplink", "0.1")[1][1] for _ in range(4)}
    assert len(seeds) == 4
    monkeypatch.setenv(mahimahi.SEED, "one")
    with pytest.raises(BadInputError, match="whole number"):
        mahimahi._loss.main(["uplink", "0.1"], standalone_mode=False)


def test_the_engine_takes_these_links(tmp_path: Path) -> None:
    up, down = traces(tmp_path)
    asked_for = [
        asked(mahimahi._delay, "20"),
        asked(mahimahi._loss, "downlink", "0.1"),
        asked(mahimahi._onoff, "uplink", "1", "0.1"),
        asked(
            mahimahi._link, up, down, "--uplink-queue=pie", "--uplink-queue-args=packets=50,qdelay_ref=20,max_burst=9"
        ),
    ]
    for link, _, _ in asked_for:
        file = tmp_path / "it.toml"
        file.write_text(_written(link))
        subprocess.run([locate.engine(), "check", file], check=True)


def _written(link: dict[str, Any]) -> str:
    """Return a link as TOML, tables inline."""

    def value(it: Any) -> str:
        if isinstance(it, dict):
            return "{ " + ", ".join(f"{key} = {value(inner)}" for key, inner in it.items()) + " }"
        if isinstance(it, list):
            return "[" + ", ".join(map(value, it)) + "]"
        return f'"{it}"'

    return "".join(f"{key} = {value(it)}\n" for key, it in link.items())


def test_shell_hands_its_options_to_the_engine() -> None:
    words = engine_arguments(shell.command, "--down", "12 Mbit/s", "--delay", "40 ms", "--", "ls", "-l")
    assert words == ["shell", "--down=12 Mbit/s", "--delay=40 ms", "--seed=1", "--pace=frugal", "--", "ls", "-l"]
    assert engine_arguments(shell.command, "ls", "-l")[-3:] == ["--", "ls", "-l"]
    assert engine_arguments(shell.command)[-1] == "--"


def test_a_link_is_either_named_or_described() -> None:
    ended = CliRunner().invoke(shell.command, ["--link", "gprs", "--delay", "3 ms", "--", "true"])
    assert ended.exit_code == 2
    assert "--link says all of the link; give it without --delay" in ended.stderr
