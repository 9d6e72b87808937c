"""The worst link so far, run once more for its diagram. With the real engine."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.search.fakes import hold
from windlull import locate
from windlull.errors import FailureError
from windlull.runner.work import perform
from windlull.search import best
from windlull.search.best import Best
from windlull.search.candidate import candidate
from windlull.search.journal import Trial
from windlull.search.outcome import Outcome
from windlull.search.plan import Request, Search, prepare

if TYPE_CHECKING:
    from pathlib import Path

    from windlull.runner.work import Chunk


@pytest.fixture(scope="module")
def search() -> Search:
    """A search of F-RTO against conventional recovery."""
    return prepare(Request("first-look", "elapsed", 10, baseline="sack"), [locate.profiles()])


def trial(number: int, ours: float | None) -> Trial:
    values: dict[str, dict[str, tuple[float | None, ...]]] = {
        "frto+sack": {"elapsed_s": (ours,)}, "sack": {"elapsed_s": (10.0,)},
    }  # fmt: skip
    return Trial(number, candidate((hold(1000, 500),)), Outcome(values))


def shown_in(out: Path) -> int | None:
    """Return the number of the link whose diagrams lie there."""
    shown = best.read(out)
    return None if shown is None else shown.trial


class Counting:
    """Makes runs, and counts them."""

    def __init__(self, *, fails: bool = False) -> None:
        self.chunks: list[Chunk] = []
        self._fails = fails

    def __call__(self, chunk: Chunk) -> list[Any]:
        self.chunks.append(chunk)
        if self._fails:
            raise FailureError("no")
        return list(perform(chunk))


def test_the_worst_of_a_batch_is_shown_with_the_diagrams_of_both(search: Search, tmp_path: Path) -> None:
    make = Counting()
    Best(search, tmp_path, make).heard([trial(1, 11), trial(2, 20), trial(3, None)])
    shown = best.read(tmp_path)
    assert shown is not None
    assert (shown.trial, shown.value, shown.variants) == (2, 2.0, ("frto+sack", "sack"))
    assert shown.words.startswith("The link delivers nothing from server to client at 1 s for 500 ms")
    for place, variant in enumerate(shown.variants):
        columns = json.loads(gzip.decompress((tmp_path / best.BEST / f"{place}.series.json.gz").read_bytes()))
        assert columns["run"]["variant"] == variant
    assert [chunk.captures for chunk in make.chunks] == [False]


def test_only_what_is_worse_than_all_before_is_run(search: Search, tmp_path: Path) -> None:
    make = Counting()
    one = Best(search, tmp_path, make)
    one.heard([trial(1, 20)])
    one.heard([trial(2, 20), trial(3, 15)])
    assert len(make.chunks) == 1
    one.heard([trial(4, 21)])
    assert (len(make.chunks), shown_in(tmp_path)) == (2, 4)


def test_a_search_that_goes_on_runs_nothing_again(search: Search, tmp_path: Path) -> None:
    Best(search, tmp_path, Counting()).heard([trial(1, 20), trial(2, 30)])
    make = Counting()
    again = Best(search, tmp_path, make)
    again.heard([trial(1, 20), trial(2, 30)])
    assert make.chunks == []
    again.heard([trial(3, 40)])
    assert len(make.chunks) == 1


def test_a_run_that_comes_to_nothing_leaves_the_one_before(search: Search, tmp_path: Path) -> None:
    Best(search, tmp_path, Counting()).heard([trial(1, 20)])
    Best(search, tmp_path, Counting(fails=True)).heard([trial(2, 30)])
    assert shown_in(tmp_path) == 1


def test_nothing_is_shown_before_there_is_anything(tmp_path: Path) -> None:
    assert best.read(tmp_path) is None
    (tmp_path / best.BEST).mkdir()
    (tmp_path / best.BEST / best.SHOWN).write_text("{", encoding="utf-8")
    assert best.read(tmp_path) is None
