"""Which documents name which, as their texts say: what one builds on, and whom a change of it concerns.

Nobody else reads a text for that: the pages ask here (`builds_on` and `used_by` of a document, `builds_on` of a
validation). A test holds it against the files that the engine reads.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from windlull import locate
from windlull.store import documents as store
from windlull.store.tables import Document

MOST = 500

_NAMED: dict[str, dict[str, tuple[str, ...]]] = {
    "link": {"link": ("extends",), "experiment": ("link", "links", "access")},
    "variant": {
        "variant": ("extends",),
        "workload": ("beside.variant",),
        "experiment": ("variants", "live.variants"),
    },
    "workload": {"experiment": ("workload", "workloads")},
    "experiment": {"experiment": ("extends",)},
}
"""Where documents of which kind name one of this kind."""
_EITHER = ({"link", "links"}, {"workload", "workloads"})
"""Places of which an experiment gives one, and which replace each other."""


def users(session: Session, kind: str, name: str) -> list[dict[str, str]]:
    """Return the documents that name this one, by kind and name; the first MOST of them."""
    places = _NAMED[kind]
    found = {
        (user, other)
        for user, other, text in _texts(session)
        # Only a text that has the name is read: some are long.
        if user in places and name in text and (kind, name) in named(user, text)
    }
    return [{"kind": user, "name": other} for user, other in sorted(found)[:MOST]]


def built_on(
    session: Session, kind: str, text: str, beside: Mapping[tuple[str, str], str] = MappingProxyType({})
) -> list[dict[str, str]]:
    """Return the documents that this text names and those that they name in their turn, by kind and name.

    Each with its origin. Texts `beside` this one, by kind and name, are followed in the place of documents, and left
    out. So is what is no document's name, as the path of a file, what a text names that is no TOML, and what an
    experiment names where one that extends it names something else.
    """
    found: dict[tuple[str, str], str] = {}
    followed: set[tuple[str, str]] = set()
    # Of the experiments that extend each other the nearest is read first.
    replaced: set[str] = set()
    wanted = _named(kind, text, replaced)
    while wanted:
        one = wanted.pop()
        followed.add(one)
        if one in beside:
            wanted |= _named(one[0], beside[one], replaced) - followed
        elif (there := _find(session, *one)) is not None:
            found[one], its = there
            wanted |= _named(one[0], its, replaced) - followed
    return [{"kind": kind, "name": name, "origin": origin} for (kind, name), origin in sorted(found.items())]


def own_links(session: Session, kind: str, text: str) -> dict[str, str]:
    """Return the texts of the user's own links that this text builds on, by name."""
    found = {}
    for one in built_on(session, kind, text):
        own = store.find(session, "link", one["name"]) if one["kind"] == "link" and one["origin"] == "own" else None
        if own is not None:
            found[own.name] = own.toml
    return found


def named(kind: str, text: str) -> set[tuple[str, str]]:
    """Return what a document of this kind names itself, by kind and name; nothing if its text is no TOML."""
    return _named(kind, text, set())


def _named(kind: str, text: str, replaced: set[str]) -> set[tuple[str, str]]:
    """Return what a document names itself, for an experiment but at `replaced` places, to which its own are added."""
    places = [(other, place) for other, of in _NAMED.items() for place in of.get(kind, ())]
    # A link may have a trace of megabytes in it, and mostly it names nothing.
    if not any(place.rpartition(".")[2] in text for _, place in places):
        return set()
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return set()
    there = {place: list(_at(document, place.split("."))) for _, place in places if place not in replaced}
    if kind == "experiment":
        given = {place for place, values in there.items() if values and place != "extends"}
        replaced |= given.union(*(either for either in _EITHER if given & either))
    # A variant on a kernel of its own is `NAME@KERNEL`: the document is NAME.
    return {
        (other, name.partition("@")[0] if other == "variant" else name)
        for other, place in places
        for value in there.get(place, ())
        for name in (value if isinstance(value, list) else [value])
        if isinstance(name, str)
    }


def _at(value: Any, keys: list[str]) -> Iterator[Any]:  # noqa: ANN401 - TOML
    """Yield what is at a path of keys, through every entry of a list."""
    if not keys:
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _at(one, keys)
    elif isinstance(value, dict) and keys[0] in value:
        yield from _at(value[keys[0]], keys[1:])


def _find(session: Session, kind: str, name: str) -> tuple[str, str] | None:
    """Return the origin and the text of a document; None if there is none, or that is no name of one."""
    if store.NAME.fullmatch(name) is None:
        return None
    shipped = locate.profiles() / store.FOLDERS[kind] / f"{name}.toml"
    if shipped.is_file():
        return "shipped", shipped.read_text(encoding="utf-8")
    own = store.find(session, kind, name)
    return None if own is None else ("own", own.toml)


def _texts(session: Session) -> Iterator[tuple[str, str, str]]:
    """Yield kind, name and text of every document, shipped or not."""
    for kind, folder in store.FOLDERS.items():
        root = locate.profiles() / folder
        for directory, _, files in os.walk(root):
            for file in files:
                if file.endswith(".toml"):
                    path = f"{directory}/{file}"
                    yield kind, path.removeprefix(f"{root}/").removesuffix(".toml"), _shipped(path, _version(path))
    for row in session.execute(select(Document.kind, Document.name, Document.toml)):
        yield row.kind, row.name, row.toml


@lru_cache(maxsize=4096)
def _shipped(path: str, _version: tuple[int, int]) -> str:
    """Return the text of a shipped document. There are hundreds, and whoever asks for one asks all of them."""
    return Path(path).read_text(encoding="utf-8")


def _version(path: str) -> tuple[int, int]:
    """Return what changes when somebody changes a file."""
    there = Path(path).stat()
    return there.st_mtime_ns, there.st_size
