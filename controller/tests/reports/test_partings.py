"""What is printed of where two runs part."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.console import Console

from tests.partings import difference
from windlull.reports.partings import print_difference, print_partings
from windlull.stats.partings import partings

if TYPE_CHECKING:
    from windlull.contract.engine import DifferenceOfRuns


def printed(found: DifferenceOfRuns) -> str:
    text = io.StringIO()
    print_difference(Console(file=text, width=140), found)
    return " ".join(text.getvalue().split())


def test_a_parting_is_told_with_both_decisions_their_rules_and_the_cost() -> None:
    text = printed(difference("after-timeout", "detector F-RTO 2a"))
    assert "A sack over gprs, repetition 1; mine, sim, Windlull 0.1.0" in text
    assert "On the same fates: 61 packets until then." in text
    assert "They part at 7.250000 s: both sent then, and not the same octets." in text
    assert "The senders part by a decision of their own" in text
    assert 'detection - "frto"' in text
    assert "7.250000 s A It sent octets 0 to 9 again." in text
    assert "A after-timeout RFC 5681, section 3.1" in text
    assert "and 3 more changes of window and timer in B alone" in text
    assert "elapsed time, s 30.000 28.500 -1.500" in text


def test_runs_that_do_not_part_are_said_to_be_the_same() -> None:
    text = printed(difference())
    assert "They do not part: both senders sent the same 40 packets." in text
    assert "decided" not in text


def test_kinds_are_a_table_with_the_command_that_shows_the_first() -> None:
    text = io.StringIO()
    kind = ("after-timeout", "detector F-RTO 2a")
    found = partings(("sack", "frto+sack"), [difference(*kind, repetition=2), difference()])
    print_partings(Console(file=text, width=200), found)
    said = " ".join(text.getvalue().split())
    assert "2 pairs of runs; in 1 both senders sent the same all along" in said
    assert "1 after-timeout detector F-RTO 2a sender -1.500 gprs, repetition 2, at 7.250 s" in said
    assert "windlull diff runs/sack/002 runs/frto+sack/002" in said
