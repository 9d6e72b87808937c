"""Which documents name which, as their texts say: for people who change one and want to know whom it concerns."""

import tomllib
from collections.abc import Iterator
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from windlull import locate
from windlull.store import documents as store
from windlull.store.tables import Document

MOST = 500

_NAMED: dict[str, dict[str, tuple[str, ...]]] = {
    "link": {"link": ("extends",), "experiment": ("link", "links")},
    "variant": {"variant": ("extends",), "experiment": ("variants", "netns.variants")},
    "workload": {"experiment": ("workload",)},
    "experiment": {},
}
"""Where documents of which kind name one of this kind."""


def users(session: Session, kind: str, name: str) -> list[dict[str, str]]:
    """Return the documents that name this one, by kind and name; the first MOST of them."""
    places = _NAMED[kind]
    found = {
        (user, other)
        for user, other, text in _texts(session)
        # Only a text that has the name is read: some are long.
        if user in places and name in text and name in _named(text, places[user])
    }
    return [{"kind": user, "name": other} for user, other in sorted(found)[:MOST]]


def own_links(session: Session, names: set[str]) -> dict[str, str]:
    """Return the texts of the user's own links of these names, and of those that they build on, by name."""
    found: dict[str, str] = {}
    wanted = set(names)
    while wanted:
        name = wanted.pop()
        own = None if name in found else store.find(session, "link", name)
        if own is not None:
            found[name] = own.toml
            wanted |= built_on(own.toml)
    return found


def built_on(link: str) -> set[str]:
    """Return the names of the links that this text says that it builds on: none or one."""
    return _named(link, _NAMED["link"]["link"])


def _texts(session: Session) -> Iterator[tuple[str, str, str]]:
    """Yield kind, name and text of every document, shipped or not."""
    for kind, folder in store.FOLDERS.items():
        root = locate.profiles() / folder
        for file in root.rglob("*.toml"):
            yield kind, file.relative_to(root).with_suffix("").as_posix(), file.read_text(encoding="utf-8")
    for row in session.execute(select(Document.kind, Document.name, Document.toml)):
        yield row.kind, row.name, row.toml


def _named(text: str, places: tuple[str, ...]) -> set[str]:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return set()
    names: set[str] = set()
    for place in places:
        value: Any = document
        for key in place.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        names |= {one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)}
    return names
