"""The numbers that a search is asked for with, written once: for the command line, the API and the process itself."""

from __future__ import annotations

from typing import NamedTuple

from windlull.runner.options import REPETITIONS, Range


class Number(NamedTuple):
    """A whole number, what it is where nobody says, and what it means."""

    of: Range
    usual: int
    help: str


LINKS = Range(1, 100_000)
"""How many links may be tried, beside the base link."""

KINDS = Number(Range(1, 100), 5, "How many different kinds of failure are shown at most.")
SHRINK = Number(Range(0, LINKS.most), 400, "How many simpler links are tried for each at most.")
CONFIRM = Number(Range(1, REPETITIONS.most), 20, "On how many fresh seeds each is run again.")
