"""Loss on the channel: independent, or in bursts (Gilbert 1960), by the likelihoods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from windlull.learning.interval import TAILS, Estimate, proportion

if TYPE_CHECKING:
    from windlull.learning.interval import Floats
    from windlull.learning.matching import Booleans, Way

FEWEST = 8
"""Losses, for bursts to be told from chance."""

_RESAMPLES = 60


@dataclass(frozen=True, slots=True)
class Bursts:
    """Gilbert's model: the good state loses nothing."""

    to_bad: Estimate
    to_good: Estimate
    loss_bad: Estimate


@dataclass(frozen=True, slots=True)
class Loss:
    """Loss apart from the queue's and that of outages."""

    share: Estimate
    lost: int
    of: int
    bursts: Bursts | None
    """`None` if the likelihoods do not speak for it."""
    gain: float
    """By how much the log-likelihood of bursts is greater, less the price of two more parameters (BIC)."""


def loss(way: Way, otherwise: Booleans, seed: int) -> Loss:
    """Fit both models to what met the channel: all but what the queue dropped or outages lost (`otherwise`)."""
    outcome = way.lost[(way.delivered | way.lost) & ~otherwise]
    lost, of = int(outcome.sum()), len(outcome)
    share = proportion(lost, of)
    if lost < FEWEST:
        return Loss(share, lost, of, None, 0.0)
    places = np.flatnonzero(outcome)
    runs = Runs(int(places[0]), np.diff(places) - 1, of - 1 - int(places[-1]))
    chance = lost / of
    alone = lost * np.log(chance) + ((of - lost) * np.log1p(-chance) if lost < of else 0.0)
    best, values = _fit(runs)
    gain = float(best - alone - np.log(of))
    if gain <= 0:
        return Loss(share, lost, of, None, gain)
    random = np.random.default_rng(seed)
    drawn = np.array(
        [
            _fit(Runs(runs.before, random.choice(runs.between, len(runs.between)), runs.behind), values)[1]
            for _ in range(_RESAMPLES)
        ]
    )
    low, high = np.quantile(drawn, TAILS, axis=0)
    estimates = [Estimate(float(v), float(a), float(b)) for v, a, b in zip(values, low, high, strict=True)]
    return Loss(share, lost, of, Bursts(*estimates), gain)


@dataclass(frozen=True, slots=True)
class Runs:
    """How many packets passed before the first loss, between losses, and after the last one."""

    before: int
    between: np.ndarray
    behind: int


def _fit(runs: Runs, begin: Floats | None = None) -> tuple[float, Floats]:
    """Return the greatest log-likelihood of the packets that passed, and its parameters."""
    # Here and not above, as all commands would wait for it.
    from scipy.optimize import minimize  # noqa: PLC0415

    lengths, counts = np.unique(runs.between, return_counts=True)

    def negative(logits: Floats) -> float:
        return -_log_likelihood(runs, lengths, counts, 1 / (1 + np.exp(-logits)))

    share = (len(runs.between) + 1) / (len(runs.between) + 1 + runs.between.sum() + runs.before + runs.behind)
    to_good = float(np.clip(1 - np.mean(runs.between == 0), 0.05, 0.95))
    first = np.array([np.clip(share * to_good, 1e-6, 0.5), to_good, 0.9]) if begin is None else begin
    first = np.clip(first, 1e-7, 1 - 1e-4)
    answer = minimize(
        negative,
        np.log(first / (1 - first)),
        method="Nelder-Mead",
        options={"xatol": 1e-3, "fatol": 1e-4, "maxiter": 400},
    )
    values: Floats = 1 / (1 + np.exp(-answer.x))
    return -float(answer.fun), values


def _log_likelihood(runs: Runs, lengths: np.ndarray, counts: np.ndarray, values: Floats) -> float:
    """Return the log-likelihood of what passed and what was lost.

    A transition is drawn at each packet, then its loss. The state is good at first and bad after a loss. With the
    matrix `passes` of the steps in which a packet passes, a run of k and a loss have the likelihood of its k-th power,
    from the state before to that of a loss: by the eigenvalues.
    """
    to_bad, to_good, lossy = np.clip(values, 1e-9, 1 - 1e-9)
    passes = np.array([[1 - to_bad, to_bad * (1 - lossy)], [to_good, (1 - to_good) * (1 - lossy)]])
    loses = np.array([to_bad, 1 - to_good]) * lossy
    roots, vectors = np.linalg.eig(passes)
    order = np.argsort(np.real(roots))[::-1]
    great, small = np.real(roots[order])
    vectors = np.real(vectors[:, order])

    def log_of(state: int, run: np.ndarray, then: Floats) -> Floats:
        weights = vectors[state, :] * np.linalg.solve(vectors, then)
        # The greater root apart: its powers over long runs are too small for a float.
        likely = weights[0] + weights[1] * np.power(small / great, run)
        logs: Floats = np.log(np.maximum(likely, 1e-300)) + run * np.log(great)
        return logs

    ends = log_of(0, np.array([runs.before]), loses) + log_of(1, np.array([runs.behind]), np.ones(2))
    return float(ends.sum() + (counts * log_of(1, lengths, loses)).sum())
