from __future__ import annotations

import io
import re
from typing import Any

import pytest
from rich.console import Console

from tests.examples import episode
from windlull.reports.analysis import LISTED_EPISODES, LISTED_TIMEOUTS, print_analysis
from windlull.reports.terminal import WIDTH
from windlull.runner.messages import ProtocolError

RETRANSMISSIONS = (
    "necessary", "unknown", "inferred_unnecessary", "unnecessary_delayed", "unnecessary_ack_lost", "unnecessary_other",
)  # fmt: skip


def timeout(ordinal: int = 1, **changes: Any) -> dict[str, Any]:
    return {
        "at_ns": 4_250_000_000, "ordinal": ordinal, "una": 20480, "rto_ns": 3_000_000_000, "backoff": 0,
        "inferred": False, "verdict": "spurious", "reason": "delayed", "answer": "spurious", "answered_ns": 5 * 10**9,
    } | changes  # fmt: skip


def printed(**changes: Any) -> str:
    text = io.StringIO()
    answer = {
        "connection": {"data_sender": "a:1", "data_receiver": "b:2", "packets": 1457, "payload_bytes": 102400},
        "control_retransmissions": 0,
        "retransmissions": dict.fromkeys(RETRANSMISSIONS, 0),
        "window_probes": 0,
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


def test_fast_retransmits_have_their_verdicts() -> None:
    one = {"at_ns": 1_250_000_000, "una": 30720, "inferred": False, "verdict": "spurious", "reason": "delayed"}
    lost = one | {"una": 51200, "verdict": "genuine", "reason": "data-lost"}
    rows = [line.split() for line in printed(fast_retransmits=[one, lost]).splitlines()]
    assert ["30,720", "1.250", "spurious", "delayed"] in rows
    assert ["51,200", "1.250", "genuine", "data-lost"] in rows


def test_what_is_not_known_is_said() -> None:
    out = printed(ends="sender", complete=False)
    assert "captured at the data sender alone, the transfer's end is missing" in out
    _, _, names = out.partition("not known, or not of this connection:\n")
    for name in ("throughput", "delay to the client, 95 %", "detector: false positives"):
        assert re.search(rf"^(.*  )?  {name}(  |$)", names, flags=re.MULTILINE), name
    assert max(len(line) for line in names.splitlines() if "note: " not in line) <= 100
    unknown = timeout(verdict="unknown", reason=None, evidence="timestamps", answer=None)
    assert "unknown inferred from timestamps -" in " ".join(printed(timeouts=[unknown]).split())


def test_a_long_list_is_cut_and_says_so() -> None:
    out = printed(timeouts=[timeout(ordinal) for ordinal in range(1, LISTED_TIMEOUTS + 4)])
    assert "and 3 more; --json has them all" in out


def test_episodes_are_listed_in_brief() -> None:
    unexplained = episode(2, cause="unknown", recovered_ns=None, reaction=None)
    rows = [line.split() for line in printed(episodes=[episode(), unexplained]).splitlines()]
    assert ["1", "15.379", "20.391", "hold", "timeout", "4", "2,048", "3.082"] in rows
    assert ["2", "15.379", "-", "not", "known", "none", "4", "2,048", "3.082"] in rows
    many = printed(episodes=[episode(number) for number in range(1, LISTED_EPISODES + 3)])
    assert "and 2 more; --json has their stories" in many


@pytest.mark.parametrize("answer", [None, [], {"metrics": {}}, {"metrics": {"elapsed_s": "long"}}])
def test_what_is_no_analysis(answer: object) -> None:
    with pytest.raises(ProtocolError):
        print_analysis(Console(file=io.StringIO()), answer)
