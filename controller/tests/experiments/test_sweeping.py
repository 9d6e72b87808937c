"""A grid as a program writes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from windlull.errors import BadInputError
from windlull.experiments.swept import axes_of


@pytest.mark.parametrize(
    ("listed", "values"),
    [
        (["2 Mbit/s", "10 Mbit/s"], ["2 Mbit/s", "10 Mbit/s"]),
        ("1..3", [1, 2, 3]),
        ("2 Mbit/s, 10 Mbit/s", ["2 Mbit/s", "10 Mbit/s"]),
        (range(1, 4), [1, 2, 3]),
        (np.arange(1, 3), [1, 2]),
        (np.linspace(0.5, 1, 2), [0.5, 1.0]),
        (7, [7]),
        (True, [True]),
        ({"kind": "codel"}, [{"kind": "codel"}]),
    ],
)
def test_values_are_listed_or_written(listed: Any, values: list[Any]) -> None:
    (axis,) = axes_of({"a.key": listed})
    assert axis.key == "a.key"
    assert [value.toml for value in axis.values] == values
    assert [type(value.toml) for value in axis.values] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("grid", "what"),
    [
        ({"a": []}, "grid: a: a: no value"),
        ({"a": [1, 1]}, "stands there 2 times"),
        ({"a": [None]}, "is neither text, number"),
        ({"a": "1,,2"}, "an empty value"),
    ],
)
def test_what_is_no_grid_names_its_key(grid: dict[str, Any], what: str) -> None:
    with pytest.raises(BadInputError, match=what):
        axes_of(grid)
