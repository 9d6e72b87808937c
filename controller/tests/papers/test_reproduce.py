"""What becomes of a reproduction of which an experiment fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from windlull.errors import ExitCode, FailureError, WindlullError
from windlull.papers import reproduce
from windlull.papers.reproduce import Request
from windlull.progress import meter
from windlull.run import Outcome, run

if TYPE_CHECKING:
    from pathlib import Path

    from windlull.progress import Meter
    from windlull.run import Request as RunRequest

NAME = "papers/sarolahti2003/figure-2"
OWN = 2003


def _failing_with(seed: int | None, patch: pytest.MonkeyPatch) -> None:
    def fails(request: RunRequest, _: Meter) -> Outcome:
        if request.options.seed == seed:
            return Outcome(ExitCode.FAILURE, error=FailureError("the disk is full"))
        with meter() as own:
            return run(request, own)

    patch.setattr(reproduce, "run", fails)


def _reproduced(out: Path) -> reproduce.Reproduction:
    with meter() as whole:
        return reproduce.reproduce(Request({"sarolahti2003": [NAME]}, out, seeds=3), whole)


def test_what_fails_with_a_further_seed_leaves_those_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _failing_with(OWN + 2, monkeypatch)
    found = _reproduced(tmp_path)
    assert [one.name for one in found.done] == [NAME]
    assert len(found.further) == 1
    assert len(found.graded_by_seed()) == 2
    assert str(found.error) == f"{NAME} with seed {OWN + 2}: the disk is full"


def test_what_fails_with_the_own_seed_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _failing_with(None, monkeypatch)
    with pytest.raises(WindlullError, match=f"{NAME} with seed {OWN}: the disk is full"):
        _reproduced(tmp_path)
