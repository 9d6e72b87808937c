"""`windlull learn`: from the captures of a transfer over a known link back to that link."""

from __future__ import annotations

import json
import shutil
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from tests.end_to_end.command import windlull

if TYPE_CHECKING:
    from pathlib import Path

LINK = """
title = "Known"
[both]
delay = "30 ms"
queue = { kind = "droptail", limit = "60 kB" }
[down]
rate = "8 Mbit/s"
[up]
rate = "2 Mbit/s"
[[impairment]]
name = "loss"
kind = "loss"
on = "down"
probability = "0.2 %"
[[impairment]]
name = "holds"
kind = "hold"
on = "both"
every = "exponential(mean 3 s)"
length = "uniform(0.2 s, 0.8 s)"
"""
RUN = """
title = "Known"
link = "link.toml"
variants = ["sack"]
workload = "bulk.toml"
repetitions = 1
seed = 4
"""
BULK = 'title = "10 MB"\nkind = "bulk"\nsize = "10 MB"\ndirection = "down"\n'


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the two captures, and with nothing else of the run; and the run's directory beside it."""
    root = tmp_path_factory.mktemp("learn")
    for name, text in (("link.toml", LINK), ("run.toml", RUN), ("bulk.toml", BULK)):
        (root / name).write_text(text)
    done = windlull("run", "run.toml", "--out", "out", cwd=root)
    assert done.returncode == 0, done.stderr
    (root / "captures").mkdir()
    for name in ("server.pcapng", "client.pcapng"):
        shutil.copy(root / "out" / "runs" / "sack" / "001" / name, root / "captures" / name)
    return root


def learned(captured: Path, *options: str) -> dict[str, Any]:
    done = windlull("learn", "server.pcapng", "client.pcapng", "--out", "l.toml", *options, cwd=captured / "captures")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("wrote l.toml\n")
    assert windlull("check", "l.toml", cwd=captured / "captures").returncode == 0
    return tomllib.loads((captured / "captures" / "l.toml").read_text())


def fates(captured: Path) -> list[list[str]]:
    lines = (captured / "out" / "runs" / "sack" / "001" / "fates.csv").read_text().splitlines()
    return [line.split(",") for line in lines[1:]]


def test_a_link_is_learned_from_the_captures_alone(captured: Path) -> None:
    link = learned(captured)
    assert (link["down"]["rate"], link["up"]["rate"]) == ("8 Mbit/s", "2 Mbit/s")
    assert (link["down"]["delay"], link["up"]["delay"]) == ("30 ms", "30 ms")
    assert link["down"]["queue"]["kind"] == "droptail"
    assert float(link["down"]["queue"]["limit"].removesuffix(" B")) == pytest.approx(60_000, abs=1_500)
    loss, holds = link["impairment"]
    ends = [row[12] for row in fates(captured) if row[1] == "down"]
    share = 100 * ends.count("random-loss") / (len(ends) - ends.count("queue-overflow"))
    assert float(loss["probability"].removesuffix(" %")) == pytest.approx(share, rel=1e-3)
    assert (holds["kind"], holds["on"]) == ("hold", "both")
    events = (captured / "out" / "runs" / "sack" / "001" / "events.jsonl").read_text()
    began = events.count('"event":"hold-began","direction":"down"')
    assert holds["length"].count(" s") == pytest.approx(began, abs=1)


def test_holds_can_be_played_when_they_were_seen(captured: Path) -> None:
    link = learned(captured, "--events", "script")
    assert {one["do"] for one in link["script"]} == {"hold"}
    assert [one["kind"] for one in link["impairment"]] == ["loss"]


def test_a_report_lays_what_was_learned_over_the_captures(captured: Path) -> None:
    here = captured / "captures"
    pages = []
    for _ in range(2):
        done = windlull("learn", "server.pcapng", "client.pcapng", "--out", "p.toml", "--report", "p.html",
                        "--variant", "sack", cwd=here)  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stdout.endswith("wrote p.toml and p.html\n")
        pages.append((here / "p.html").read_bytes())
    assert pages[0] == pages[1]
    _, told = pages[0].decode().split('id="windlull-report">')
    shown = json.loads(told.split("</script>")[0])
    assert shown["kind"] == "learned"
    assert shown["link"] == (here / "p.toml").read_text()
    assert [one["what"] for one in shown["down"]["distributions"]][-1] == "played"
    assert {one["kind"] for one in shown["down"]["spells"]} == {"hold"}
    ends = [row[12] for row in fates(captured) if row[1] == "down"]
    assert sum(shown["down"]["losses"]["channel"]) == ends.count("random-loss")
    assert sum(shown["down"]["losses"]["queue"]) == ends.count("queue-overflow")


def again(captured: Path, name: str, workload: str, seed: int) -> Path:
    """Play another transfer over the link; return the directory of its captures."""
    (captured / f"{name}.toml").write_text(RUN.replace("bulk.toml", f"{name}-load.toml").replace("= 4", f"= {seed}"))
    (captured / f"{name}-load.toml").write_text(workload)
    done = windlull("run", f"{name}.toml", "--out", f"{name}-out", cwd=captured)
    assert done.returncode == 0, done.stderr
    return captured / f"{name}-out" / "runs" / "sack" / "001"


def test_what_is_wrong_is_told_and_nothing_is_written(captured: Path) -> None:
    here = captured / "captures"
    (here / "empty.pcapng").write_bytes(b"")
    (here / "text.pcapng").write_text("not a capture\n")
    other = again(captured, "other", BULK, 5)
    short = again(captured, "short", BULK.replace("10 MB", "3 kB"), 4)
    server, client = "server.pcapng", "client.pcapng"
    cases = {
        (client,): "captured where the data arrived",
        (server, server): "given for both ends",
        (client, client): "given for both ends",
        (server, "empty.pcapng"): "empty.pcapng",
        (server, "text.pcapng"): "text.pcapng",
        (server, "none.pcapng"): "none.pcapng",
        (server, str(other / client)): "",
        (str(short / server), str(short / client)): "capture at least 50",
        (server, client, "--between", "192.0.2.9:1", "192.0.2.10:2"): "192.0.2.9:1",
        (server, client, "--variant", "sack"): "write --report FILE as well",
        (server, client, "--report", "wrong.html", "--variant", "none"): "none",
    }
    for arguments, why in cases.items():
        done = windlull("learn", *arguments, "--out", "wrong.toml", cwd=here)
        assert done.returncode == 2, (arguments, done.stdout, done.stderr)
        assert why in done.stderr
    assert not list(here.glob("wrong.*"))


def test_the_senders_capture_alone_tells_less(captured: Path) -> None:
    here = captured / "captures"
    done = windlull("learn", "server.pcapng", "--out", "one.toml", cwd=here)
    assert done.returncode == 0, done.stderr
    text = (here / "one.toml").read_text()
    assert "Of the data sender's capture alone" in text
    assert "# up: losses do not show." in text
    link = tomllib.loads(text)
    rate, unit = link["down"]["rate"].split()
    assert unit == "Mbit/s"
    assert float(rate) == pytest.approx(8, rel=0.05)
    delays = [float(link[way]["delay"].removesuffix(" ms")) for way in ("down", "up")]
    assert sum(delays) == pytest.approx(60, rel=0.05)
    ends = [row[12] for row in fates(captured) if row[1] == "down"]
    share = 100 * ends.count("random-loss") / (len(ends) - ends.count("queue-overflow"))
    loss = next(one for one in link["impairment"] if one["kind"] == "loss")
    assert float(loss["probability"].removesuffix(" %")) == pytest.approx(share, rel=0.3)
