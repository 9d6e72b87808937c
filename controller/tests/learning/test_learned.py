"""Links learned from tables of packets whose link is known."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from windlull.contract.engine import WayTransits
from windlull.learning.delay import delay
from windlull.learning.holds import holds, together
from windlull.learning.interval import lowest, mean_wait, proportion
from windlull.learning.learned import learn
from windlull.learning.loss import loss
from windlull.learning.matching import Joined, Way, of_columns
from windlull.learning.outages import Outage, Seen, outages
from windlull.learning.queue import queue
from windlull.learning.rate import about, gaps, rate
from windlull.learning.reordering import reordering

RATE = 8e6
BITS = 12_000.0
TAKES = BITS / RATE
DELAY = 0.03


def sends(count: int, every: float) -> np.ndarray:
    return np.arange(count) * every


def link(
    sent: np.ndarray,
    *,
    bps: np.ndarray | float = RATE,
    limit_bits: float = np.inf,
    lost: frozenset[int] = frozenset(),
    hold: tuple[float, float] = (0.0, 0.0),
    drop: tuple[float, float] = (0.0, 0.0),
) -> Way:
    """Return what a link makes of full-size packets: a queue, a rate, loss, a delay, a hold, an outage."""
    arrived = np.full(len(sent), np.nan)
    begun: list[float] = []
    free = 0.0
    for place, now in enumerate(sent):
        waiting = sum(start > now for start in begun) * BITS
        if waiting + BITS > limit_bits:
            continue
        start = max(now, free)
        begun.append(start)
        free = start + BITS / np.broadcast_to(bps, len(sent))[place]
        if place in lost or drop[0] <= free < drop[1]:
            continue
        due = free + DELAY
        arrived[place] = hold[1] if hold[0] <= due < hold[1] else due
    return Way(sent, arrived, np.isnan(arrived), np.full(len(sent), BITS))


def none(way: Way) -> np.ndarray:
    return np.zeros(len(way.sent), dtype=np.bool_)


def always(way: Way) -> np.ndarray:
    return np.full(len(way.sent), RATE)


def test_the_rate_is_that_of_gaps_between_packets_that_waited() -> None:
    way = link(sends(400, TAKES * 0.8))
    found = rate(gaps(way, none(way)), none(way), 0.1, 1.0, 1)
    assert found is not None
    assert found.constant
    assert found.whole.value == pytest.approx(RATE)
    assert found.at(0.3) == pytest.approx(RATE)


def test_packets_that_never_waited_tell_no_rate() -> None:
    way = link(sends(400, TAKES * 1.2))
    assert rate(gaps(way, none(way)), none(way), 0.1, 1.0, 1) is None


def test_a_rate_that_changes_is_told_over_time() -> None:
    bps = np.where(np.arange(800) < 400, RATE, RATE / 4)
    way = link(sends(800, TAKES * 0.5), bps=bps)
    found = rate(gaps(way, none(way)), none(way), 0.1, 3.0, 1)
    assert found is not None
    assert not found.constant
    assert found.at(np.array([0.2, 1.5])) == pytest.approx([RATE, RATE / 4])


def test_the_delay_is_what_the_quickest_took_less_its_time_at_the_bottleneck() -> None:
    way = link(sends(100, TAKES * 1.5))
    found = delay(way, none(way), always(way))
    assert found.base.value == pytest.approx(DELAY)
    assert found.base.low is not None
    assert found.base.low <= DELAY + 1e-9
    assert found.values is None


def test_the_limit_is_between_what_was_kept_and_what_was_lost() -> None:
    way = link(sends(400, TAKES * 0.9), limit_bits=10 * BITS)
    found = queue(way, none(way), always(way), DELAY)
    assert found.discipline == "tail drop"
    assert found.drops == int(way.lost.sum())
    low, high = found.limit_bytes.low, found.limit_bytes.high
    assert low is not None
    assert high is not None
    assert low <= 10 * BITS / 8 <= high
    assert high - low <= BITS / 8


def test_loss_on_the_channel_is_not_the_queues() -> None:
    lost = frozenset({50, 120, 121, 300})
    way = link(sends(400, TAKES * 0.9), lost=lost)
    found = queue(way, none(way), always(way), DELAY)
    assert found.discipline == "never full"
    assert found.limit_bytes.high is None
    assert not found.full.any()


def test_a_hold_is_a_gap_that_ends_with_all_at_once() -> None:
    way = link(sends(600, TAKES * 1.01), hold=(0.3, 0.6))
    found = holds(way, none(way), None)
    assert [one.ends for one in found.each] == pytest.approx([0.6])
    assert found.each[0].released
    assert found.each[0].begin == pytest.approx(0.3, abs=2 * TAKES)


def test_a_pause_of_the_sender_is_no_hold() -> None:
    sent = np.concatenate([sends(100, TAKES), 2.0 + sends(100, TAKES)])
    assert holds(link(sent), np.zeros(200, dtype=np.bool_), None).each == ()


def test_holds_that_end_together_are_of_both_directions() -> None:
    down, up = link(sends(600, TAKES * 1.01), hold=(0.3, 0.6)), link(sends(300, TAKES * 2), hold=(0.3, 0.6))
    joined = together(holds(down, none(down), None), holds(up, none(up), None), down, up)
    assert len(joined.both) == 1
    assert (joined.down, joined.up) == ((), ())
    free = link(sends(300, TAKES * 2))
    alone = together(holds(down, none(down), None), holds(free, none(free), None), down, free)
    assert len(alone.down) == 1
    assert alone.both == ()


def test_an_outage_of_both_directions_is_one() -> None:
    down, up = link(sends(600, TAKES * 1.01), drop=(0.3, 0.6)), link(sends(300, TAKES * 2), drop=(0.3, 0.6))
    found = outages(Seen(down, none(down), down.sent + TAKES), Seen(up, none(up), up.sent + TAKES))
    assert found.on == "both"
    assert len(found.each) == 1
    assert found.each[0].begin == pytest.approx(0.3, abs=2 * TAKES)
    assert found.each[0].length == pytest.approx(0.3, abs=2 * TAKES)
    assert np.array_equal(found.within_down, down.lost)
    assert np.array_equal(found.within_up, up.lost)


def test_no_other_outage_shows_until_a_packet_passes() -> None:
    one = Outage((1.0, 1.1), (1.5, 2.5))
    assert one.length == pytest.approx(0.95)
    assert one.unseen == pytest.approx(1.5)


def chain(count: int, to_bad: float, to_good: float, loss_bad: float) -> np.ndarray:
    random = np.random.default_rng(7)
    bad, lost = False, []
    for _ in range(count):
        bad = bad ^ (random.random() < (to_good if bad else to_bad))
        lost.append(bad and random.random() < loss_bad)
    return np.array(lost)


def of_losses(lost: np.ndarray) -> Way:
    sent = sends(len(lost), TAKES)
    return Way(sent, np.where(lost, np.nan, sent + DELAY), lost, np.full(len(lost), BITS))


def test_bursts_are_told_from_chance() -> None:
    way = of_losses(chain(40_000, 0.004, 0.3, 0.8))
    found = loss(way, none(way), 1).bursts
    assert found is not None
    # Beside each true value how much the estimates of forty such chains scatter.
    true = ((found.to_bad, 0.004, 0.00034), (found.to_good, 0.3, 0.025), (found.loss_bad, 0.8, 0.032))
    for one, value, deviation in true:
        assert one.value == pytest.approx(value, abs=3 * deviation)
        assert one.low is not None
        assert one.high is not None
        assert one.low < one.value < one.high


def test_chance_is_not_taken_for_bursts() -> None:
    way = of_losses(np.random.default_rng(5).random(20_000) < 0.01)
    found = loss(way, none(way), 1)
    assert found.bursts is None
    assert found.share.low is not None
    assert found.share.high is not None
    assert found.share.low < 0.01 < found.share.high


def test_what_was_overtaken_is_told_with_how_late_it_was() -> None:
    way = link(sends(200, TAKES * 1.5))
    way.arrived[40] += 0.02
    found = reordering(way)
    assert np.flatnonzero(found.late).tolist() == [40]
    assert found.by_s == pytest.approx([0.02 - TAKES * 1.5])


def test_intervals_are_those_of_the_tables() -> None:
    # Clopper and Pearson for 0 and for 1 of 10, and the chi-squared limits of 5 events.
    none_of_ten, one_of_ten = proportion(0, 10), proportion(1, 10)
    assert [none_of_ten.low, none_of_ten.high] == pytest.approx([0.0, 0.3085], abs=1e-4)
    assert [one_of_ten.low, one_of_ten.high] == pytest.approx([0.0025, 0.4450], abs=1e-4)
    wait = mean_wait(5, 100.0)
    assert wait.value == 20.0
    assert [wait.low, wait.high] == pytest.approx([100 / 11.668, 100 / 1.6235], rel=1e-3)
    assert lowest(np.array([3.0, 1.0, 1.01])).low == pytest.approx(1 - 0.01 * 19)


def test_the_same_packets_give_the_same_link() -> None:
    down, up = link(sends(600, TAKES * 0.9), lost=frozenset(range(0, 600, 37))), link(sends(300, TAKES * 2))
    one, other = (learn(Joined(down, up, 1.0, ())) for _ in range(2))
    assert one.down.loss == other.down.loss
    assert one.down.rate is not None
    assert other.down.rate is not None
    assert one.down.rate.whole == other.down.rate.whole


def test_the_rate_about_a_hold_is_that_of_the_link() -> None:
    way = link(sends(600, TAKES * 0.9), hold=(0.3, 0.5))
    around = about(gaps(way, none(way)))
    assert around is not None
    assert np.median(around[1]) == pytest.approx(RATE)
    found = holds(way, none(way), around)
    assert [one.ends for one in found.each] == pytest.approx([0.5])


def test_what_was_under_way_at_the_end_is_not_lost() -> None:
    columns = WayTransits(
        arrived_ns=(5, None, 7, None, None),
        copies=0,
        lost=(False, True, False, True, True),
        sent_ns=(1, 2, 3, 4, 5),
        size_bytes=(1500,) * 5,
        strangers=0,
    )
    assert of_columns(columns).lost.tolist() == [False, True, False, False, False]
    none_came = msgspec.structs.replace(columns, arrived_ns=(None,) * 5)
    assert not of_columns(none_came).lost.any()
