from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from windlull.reports.machine import print_health, read_health
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
