"""Kinds of first differences between two variants, over the pairs of runs of a batch."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from windlull.contract.engine import DifferenceOfRuns

ELAPSED = "elapsed_s"


class Example(msgspec.Struct, frozen=True):
    """A pair of runs that parts so: the earliest of its kind in the order of the batch.

    `a` and `b` are the directories, `at_ns` is when they part, since the start of the run.
    """

    a: str
    b: str
    link: str
    repetition: int
    at_ns: int


class PartingsOfKind(msgspec.Struct, frozen=True):
    """Pairs of runs that part by the same pair of decisions.

    `origin` says who did otherwise first: `sender`, `receiver`, `link` or `unknown`. `elapsed_s` is how much longer B
    took than A, the median of the pairs that have it, in seconds.
    """

    a: str
    b: str
    origin: str
    count: int
    elapsed_s: float | None
    example: Example


class Partings(msgspec.Struct, frozen=True):
    """How the pairs of a batch part: the most frequent kind first. `alike` pairs sent the same all along."""

    variants: tuple[str, str]
    pairs: int
    alike: int
    kinds: tuple[PartingsOfKind, ...]


def partings(variants: tuple[str, str], pairs: Iterable[DifferenceOfRuns]) -> Partings:
    """Count the kinds of partings of these pairs of runs."""
    found: defaultdict[tuple[str, str, str], list[DifferenceOfRuns]] = defaultdict(list)
    count = alike = 0
    for pair in pairs:
        count += 1
        if pair.parting is None:
            alike += 1
        else:
            kind = pair.parting.kind
            found[kind.a, kind.b, pair.parting.origin].append(pair)
    kinds = [_of_kind(kind, those) for kind, those in found.items()]
    kinds.sort(key=lambda kind: (-kind.count, kind.a, kind.b, kind.origin))
    return Partings(variants, count, alike, tuple(kinds))


def _of_kind(kind: tuple[str, str, str], pairs: list[DifferenceOfRuns]) -> PartingsOfKind:
    a, b, origin = kind
    longer = [cost.difference for pair in pairs for cost in pair.costs if cost.metric == ELAPSED]
    first = pairs[0]
    assert first.parting is not None  # noqa: S101 - pairs that do not part are counted apart
    of = first.a.provenance
    return PartingsOfKind(
        a=a,
        b=b,
        origin=origin,
        count=len(pairs),
        elapsed_s=median(longer) if longer else None,
        example=Example(first.a.directory, first.b.directory, of.link, of.repetition, first.parting.at_ns),
    )
