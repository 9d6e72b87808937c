"""Endpoints of the QUIC interop runner in the places of client and server: an image of aioquic, made here."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.end_to_end.command import faults, said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.appliance.appliance import Appliance

IMAGE = "windlull-test-endpoint"
SOURCES = Path(__file__).parent / "endpoint"
LOSSY = """title = "Lossy"
[both]
rate = "10 Mbit/s"
delay = "10 ms"
queue = { kind = "droptail", limit = "200 packets" }

[[impairment]]
name        = "loss"
on          = "each"
kind        = "loss"
probability = 0.03
"""
SIZES = ("200000", "300000")


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("logs")


@pytest.fixture(scope="module")
def endpoints(appliance: Appliance, logs: Path) -> Iterator[Appliance]:
    base = os.environ.get("WINDLULL_BASE", "debian:trixie-slim")
    appliance.docker("build", "--quiet", "--build-arg", f"BASE={base}", "--tag", IMAGE, str(SOURCES))
    try:
        with appliance.with_endpoints(IMAGE, logs):
            assert appliance.ask("POST", "links", {"name": "lossy-for-interop", "toml": LOSSY})[0] == 201
            yield appliance
    finally:
        appliance.docker("image", "rm", "--force", IMAGE)


def made(appliance: Appliance, testcase: str, *, repetitions: int = 1) -> list[Any]:
    """Have both endpoints play a test case; return the runs."""
    command = json.dumps(["/interop/endpoint.sh", testcase, *SIZES])
    toml = f"""title = "An interop image"
links = ["lossy-for-interop"]
variants = ["linux"]
repetitions = {repetitions}
time_limit = "60 s"
workload = {{ kind = "command", client = {command}, server = {command}, port = 443 }}
"""
    assert appliance.ask("POST", "experiments", {"name": f"interop-{testcase}", "toml": toml})[0] == 201
    return appliance.until_valid(appliance.submit(f"interop-{testcase}", testbed="compose"))


def test_an_interop_image_transfers_over_the_link(endpoints: Appliance, logs: Path, tmp_path: Path) -> None:
    runs = made(endpoints, "transfer", repetitions=2)
    assert [(run["testbed"], run["state"]) for run in runs] == [("compose", "done")] * 2
    for run in runs:
        metrics = run["result"]["metrics"]
        assert metrics["exit_code"] == 0
        assert metrics["packets_down"] > sum(map(int, SIZES)) / 1472
        text = endpoints.ask("GET", f"runs/{run['id']}/fates")[1].decode()
        fates = list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))
        assert {fate["end"] for fate in fates} == {"delivered", "random-loss"}

        files = {
            where: endpoints.download(f"runs/{run['id']}/captures/{where}", tmp_path / f"{run['id']}-{where}.pcapng")
            for where in ("server", "client", "emulator")
        }
        assert [faults(file) for file in files.values()] == [""] * 3
        for end, way, address in (("server", "down", "198.18.1.10"), ("client", "up", "198.18.2.10")):
            sent = datagrams(files[end], f"ip.src == {address}")
            assert len(sent) == len([fate for fate in fates if fate["direction"] == way])
            place = logs / end / "interop-transfer" / "lossy-for-interop" / "linux" / f"{run['repetition']:03}"
            # The server is ended with the run, and may not have written its qlog by then.
            assert end == "server" or list((place / "qlog").glob("*.qlog"))
            # The endpoint's keys open what was captured.
            opened = datagrams(files[end], "quic.stream_data", keys=place / "keys.log")
            assert len(opened) > sum(map(int, SIZES)) / 1472
    sums = [
        endpoints.execute(end, "sh", "-c", f"cd {place} && sha256sum {' '.join(SIZES)}").stdout
        for end, place in (("server", "/www"), ("client", "/downloads"))
    ]
    assert sums[0] == sums[1]


def datagrams(capture: Path, only: str, *, keys: Path | None = None) -> list[str]:
    """The numbers of packets of UDP in a capture."""
    options = ["-o", f"tls.keylog_file:{keys}"] if keys else []
    asked = f"udp.port == 443 && ({only})"
    return said(
        ["tshark", "-n", "-r", str(capture), *options, "-Y", asked, "-T", "fields", "-e", "frame.number"]
    ).splitlines()


def test_an_unsupported_test_case_is_told_as_such(endpoints: Appliance) -> None:
    (run,) = made(endpoints, "http3")
    assert (run["state"], run["result"]["metrics"]["exit_code"]) == ("failed", 127)
    assert "unsupported: the command ended with exit code 127" in run["reason"]


def test_files_that_differ_fail_a_run(endpoints: Appliance) -> None:
    (run,) = made(endpoints, "truncated")
    assert (run["state"], run["result"]["metrics"]["exit_code"]) == ("failed", 2)
    errors = endpoints.get(f"runs/{run['id']}/analysis")["commands"]["client"]["errors"]
    assert f"error: /downloads/{SIZES[0]} is not the server's /www/{SIZES[0]}" in errors
