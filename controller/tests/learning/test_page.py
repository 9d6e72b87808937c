"""The report's figures and tables, of packets whose link is known."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pytest

from tests.learning.test_learned import BITS, DELAY, RATE, TAKES, link, sends
from windlull.learning.document import link_text
from windlull.learning.holds import Hold, Together
from windlull.learning.learned import learn
from windlull.learning.matching import Joined, Way
from windlull.learning.page import COLUMNS, MOST_WINDOWS, page

if TYPE_CHECKING:
    from windlull.learning.frame import LearnedPage, LearnedWay

ENGINE = {"version": "0", "commit": "c", "sources": "s"}


def down() -> Way:
    return link(sends(6000, TAKES * 0.99), limit_bits=30 * BITS, lost=frozenset(range(100, 6000, 401)), hold=(3.0, 3.4))


def made(joined: Joined, *, window_s: float = 0.5, played: tuple[str, Joined] | None = None) -> LearnedPage:
    learned = learn(joined)
    text = link_text(learned, ["a", "b"])
    return page(joined, learned, ["a", "b"], text, window_s=window_s, engine=ENGINE, played=played)


@pytest.fixture(scope="module")
def joined() -> Joined:
    way, up = down(), link(sends(3000, TAKES * 2), hold=(3.0, 3.4))
    return Joined(way, up, float(np.nanmax(way.arrived)), ("A note.",))


def of(way: LearnedWay | None) -> LearnedWay:
    assert way is not None
    return way


def test_arrivals_and_losses_are_those_of_the_capture(joined: Joined) -> None:
    way = of(made(joined).down)
    assert sum(way.arrivals_bps) * 0.5 == pytest.approx(joined.down.bits[joined.down.delivered].sum(), rel=1e-4)
    losses = way.losses
    assert sum(losses.queue) + sum(losses.outage) + sum(losses.channel) == way.lost == int(joined.down.lost.sum())
    assert sum(losses.expected) == pytest.approx(sum(losses.channel), rel=1e-3)
    assert len({len(column) for column in (losses.queue, losses.expected, way.arrivals_bps)}) == 1


def test_the_learned_rate_holds_over_all_of_the_capture(joined: Joined) -> None:
    way = of(made(joined).down)
    assert way.rate is not None
    assert way.rate.x == pytest.approx((0, joined.length_s), rel=1e-4)
    assert way.rate.y == pytest.approx((RATE, RATE), rel=0.01)


def test_transit_times_are_thinned_and_keep_their_extremes(joined: Joined) -> None:
    way = of(made(joined).down)
    took = joined.down.transit[joined.down.delivered]
    assert len(way.transits.x) <= 4 * COLUMNS + 4 < len(took)
    assert min(way.transits.y) == pytest.approx(took.min(), rel=1e-5)
    assert max(way.transits.y) == pytest.approx(took.max(), rel=1e-5)
    assert list(way.transits.x) == sorted(way.transits.x)
    assert way.delay_s == pytest.approx(DELAY)
    assert way.full is not None
    # No packet that waited for the bottleneck alone took longer, and one came near.
    sent = joined.down.sent[joined.down.delivered]
    alone = took[(sent < 2.5) | (sent > 4)]
    assert alone.max() <= way.full.y[0] <= alone.max() + 2 * TAKES


def test_distributions_lie_between_nothing_waiting_and_a_full_queue(joined: Joined) -> None:
    other = link(sends(500, TAKES))
    found = of(made(joined, played=("sack", Joined(other, other, 1.0, ()))).down).distributions
    assert [one.what for one in found] == ["captured", "nothing waits", "full queue", "played"]
    captured, least, _, played = (np.array(one.seconds) for one in found)
    assert (np.diff(captured) >= 0).all()
    assert (captured >= least - 1e-6).all()
    assert played[-1] == pytest.approx(other.transit.max(), rel=1e-5)


def test_holds_are_shaded_when_they_were_seen(joined: Joined) -> None:
    shown = made(joined)
    (hold,) = of(shown.down).spells
    assert hold.kind == "hold"
    assert (hold.from_s, hold.until_s) == pytest.approx((3.0, 3.4), abs=2 * TAKES)
    assert of(shown.up).spells == (hold,)


def test_the_table_has_each_value_with_its_interval(joined: Joined) -> None:
    shown = made(joined)
    rows = {(row.on, row.name): row for row in shown.values}
    assert rows["down", "Rate"].value == "8 Mbit/s"
    assert rows["down", "Queue, tail drop"].interval is not None
    assert rows["up", "Rate"].value == "not known"
    assert rows["both", "Holds: length"].interval is None
    assert ("down", "Queue: whether it counts packets or octets is not known.") in {
        (one.on, one.text) for one in shown.unknown
    }
    assert shown.notes == ("A note.",)
    assert "[down]" in shown.link


def test_of_one_end_the_other_direction_is_not_shown(joined: Joined) -> None:
    shown = made(Joined(joined.down, joined.up, joined.length_s, (), "up"))
    assert shown.up is None
    assert {row.on for row in shown.values if row.name == "Loss"} == {"down"}
    assert shown.unknown[0].text.startswith("Of the data sender's capture alone")


def test_clocks_that_disagree_are_set_as_the_link_file_has_them(joined: Joined) -> None:
    def moved(way: Way, by: float) -> Way:
        return Way(way.sent, way.arrived + by, way.lost, way.bits)

    shown = made(Joined(moved(joined.down, -0.04), moved(joined.up, 0.04), joined.length_s, ()))
    assert shown.clocks_s == pytest.approx(0.04, abs=TAKES)
    assert min(of(shown.down).transits.y) == pytest.approx(DELAY + TAKES, abs=2 * TAKES)


def test_long_captures_have_longer_windows(joined: Joined) -> None:
    shown = made(joined, window_s=0.001)
    assert shown.window_s == pytest.approx(0.001 * np.ceil(joined.length_s * 1000 / MOST_WINDOWS))
    assert len(of(shown.down).arrivals_bps) <= MOST_WINDOWS


def test_the_same_packets_give_the_same_page(joined: Joined) -> None:
    assert msgspec.json.encode(made(joined)) == msgspec.json.encode(made(joined))


def test_scripted_holds_do_not_overlap(joined: Joined) -> None:
    learned = learn(joined)
    one = Hold((1.0, 1.0), 2.0, released=True)
    holds = Together((one, Hold((1.9, 1.9), 2.5, released=True), Hold((2.1, 2.1), 2.2, released=True)), (), ())
    text = link_text(replace(learned, holds=holds), ["a"], events="script")
    script = [(each["at"], each["for"]) for each in tomllib.loads(text)["script"]]
    assert script == [("1 s", "1 s"), ("2 s", "0.5 s")]
