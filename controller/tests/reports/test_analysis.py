from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from windlull.reports.analysis import LISTED_TIMEOUTS, print_analysis
from windlull.reports.terminal import WIDTH
from windlull.runner.messages import ProtocolError


def timeout(ordinal: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "at_ns": 4_250_000_000, "ordinal": ordinal, "una": 20480, "rto_ns": 3_000_000_000, "backoff": 0,
        "inferred": False, "verdict": "spurious", "reason": "delayed", "answer": "spurious", "answered_ns": 5 * 10**9,
    } | changes  # fmt: skip


def printed(**changes: Any) -> str:
    text = io.StringIO()
    answer = {
        "data_sender": "server",
        "ends": "both",
        "complete": True,
        "metrics": {"retransmissions": 57, "elapsed_s": 94.125, "segments_sent": 1457},
        "timeouts": [timeout()],
        "fast_retransmits": [],
        "notes": [],
    } | changes
    print_analysis(Console(file=text, width=WIDTH, highlight=False, markup=False), answer)
    return text.getvalue()


def test_metrics_timeouts_and_notes() -> None:
    out = printed(notes=["the capture begins within the connection"])
    rows = [line.split() for line in out.splitlines()]
    assert out.startswith("data from the server, captured at both ends\n")
    assert ["elapsed", "time", "94.12", "s"] in rows
    assert ["segments", "sent", "1,457", "segments"] in rows
    assert ["1", "4.250", "20,480", "spurious", "delayed", "spurious"] in rows
    assert out.endswith("note: the capture begins within the connection\n")


def test_what_is_not_known_is_said() -> None:
    out = printed(ends="sender", complete=False)
    assert "captured at the data sender alone, the transfer's end is missing" in out
    assert "not known: throughput, goodput, packets lost" in out
    unknown = timeout(verdict="unknown", reason=None, evidence="timestamps", answer=None)
    assert "unknown inferred from timestamps -" in " ".join(printed(timeouts=[unknown]).split())


def test_a_long_list_is_cut_and_says_so() -> None:
    out = printed(timeouts=[timeout(ordinal) for ordinal in range(1, LISTED_TIMEOUTS + 4)])
    assert "and 3 more; --json has them all" in out


@pytest.mark.parametrize("answer", [None, [], {"metrics": {}}, {"metrics": {"elapsed_s": "long"}}])
def test_what_is_no_analysis(answer: object) -> None:
    with pytest.raises(ProtocolError):
        print_analysis(Console(file=io.StringIO()), answer)
