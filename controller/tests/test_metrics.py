from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from windlull.errors import ExitCode
from windlull.metrics import METRICS, in_order, metric, number, remarks, significant
from windlull.papers.grades import GRADES, MEANING

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "results.md"


def rows(heading: str) -> list[list[str]]:
    """The rows of the table under a heading of docs/results.md, their cells without back-ticks."""
    text = DOCUMENT.read_text(encoding="utf-8")
    section = re.split(r"^## ", text.split(f"## {heading}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_document_has_every_metric_with_its_unit_and_definition() -> None:
    documented = [(name, unit, better, definition) for name, unit, better, definition in rows("Metrics")]
    assert documented == [(m.name, m.unit, m.better or "-", m.definition) for m in METRICS.values()]


def test_pages_read_the_same_grades() -> None:
    kept = json.loads(DOCUMENT.with_name("grades.json").read_text(encoding="utf-8"))
    assert kept == MEANING, "`make generate` writes it anew"
    assert list(kept) == list(GRADES)


def test_the_document_has_every_exit_code() -> None:
    assert [int(row[0]) for row in rows("Exit codes")] == [code.value for code in ExitCode]


def test_names_are_in_their_units() -> None:
    for name, about in METRICS.items():
        assert name.endswith("_s") == (about.unit == "s")
        assert name.endswith("_bps") == (about.unit == "bit/s")


def test_unknown_metrics_come_last_with_a_label_of_their_own() -> None:
    assert in_order({"b", "elapsed_s", "a", "packets_lost"}) == ["elapsed_s", "packets_lost", "a", "b"]
    assert metric("new_thing").label == "new thing"


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (94.125, 2, "94.12"),
        (10, 0, "10"),
        (10.5, 0, "10.5"),
        (14212.4, 0, "14,212"),
        (0.25, 3, "0.250"),
        (-0.5, 1, "-0.5"),
    ],
)
def test_numbers_for_people(value: float, digits: int, text: str) -> None:
    assert number(value, digits) == text


def test_metrics_of_one_flow_or_set_are_those_that_they_are_named_after() -> None:
    elapsed = metric("flow_3_elapsed_s")
    assert (elapsed.name, elapsed.label, elapsed.unit) == ("flow_3_elapsed_s", "elapsed time, flow 3", "s")
    slowest = metric("set_2_slowest_bps")
    assert (slowest.label, slowest.unit, slowest.better) == ("goodput of the slowest, set 2", "bit/s", "higher")
    assert metric("flow_0_elapsed_s").label == "flow 0 elapsed s"
    assert metric("flow_1_nothing").label == "flow 1 nothing"


def test_what_limited_the_sender_for_most_of_the_time_is_said_in_words() -> None:
    assert remarks({"elapsed_s": 3, "limited_by_receive_window": 0.934}) == [
        "limited by the receive window for 93 % of the time"
    ]
    assert remarks({"limited_by_receive_window": 0.5, "limited_by_congestion_window": 0.9}) == []
    assert remarks({}) == []


def test_where_a_run_left_the_recording_is_said_with_its_numbers() -> None:
    replayed = {"replayed_packets": 1203, "unrecorded_packets": 12, "unrecorded_from_s": 3.2, "resized_packets": 45}
    assert remarks(replayed) == [
        "left the recording: 12 of 1,203 packets had no recorded one, from 3.20 s on",
        "45 of 1,203 packets had another size than the recorded one",
    ]
    assert remarks({"replayed_packets": 1203, "unrecorded_packets": 0, "resized_packets": 0}) == []


def test_that_entries_of_a_script_never_began_is_said() -> None:
    assert remarks({"unmet_entries": 2}) == [
        "entries of the link's script that never began, as their conditions were never met: 2"
    ]
    assert remarks({"unmet_entries": 0}) == []


@pytest.mark.parametrize(
    ("value", "written"), [(0.12345, "0.123"), (12.345, "12.3"), (999.4, "999"), (4345.4, "4,345"), (-13173, "-13,173")]
)
def test_three_digits_are_enough_and_no_exponent_is_shown(value: float, written: str) -> None:
    assert significant(value) == written
    assert significant(abs(value), "+") == f"+{written.lstrip('-')}"
