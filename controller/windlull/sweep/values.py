"""The values of one key of a grid, as a person writes them: `28.8 kbit/s, 64 kbit/s`, `1..10`, `geomspace(1, 100, 3)`.

Words mean what they mean in the files: a bare number is a number, `true` and `false` are what they say, everything else
is text, unit and all. What begins with a quote, a brace or a bracket is TOML.
"""

from __future__ import annotations

import math
import re
import tomllib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from windlull.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_VALUES = 100_000
"""The most values that one key may have."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d+)?|\.\d+)([eE][+-]?\d+)?")
_INTEGER = re.compile(r"[+-]?\d+")
_RANGE = re.compile(r"([+-]?\d+)\.\.([+-]?\d+)")
_SPACE = re.compile(r"(linspace|geomspace)\s*\((.*)\)", re.DOTALL)
_QUANTITY = re.compile(rf"(?P<number>{_NUMBER.pattern})\s*(?P<unit>\D*)")
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True, slots=True)
class Value:
    """One value: the text that stands for it in messages and results, and what it is in TOML."""

    text: str
    toml: Any = field(hash=False)

    @property
    def number(self) -> int | float | None:
        """The number that it is; None if it is none. A truth value is none."""
        return self.toml if isinstance(self.toml, int | float) and not isinstance(self.toml, bool) else None


def of_toml(value: Any) -> Value:  # noqa: ANN401 - whatever TOML has
    """Return a value that stands in a TOML file: `[1, 2.5, true, "64 kbit/s", { kind = "none" }]`.

    Raises BadInputError for dates, infinities and what is no number: no key of ours takes them.
    """
    _refuse_foreign(value)
    return Value(value if isinstance(value, str) else _written(value), value)


def parse(text: str) -> tuple[Value, ...]:
    """Return the values of a list with commas between them, ranges written out.

    Raises BadInputError, which says what is wrong with which item.
    """
    values = [value for item in _items(text) for value in _expand(item)]
    return tuple(values)


def _items(text: str) -> Iterator[str]:
    """Split at commas outside of brackets and quotes: `uniform(1 s, 2 s)` is one item."""
    depth, quote, start = 0, "", 0
    for place, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
        elif character == "," and depth == 0:
            yield _not_empty(text[start:place], text)
            start = place + 1
    yield _not_empty(text[start:], text)


def _not_empty(item: str, text: str) -> str:
    if not item.strip():
        raise BadInputError(f"an empty value in {text!r}")
    return item.strip()


def _expand(item: str) -> Iterator[Value]:
    if match := _RANGE.fullmatch(item):
        yield from _range(item, int(match[1]), int(match[2]))
    elif match := _SPACE.fullmatch(item):
        yield from _spaced(item, match[1], list(_items(match[2])))
    else:
        yield _single(item)


def _single(item: str) -> Value:
    if item in {"true", "false"}:
        return Value(item, item == "true")
    if _INTEGER.fullmatch(item):
        return Value(item, int(item))
    if _NUMBER.fullmatch(item):
        return Value(item, float(item))
    if item[0] not in "\"'{[":
        return Value(item, item)
    try:
        return of_toml(tomllib.loads(f"value = {item}")["value"])
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"{item}: is not TOML: {error}") from error


def _range(item: str, first: int, last: int) -> Iterator[Value]:
    if last < first:
        raise BadInputError(f"{item}: ends before it begins; write {last}..{first}")
    if last - first >= MOST_VALUES:
        raise BadInputError(f"{item}: {last - first + 1} values; the limit is {MOST_VALUES}")
    return (Value(str(number), number) for number in range(first, last + 1))


def _spaced(item: str, name: str, arguments: list[str]) -> Iterator[Value]:
    """Yield numbers from the first to the second argument, with their unit: in equal steps, or in equal ratios."""
    shape = f"{name}(FIRST, LAST, COUNT), as in {name}(10 ms, 500 ms, 5)"
    ends = [match for argument in arguments[:2] if (match := _QUANTITY.fullmatch(argument))]
    if len(arguments) != 3 or len(ends) != 2 or not _INTEGER.fullmatch(arguments[2]):
        raise BadInputError(f"{item}: write {shape}")
    first, last, count = float(ends[0]["number"]), float(ends[1]["number"]), int(arguments[2])
    unit, other = ends[0]["unit"], ends[1]["unit"]
    if unit != other:
        raise BadInputError(f"{item}: from {unit or 'no unit'} to {other or 'no unit'}; write both in one unit")
    if not 2 <= count <= MOST_VALUES:
        raise BadInputError(f"{item}: {count} values; from 2 to {MOST_VALUES} are possible")
    if name == "geomspace" and not (first > 0 and last > 0):
        raise BadInputError(f"{item}: equal ratios need both ends above 0; linspace takes equal steps")
    yield _quantity(first, unit)
    for place in range(1, count - 1):
        part = place / (count - 1)
        equal_steps = first + (last - first) * part
        yield _quantity(equal_steps if name == "linspace" else first * (last / first) ** part, unit)
    yield _quantity(last, unit)


def _quantity(number: float, unit: str) -> Value:
    """Return a computed number with its unit, in nine digits: what is beyond is the noise of computing it."""
    rounded = float(f"{number:.9g}")
    whole = rounded.is_integer() and abs(rounded) < 1e15
    shown = str(int(rounded)) if whole else repr(rounded)
    if unit:
        return Value(f"{shown} {unit}", f"{shown} {unit}")
    return Value(shown, int(rounded) if whole else rounded)


def _refuse_foreign(value: Any) -> None:  # noqa: ANN401 - whatever TOML has
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _refuse_foreign(inner)
    if not isinstance(value, bool | int | float | str | list | dict) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        raise BadInputError(f"{value}: is neither text, number, truth value, list nor table")


def _written(value: Any) -> str:  # noqa: ANN401 - whatever TOML has
    """Write a value as TOML has it."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            escaped = value.replace("\\", "\\\\").replace('"', '\\"')
            return f'"{escaped}"'
        case list():
            return "[" + ", ".join(_written(item) for item in value) + "]"
        case dict():
            return "{ " + ", ".join(f"{key} = {_written(item)}" for key, item in value.items()) + " }"
        case _:
            return str(value)
