"""Kinds of partings of a batch: counted, the most frequent first, each with an example."""

from __future__ import annotations

import pytest

from tests.partings import AT_NS, difference
from windlull.stats.partings import partings

BOTH = ("sack", "frto+sack")
GOES_BACK = ("after-timeout", "detector F-RTO 2a")


def test_pairs_of_the_same_decisions_are_one_kind() -> None:
    found = partings(
        BOTH,
        [
            difference(repetition=1),
            difference("new-data", "nothing", repetition=2),
            difference(*GOES_BACK, repetition=3, longer_s=-1.0),
            difference(*GOES_BACK, repetition=4, longer_s=-3.0),
        ],
    )
    assert (found.pairs, found.alike) == (4, 1)
    first, second = found.kinds
    assert (first.a, first.b, first.count) == (*GOES_BACK, 2)
    assert first.elapsed_s == pytest.approx(-2.0)
    assert (first.example.a, first.example.repetition, first.example.at_ns) == ("runs/sack/003", 3, AT_NS)
    assert (second.a, second.b, second.count) == ("new-data", "nothing", 1)


def test_what_the_link_began_is_a_kind_of_its_own() -> None:
    found = partings(BOTH, [difference(*GOES_BACK), difference(*GOES_BACK, origin="link")])
    assert [(kind.origin, kind.count) for kind in found.kinds] == [("link", 1), ("sender", 1)]


def test_pairs_that_never_part_have_no_kinds() -> None:
    found = partings(BOTH, [difference(), difference()])
    assert (found.pairs, found.alike, found.kinds) == (2, 2, ())
