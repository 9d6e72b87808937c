"""Values as a person writes them."""

from __future__ import annotations

import math
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windlull.errors import BadInputError
from windlull.sweep.values import Value, of_toml, parse


def written(text: str) -> list[Any]:
    return [value.toml for value in parse(text)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,3,10", [1, 3, 10]),
        ("0.02, 1e-5, -3", [0.02, 1e-5, -3]),
        ("true,false", [True, False]),
        ("28.8 kbit/s, 64 kbit/s", ["28.8 kbit/s", "64 kbit/s"]),
        ("gprs,umts-3g,5g", ["gprs", "umts-3g", "5g"]),
        ("uniform(0.1 s, 20 s),exponential(mean 3 s)", ["uniform(0.1 s, 20 s)", "exponential(mean 3 s)"]),
        ("packet with probability 0.02", ["packet with probability 0.02"]),
        ("data segments 9..15", ["data segments 9..15"]),
        ('"10","a,b"', ["10", "a,b"]),
        ('{ kind = "droptail", limit = "7 packets" }', [{"kind": "droptail", "limit": "7 packets"}]),
        ('["a", "b"]', [["a", "b"]]),
        ("1..4", [1, 2, 3, 4]),
        ("-1..1", [-1, 0, 1]),
        ("5..5, 7", [5, 7]),
        ("linspace(10 ms, 20 ms, 3)", ["10 ms", "15 ms", "20 ms"]),
        ("linspace(0, 0.3, 4)", [0, 0.1, 0.2, 0.3]),
        ("geomspace(1,100,3)", [1, 10, 100]),
        ("geomspace(10 kbit/s, 1000 kbit/s, 3)", ["10 kbit/s", "100 kbit/s", "1000 kbit/s"]),
        ("geomspace(100,1,3)", [100, 10, 1]),
    ],
)
def test_words_mean_what_they_mean_in_the_files(text: str, values: list[Any]) -> None:
    found = written(text)
    assert found == values
    assert [type(value) for value in found] == [type(value) for value in values]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "an empty value"),
        ("1,,2", "an empty value"),
        ("10..1", "write 1..10"),
        ("0..100000", "100001 values; the limit is 100000"),
        ("linspace(1, 2)", "write linspace(FIRST, LAST, COUNT)"),
        ("linspace(1 s, 2 ms, 3)", "from s to ms"),
        ("geomspace(0, 2, 3)", "linspace takes equal steps"),
        ("geomspace(1, 2, 1)", "from 2 to 100000"),
        ("linspace(a, b, 3)", "as in linspace(10 ms"),
        ('"open', "is not TOML"),
        ("{ a = 1979-05-27 }", "neither text, number"),
        ("[nan]", "neither text, number"),
    ],
)
def test_what_cannot_be_says_why(text: str, complaint: str) -> None:
    with pytest.raises(BadInputError) as raised:
        parse(text)
    assert complaint in str(raised.value)


@settings(deadline=None)
@given(st.integers(-1000, 1000), st.integers(0, 50))
def test_a_range_has_both_its_ends(first: int, more: int) -> None:
    assert written(f"{first}..{first + more}") == list(range(first, first + more + 1))


@settings(deadline=None)
@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6), st.integers(2, 40), st.sampled_from(["linspace", "geomspace"]))
def test_spaced_numbers_have_both_their_ends_and_run_one_way(first: float, last: float, count: int, name: str) -> None:
    found = written(f"{name}({first!r} s, {last!r} s, {count})")
    numbers = [float(value.removesuffix(" s")) for value in found]
    assert len(numbers) == count
    assert math.isclose(numbers[0], first, rel_tol=1e-8)
    assert math.isclose(numbers[-1], last, rel_tol=1e-8)
    assert numbers == sorted(numbers, reverse=last < first)


_TOML = st.recursive(
    st.booleans() | st.integers(-(1 << 62), 1 << 62) | st.text("ab \"\\'", max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(deadline=None)
@given(_TOML)
def test_the_text_of_a_value_is_toml_again(value: Any) -> None:
    text = of_toml([value]).text
    assert tomllib.loads(f"value = {text}")["value"] == [value]


def test_a_truth_value_is_no_number() -> None:
    assert Value("true", toml=True).number is None
    assert Value("1", 1).number == 1
