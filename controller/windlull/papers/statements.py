"""What a paper states, and the claims of its experiments that check each statement: `profiles/statements/PAPER.toml`.

A statement has a place in the paper, a sentence of our own, and the checks below it, `experiment: claim`; or it says
why nothing checks it. Every claim of the paper's experiments stands under one statement, or among our own additions.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from windlull.errors import BadInputError, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from windlull.runner.messages import Experiment

FOLDER = "statements"


class PublishedNumber(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number that the paper prints for a check: the ratio of its two sides, or the value of its one side.

    `printed` says it in the paper's own way of counting, `31.7 % more goodput`.
    """

    check: str
    value: float
    printed: str


class Statement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the paper states at `place`, in our words.

    `checks` are written `experiment: claim`; without any, `unchecked` says why. `sides` has those of them that are the
    two sides of one criterion, at least and at most: they count as one check.
    """

    id: str
    place: str
    text: str
    checks: tuple[str, ...] = ()
    sides: tuple[tuple[str, str], ...] = ()
    unchecked: str | None = None
    published: tuple[PublishedNumber, ...] = ()


class Own(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Checks that the paper does not state: they are run and shown, and count for nothing."""

    checks: tuple[str, ...]
    why: str


class Statements(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that a paper states."""

    statement: tuple[Statement, ...]
    own: tuple[Own, ...] = ()


class InvalidStatementsError(BadInputError):
    """A file of statements is not right. The message has a line for everything that is wrong."""

    def __init__(self, file: Path, wrong: Iterable[str]) -> None:
        super().__init__("\n".join(f"{file}: {line}" for line in wrong))


def statements(profiles: Path, paper: str, claims: Mapping[str, Sequence[str]]) -> Statements:
    """Read what a paper states; `claims` are the identifiers of the claims of all its experiments, by short name.

    A paper without a file states what its claims say, each for itself. Raises InvalidStatementsError.
    """
    file = profiles / FOLDER / f"{paper}.toml"
    if not file.exists():
        return _of_claims(claims)
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InvalidStatementsError(file, [str(error)]) from error
    wrong = list(_unknown_keys(document))
    if not wrong:
        try:
            read = msgspec.convert(document, Statements)
        except msgspec.ValidationError as error:
            raise InvalidStatementsError(file, [_named(document, str(error))]) from error
        wrong = list(_wrong(read, {f"{name}: {claim}" for name, of_it in claims.items() for claim in of_it}))
        if not wrong:
            return read
    raise InvalidStatementsError(file, wrong)


def claims_of(experiments: Mapping[str, Experiment]) -> dict[str, list[str]]:
    """Return the identifiers of the claims by the short name of their experiment."""
    return {short(name): [claim.id for claim in experiment.claims] for name, experiment in experiments.items()}


def short(name: str) -> str:
    """Return what an experiment is called within its paper: `table-1` of `papers/wen2010/table-1`."""
    return name.split("/", 2)[-1]


def _of_claims(claims: Mapping[str, Sequence[str]]) -> Statements:
    return Statements(
        tuple(
            Statement(f"{name}-{claim}", name, "", (f"{name}: {claim}",))
            for name, of_it in claims.items()
            for claim in of_it
        )
    )


_KEYS: dict[str, type[msgspec.Struct]] = {"statement": Statement, "own": Own}


def _unknown_keys(document: Mapping[str, Any]) -> Iterator[str]:
    """Say of each key that there is not, where it stands and which one was likely meant."""
    yield from _unknown("", document, Statements)
    for table, type_ in _KEYS.items():
        entries = document.get(table, [])
        for at, entry in enumerate(entries if isinstance(entries, list) else [], 1):
            if not isinstance(entry, dict):
                continue
            where = f"{table} {_name(at, entry)}: "
            yield from _unknown(where, entry, type_)
            numbers = entry.get("published", []) if type_ is Statement else []
            for number in numbers if isinstance(numbers, list) else []:
                if isinstance(number, dict):
                    yield from _unknown(f"{where}published: ", number, PublishedNumber)


def _unknown(where: str, entry: Mapping[str, Any], type_: type[msgspec.Struct]) -> Iterator[str]:
    known = type_.__struct_fields__
    for key in entry:
        if key not in known:
            meant = nearest(key, known)
            hint = f'did you mean "{meant}"?' if meant else f"the keys are {', '.join(known)}"
            yield f"{where}{key}: unknown key; {hint}"


def _name(at: int, entry: Mapping[str, Any]) -> str:
    name = entry.get("id")
    return f'{at} ("{name}")' if isinstance(name, str) else str(at)


def _named(document: Mapping[str, Any], message: str) -> str:
    """Put a table's number and identifier in the place of the path that msgspec gives, `$.statement[2].id`."""
    found = re.search(r"^(.*) - at `\$\.(\w+)\[(\d+)\](?:\.(\S+))?`$", message)
    if not found:
        return message
    what, table, at, key = found.groups()
    return f"{table} {_name(int(at) + 1, document[table][int(at)])}: {key + ': ' if key else ''}{what}"


def _wrong(read: Statements, claims: set[str]) -> Iterator[str]:
    """Say everything that the types let pass: names that are twice, checks that are no claims, claims under nothing."""
    seen: set[str] = set()
    under: dict[str, str] = {}
    for at, one in enumerate(read.statement, 1):
        where = f'statement {at} ("{one.id}")'
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", one.id):
            yield f"{where}: id: lower-case letters, digits and hyphens alone"
        if one.id in seen:
            yield f"{where}: id: an earlier statement has it too"
        seen.add(one.id)
        for key in ("place", "text"):
            if not getattr(one, key).strip():
                yield f"{where}: {key}: it is empty"
        if bool(one.checks) == (one.unchecked is not None):
            yield f"{where}: give checks, or say in unchecked why there are none"
        yield from _twice_or_none(where, one.checks, claims, under)
        yield from _wrong_sides(where, one)
        for number in one.published:
            if number.check not in one.checks:
                yield f'{where}: published: check: "{number.check}" is not among its checks'
    for at, own in enumerate(read.own, 1):
        yield from _twice_or_none(f"own {at}", own.checks, claims, under)
    for claim in sorted(claims - under.keys()):
        yield f'the claim "{claim}" is under no statement: add it to the checks of one, or to [[own]] with why'


def _wrong_sides(where: str, one: Statement) -> Iterator[str]:
    counted = Counter(check for pair in one.sides for check in pair)
    for check, times in counted.items():
        if check not in one.checks:
            yield f'{where}: sides: "{check}" is not among its checks'
        elif times > 1:
            yield f'{where}: sides: "{check}" is given twice'


def _twice_or_none(where: str, checks: Iterable[str], claims: set[str], under: dict[str, str]) -> Iterator[str]:
    for check in checks:
        if check not in claims:
            meant = nearest(check, claims)
            hint = f'did you mean "{meant}"?' if meant else 'write it as in "table-1: faster"'
            yield f'{where}: checks: there is no claim "{check}"; {hint}'
        elif check in under:
            yield f'{where}: checks: "{check}" is under {under[check]} already'
        under.setdefault(check, where)
