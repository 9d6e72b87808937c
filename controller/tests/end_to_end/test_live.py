"""An experiment on the machine's own kernel, by an ordinary user, from its name to its report.

Nothing here depends on how fast the machine is: a run that was late has a certificate that says so, and is as whole.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from tests.end_to_end.command import faults, said, windlull
from tests.end_to_end.user import NOBODY, ordinary_user
from windlull import locate
from windlull.capsule import capsule
from windlull.capsule.capsule import Content, Packing
from windlull.capsule.manifest import Ending, Engine, Plan, RunOfPlan
from windlull.runner import plans
from windlull.runner.bundle import Bundle
from windlull.runner.options import RunOptions

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator, Sequence

pytestmark = [pytest.mark.live, pytest.mark.long]

EXPERIMENT = "first-look-live"
SIZE = 20 * 1024
"""Octets of the experiment's workload."""


@dataclass(frozen=True)
class Finished:
    out: Path
    process: subprocess.CompletedProcess[str]
    results: dict[str, Any]
    doctor: dict[str, Any]
    """What the doctor said afterwards."""

    def runs(self, testbed: str) -> dict[str, Path]:
        return {place.parent.name: place for place in sorted((self.out / "runs" / testbed).glob("*/001"))}

    def record(self, variant: str) -> dict[str, Any]:
        record: dict[str, Any] = json.loads((self.runs("netns")[variant] / "run.json").read_bytes())
        return record


@pytest.fixture(scope="module")
def finished() -> Iterator[Finished]:
    user = ordinary_user()
    # Not below pytest's own directory, which is the tester's alone.
    home = Path(tempfile.mkdtemp(prefix="windlull-live-"))
    if user.number is not None:
        os.chown(home, user.number, user.number)
    environment = os.environ | {"HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
    try:
        health = user.windlull("doctor", cwd=home, env=environment)
        if health.returncode != 0:
            pytest.fail(f"the doctor says:\n{health.stdout}{health.stderr}", pytrace=False)
        options = ("--testbed", "netns", "--attempts", "2", "--out", home / "out")
        done = user.windlull("run", EXPERIMENT, *options, cwd=home, env=environment)
        # What is looked at here does not depend on how busy the machine is.
        assert done.returncode == 0 or "none is valid by its certificate" in done.stderr, done.stderr
        left = user.windlull("doctor", "--json", cwd=home, env=environment)
        results = json.loads((home / "out" / "results.json").read_bytes())
        yield Finished(home / "out", done, results, json.loads(left.stdout))
    finally:
        shutil.rmtree(home)


def test_each_variant_has_its_cells(finished: Finished) -> None:
    assert [(cell["variant"], cell["testbed"]) for cell in finished.results["cells"]] == [
        ("frto+sack", "sim"), ("frto+sack", "netns"), ("linux", "netns"), ("linux-no-frto", "netns"),
    ]  # fmt: skip
    for cell in finished.results["cells"]:
        assert cell["runs"] + cell.get("invalid", 0) == 1
        assert bool(cell["metrics"]) == (cell["runs"] == 1)


def test_what_does_not_count_is_named_with_its_reasons(finished: Finished) -> None:
    certificates = {variant: finished.record(variant)["certificate"] for variant in finished.runs("netns")}
    invalid = {f"netns/{name}/001": one["reasons"] for name, one in certificates.items() if not one["valid"]}
    assert {one["run"]: one["reasons"] for one in finished.results.get("invalid", [])} == invalid
    assert all(invalid.values())
    for run in invalid:
        assert run in finished.process.stdout


def test_every_octet_arrived(finished: Finished) -> None:
    received = {json.dumps(finished.record(variant)["received"]) for variant in finished.runs("netns")}
    assert len(received) == 1
    assert json.loads(received.pop())["octets"] == SIZE


def test_tshark_finds_no_fault_and_no_packet_that_a_wire_would_not_carry(finished: Finished) -> None:
    captures = [run / name for run in finished.runs("netns").values() for name in ("server.pcapng", "client.pcapng")]
    assert len(captures) == 6
    for capture in captures:
        assert faults(capture) == "", capture
        assert said(["tshark", "-n", "-r", str(capture), "-Y", "ip.len > 1500"]) == "", capture
        packets = said(["tshark", "-n", "-r", str(capture), "-T", "fields", "-e", "ip.addr"]).split("\n")
        assert {line for line in packets if line} == {"198.18.0.1,198.18.0.2", "198.18.0.2,198.18.0.1"}


def test_the_certificate_finds_no_offload(finished: Finished) -> None:
    for variant in finished.runs("netns"):
        certificate = finished.record(variant)["certificate"]
        assert (certificate["super_packets"], certificate["bad_checksums"]) == (0, 0), variant


def test_the_kernels_settings_are_those_of_the_variant(finished: Finished) -> None:
    frto = {name: finished.record(name)["settings"]["server.net.ipv4.tcp_frto"] for name in ("linux", "linux-no-frto")}
    assert frto["linux-no-frto"] == "0"
    assert frto["linux"] != "0"


def test_the_report_carries_live_and_simulated_runs(finished: Finished) -> None:
    html = (finished.out / "report.html").read_text(encoding="utf-8")
    (found,) = re.findall(r'<script type="application/json" id="windlull-report">(.*?)</script>', html, re.DOTALL)
    report = json.loads(found)
    assert report["testbeds"] == ["sim", "netns"]
    assert {run["key"] for run in report["runs"]} == set(re.findall(r'data-run="(.*?)"', html))
    assert [run["testbed"] for run in report["runs"] if "certificate" in run] == ["netns"] * 3
    assert {one["variant"] for one in report["settings"]} == {"frto+sack", "linux", "linux-no-frto"}


def test_an_ordinary_user_suffices_where_there_is_one(finished: Finished) -> None:
    owners = {place.stat().st_uid for place in finished.out.rglob("*")}
    assert owners == {os.geteuid() if ordinary_user().number is None else NOBODY}


@dataclass(frozen=True)
class Fate:
    """What a packet met, ns; `end` says whether it was delivered."""

    entered: int
    transit: int
    end: str


def fates(run: Path) -> dict[str, list[Fate]]:
    """Return the fates of each direction, in the order in which the packets came to the link."""
    rows = csv.DictReader((run / "fates.csv").read_text(encoding="utf-8").splitlines())
    of: dict[str, list[Fate]] = {"down": [], "up": []}
    for row in sorted(rows, key=lambda row: int(row["id"])):
        entered = int(row["entered_ns"])
        of[row["direction"]].append(Fate(entered, int(row["end_ns"]) - entered, row["end"]))
    return of


def capsule_of(finished: Finished, variant: str) -> bytes:
    """Pack a live run as the service packs it."""
    planned = plans.plan(EXPERIMENT, RunOptions(testbed="netns", attempts=2), profiles=[locate.profiles()])
    (run,) = (one for one in planned.runs if (one.testbed, one.variant) == ("netns", variant))
    experiment, certificate = planned.experiment, finished.record(variant)["certificate"]
    ending = Ending("done") if certificate["valid"] else Ending("invalid", 1, "; ".join(certificate["reasons"]))
    files = {file.name: Content.of(file.read_bytes()) for file in finished.runs("netns")[variant].iterdir()}
    target = io.BytesIO()
    Packing.of(
        Engine(experiment["version"], experiment["commit"]),
        Plan("netns", experiment["seed"], experiment["repetitions"]),
        RunOfPlan(run.place, "netns", variant, run.link, run.repetition, run.seed, run.directory),
        ending,
        Content.of(Bundle.of(planned).json()),
        Content.of(msgspec.json.encode(experiment)),
        files,
    ).write(target)
    assert capsule.read(io.BytesIO(target.getvalue())).run.provenance.testbed == "netns"
    return target.getvalue()


def played(tmp_path: Path, by: str, variants: Sequence[str]) -> dict[str, Path]:
    """Play the capsule there to these variants, and return where their runs are."""
    (tmp_path / "played.toml").write_text(
        f"""
title    = "What Linux met"
link     = {{ fates = "field.capsule.zip", by = "{by}" }}
variants = {json.dumps(variants)}
workload = "bulk-20-kib-down"

[tcp]
era      = "2003"
mss      = "536 B"
""",
        encoding="utf-8",
    )
    process = windlull("run", tmp_path / "played.toml", "--out", tmp_path / "out", cwd=tmp_path)
    assert process.returncode == 0, process.stderr
    return {variant: tmp_path / "out" / "runs" / variant / "001" for variant in variants}


@pytest.mark.parametrize("by", ["packet", "time", "octets"])
def test_what_linux_met_is_played_to_every_candidate_from_its_capsule(
    finished: Finished, tmp_path: Path, by: str
) -> None:
    (tmp_path / "field.capsule.zip").write_bytes(capsule_of(finished, "linux"))
    met = fates(finished.runs("netns")["linux"])
    assert max(fate.transit for fate in met["down"]) > 10**9  # the pause
    for variant, run in played(tmp_path, by, ["newreno", "sack", "frto+sack", "rack-tlp"]).items():
        metrics = json.loads((run / "run.json").read_bytes())["metrics"]
        assert metrics["replayed_packets"] > 0, variant
        assert metrics["goodput_bps"] > 0, variant
        for way, sent in fates(run).items():
            if by == "octets" and way == "down":
                continue
            due = 0
            for number, fate in enumerate(sent):
                earlier = sum(one.entered <= fate.entered for one in met[way])
                place = earlier - 1 if by == "time" else number
                if 0 <= place < len(met[way]):
                    transit, end = met[way][place].transit, met[way][place].end
                else:
                    transit, end = min(one.transit for one in met[way]), "delivered"
                if end == "delivered":
                    # Of the recorded ones none overtook another.
                    due = max(due, fate.entered + transit)
                    transit = due - fate.entered
                assert (fate.transit, fate.end) == (transit, end), f"{variant}: {way} {number}"


def test_nothing_is_left_behind(finished: Finished) -> None:
    assert finished.doctor["leftovers"] == []
    assert not [place for place in finished.out.rglob("*") if place.name.endswith(".part")]
