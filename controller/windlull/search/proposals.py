"""Which candidates are tried next: Optuna's tree-structured Parzen estimator over a space of fixed size.

There is a study for each number of events, so that each has a fixed number of dimensions: links with one event are
searched as thoroughly as those with three, and what the estimator learns of an event's begin is always about an event
that is there. A third of them are one that was tried with a number or two changed, by a little or by much: the
estimator's steps are no finer than a hundredth of a range, and a fault may be narrower. Two of three of these are near
the study's worst so far.

A fault may need several things to happen before it does any harm, and until then nothing is worse than anything else.
So the third is made of one on which the senders decided as they seldom did: every second time one of its events is
replaced, by one that was drawn anew, or by one of a link on which they decided otherwise. While nothing is worse than
anything else, two thirds of the candidates are such.

Candidates are asked for a batch at a time, and the batch is told together; so what is tried depends on
the seed alone, and not on how many of them run at a time, or on which ends first.
"""

from __future__ import annotations

import hashlib
import math
import random
import statistics
from typing import TYPE_CHECKING, Any

import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution
from optuna.samplers import RandomSampler, TPESampler
from optuna.trial import TrialState

from windlull.search.candidate import Event, Parameter, candidate, rounded
from windlull.search.outcome import MATTERS
from windlull.search.space import TICK_US

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from optuna.distributions import BaseDistribution
    from optuna.trial import Trial

    from windlull.search.candidate import Candidate
    from windlull.search.seen import Seen
    from windlull.search.space import Key, Range, Space

DIGITS = 4
"""Significant digits of rates and values: more tell nothing, and nobody can read them."""

STARTUP = 16
"""So many candidates of a study are drawn at random before the estimator has anything to go by."""

NEAR = 3
"""Of so many candidates one is near one that was tried; of so many of these, one is near a rare one."""

JOINED = 0.5
"""How often an event that replaces another is one of another link."""

WORD = 0.15
"""How often a word of it is changed, and not a number."""

FINEST = 3.0
"""The smallest change of a number is a share of its range of 10 to the minus so many."""


class Proposals:
    """One study: candidates of so many events."""

    def __init__(
        self, space: Space, events: int, seed: int, seen: Seen, *, startup: int = STARTUP, at_random: bool = False
    ) -> None:  # fmt: skip
        """`seen` is shared by all studies. `at_random` draws every candidate independently: to be compared with."""
        self._space = space
        self._events = events
        self._distributions = dict(_distributions(space, events))
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        own = int.from_bytes(hashlib.sha256(f"{seed}/search/{events}".encode()).digest()[:4], "big")
        sampler = (
            RandomSampler(seed=own)
            if at_random
            else TPESampler(seed=own, n_startup_trials=startup, multivariate=True, constant_liar=True)
        )
        self._at_random = at_random
        self._random = random.Random(own)  # noqa: S311 - it is to be repeated, not to be secret
        self._worst: tuple[float, dict[str, Any]] | None = None
        self._told: list[float] = []
        self._seen = seen
        self._study = optuna.create_study(direction="maximize", sampler=sampler)
        self._asked: list[Trial] = []

    @property
    def behaviours(self) -> int:
        """In how many different ways the senders behaved on its candidates."""
        return self._seen.behaviours(self._events)

    def ask(self, count: int) -> list[Candidate]:
        """Return the next candidates; `tell` must follow before more are asked for."""
        assert not self._asked  # noqa: S101 - a batch is told together
        if self._worst is not None and not self._at_random:
            usual = statistics.median(self._told)
            # Nothing is worse than anything else.
            flat = self._worst[0] - usual <= MATTERS * abs(usual)
            for place in range(count - count // NEAR if flat else count // NEAR):
                if not flat and place % NEAR != NEAR - 1:
                    changed = self._near(self._worst[1])
                else:
                    behaviour, rare = self._seen.rare(self._events, self._random)
                    replace = self._events > 1 and place % 2 == 0
                    changed = self._replaced(rare, behaviour) if replace else self._near(rare)
                self._study.enqueue_trial(changed)
        self._asked = [self._study.ask(self._distributions) for _ in range(count)]
        return [self._candidate(trial.params) for trial in self._asked]

    def tell(self, badness: Sequence[float | None], behaviours: Sequence[Hashable]) -> None:
        """Say how bad each of them was, in their order, None where nothing could be measured, and what happened."""
        for trial, value, behaviour in zip(self._asked, badness, behaviours, strict=True):
            if value is None:
                self._study.tell(trial, state=TrialState.FAIL)
            else:
                self._study.tell(trial, value)
                self._told.append(value)
                self._seen.add(behaviour, self._events, trial.params)
                if self._worst is None or value > self._worst[0]:
                    self._worst = value, trial.params
        self._asked = []

    def _replaced(self, values: Mapping[str, Any], behaviour: Hashable) -> dict[str, Any]:
        """Return these values, of a candidate of that behaviour, with another event in the place of one."""
        place = f"{self._random.randrange(self._events)}."
        event = self._seen.other(behaviour, self._random) if self._random.random() < JOINED else None
        return {
            name: value
            if not name.startswith(place)
            else self._drawn(self._distributions[name])
            if event is None
            else event[name.removeprefix(place)]
            for name, value in values.items()
        }

    def _drawn(self, distribution: BaseDistribution) -> Any:  # noqa: ANN401 - a number, or a word
        if isinstance(distribution, CategoricalDistribution):
            return self._random.choice(distribution.choices)
        assert isinstance(distribution, FloatDistribution)  # noqa: S101 - there is no other
        low, high = distribution.low, distribution.high
        value = (
            math.exp(self._random.uniform(math.log(low), math.log(high)))
            if distribution.log
            else self._random.uniform(low, high)
        )
        return min(max(value, low), high)

    def _near(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return these values with a number or two that make a difference changed, now and then a word instead."""
        words = [name for name, one in self._distributions.items() if isinstance(one, CategoricalDistribution)]
        numbers = [name for name in self._distributions if name not in words and self._tells(name, values)]
        of = words if words and (not numbers or self._random.random() < WORD) else numbers
        changed = dict(values)
        for name in self._random.sample(of, k=min(len(of), self._random.choice((1, 2)))):
            changed[name] = self._moved(self._distributions[name], changed[name])
        return changed

    @staticmethod
    def _tells(name: str, values: Mapping[str, Any]) -> bool:
        """Whether a number makes a difference: the depth of an event does for some kinds alone."""
        place, _, what = name.partition(".")
        return what not in {"rate", "delay"} or values.get(f"{place}.kind") in {what, None}

    def _moved(self, distribution: BaseDistribution, value: Any) -> Any:  # noqa: ANN401 - a number, or a word
        if isinstance(distribution, CategoricalDistribution):
            return self._random.choice(distribution.choices)
        assert isinstance(distribution, FloatDistribution)  # noqa: S101 - there is no other
        to, back = (math.log, math.exp) if distribution.log else (float, float)
        low, high = to(distribution.low), to(distribution.high)
        step = self._random.choice((-1, 1)) * 10 ** -self._random.uniform(0, FINEST) * (high - low)
        return min(max(back(min(max(to(value) + step, low), high)), distribution.low), distribution.high)

    def _candidate(self, values: Mapping[str, Any]) -> Candidate:
        events = tuple(self._event(values, place) for place in range(self._events))
        return candidate(events, tuple(_parameter(key, values[_named(key)]) for key in self._space.keys))

    def _event(self, values: Mapping[str, Any], place: int) -> Event:
        kind = values[f"{place}.kind"]
        depth = {"rate": f"{place}.rate", "delay": f"{place}.delay"}.get(kind)
        return Event(
            begin_us=round(values[f"{place}.begin"]) * TICK_US,
            length_us=round(values[f"{place}.length"]) * TICK_US,
            kind=kind,
            on=values[f"{place}.on"],
            depth=int(rounded(values[depth], DIGITS)) if depth else 0,
        )


def _distributions(space: Space, events: int) -> list[tuple[str, BaseDistribution]]:
    """Return a dimension for each number of a candidate. Those of a depth are there for every event, used or not."""
    assert space.begin is not None  # noqa: S101 - Space.within came before
    found: list[tuple[str, BaseDistribution]] = []
    for place in range(events):
        found += [
            (f"{place}.kind", CategoricalDistribution(space.kinds)),
            (f"{place}.on", CategoricalDistribution(space.on)),
            (f"{place}.begin", _ticks(space.begin)),
            (f"{place}.length", _ticks(space.length)),
        ]
        found += [
            (f"{place}.{name}", _numbers(one))
            for name, one in (("rate", space.rate), ("delay", space.delay))
            if one is not None
        ]
    found += [
        (_named(key), _numbers(key.range) if key.range else CategoricalDistribution(key.words)) for key in space.keys
    ]
    return found


def _ticks(times: Range) -> FloatDistribution:
    """Return times in ticks, to be rounded later: whole numbers take the estimator far longer (decision 57)."""
    low, high = int(times.low / TICK_US), int(times.high / TICK_US)
    log = times.scale == "log"
    return FloatDistribution(max(low, 1) if log else low, max(high, low + 1), log=log)


def _numbers(numbers: Range) -> FloatDistribution:
    return FloatDistribution(numbers.low, numbers.high, log=numbers.scale == "log")


def _named(key: Key) -> str:
    return f"link.{key.key}"


def _parameter(key: Key, value: Any) -> Parameter:  # noqa: ANN401 - a number, or a word
    if key.range is None:
        return Parameter(key.key, word=value)
    return Parameter(key.key, rounded(value, DIGITS), key.unit, form=key.form)
