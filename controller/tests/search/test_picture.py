"""The picture of what was tried: a dot where it belongs, for each link and each event."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from tests.search.fakes import AIM, BASELINE, hold, outcome
from windlull.search import picture
from windlull.search.candidate import Candidate, candidate
from windlull.search.journal import Trial
from windlull.search.outcome import Outcome

SVG = "{http://www.w3.org/2000/svg}"
BASE = Trial(0, Candidate(), outcome(4.0))
TRIALS = (
    BASE,
    Trial(1, candidate((hold(0, 100),)), outcome(5.0)),
    Trial(2, candidate((hold(1000, 1000), hold(2000, 100, kind="drop"))), outcome(14.0)),
    Trial(3, candidate((hold(500, 500),)), Outcome(problem="refused")),
    Trial(4, candidate((hold(1500, 200),)), outcome(9.0)),
)


def drawn(trials: tuple[Trial, ...] = TRIALS, found: tuple[int, ...] = (2,), title: str = "a search") -> ET.Element:
    return ET.fromstring(picture.draw(title, AIM, trials, found))  # noqa: S314 - of our own making


def dots(svg: ET.Element, kind: str) -> list[tuple[float, float]]:
    return [
        (float(one.attrib["cx"]), float(one.attrib["cy"]))
        for one in svg.iter(f"{SVG}circle")
        if one.attrib["class"] == kind
    ]


def test_a_dot_for_each_link_that_was_measured() -> None:
    # From 90 to 940 for trials 0 to 4, and from 310 (4 s, the least) up to 50 (14 s).
    assert dots(drawn(), "link") == [(302.5, 284.0), (515.0, 50.0), (940.0, 180.0)]


def test_a_number_at_what_was_found() -> None:
    svg = drawn()
    assert dots(svg, "found") == [(515.0, 50.0)]
    assert [one.text for one in svg.iter(f"{SVG}text") if one.attrib.get("class") == "number"] == ["1"]


def test_the_worst_so_far_never_gets_better() -> None:
    (line,) = [one for one in drawn().iter(f"{SVG}path") if one.attrib["class"] == "worst"]
    assert line.attrib["d"] == "M302.5 284.0H515.0V50.0H940"


def test_a_dot_for_each_event_the_worst_on_top() -> None:
    # Begins from 0 to 2 s; lengths from 100 ms, at the foot of 650, to 1 s.
    assert dots(drawn(), "event") == [
        (90.0, 650.0),
        (pytest.approx(727.5), pytest.approx(621.1)),
        (515.0, 390.0),
        (940.0, 650.0),
    ]


def test_numbers_far_apart_are_drawn_by_their_logarithm() -> None:
    trials = (BASE, *(Trial(number, Candidate(), outcome(4.0 * 10**number)) for number in (1, 2)))
    assert [y for _, y in dots(drawn(trials, ()), "link")] == [180.0, 50.0]


def test_what_is_better_low_is_worse_below() -> None:
    lower = replace(AIM, higher_is_worse=False)
    svg = ET.fromstring(picture.draw("", lower, TRIALS[:3], ()))  # noqa: S314 - of our own making
    assert dots(svg, "link") == [(515.0, 284.0), (940.0, 50.0)]
    (line,) = [one for one in svg.iter(f"{SVG}path") if one.attrib["class"] == "worst"]
    assert line.attrib["d"] == "M515.0 284.0H940"


def test_nothing_measured_is_an_empty_picture() -> None:
    nothing = tuple(Trial(number, Candidate(), Outcome(problem="a limit")) for number in range(3))
    svg = drawn(nothing, ())
    assert not list(svg.iter(f"{SVG}circle"))


def test_of_many_links_not_all_are_drawn_but_the_worst_is() -> None:
    many = [Trial(number, Candidate(), outcome(5.0)) for number in range(1, 3 * picture.MOST_DOTS)]
    many[4] = Trial(5, Candidate(), outcome(6.0))
    svg = drawn((BASE, *many), ())
    assert picture.MOST_DOTS <= len(dots(svg, "link")) <= picture.MOST_DOTS + 2
    assert min(y for _, y in dots(svg, "link")) == 50.0


def test_titles_are_text() -> None:
    svg = drawn(title='<a> & "b"')
    assert next(svg.iter(f"{SVG}text")).text == '<a> & "b"'
    against = picture.draw("", replace(AIM, baseline=BASELINE, by="ratio"), TRIALS[:1], ())
    assert f"ratio to {BASELINE}" in against
