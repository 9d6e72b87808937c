"""Mahimahi, LeoReplayer, CellReplay."""

from __future__ import annotations

import tomllib

import pytest

from windlull.recordings.choices import Choices
from windlull.recordings.link import link_text
from windlull.recordings.reading import Given, format_of, read
from windlull.recordings.recording import Train
from windlull.recordings.source import RecordingError, Source
from windlull.recordings.traces import delays, light, opportunities

LIGHT = "0 24 0 0 1\n112 31 0 2\n230 24 0 2 2 3\n"


def source(name: str, text: str) -> Source:
    return Source(name, text.encode())


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("TMobile-LTE-driving.down", "0\n3\n3\n10\n", "mahimahi"),
        ("bw_12.txt", "0\n0\n1\n", "mahimahi"),
        ("up-pdo", "5\n9\n", "mahimahi"),
        ("delay_12.txt", "24\n24\n18\n", "leoreplayer-delay"),
        ("down-delay-light-pdo", LIGHT, "cellreplay-light"),
        ("measured.txt", LIGHT, "cellreplay-light"),
    ],
)
def test_each_is_known_by_its_form(name: str, text: str, form: str) -> None:
    assert format_of(Given(source(name, text)), Choices()).name == form


def test_a_trace_is_instants_of_one_direction() -> None:
    down = opportunities(source("a.down", "0\n3\r\n3\n\n10\n"))
    assert down.down.opportunities_ms is not None
    assert down.down.opportunities_ms.tolist() == [0, 3, 3, 10]
    assert down.up.is_empty
    assert down.length_s == 0.01
    assert opportunities(source("a.up", "5\n")).down.is_empty
    assert not opportunities(source("up-pdo", "5\n")).up.is_empty


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1\n2.5\n", "x, line 2: '2.5' is not a whole number of milliseconds"),
        ("1\n-2\n", "x, line 2: '-2' is not"),
        ("5\n4\n", "x, line 2: 4 ms is earlier than 5 ms on the line before"),
        ("1\n360000001\n", "x, line 2: '360000001' is not"),
        ("0\n0\n", "x: the trace has no length"),
        (" \n", "x: the file is empty"),
    ],
)
def test_a_wrong_trace_is_told_with_its_line(text: str, why: str) -> None:
    with pytest.raises(RecordingError) as caught:
        opportunities(source("x", text))
    assert str(caught.value).startswith(why)


def test_delays_of_leoreplayer_last_10_ms_a_line() -> None:
    read = delays(source("delay_1.txt", "24\n24\n18\n18\n30\n"))
    assert read.time_s.tolist() == [0, 0.02, 0.04]
    assert read.down.delay_ms is not None
    assert read.down.delay_ms.tolist() == [24, 18, 30]
    assert read.up == read.down
    assert read.length_s == 0.05
    with pytest.raises(RecordingError, match=r"delay_1.txt, line 2: 'x' is not a number of milliseconds"):
        delays(source("delay_1.txt", "24\nx\n"))


def test_of_a_light_trace_the_base_delay_is_taken() -> None:
    read = light(source("down-delay-light-pdo", LIGHT))
    assert read.time_s.tolist() == [0, 0.112, 0.23]
    assert read.down.delay_ms is not None
    assert read.down.delay_ms.tolist() == [24, 31, 24]
    assert read.up.is_empty
    assert "short trains" in read.notes[0]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0 24\n5\n", "line 2: a line is a time and a delay"),
        ("0 24\n5 x\n", "line 2, column 2: 'x' is not a whole number of milliseconds of delay"),
        ("7 24\n5 20\n", "line 2, column 1: 5 ms is earlier than 7 ms"),
    ],
)
def test_a_wrong_light_trace_is_told_with_line_and_column(text: str, why: str) -> None:
    with pytest.raises(RecordingError, match=why):
        light(source("x", text))


def test_the_trains_of_a_light_trace_serve_what_comes_after_an_idle_time() -> None:
    heavy, trains = source("down-pdo", "5\n9\n"), source("down-delay-light-pdo", "7" + LIGHT[1:])
    choices = Choices(up_rate="1 Mbit/s", delay="20 ms")
    recording = read([Given(heavy), Given(trains)], choices)
    link = tomllib.loads(link_text(recording, choices, ["both"]))
    assert link["down"]["rate"] == {"kind": "trace", "milliseconds": [5, 9]}
    # The first line is at 7 ms, and the trace begins there.
    assert link["down"]["light"]["trains"] == "0 0 0 1\n105 0 2\n223 0 2 2 3\n"
    assert "light" not in link["up"]
    assert link["down"]["light"]["period"] == "0.3345 s"


def test_trains_are_cut_and_scaled_with_the_rest() -> None:
    trains = Given(source("down-delay-light-pdo", LIGHT))
    cut = read([trains], Choices(from_s=0.15, to_s=0.25, rate_times=2)).down.trains
    assert cut == (Train(0, (0, 0, 2, 2)), Train(80, (0, 0, 2, 2, 2, 2, 3, 3)))


def test_a_train_that_goes_back_is_wrong() -> None:
    with pytest.raises(RecordingError, match="line 2: the opportunities of a train must be in order"):
        light(source("x", "0 24 0 1\n9 24 3 2\n"))
