"""The calibration of docs/statistics.md in small: the bars are kept, and a method that is worse breaks them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from windlull.stats import planning, unseen

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.long

CALIBRATE = Path(__file__).resolve().parents[3] / "scripts/calibrate"


@pytest.fixture
def calibration(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(CALIBRATE))
    made, populations = (importlib.import_module(name) for name in ("calibration", "populations"))

    yield (
        lambda names, counts: list(
            made.measure(
                [one for one in populations.POPULATIONS if one.name in names], counts, 200, most=100_000, seed=1
            )
        ),
        made,
    )
    _forget()


@pytest.fixture
def too_few(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(CALIBRATE))
    advised, populations = (importlib.import_module(name) for name in ("advised", "populations"))
    light = [one for one in populations.POPULATIONS if one.name == "light"]
    yield lambda: advised.too_few(list(advised.advise(light, 100, seed=1)))
    _forget()


def _forget() -> None:
    for name in ("advised", "calibration", "populations", "measures"):
        sys.modules.pop(name, None)


def test_the_bars_are_kept_in_a_few_cells(calibration: Any) -> None:
    measure, made = calibration
    cells = measure({"light", "rare", "small counts"}, (10, 40))
    assert made.broken(cells) == []
    assert "| light | pairs | median |" in made.tables(cells)


def test_an_allowance_by_the_differences_of_a_rule_turns_what_passes(
    calibration: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A far run of both sides is then a rare event of `candidate - 5 * baseline`, and mirrored."""
    measure, made = calibration
    assert made.broken(measure({"shared"}, (40, 1000))) == []

    def by_differences(left: Any, right: Any, factor: float) -> Any:
        rows = left - factor * right
        middle, away = np.median(rows, axis=1), unseen.allowance(rows, left, factor * right)
        return middle - away, middle + away

    monkeypatch.setattr(unseen, "ends_in_pairs", by_differences)
    assert any("pass a rule and not one with more room" in line for line in made.broken(measure({"shared"}, (1000,))))


def test_a_mean_that_allows_for_nothing_unseen_breaks_them(calibration: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    measure, made = calibration
    monkeypatch.setattr(unseen, "FACTOR", 1.0)
    assert any("a gate on the mean passes what is broken" in line for line in made.broken(measure({"rare"}, (10,))))


def test_numbers_of_runs_that_are_asked_for_decide(too_few: Any) -> None:
    assert too_few() == []


def test_numbers_that_take_half_the_scatter_are_found_out(too_few: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning._Known, "room", lambda *_: 0.5)
    assert any("light, pairs: the number that 40 runs ask for" in line for line in too_few())
