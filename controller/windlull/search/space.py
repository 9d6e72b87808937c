"""The space of a search: how many events a link may have, of which kinds, within which bounds; and which keys vary.

It is read from a TOML file, or made from the base link where none is given.

    [events]
    most   = 3
    kinds  = ["hold", "drop", "rate"]
    on     = ["down", "up"]
    begin  = { from = "0 s", to = "20 s" }
    length = { from = "10 ms", to = "5 s" }
    rate   = { from = "50 kbit/s", to = "5 Mbit/s" }
    delay  = { from = "10 ms", to = "1 s" }

    [parameters]
    "both.delay"                  = { from = "5 ms", to = "300 ms" }
    "impairment.loss.probability" = { from = "0.1 %", to = "10 %", scale = "log" }
    "impairment.hold.every"       = { from = "1 s", to = "9 s", as = "exponential(mean *)" }
    "down.queue"                  = [{ kind = "droptail", limit = "50 packets" }, { kind = "droptail", limit = "9 kB" }]
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from windlull.contract.impairments import VALUES
from windlull.errors import BadInputError, nearest
from windlull.search.candidate import KINDS, SHORTEST_US, WAYS, Kind, On
from windlull.sweep import values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

Scale = Literal["linear", "log"]

MOST_EVENTS = 8
"""A link with more events is a recording, not a case that a person can follow."""

TICK_US = 100
"""Events begin and last whole ticks: shorter than any timer, and than a packet takes on most links."""

LONGEST_US = 36_000_000_000
"""The engine takes no longer `for` than 10 hours."""

_SECONDS = {"us": 1, "ms": 1000, "s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000}
_RATES = {"bit/s": 1, "kbit/s": 1000, "Mbit/s": 10**6, "Gbit/s": 10**9}
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)\s*([^\d\s.].*)?")

_AROUND = 4.0
"""How far from the base link's own value a key goes where no space was given, as a factor each way."""

_TIMES = ("distribution", "onset")
"""Formats of impairments' values that are times."""

_LATEST_START_S = 360_000
"""The engine takes no later one."""

_CYCLES = ("every", "bad", "good")
_SHORTEST_CYCLE_US = 2_000
"""The engine takes no processes whose cycle is below 1 ms on average; of two states each has as much."""

_MEAN = re.compile(r"exponential\(mean ([^()]+)\)")
_UNIFORM = re.compile(r"uniform\(([^(),]+), ([^(),]+)\)")

_PROBABILITY_AROUND = 10.0
_MOST_PROBABILITY = 0.5
_DEEPEST = 50.0
"""The base link's rate, divided by this, is the lowest of an event where no space was given."""


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from `low` to `high`, both among them, alike or alike in their logarithm."""

    low: float
    high: float
    scale: Scale = "linear"


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the link that varies: numbers of a unit, which may stand in a `form`, or one of some words."""

    key: str
    range: Range | None = None
    unit: str = ""
    words: tuple[str, ...] = ()
    form: str = ""


@dataclass(frozen=True, slots=True)
class Space:
    """What a link may be. Times of events in microseconds, rates in bit/s.

    `begin` is None until it is known how long a run lasts; `rate` and `delay` are None where no event is of that kind.
    """

    most: int
    kinds: tuple[Kind, ...]
    on: tuple[On, ...]
    begin: Range | None
    length: Range
    rate: Range | None
    delay: Range | None
    keys: tuple[Key, ...] = ()

    def within(self, run_us: int) -> Space:
        """Return the space for runs that last so long on the base link, if it does not say when events begin."""
        if self.begin is not None:
            return self
        return replace(self, begin=Range(0, max(run_us, TICK_US)))


class _Events(msgspec.Struct, forbid_unknown_fields=True):
    most: int | None = None
    kinds: list[str] | None = None
    on: list[str] | None = None
    begin: dict[str, Any] | None = None
    length: dict[str, Any] | None = None
    rate: dict[str, Any] | None = None
    delay: dict[str, Any] | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    events: _Events = msgspec.field(default_factory=_Events)
    parameters: dict[str, Any] | None = None


def default(link: Mapping[str, Any]) -> Space:
    """Return the space around a link as the engine resolved it: up to three events, and the values that it has itself.

    Rates and delays that are constant go from a quarter to four times their value, and so do the times of impairments:
    constant ones, means, and the upper ends of uniform ones. The probabilities of impairments go from a tenth to ten
    times, 50 % at most. What repeats (a recording, a trace, steps of a rate) begins anywhere in its period.
    """
    base = _base_rate(link)
    return Space(
        most=3,
        kinds=("hold", "drop", "rate") if base else ("hold", "drop"),
        on=WAYS,
        begin=None,
        length=Range(10_000, 10_000_000, "log"),
        rate=Range(max(1000.0, base / _DEEPEST), base, "log") if base else None,
        delay=None,
        keys=(*_keys_of(link), *_start_of(link)),
    )


def read(path: Path, link: Mapping[str, Any]) -> Space:
    """Return the space of a file; what it leaves out of `[events]` is as in `default`.

    Keys vary only if it names them. Raises BadInputError that names file and key.
    """
    try:
        written = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise BadInputError(f"{path}: is not TOML: {error}") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: is not text in UTF-8") from error
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        return parse(written, link)
    except BadInputError as error:
        raise BadInputError(f"{path}: {error}") from error


def parse(written: Mapping[str, Any], link: Mapping[str, Any]) -> Space:
    """Return the space that a file's content means. Raises BadInputError that names the key."""
    _refuse_unknown(written, ("events", "parameters"), "")
    events = written.get("events", {})
    if isinstance(events, dict):
        _refuse_unknown(events, _Events.__struct_fields__, "events.")
    try:
        file = msgspec.convert(written, _File)
    except msgspec.ValidationError as error:
        raise BadInputError(str(error)) from error
    given, usual = file.events, default(link)
    most = usual.most if given.most is None else given.most
    if not 0 <= most <= MOST_EVENTS:
        raise BadInputError(f"events.most: {most}; it is from 0 to {MOST_EVENTS}")
    kinds = usual.kinds if given.kinds is None else tuple(_words("events.kinds", given.kinds, KINDS))
    on = usual.on if given.on is None else tuple(_words("events.on", given.on, WAYS))
    rate = _range("events.rate", given.rate, _RATES, "log") or usual.rate
    if "rate" in kinds and rate is None:
        raise BadInputError(
            'events.rate: the base link has no constant rate; give { from = "50 kbit/s", to = "5 Mbit/s" }, or leave '
            '"rate" out of events.kinds'
        )
    delay = _range("events.delay", given.delay, _SECONDS, "log")
    keys = tuple(_key(key, value) for key, value in (file.parameters or {}).items())
    if most == 0 and not keys:
        raise BadInputError("events.most: 0, and no key under [parameters]: there is nothing to search")
    length = _range("events.length", given.length, _SECONDS, "log") or usual.length
    if not SHORTEST_US <= length.low <= length.high <= LONGEST_US:
        raise BadInputError("events.length: from 1 ms to 10 h")
    return Space(
        most=most,
        kinds=kinds,
        on=on,
        begin=_range("events.begin", given.begin, _SECONDS, "linear"),
        length=length,
        rate=rate if "rate" in kinds else None,
        delay=(delay or Range(1000, 2_000_000, "log")) if "delay" in kinds else None,
        keys=keys,
    )


def _refuse_unknown(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    names = tuple(known)
    for key in table:
        if key not in names:
            near = nearest(key, names)
            hint = f"do you mean {near}?" if near else f"there are {', '.join(names)}"
            raise BadInputError(f"{where}{key}: there is no such key; {hint}")


def _words(key: str, given: list[str], known: tuple[Any, ...]) -> Iterator[Any]:
    if not given:
        raise BadInputError(f"{key}: is empty; leave it out, or give some of {', '.join(known)}")
    for word in dict.fromkeys(given):
        if word not in known:
            raise BadInputError(f"{key}: there is no {word!r}; it is some of {', '.join(known)}")
        yield word


def _range(key: str, given: dict[str, Any] | None, units: Mapping[str, int], scale: Scale) -> Range | None:
    """Return a range in the smallest of these units."""
    if given is None:
        return None
    low, high, written = _ends(key, given, scale)
    sizes = []
    for end, (number, unit) in (("from", low), ("to", high)):
        if unit not in units:
            raise BadInputError(f"{key}.{end}: is not in {unit or 'a unit'}, but in {', '.join(units)}")
        sizes.append(number * units[unit])
    return _in_order(key, sizes[0], sizes[1], written)


def _key(key: str, given: Any) -> Key:  # noqa: ANN401 - whatever TOML has
    where = f"parameters.{key}"
    if isinstance(given, list):
        if len(given) < 2:
            raise BadInputError(f"{where}: give two values at least, or a range as {{ from = .., to = .. }}")
        return Key(key, words=tuple(dict.fromkeys(_word(one) for one in given)))
    if not isinstance(given, dict):
        raise BadInputError(f'{where}: give {{ from = "10 ms", to = "1 s" }}, or a list of values')
    form = given.get("as", "")
    if not isinstance(form, str) or (form and form.count("*") != 1):
        raise BadInputError(f'{where}.as: is a text with one *, which stands for the number, as "exponential(mean *)"')
    ends = {name: value for name, value in given.items() if name != "as"}
    (low, unit), (high, other), scale = _ends(where, ends, "log")
    if unit != other:
        raise BadInputError(f"{where}: from {unit or 'no unit'} to {other or 'no unit'}; write both in the same unit")
    return Key(key, _in_order(where, low, high, scale), unit, form=form)


def _word(value: Any) -> str:  # noqa: ANN401 - whatever TOML has
    return values.of_toml(value).text


def _ends(key: str, given: dict[str, Any], scale: Scale) -> tuple[tuple[float, str], tuple[float, str], Scale]:
    _refuse_unknown(given, ("from", "to", "scale"), f"{key}.")
    for end in ("from", "to"):
        if end not in given:
            raise BadInputError(f"{key}: has no {end!r}")
    written = given.get("scale", scale)
    if written not in {"linear", "log"}:
        raise BadInputError(f'{key}.scale: is "linear" or "log"')
    low, high = (quantity(f"{key}.{end}", given[end]) for end in ("from", "to"))
    # From nothing there is no logarithm.
    return low, high, "linear" if "scale" not in given and low[0] == 0 else written


def _in_order(key: str, low: float, high: float, scale: Scale) -> Range:
    if low >= high:
        raise BadInputError(f"{key}: its `to` must be above its `from`")
    if scale == "log" and low <= 0:
        raise BadInputError(f'{key}.from: has no logarithm; begin above 0, or write scale = "linear"')
    return Range(low, high, scale)


def quantity(key: str, given: Any) -> tuple[float, str]:  # noqa: ANN401 - whatever TOML has
    """Return the number and the unit of a value, "" if it has none. Raises BadInputError that names the key."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        return float(given), ""
    found = _QUANTITY.fullmatch(given.strip()) if isinstance(given, str) else None
    if found is None:
        raise BadInputError(f"{key}: {given!r} is no number with a unit, as 10 ms")
    return float(found[1]), (found[2] or "").strip()


def _base_rate(link: Mapping[str, Any]) -> float:
    """Return the constant rate down, in bit/s; 0 if the link has none."""
    for way in ("down", "both"):
        table = link.get(way)
        if isinstance(table, dict) and (found := _constant(table.get("rate"))) and found[1] in _RATES:
            return found[0] * _RATES[found[1]]
    return 0.0


def _constant(value: Any) -> tuple[float, str] | None:  # noqa: ANN401 - whatever the file has
    try:
        number, unit = quantity("", value)
    except BadInputError:
        return None
    return (number, unit) if number > 0 else None


def _keys_of(link: Mapping[str, Any]) -> Iterator[Key]:
    for way in ("both", "down", "up"):
        table = link.get(way)
        if not isinstance(table, dict):
            continue
        for name in ("rate", "delay"):
            found = _constant(table.get(name))
            if found and found[1] in (_RATES if name == "rate" else _SECONDS):
                number, unit = found
                yield Key(f"{way}.{name}", Range(number / _AROUND, number * _AROUND, "log"), unit)
    for impairment in link.get("impairment") or ():
        if impairment.get("name"):
            yield from _keys_of_impairment(f"impairment.{impairment['name']}", impairment)


def _start_of(link: Mapping[str, Any]) -> Iterator[Key]:
    """Yield where in its longest period that begins which repeats, if anything of the link does."""
    rates = [(link.get(way) or {}).get("rate") for way in ("both", "down", "up")]
    stepped = [one for one in rates if isinstance(one, dict)]
    periods = [_constant(one.get("period")) for one in (link.get("recording") or {}, *stepped)]
    seconds = [number * _SECONDS[unit] / 1e6 for number, unit in filter(None, periods) if unit in _SECONDS]
    # A trace begins again after its last opportunity.
    seconds += [one["milliseconds"][-1] / 1000 for one in stepped if one.get("milliseconds")]
    longest = min(max(seconds, default=0.0), _LATEST_START_S)
    if longest > 0:
        yield Key("start", Range(0, longest), "s")


def _keys_of_impairment(key: str, impairment: Mapping[str, Any]) -> Iterator[Key]:
    for name, (form, longest) in VALUES.get(str(impairment.get("kind")), {}).items():
        found = None
        if form == "probability":
            found = _key_of_probability(f"{key}.{name}", impairment.get(name))
        elif form in _TIMES:
            shortest_us = _SHORTEST_CYCLE_US if name in _CYCLES else 0
            longest_us = _microseconds(longest) if longest else LONGEST_US
            found = _key_of_time(f"{key}.{name}", impairment.get(name), shortest_us, longest_us)
        if found is not None:
            yield found


def _microseconds(time: str) -> int:
    number, unit = quantity("", time)
    return int(number * _SECONDS[unit])


def _key_of_probability(key: str, value: Any) -> Key | None:  # noqa: ANN401 - whatever the file has
    found = _constant(value)
    if found is None or found[1] not in {"", "%"}:
        return None
    number, unit = found
    most = _MOST_PROBABILITY * (100 if unit else 1)
    if number >= most:
        return None
    return Key(key, Range(number / _PROBABILITY_AROUND, min(number * _PROBABILITY_AROUND, most), "log"), unit)


def _key_of_time(
    key: str,
    value: Any,  # noqa: ANN401 - whatever the file has
    shortest_us: int,
    longest_us: int,
) -> Key | None:
    """Return the key of a time, around its own value; None if that is no constant, mean or uniform time."""
    form, least, text = "", 0.0, value
    if isinstance(value, str) and (mean := _MEAN.fullmatch(value)):
        form, text = "exponential(mean *)", mean[1]
    elif isinstance(value, str) and (uniform := _UNIFORM.fullmatch(value)):
        low, text = _constant(uniform[1]), uniform[2]
        if low is None or low[1] not in _SECONDS:
            return None
        form, least = f"uniform({uniform[1]}, *)", low[0] * _SECONDS[low[1]]
    found = _constant(text)
    if found is None or found[1] not in _SECONDS:
        return None
    number, unit = found
    size = _SECONDS[unit]
    # An upper end that is just the lower one is a constant, written otherwise: the engine may refuse it.
    low_end = max(number / _AROUND, shortest_us / size, 1.01 * least / size)
    high_end = min(number * _AROUND, longest_us / size)
    return Key(key, Range(low_end, high_end, "log"), unit, form=form) if low_end < high_end else None
