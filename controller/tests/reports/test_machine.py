from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from windlull.reports.machine import print_calibration, print_health, read_health
from windlull.runner.messages import ProtocolError

ANSWER: dict[str, Any] = {
    "testbeds": [
        {"name": "sim", "works": True, "why": "needs nothing", "remedy": None},
        {"name": "netns", "works": True, "why": "as an ordinary user", "remedy": None},
    ],
    "planes": [
        {"name": "model", "works": True, "why": "AF_PACKET", "remedy": None},
        {"name": "netem", "works": False, "why": "the kernel has no sch_netem", "remedy": "load a kernel that has it"},
    ],
    "kernel": [],
    "tools": [{"name": "ip", "works": True, "why": "iproute2 6.1", "remedy": None}],
    "leftovers": [],
}


def printed(answer: dict[str, Any], *, cleaned: bool = False) -> str:
    text = io.StringIO()
    print_health(Console(file=text, width=100, highlight=False, markup=False), read_health(answer), cleaned=cleaned)
    return text.getvalue()


def test_a_substitute_that_is_missing_is_no_failure_and_has_a_remedy() -> None:
    assert read_health(ANSWER).works
    out = printed(ANSWER)
    assert "the kernel has no sch_netem" in out
    assert "to get it: load a kernel that has it" in out
    assert "nothing was left behind" in out


@pytest.mark.parametrize("name", ["sim", "netns"])
def test_without_a_testbed_that_is_needed_it_does_not_work(name: str) -> None:
    testbeds = [one | {"works": one["name"] != name} for one in ANSWER["testbeds"]]
    assert not read_health(ANSWER | {"testbeds": testbeds}).works
    assert not read_health(ANSWER | {"testbeds": [one for one in testbeds if one["name"] != name]}).works


def test_in_a_container_live_runs_between_containers_serve() -> None:
    there = [
        {"name": "sim", "works": True, "why": "", "remedy": None},
        {"name": "netns", "works": False, "why": "no namespaces here", "remedy": None},
        {"name": "compose", "works": True, "why": "", "remedy": None},
    ]
    assert read_health(ANSWER | {"testbeds": there}).works


def test_leftovers_are_listed_and_how_to_be_rid_of_them() -> None:
    left = ANSWER | {"leftovers": ["draft directory /x/.001.part"]}
    assert "  draft directory /x/.001.part" in printed(left)
    assert "windlull doctor --clean" in printed(left)
    assert "could not be removed" in printed(left, cleaned=True)
    assert "nothing is left behind" in printed(ANSWER, cleaned=True)


@pytest.mark.parametrize("answer", [None, [], {}, {"testbeds": [{"name": "sim"}]}])
def test_another_answer_is_a_failure(answer: Any) -> None:
    with pytest.raises(ProtocolError, match="the engine's answer to doctor"):
        read_health(answer)


SPREAD = {"p50": 21.4, "p99": 140.0, "max": 2310.0, "count": 100_000}
CALIBRATION: dict[str, Any] = {
    "delays": {
        "release": SPREAD,
        "release_in_stalls": SPREAD | {"max": 81_000.0, "count": 40},
        "wire": SPREAD,
        "stalls": {"count": 2, "longest_us": 81_000, "total_us": 99_000},
        "plane_drops": 0,
    },
    "script_error_us": SPREAD,
    "rates": [
        {"planned_bps": 28_800, "achieved_bps": 28_790.0, "error": -0.000347, "over_s": 10.0, "release": SPREAD,
         "plane_drops": 0, "valid": True},
        {"planned_bps": 1_000_000_000, "achieved_bps": 999_100_000.0, "error": -0.0009, "over_s": 10.0,
         "release": SPREAD, "plane_drops": 3, "valid": False},
    ],
    "loss": {"probability": 0.02, "packets": 100_000, "lost": 2010, "unaccounted": 0, "interval": [0.019, 0.0212]},
    "highest_rate_bps": 1_000_000_000,
    "throughput_bps": 5.1e9,
    "forwarding_throughput_bps": 9.0e9,
    "throughput_sending": 0.4,
    "precise": True,
}  # fmt: skip


def calibrated(answer: Any) -> str:
    text = io.StringIO()
    print_calibration(Console(file=text, width=100, highlight=False, markup=False), answer)
    return text.getvalue()


def test_a_calibration_stands_in_units_for_people() -> None:
    lines = [line.split() for line in calibrated(CALIBRATION).splitlines()]
    assert ["release", "of", "packets", "by", "the", "link", "21", "us", "140", "us", "2.3", "ms", "100,000"] in lines
    assert ["28.8", "kbit/s", "28.79", "kbit/s", "-0.035", "%", "10.0", "s", "140", "us", "0", "yes"] in lines
    assert ["1", "Gbit/s", "999.1", "Mbit/s", "-0.090", "%", "10.0", "s", "140", "us", "3", "no"] in lines
    out = " ".join(calibrated(CALIBRATION).split())
    assert "2,010 of 100,000 packets lost; within the 99 % interval, 1.90 to 2.12 %" in out
    assert "stalled 2 times, at longest for 81.0 ms" in out
    assert "certificates are valid up to 1 Gbit/s" in out
    assert "without limits: 5.1 Gbit/s" in out


def test_a_calibration_that_is_bad_is_not_made_nicer() -> None:
    loss = CALIBRATION["loss"] | {"probability": 0.03, "unaccounted": 7}
    out = " ".join(calibrated(CALIBRATION | {"loss": loss, "highest_rate_bps": None}).split())
    assert "outside of the 99 % interval" in out
    assert "7 packets more were lost, and not by the link" in out
    assert "not even at the slowest rate would a certificate be valid" in out


@pytest.mark.parametrize("answer", [None, {}, CALIBRATION | {"rates": [{}]}])
def test_another_answer_is_no_calibration(answer: Any) -> None:
    with pytest.raises(ProtocolError, match="the engine's answer to calibrate"):
        calibrated(answer)
