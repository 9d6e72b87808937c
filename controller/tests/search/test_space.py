"""The space of a search, as files say it and around a base link."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.search.fakes import hold
from windlull.errors import BadInputError
from windlull.search.candidate import candidate, rate, span
from windlull.search.proposals import Proposals
from windlull.search.seen import Seen
from windlull.search.space import Key, Range, default, parse, read

SCHEMA = Path(__file__).resolve().parents[3] / "schema" / "link.json"

LINK: dict[str, Any] = {
    "title": "x",
    "both": {"delay": "25 ms", "queue": {"kind": "droptail", "limit": "9 kB"}},
    "down": {"rate": "10 Mbit/s"},
    "up": {"rate": {"kind": "trace"}},
    "impairment": [
        {"name": "losses", "kind": "loss", "probability": "10 %"},
        {
            "name": "holds",
            "kind": "hold",
            "every": "exponential(mean 2 s)",
            "length": "uniform(500 ms, 1 s)",
        },
        {"name": "often", "kind": "two-state", "good": "exponential(mean 4 ms)", "bad": "1 ms"},
        {"name": "turns", "kind": "hold", "every": "uniform(20 s, 40 s) between onsets", "length": "20 min"},
    ],
}


def space(text: str, link: dict[str, Any] = LINK) -> Any:
    return parse(tomllib.loads(text), link)


def test_by_default_a_link_varies_around_its_own_values() -> None:
    found = default(LINK)
    assert (found.most, found.kinds) == (3, ("hold", "drop", "rate"))
    assert found.rate == Range(200_000, 10_000_000, "log")
    assert found.keys == (
        Key("both.delay", Range(6.25, 100, "log"), "ms"),
        Key("down.rate", Range(2.5, 40, "log"), "Mbit/s"),
        Key("impairment.losses.probability", Range(1, 50, "log"), "%"),
        Key("impairment.holds.every", Range(0.5, 8, "log"), "s", form="exponential(mean *)"),
        Key("impairment.holds.length", Range(0.505, 4, "log"), "s", form="uniform(500 ms, *)"),
        # A cycle lasts 1 ms on average or longer.
        Key("impairment.often.bad", Range(2, 4, "log"), "ms"),
        Key("impairment.often.good", Range(2, 16, "log"), "ms", form="exponential(mean *)"),
        # An hour at most; and how often it comes about is no time by itself.
        Key("impairment.turns.length", Range(5, 60, "log"), "min"),
    )
    assert default({"title": "x"}).kinds == ("hold", "drop")


def test_times_and_probabilities_of_impairments_vary_whatever_their_kind() -> None:
    examples = {"distribution": "50 ms", "onset": "exponential(mean 2 s)", "probability": "10 %"}
    for kind in json.loads(SCHEMA.read_bytes())["$defs"]["ImpairmentFile"]["oneOf"]:
        properties = kind["properties"]
        name = properties["kind"]["const"]
        given = {key: examples[value["format"]] for key, value in properties.items() if value.get("format") in examples}
        found = default({"title": "x", "impairment": [{"name": "it", "kind": name} | given]})
        assert {key.key.removeprefix("impairment.it.") for key in found.keys} == set(given), name


@pytest.mark.parametrize(
    ("link", "longest_s"),
    [
        ({"recording": {"csv": "time_s,down_bps\n0,1\n", "period": "2 min"}}, 120),
        ({"recording": {"csv": "time_s,down_bps\n0,1\n"}}, None),
        ({"down": {"rate": {"kind": "trace", "milliseconds": [1, 4, 2500]}}}, 2.5),
        ({"both": {"rate": {"kind": "stepped", "period": "700 ms"}}, "recording": {"period": "1 s"}}, 1),
        (LINK, None),
    ],
)
def test_where_in_a_recording_it_begins_varies(link: dict[str, Any], longest_s: float | None) -> None:
    keys = [one for one in default({"title": "x"} | link).keys if one.key == "start"]
    assert keys == ([] if longest_s is None else [Key("start", Range(0, longest_s), "s")])


def test_a_file_says_what_varies() -> None:
    found = space("""
        [events]
        most = 2
        kinds = ["hold", "delay"]
        on = ["down"]
        begin = { from = "1 s", to = "2 min" }
        delay = { from = "10 ms", to = "1 s" }
        [parameters]
        "both.delay" = { from = "5 ms", to = "300 ms" }
        "down.queue.kind" = ["droptail", "codel"]
        "tail" = { from = 0, to = 2, scale = "linear" }
        "impairment.holds.every" = { from = "1 s", to = "9 s", as = "exponential(mean *)" }
        """)
    assert (found.most, found.kinds, found.on) == (2, ("hold", "delay"), ("down",))
    assert found.begin == Range(1e6, 120e6)
    assert (found.rate, found.delay) == (None, Range(10_000, 1e6, "log"))
    assert found.keys == (
        Key("both.delay", Range(5, 300, "log"), "ms"),
        Key("down.queue.kind", words=("droptail", "codel")),
        Key("tail", Range(0, 2)),
        Key("impairment.holds.every", Range(1, 9, "log"), "s", form="exponential(mean *)"),
    )


def test_events_begin_while_the_base_links_run_lasts() -> None:
    assert default(LINK).within(7_000_000).begin == Range(0, 7_000_000)
    said = space('[events]\nbegin = { from = "1 s", to = "2 s" }')
    assert said.within(7_000_000).begin == Range(1e6, 2e6)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[event]", "event: there is no such key; do you mean events?"),
        ("[events]\nmots = 2", "events.mots: there is no such key; do you mean most?"),
        ("[events]\nmost = 9", "events.most: 9; it is from 0 to 8"),
        ("[events]\nmost = 0", "events.most: 0, and no key under [parameters]: there is nothing to search"),
        ('[events]\nkinds = ["pause"]', "events.kinds: there is no 'pause'; it is some of hold, hold-arrivals"),
        ("[events]\non = []", "events.on: is empty"),
        ('[events]\nlength = { from = "1 s" }', "events.length: has no 'to'"),
        ('[events]\nlength = { from = "1 s", to = "1 kB" }', "events.length.to: is not in kB, but in us, ms, s"),
        ('[events]\nlength = { from = "1 s", to = "1 s" }', "events.length: its `to` must be above its `from`"),
        ('[events]\nlength = { from = "10 us", to = "1 s" }', "events.length: from 1 ms to 10 h"),
        ('[parameters]\n"a" = "1 s"', 'parameters.a: give { from = "10 ms", to = "1 s" }, or a list of values'),
        ('[parameters]\n"a" = ["b"]', "parameters.a: give two values at least"),
        (
            '[parameters]\n"a" = { from = "1 s", to = "2 ms" }',
            "parameters.a: from s to ms; write both",
        ),
        ('[parameters]\n"a" = { from = "x", to = "2 ms" }', "parameters.a.from: 'x' is no number with a unit"),
        ('[parameters]\n"a" = { from = 0, to = 1, scale = "log" }', "parameters.a.from: has no logarithm"),
        ('[parameters]\n"a" = { from = 1, to = 2, as = "mean" }', "parameters.a.as: is a text with one *"),
        ('[parameters]\n"a" = { from = 1, to = 2, as = 3 }', "parameters.a.as: is a text with one *"),
        ('[parameters]\n"a" = { from = 1, to = 2, scale = "square" }', 'parameters.a.scale: is "linear" or "log"'),
    ],
)
def test_what_cannot_be_is_refused(text: str, what: str) -> None:
    with pytest.raises(BadInputError) as refused:
        space(text)
    assert what in str(refused.value)


def test_a_rate_needs_bounds_where_the_link_has_none() -> None:
    with pytest.raises(BadInputError, match=r"events\.rate: the base link has no constant rate"):
        space('[events]\nkinds = ["rate"]', {"title": "x"})


def test_messages_name_the_file(tmp_path: Path) -> None:
    file = tmp_path / "space.toml"
    with pytest.raises(BadInputError, match=r"space\.toml: cannot be read"):
        read(file, LINK)
    file.write_text("[events", encoding="utf-8")
    with pytest.raises(BadInputError, match=r"space\.toml: is not TOML"):
        read(file, LINK)
    file.write_text("[events]\nmost = 9", encoding="utf-8")
    with pytest.raises(BadInputError, match=r"space\.toml: events\.most: 9"):
        read(file, LINK)


def test_candidates_stay_within_the_space() -> None:
    made = space('[events]\nmost = 2\nbegin = { from = "1 s", to = "2 s" }\nlength = { from = "20 ms", to = "30 ms" }')
    for one in Proposals(made, 2, 1, Seen()).ask(50):
        assert len(one.events) == 2
        assert list(one.events) == sorted(one.events)
        for event in one.events:
            assert 1_000_000 <= event.begin_us <= 2_000_000
            assert 20_000 <= event.length_us <= 30_000
            assert (event.depth > 0) == (event.kind == "rate")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (span(0), "0 s"),
        (span(70), "70 us"),
        (span(39_300), "39.3 ms"),
        (span(1_000_000), "1 s"),
        (span(3_438_400), "3.4384 s"),
        (rate(12_345), "12.345 kbit/s"),
        (rate(2_500_000), "2.5 Mbit/s"),
        (rate(999), "999 bit/s"),
    ],
)
def test_values_are_written_as_files_have_them(written: str, text: str) -> None:
    assert written == text


def test_events_of_a_kind_do_not_overlap() -> None:
    """The engine refuses those that do."""
    long, across, later = hold(0, 5000), hold(1000, 500, "both"), hold(1200.5, 70, "up")
    assert candidate((later, long, across)).events == (hold(0, 1000), hold(1000, 200.5, "both"), later)
    assert candidate((hold(1, 50), hold(1.5, 50))).events == (hold(1.5, 50),)
    apart = (hold(1, 50), hold(2, 50, "up"), hold(3, 50, kind="drop"), hold(51, 9))
    assert candidate(apart).events == apart


def test_the_base_link_in_words() -> None:
    assert candidate(()).words() == "The link is the base link."
