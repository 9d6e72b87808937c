"""The suites that are shipped, and what is said of one that is not right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from windlull import locate
from windlull.errors import BadInputError
from windlull.patches import scenarios, suites

if TYPE_CHECKING:
    from pathlib import Path

SHIPPED = suites.names(locate.profiles())


def test_the_suites_are_there() -> None:
    assert SHIPPED == ["bbr", "quick", "recovery"]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_scenario_can_be_played_in_a_kernel(name: str) -> None:
    for entry in suites.suite(locate.profiles(), name).scenario:
        found = scenarios.scenario(entry.experiment, entry.metrics)
        assert found.title
        assert all(variant.startswith("linux") for variant in found.variants)


def test_quick_is_a_part_of_recovery() -> None:
    quick, recovery = (
        {entry.experiment for entry in suites.suite(locate.profiles(), name).scenario} for name in ("quick", "recovery")
    )
    assert quick < recovery


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("title = 'A'\nscenario = []", r"there is no \[\[scenario\]\]"),
        ("title = 'A'\n[[scenario]]\nexperiment = 'x'\nmetrics = ['speed']", "there is no metric speed"),
        ("title = 'A'\n[[scenario]]\nexperiment = 'x'\nmetrics = []", "x has no metrics"),
        ("title = 'A'\nrepetitions = 0\n[[scenario]]\nexperiment = 'x'\nmetrics = ['elapsed_s']", "0 repetitions"),
        ("title = 'A'\nlinks = 1\n[[scenario]]\nexperiment = 'x'\nmetrics = ['elapsed_s']", "links"),
        ("title = ", "mine.toml"),
    ],
)
def test_what_is_wrong_is_told_with_the_file(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "mine.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInputError, match=complaint) as raised:
        suites.suite(tmp_path, "mine")
    assert "mine.toml" in str(raised.value)


def test_an_unknown_suite_is_told_with_the_nearest() -> None:
    with pytest.raises(BadInputError, match="do you mean recovery"):
        suites.suite(locate.profiles(), "recovry")


def test_an_experiment_without_linux_is_no_scenario() -> None:
    with pytest.raises(BadInputError, match="no variant of Linux"):
        scenarios.scenario("first-look", ["elapsed_s"])
