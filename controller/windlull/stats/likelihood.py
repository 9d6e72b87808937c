"""What a sample says of the mean of its population: by the empirical likelihood of the values, and of one not seen.

The empirical likelihood ratio of a mean m is the greatest product of n w_i over weights w_i of the values whose mean is
m (Owen 1988, 2001). A sample that lacks the rare values that its population has makes that too sure; so the weights may
also be given to one more value at a `far` end, which was not seen (as the upper confidence bounds of Honda and Takemura
2010, and Cappe et al. 2013, for values below a known limit). The weight that n values leave to it is 1 - exp(-cost / n)
when all of them are the same: with a cost of log(1 / alpha) exactly what n runs cannot have shown.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from windlull.stats import special

if TYPE_CHECKING:
    from windlull.stats.quantities import Floats

_STEPS = 48
"""Halvings of an interval: more than a double can tell apart."""

_NEAR = 1e-13
"""A cost that is so near to what is sought, as a share of it, is it."""

NEAREST, FARTHEST = -40.0, 20.0
"""Between which powers of e, in units of the range, nu is sought beyond the far end."""


def cost_of_seen(count: int, alpha: float) -> float:
    """Return by how much the logarithm may fall when what was seen stands for all: normal values give Student's t."""
    t = float(special.stdtrit(count - 1, 1 - alpha))
    return count / 2 * math.log1p(t * t / (count - 1))


def cost_of_unseen(alpha: float) -> float:
    """Return by how much it may fall when that must hold for the rarest value: Chernoff's bound."""
    return -math.log(alpha)


def upper(rows: Floats, far: Floats, cost: float) -> Floats:
    """Return the largest mean of each row whose likelihood is at least exp(-cost) of the greatest.

    `rows` has the shape (rows, n); `far` is the far end of each, not below any value of it.

    The weights of that mean are in proportion to 1 / (nu - x) for a nu of at least `far`; `far` itself has weight only
    if nu is there.
    """
    count = rows.shape[1]
    scale = far - rows.min(axis=1)
    flat = scale <= 0
    scale = np.where(flat, 1.0, scale)
    away = (far[:, np.newaxis] - rows) / scale[:, np.newaxis]  # from 0 to 1, in units of the range

    def at(place: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the cost, its slope, and how far the mean is from the far end, with nu exp(place) beyond it."""
        offset = np.exp(place)
        parts = 1 / (away + offset[:, np.newaxis])
        whole = parts.sum(axis=1)
        weights = parts / whole[:, np.newaxis]
        slope = offset * (whole - count * (parts * weights).sum(axis=1))
        return -np.log(count * weights).sum(axis=1), slope, (weights * away).sum(axis=1)

    # The cost falls with nu. Newton's method, halving where it would leave the ends; at the nearest nu the far end has
    # a weight of its own, if that costs no more than it may.
    low, high = np.full(len(rows), NEAREST), np.full(len(rows), FARTHEST)
    spent, _, distance = at(low)
    with_far = spent <= cost
    place = np.where(with_far, low, 0.0)
    for _ in range(_STEPS):
        now, slope, moved = at(place)
        spent, distance = np.where(with_far, spent, now), np.where(with_far, distance, moved)
        low, high = np.where(now > cost, place, low), np.where(now > cost, high, place)
        step = place - (now - cost) / np.where(slope < 0, slope, -np.inf)
        step = np.where((step > low) & (step < high), step, (low + high) / 2)
        done = with_far | (np.abs(now - cost) <= _NEAR * cost) | (high - low < _NEAR)
        if np.all(done):
            break
        place = np.where(done, place, step)
    unseen = -np.expm1(-np.maximum(cost - spent, 0) / count)
    unseen = np.where(with_far, unseen, 0.0)
    return np.asarray(np.where(flat, far, far - scale * (1 - unseen) * distance))


def lower(rows: Floats, far: Floats, cost: float) -> Floats:
    """Return the smallest such mean; `far` is not above any value."""
    return np.asarray(-upper(-rows, -far, cost))


def p_at_least(rows: Floats, far: Floats, mean: float = 0.0) -> Floats:
    """Return how likely each row is if the population's mean is `mean` or more: the likelihood ratio of that.

    It is at most alpha exactly where `upper` with `cost_of_unseen(alpha)` is at most `mean`.
    """
    above = rows - mean
    room = far - mean
    steepest = 1 / np.where(room > 0, room, 1.0)

    def slope(factor: Floats) -> Floats:
        return np.asarray(-(above / (1 - factor[:, np.newaxis] * above)).sum(axis=1))

    low, high = np.zeros(len(rows)), steepest * (1 - 1e-15)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        rising = slope(middle) > 0
        low, high = np.where(rising, middle, low), np.where(rising, high, middle)
    with np.errstate(divide="ignore"):
        gain = np.log(1 - low[:, np.newaxis] * above).sum(axis=1)
    found = np.where(above.mean(axis=1) >= 0, 1.0, np.exp(-np.maximum(gain, 0)))
    return np.where(room <= 0, np.where(above.mean(axis=1) >= 0, 1.0, 0.0), found)


def p_at_most(rows: Floats, far: Floats, mean: float = 0.0) -> Floats:
    """Return the same if the mean is `mean` or less; `far` is the lower end."""
    return p_at_least(-rows, -far, -mean)
