"""The report's figures: what the captures show, thinned, and what was learned over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from windlull.learning import values as tables
from windlull.learning import written
from windlull.learning.frame import Curve, Distribution, LearnedPage, LearnedSpell, LearnedWay, Losses

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from windlull.learning.interval import Floats
    from windlull.learning.learned import Learned, WayLearned
    from windlull.learning.matching import Booleans, Joined, Way

MOST_WINDOWS = 1000
"""Longer captures have longer windows."""

COLUMNS = 600
"""Stretches of time of which the figure of transit times has the extremes: about the pixels of its width."""

QUANTILES = 201


def page(
    joined: Joined,
    learned: Learned,
    captures: Sequence[str],
    link: str,
    *,
    window_s: float,
    engine: Any,  # noqa: ANN401 - as the engine told it
    played: tuple[str, Joined] | None = None,
) -> LearnedPage:
    """Return what the report shows; `played` is a variant, and the packets of its transfer over the learned link."""
    window_s *= max(1, int(np.ceil(joined.length_s / window_s / MOST_WINDOWS)))
    delays = written.delays(learned)
    within = {"down": learned.outages.within_down, "up": learned.outages.within_up}
    ways: dict[str, LearnedWay | None] = {}
    for name, found in written.ways(learned):
        other = None if played is None else played[1].of(name)
        one = _Direction(joined.of(name), found, delays[name][0], joined.length_s, window_s)
        spells = tuple(_spells(learned, name))
        ways[name] = None if name == learned.hidden else one.shown(within[name], spells, other)
    return LearnedPage(
        version=1,
        kind="learned",
        engine=engine,
        captures=tuple(captures),
        length_s=_short(joined.length_s),
        window_s=_short(window_s),
        clocks_s=_short(delays["down"][0] - learned.down.delay.base.value),
        data=joined.data,
        down=ways["down"],
        up=ways["up"],
        played=played[0] if played else None,
        values=tuple(tables.values(learned)),
        unknown=tuple(tables.unknown(learned)),
        notes=learned.notes,
        link=link,
    )


class _Direction:
    """A direction: what was captured, and what was learned."""

    def __init__(self, way: Way, found: WayLearned, delay_s: float, length_s: float, window_s: float) -> None:
        self.way, self.found, self.delay_s = way, found, delay_s
        self.length_s, self.window_s = length_s, window_s
        self.windows = max(int(np.ceil(length_s / window_s)), 1)
        self.shift = delay_s - found.delay.base.value

    def shown(self, within: Booleans, spells: tuple[LearnedSpell, ...], played: Way | None) -> LearnedWay:
        """Return what the page shows of it; `within` are losses of outages."""
        way = self.way
        arrivals = self._by_window(way.arrived[way.delivered], way.bits[way.delivered]) / self.window_s
        return LearnedWay(
            packets=len(way.sent),
            lost=int(way.lost.sum()),
            arrivals_bps=_all(arrivals),
            rate=self._rate(),
            transits=self._transits(),
            delay_s=_short(self.delay_s),
            full=self._full(),
            distributions=tuple(self._distributions(played)),
            losses=self._losses(within),
            spells=spells,
        )

    def _by_window(self, at: Floats, weights: Floats | None = None) -> Floats:
        place = np.clip(np.floor(at / self.window_s).astype(np.int64), 0, self.windows - 1)
        return np.bincount(place, weights=weights, minlength=self.windows).astype(np.float64)

    def _rate(self) -> Curve | None:
        rate = self.found.rate
        if rate is None:
            return None
        times = rate.times[:1] if rate.constant else rate.times
        bps = rate.at(times)
        changes = np.flatnonzero(np.diff(bps, prepend=np.nan) != 0)
        ends = np.append(times[changes], self.length_s)
        return Curve(_all(ends), _all(np.append(bps[changes], bps[-1])))

    def _transits(self) -> Curve:
        """Thin them so that a figure of `COLUMNS` pixels looks as with all of them."""
        places = np.flatnonzero(self.way.delivered)
        took = self.way.transit[places]
        column = np.floor(self.way.sent[places] / self.length_s * COLUMNS).astype(np.int64)
        kept: set[int] = set()
        edges = np.flatnonzero(np.diff(column, prepend=-1))
        for first, after in zip(edges, np.append(edges[1:], len(places)), strict=True):
            among = took[first:after]
            kept |= {int(first), int(after) - 1, int(first + among.argmin()), int(first + among.argmax())}
        chosen = places[sorted(kept)]
        return Curve(_all(self.way.sent[chosen]), _all(self.way.transit[chosen] + self.shift))

    def _waits(self, bps: Floats) -> Floats | None:
        """Return how long a packet waits at most where a queue with tail drop is full, with one in service."""
        line = self.found.queue
        if line is None or line.discipline != "tail drop":
            return None
        waits: Floats = (8 * written.limit_bytes(self.found) + float(self.way.bits.max())) / bps
        return waits

    def _full(self) -> Curve | None:
        rate = self._rate()
        waits = self._waits(np.array(rate.y)) if rate else None
        return None if rate is None or waits is None else Curve(rate.x, _all(self.delay_s + waits))

    def _distributions(self, played: Way | None) -> Iterator[Distribution]:
        way = self.way
        use = way.delivered
        yield Distribution("captured", _quantiles(way.transit[use] + self.shift))
        varies = self.found.delay.values
        base = self.delay_s if varies is None else np.resize(varies + self.shift, int(use.sum()))
        if self.found.rate is None:
            yield Distribution("nothing waits", _quantiles(np.broadcast_to(base, int(use.sum()))))
        else:
            bps = self.found.rate.at(way.arrived[use])
            yield Distribution("nothing waits", _quantiles(base + way.bits[use] / bps))
            waits = self._waits(bps)
            if waits is not None:
                yield Distribution("full queue", _quantiles(base + waits))
        if played is not None:
            yield Distribution("played", _quantiles(played.transit[played.delivered]))

    def _losses(self, within: Booleans) -> Losses:
        way, found = self.way, self.found
        full = np.zeros(len(way.sent), dtype=np.bool_) if found.queue is None else found.queue.full
        met = (way.delivered | way.lost) & ~full & ~within
        return Losses(
            queue=_counts(self._by_window(way.sent[full])),
            outage=_counts(self._by_window(way.sent[within & ~full])),
            channel=_counts(self._by_window(way.sent[met & way.lost])),
            expected=_all(self._by_window(way.sent[met]) * found.loss.share.value),
        )


def _spells(learned: Learned, name: str) -> Iterator[LearnedSpell]:
    for of in written.spells(learned):
        if of.on in {name, "both"}:
            for one in of.each:
                kind: Literal["hold", "outage"] = "hold" if of.kind == "hold" else "outage"
                yield LearnedSpell(kind, _short(one.at), _short(one.at + one.length))


def _quantiles(of: Floats) -> tuple[float, ...]:
    return _all(np.quantile(of, np.linspace(0, 1, QUANTILES)))


def _counts(values: Floats) -> tuple[int, ...]:
    return tuple(int(value) for value in values)


def _all(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(_short(value) for value in values)


def _short(value: float) -> float:
    """Return as many digits as a figure shows."""
    return float(f"{value:.6g}")
