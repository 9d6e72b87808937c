"""What documents said before: kept with each change, also over a deletion, and no more than may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from windlull.store import documents, revisions, steps
from windlull.store.database import Database
from windlull.store.migrate import migrate
from windlull.store.tables import DocumentChange

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

PLENTY = {"most_of_document": 50, "most": 1000, "most_bytes": 1 << 20}


def told(session: Session, name: str = "mine") -> list[tuple[object, ...]]:
    rows = revisions.newest(session, "link", name, before=None, limit=100)
    return [(row.revision, row.change, row.restored, row.lines_added, row.lines_removed, row.toml) for row in rows]


def numbers(session: Session, name: str = "mine") -> list[int]:
    return [row.revision for row in revisions.newest(session, "link", name, before=None, limit=100)]


def saved(session: Session, name: str, *texts: str) -> None:
    documents.create(session, "link", name, texts[0])
    for i, toml in enumerate(texts[1:], 1):
        documents.update(session, "link", name, toml, revision=i)


def test_each_change_is_kept_with_its_text(database: Database) -> None:
    with database.session() as session:
        saved(session, "mine", "a\n", "a\nb\nc\n", "x\nb\nc\n")
        documents.update(session, "link", "mine", "a\n", revision=3, restored=1)
        documents.delete(session, "link", "mine", revision=4)
        assert documents.create(session, "link", "mine", "x\nb\nc\n", restored=3).revision == 6
    with database.reader() as session:
        assert told(session) == [
            (6, DocumentChange.RESTORED, 3, None, None, "x\nb\nc\n"),
            (5, DocumentChange.DELETED, None, None, None, None),
            (4, DocumentChange.RESTORED, 1, 1, 3, "a\n"),
            (3, DocumentChange.CHANGED, None, 1, 1, "x\nb\nc\n"),
            (2, DocumentChange.CHANGED, None, 2, 0, "a\nb\nc\n"),
            (1, DocumentChange.CREATED, None, None, None, "a\n"),
        ]
        assert numbers(session, "other") == []
        assert [row.revision for row in revisions.newest(session, "link", "mine", before=5, limit=2)] == [4, 3]
        found = revisions.find(session, "link", "mine", 2)
        assert found is not None
        assert found.size_bytes == 6


def test_a_change_that_is_refused_leaves_no_revision(database: Database) -> None:
    with database.session() as session:
        saved(session, "mine", "a\n", "b\n")
        for refused in (1, 3):
            with pytest.raises(documents.ChangedError):
                documents.update(session, "link", "mine", "c\n", revision=refused)
            with pytest.raises(documents.ChangedError):
                documents.delete(session, "link", "mine", revision=refused)
        with pytest.raises(documents.ExistsError):
            documents.create(session, "link", "mine", "c\n")
        assert numbers(session) == [2, 1]


def test_what_is_gone_is_listed_until_it_is_there_again(database: Database) -> None:
    def gone(session: Session, after: str | None = None, limit: int = 9) -> list[tuple[str, str | None]]:
        return [(row.name, last.toml) for row, last in revisions.deleted(session, "link", after=after, limit=limit)]

    with database.session() as session:
        for name in ("a", "b", "c"):
            saved(session, name, f"{name}1\n", f"{name}2\n")
        documents.create(session, "variant", "a", "")
        assert gone(session) == []
        for name in ("a", "b", "c"):
            documents.delete(session, "link", name, revision=2)
        assert gone(session) == [("a", "a2\n"), ("b", "b2\n"), ("c", "c2\n")]
        assert gone(session, after="a", limit=1) == [("b", "b2\n")]
        documents.create(session, "link", "a", "another")
        assert gone(session) == [("b", "b2\n"), ("c", "c2\n")]
        documents.delete(session, "link", "a", revision=4)
        assert gone(session)[0] == ("a", "another")
        assert revisions.forget(session, "link", "b")
        assert not revisions.forget(session, "link", "b")
        assert [name for name, _ in gone(session)] == ["a", "c"]


def test_what_a_document_says_now_is_not_forgotten(database: Database) -> None:
    with database.session() as session:
        saved(session, "mine", "a\n", "b\n")
        assert revisions.forget(session, "link", "mine")
        assert numbers(session) == [2]
        revisions.trim(session, "link", "mine", most_of_document=0, most=0, most_bytes=0)
        assert numbers(session) == [2]


def test_of_a_document_the_oldest_go(database: Database) -> None:
    with database.session() as session:
        saved(session, "mine", *"abcdef")
        saved(session, "other", *"abcdef")
        revisions.trim(session, "link", "mine", **PLENTY | {"most_of_document": 2})
        assert numbers(session) == [6, 5, 4]
        assert len(numbers(session, "other")) == 6


def test_of_all_the_oldest_go(database: Database) -> None:
    with database.session() as session:
        saved(session, "first", "a" * 100, "b" * 100, "c" * 100)
        documents.delete(session, "link", "first", revision=3)
        saved(session, "mine", "d" * 100, "e" * 100, "f" * 1000)
        revisions.trim(session, "link", "mine", **PLENTY)
        assert (numbers(session, "first"), numbers(session)) == ([4, 3, 2, 1], [3, 2, 1])
        # Earlier ones have 500 octets: what is in force is not counted.
        revisions.trim(session, "link", "mine", **PLENTY | {"most_bytes": 500})
        assert numbers(session, "first") == [4, 3, 2, 1]
        revisions.trim(session, "link", "mine", **PLENTY | {"most_bytes": 399})
        assert numbers(session, "first") == [4, 3]
        revisions.trim(session, "link", "mine", **PLENTY | {"most": 1})
        assert (numbers(session, "first"), numbers(session)) == ([], [3, 2])


def test_a_deletion_without_any_text_left_is_no_document_to_restore(database: Database) -> None:
    with database.session() as session:
        saved(session, "mine", "a\n")
        documents.delete(session, "link", "mine", revision=1)
        revisions.trim(session, "link", "mine", **PLENTY | {"most_bytes": 1})
        assert numbers(session) == [2]
        assert revisions.deleted(session, "link", after=None, limit=9) == []


def test_what_was_saved_before_there_were_revisions_is_the_first(empty_url: str) -> None:
    database = Database(empty_url)
    with database.alone() as connection:
        steps.upgrade(connection, "0005")
        connection.execute(
            text(
                "INSERT INTO documents (kind, name, toml, revision, created_at, updated_at) VALUES "
                "('link', 'mine', 'title = \"é\"', 7, '2026-01-02 03:04:05', '2026-02-03 04:05:06'), "
                "('link', 'new', '', 1, '2026-01-02 03:04:05', '2026-01-02 03:04:05')"
            )
        )
    database.dispose()
    migrate(empty_url, copied=True)
    database = Database(empty_url)
    with database.session() as session:
        assert told(session) == [(7, DocumentChange.CHANGED, None, None, None, 'title = "é"')]
        assert told(session, "new") == [(1, DocumentChange.CREATED, None, None, None, "")]
        found = revisions.find(session, "link", "mine", 7)
        assert found is not None
        assert (found.size_bytes, found.at.month) == (12, 2)
        documents.update(session, "link", "mine", "b = 1", revision=7)
        assert numbers(session) == [8, 7]
    database.dispose()
