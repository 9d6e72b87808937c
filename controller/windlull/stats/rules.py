"""The language of `--fail-if`: one comparison, as `elapsed.median > 1.05 * baseline`.

rule     = METRIC "." STATISTIC RELATION limit
limit    = [NUMBER "*"] "baseline" [("+" | "-") constant]
         | constant
constant = NUMBER [UNIT]
RELATION = ">" | ">=" | "<" | "<="
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Literal

from windlull.metrics import BY_ANY_NAME, METRICS, Metric
from windlull.stats.quantities import Quantity, quantity

Relation = Literal[">", ">=", "<", "<="]

_UNITS: dict[str, dict[str, float]] = {
    "s": {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0},
    "bit/s": {"bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9},
}
_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<word>[A-Za-z_%][A-Za-z0-9_/]*)|(?P<sign>>=|<=|[-+*.<>])|(?P<wrong>\S))"
)
_RELATIONS: tuple[Relation, ...] = (">", ">=", "<", "<=")


class RuleError(ValueError):
    """A rule that cannot be read: the message says where and what would be right."""


@dataclass(frozen=True, slots=True)
class Rule:
    """The candidate fails if `quantity of metric RELATION factor * baseline + constant`.

    `factor` is None if the limit is the constant alone. The constant is in the metric's unit.
    """

    text: str
    metric: Metric
    quantity: Quantity
    relation: Relation
    factor: float | None
    constant: float

    @property
    def fails_above(self) -> bool:
        """Whether it is too much that is not allowed, not too little."""
        return self.relation in {">", ">="}

    @property
    def fails_itself(self) -> bool:
        """Whether what equals the baseline breaks the rule, if it is above nothing: `> 0.5 * baseline`."""
        if self.factor is None or self.constant:
            return False
        return self.broken(1 - self.factor)

    def broken(self, excess: float) -> bool:
        """Return whether a statistic that is so far above the limit breaks the rule."""
        if excess == 0:
            return self.relation in {">=", "<="}
        return (excess > 0) == self.fails_above

    @property
    def name(self) -> str:
        """Metric and statistic, as in results: `elapsed_s.median`."""
        return f"{self.metric.name}.{self.quantity.name}"


def parse(text: str) -> Rule:
    """Read one rule. Raises RuleError."""
    return _Reader(text).rule()


class _Reader:
    """The tokens of a rule from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [(match.lastgroup or "", match[match.lastgroup or 0], match.start(match.lastgroup or 0))
                        for match in _TOKEN.finditer(text.rstrip())]  # fmt: skip
        self._next = 0

    def rule(self) -> Rule:
        metric = self._metric()
        if not self._take("."):
            raise self._wrong(f"say which statistic of it is meant, as {metric.name}.median")
        statistic = self._quantity()
        relation = self._relation()
        factor, constant = self._limit(metric)
        if self._next < len(self._tokens):
            raise self._wrong("here the rule should end; it has one comparison")
        return Rule(self._text.strip(), metric, statistic, relation, factor, constant)

    def _metric(self) -> Metric:
        kind, word, _ = self._peek()
        if kind != "word" or word == "baseline":
            raise self._wrong("a rule starts with a metric, as elapsed.median > 1.05 * baseline")
        if word not in BY_ANY_NAME:
            near = difflib.get_close_matches(word, BY_ANY_NAME, 1)
            hint = f"do you mean {near[0]}?" if near else f"there are {', '.join(METRICS)}"
            raise self._wrong(f"there is no metric {word}; {hint}")
        self._next += 1
        return BY_ANY_NAME[word]

    def _quantity(self) -> Quantity:
        _, word, _ = self._peek()
        try:
            found = quantity(word)
        except ValueError as error:
            raise self._wrong(str(error)) from error
        self._next += 1
        return found

    def _relation(self) -> Relation:
        for relation in _RELATIONS:
            if self._take(relation):
                return relation
        raise self._wrong("after the statistic stands one of > >= < <=")

    def _limit(self, metric: Metric) -> tuple[float | None, float]:
        kind, _, _ = self._peek()
        factor = 1.0
        if kind == "number" and self._peek(1)[1] == "*":
            factor = self._number()
            self._take("*")
            if factor == 0:
                self._next -= 2
                raise self._wrong("0 times the baseline is 0 whatever the baseline is; compare with 0 itself")
            if self._peek()[1] != "baseline":
                raise self._wrong("a factor stands before baseline, as 1.05 * baseline")
        elif kind == "number":
            return None, self._constant(metric, of_baseline=False)
        if not self._take("baseline"):
            raise self._wrong(
                f"a limit is baseline, 1.05 * baseline, baseline + 2{_unit(metric)}, or 30{_unit(metric)}"
            )
        for sign, times in (("+", 1), ("-", -1)):
            if self._take(sign):
                return factor, times * self._constant(metric, of_baseline=True)
        return factor, 0.0

    def _constant(self, metric: Metric, *, of_baseline: bool) -> float:
        number = self._number()
        kind, word, _ = self._peek()
        if kind != "word":
            if metric.unit in _UNITS:
                raise self._wrong(f"{number:g} of what? write {number:g}{_unit(metric)}")
            return number
        units = _UNITS.get(metric.unit, {metric.unit: 1.0})
        if word == "%":
            raise self._wrong(f"write a share of the baseline as a factor: {of_baseline + number / 100:g} * baseline")
        if word not in units:
            raise self._wrong(f"{metric.name} is not in {word}, but in {' or '.join(units)}")
        self._next += 1
        return number * units[word]

    def _number(self) -> float:
        kind, word, _ = self._peek()
        if kind != "number":
            raise self._wrong("here a number is missing")
        self._next += 1
        return float(word)

    def _peek(self, ahead: int = 0) -> tuple[str, str, int]:
        place = self._next + ahead
        return self._tokens[place] if place < len(self._tokens) else ("end", "", len(self._text.rstrip()))

    def _take(self, word: str) -> bool:
        if self._peek()[1] != word:
            return False
        self._next += 1
        return True

    def _wrong(self, what: str) -> RuleError:
        _, word, place = self._peek()
        where = f"at {word!r}, character {place + 1}" if word else "at its end"
        return RuleError(f"the rule {self._text.strip()!r}, {where}: {what}")


def _unit(metric: Metric) -> str:
    return f" {metric.unit}" if metric.unit in _UNITS else ""
