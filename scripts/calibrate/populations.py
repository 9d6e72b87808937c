"""What runs are drawn from to see how often a verdict is wrong: tails, ties and rare events, with a known truth.

Each population draws both sides of as many samples as are asked for: arrays of the candidate's and of the baseline's
values. In pairs both met the same link, which is a part that they have in common.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from windlull import locate
from windlull.stats.questions import Samples

if TYPE_CHECKING:
    from collections.abc import Callable

    from windlull.stats.quantities import Floats

    Draw = Callable[[np.random.Generator, tuple[int, int], float], tuple[Floats, Floats]]

TRUTH = 4_000_000
"""How many pairs tell the truth about a population: so many that what they are off by is a sixtieth of what chance does
to 1000 pairs. With a tenth of them it was a twentieth, and a gate that errs in 2.5 % could look as if it did in 3."""


@dataclass(frozen=True)
class Population:
    """`draw` takes a generator, a shape, and a factor on what the candidate needs; `effect` is the one that is planted.

    `rare`: the candidate has rare events besides, which the baseline has not. `tail`: a few runs, seldom seen, make
    the means of both. `whole` are all values of both sides, where they are known.
    """

    name: str
    about: str
    draw: Draw
    effect: float
    rare: bool = False
    tail: bool = False
    whole: tuple[Floats, Floats] | None = None

    def planted(self, random: np.random.Generator, count: int, size: int, *, paired: bool) -> Samples:
        """Draw `count` samples of `size` runs of each side, with the effect."""
        left, right = self.draw(random, (count, size), self.effect)
        return Samples(left, right if paired else self.draw(random, (count, size), self.effect)[1], paired)

    def null(self, random: np.random.Generator, count: int, size: int, *, paired: bool) -> Samples:
        """Draw the same without it: two sides that do not differ."""
        left, right = self.draw(random, (count, size), 1.0)
        other = right if paired else self.draw(random, (count, size), 1.0)[1]
        return Samples(right if self.rare else left, other, paired)

    def truth(self, *, paired: bool) -> Samples:
        """Return all of it, or one very large sample; what is no pair has the same two sides."""
        left, right = self.whole or self.draw(np.random.default_rng(1), (1, TRUTH), self.effect)
        return Samples(left, right, paired)


def _light(random: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Floats, Floats]:
    link = 10 * (1 + 0.1 * random.normal(size=shape))
    own = 1 + 0.03 * random.normal(size=(2, *shape))
    return np.asarray(effect * link * own[0]), np.asarray(link * own[1])


def _skewed(random: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Floats, Floats]:
    link = 5 + random.exponential(2, shape)
    own = random.exponential(1, (2, *shape))
    return effect * (link + own[0]), link + own[1]


def _heavy(random: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Floats, Floats]:
    link = 10 * random.lognormal(0, 0.6, shape)
    own = random.lognormal(0, 0.3, (2, *shape))
    return effect * link * own[0], link * own[1]


def _rare(random: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Floats, Floats]:
    link = 10 * (1 + 0.1 * random.normal(size=shape))
    tripled = np.where(random.random(shape) < 0.05, 3.0, 1.0)
    return effect * link * tripled, link


def _rare_noisy(random: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Floats, Floats]:
    left, right = _light(random, shape, effect)
    return np.asarray(left * np.where(random.random(shape) < 0.05, 3.0, 1.0)), right


def _shared(random: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Floats, Floats]:
    left, right = _light(random, shape, effect)
    far = np.where(random.random(shape) < 0.002, 5000.0, 0.0)
    return left + far, right + far


def _small_counts(random: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Floats, Floats]:
    link = random.poisson(0.3, shape)
    left, right = link + random.poisson(0.3 * effect, shape), link + random.poisson(0.3, shape)
    return left.astype(np.float64), right.astype(np.float64)


def _counts(random: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Floats, Floats]:
    link = random.poisson(5, shape)
    left, right = link + random.poisson(8 * effect - 5, shape), link + random.poisson(3, shape)
    return left.astype(np.float64), right.astype(np.float64)


POPULATIONS = (
    Population("light", "times, normal: links scatter by 10 %, runs by 3 %", _light, 1.05),
    Population("skewed", "times, exponential on top of a constant", _skewed, 1.05),
    Population("heavy", "times, log-normal: links by a factor of 1.8, runs by 1.3", _heavy, 1.1, tail=True),
    Population(
        "rare", "pairs are the same, but 5 % of the candidate's runs take three times as long", _rare, 1.0, rare=True
    ),
    Population("rare, noisy", "the same, and runs scatter as in light", _rare_noisy, 1.0, rare=True),
    Population(
        "shared", "as light, but in one of 500 pairs both sides wait 500 times as long", _shared, 1.05, tail=True
    ),
    Population("small counts", "Poisson of 0.6, half of it the link's", _small_counts, 3.0),
    Population("counts", "Poisson of 8, five of it the link's", _counts, 1.25),
)


def simulated(runs: int) -> Population:
    """Return `reno` against `sack` on a link whose bursts of losses are rare, 100 kB: runs of the simulator, resampled.

    One run in fifty of `reno` takes three times as long; the mean is 3 to 4 % longer.
    """
    with tempfile.TemporaryDirectory() as made:
        profiles = Path(made)
        for kind, name, text in (("links", "bursts", _LINK), ("workloads", "hundred-kb", _WORKLOAD),
                                 ("experiments", "rare-bursts", _EXPERIMENT), ("variants", "", "")):  # fmt: skip
            (profiles / kind).mkdir()
            if name:
                (profiles / kind / f"{name}.toml").write_text(text, encoding="utf-8")
        answer = subprocess.run(
            [str(locate.engine()), "run", "rare-bursts", "--reps", str(runs),
             "--profiles", str(profiles), "--profiles", str(locate.profiles())],
            check=True, capture_output=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    values: dict[str, dict[int, float]] = {"sack": {}, "reno": {}}
    for line in answer.stdout.splitlines():
        message = json.loads(line)
        if message["event"] == "run":
            values[message["variant"]][message["repetition"]] = message["metrics"]["elapsed_s"]
    reno, sack = (np.array([values[name][n] for n in sorted(values["sack"])]) for name in ("reno", "sack"))

    def draw(random: np.random.Generator, shape: tuple[int, int], effect: float) -> tuple[Floats, Floats]:
        drawn = random.integers(len(sack), size=shape)
        return effect * reno[drawn], sack[drawn]

    return Population(
        "simulated", "reno against sack over rare bursts of losses, runs of the simulator", draw, 1.0, rare=True,
        whole=(reno[np.newaxis, :], sack[np.newaxis, :]),
    )  # fmt: skip


_LINK = """\
title = "Rare bursts of losses"

[both]
rate  = "2 Mbit/s"
delay = "20 ms"
queue = { kind = "droptail", limit = "50 packets" }

[[impairment]]
name    = "bursts"
kind    = "gilbert-elliott"
on      = "down"
to_bad  = 0.0006
to_good = 0.3
"""
_WORKLOAD = """\
title     = "100 kB"
kind      = "bulk"
direction = "down"
size      = "100 kB"
"""
_EXPERIMENT = """\
title       = "Rare bursts of losses"
link        = "bursts"
variants    = ["sack", "reno"]
workload    = "hundred-kb"
repetitions = 10
seed        = 5
"""
