"""The user's own documents: changed by who has seen them, and files for the engine."""

from __future__ import annotations

import errno
import os
import time
from typing import TYPE_CHECKING

import pytest

from windlull import locate
from windlull.errors import BadInputError
from windlull.store import documents
from windlull.store.blobs import DiskFullError
from windlull.store.documents import ChangedError, ExistsError, MissingError

if TYPE_CHECKING:
    from pathlib import Path

    from windlull.store.database import Database
    from windlull.store.home import Home


def create(database: Database, name: str = "my/gprs", toml: str = "a = 1\n", kind: str = "link") -> None:
    with database.session() as session:
        documents.create(session, kind, name, toml)


def text(database: Database, name: str = "my/gprs") -> str:
    with database.reader() as session:
        found = documents.find(session, "link", name)
        assert found is not None
        return found.toml


def files(root: Path) -> dict[str, str]:
    return {
        file.relative_to(root).as_posix(): file.read_text(encoding="utf-8")
        for file in root.rglob("*")
        if file.is_file()
    }


def test_what_is_created_can_be_read(database: Database) -> None:
    create(database)
    create(database, "edge")
    create(database, "edge", kind="variant")
    with database.reader() as session:
        assert [document.name for document in documents.listed(session, "link")] == ["edge", "my/gprs"]
        found = documents.find(session, "link", "my/gprs")
        assert found is not None
        assert (found.toml, found.revision, found.created_at) == ("a = 1\n", 1, found.updated_at)
        assert documents.find(session, "link", "gprs") is None


def test_a_name_is_given_once(database: Database) -> None:
    create(database)
    with database.session() as session:
        with pytest.raises(ExistsError, match="link my/gprs is there already"):
            documents.create(session, "link", "my/gprs", "b = 2\n")
        documents.create(session, "link", "after", "the session can still be used\n")
    assert text(database) == "a = 1\n"
    assert text(database, "after")


def test_an_edit_needs_the_revision_it_is_of(database: Database) -> None:
    create(database)
    with database.session() as session:
        assert documents.update(session, "link", "my/gprs", "b = 2\n", revision=1).revision == 2
    with pytest.raises(ChangedError, match="at revision 2") as error, database.session() as session:
        documents.update(session, "link", "my/gprs", "c = 3\n", revision=1)
    assert error.value.revision == 2
    assert text(database) == "b = 2\n"
    with pytest.raises(MissingError), database.session() as session:
        documents.update(session, "link", "edge", "", revision=1)


def test_a_deletion_needs_the_revision_it_is_of(database: Database) -> None:
    create(database)
    with pytest.raises(ChangedError), database.session() as session:
        documents.delete(session, "link", "my/gprs", revision=2)
    with database.session() as session:
        documents.delete(session, "link", "my/gprs", revision=1)
    with pytest.raises(MissingError), database.session() as session:
        documents.delete(session, "link", "my/gprs", revision=1)


@pytest.mark.parametrize(
    "name",
    ["", "/etc/passwd", "..", "../x", "a/../b", "a//b", "a/", ".hidden", "a/.b", "A", "a b", "a\nb", "a\0", "é", "a\\b",
     "a.toml", "a.toml/b", "a.", "x" * 201, "a/b/c/d/e/f/g/h/i"],
)  # fmt: skip
def test_a_name_is_no_path_elsewhere(database: Database, name: str) -> None:
    with pytest.raises(BadInputError, match="cannot be the name"):
        create(database, name)


def test_shipped_names_are_names() -> None:
    for folder in documents.FOLDERS.values():
        root = locate.profiles() / folder
        names = [file.relative_to(root).with_suffix("").as_posix() for file in root.rglob("*.toml")]
        assert names
        assert [name for name in names if not documents.NAME.fullmatch(name)] == []


def test_the_engine_is_given_files(database: Database, home: Home) -> None:
    create(database)
    create(database, "my", "b = 2\n", kind="experiment")
    with database.reader() as session:
        root = documents.materialise(session, home.cache)
        assert files(root) == {"links/my/gprs.toml": "a = 1\n", "experiments/my.toml": "b = 2\n"}
        assert documents.materialise(session, home.cache) == root


def test_another_revision_has_other_files(database: Database, home: Home) -> None:
    create(database)
    with database.session() as session:
        before = documents.materialise(session, home.cache)
        documents.delete(session, "link", "my/gprs", revision=1)
    create(database, toml="b = 2\n")
    with database.reader() as session:
        after = documents.materialise(session, home.cache)
    assert (files(before), files(after)) == ({"links/my/gprs.toml": "a = 1\n"}, {"links/my/gprs.toml": "b = 2\n"})


def test_files_of_long_ago_are_removed(database: Database, home: Home) -> None:
    with database.session() as session:
        old = documents.materialise(session, home.cache)
        long_ago = time.time() - 7200
        os.utime(old, (long_ago, long_ago))
        documents.create(session, "link", "new", "")
        documents.materialise(session, home.cache)
    assert not old.exists()


def test_a_change_costs_one_file_and_what_is_old_goes(database: Database, home: Home) -> None:
    create(database, "stays")
    create(database, "changes", toml="b = 1\n")
    with database.reader() as session:
        before = documents.materialise(session, home.cache)
    with database.session() as session:
        documents.update(session, "link", "changes", "c = 1\n", revision=1)
    with database.reader() as session:
        after = documents.materialise(session, home.cache)
    inodes = [
        [(root / "links" / f"{name}.toml").stat().st_ino for name in ("stays", "changes")] for root in (before, after)
    ]
    assert inodes[0][0] == inodes[1][0]
    assert inodes[0][1] != inodes[1][1]
    assert (before / "links" / "changes.toml").read_text(encoding="utf-8") == "b = 1\n"
    texts = before.parent / ".texts"
    assert len(list(texts.iterdir())) == 3
    long_ago = time.time() - 2 * documents._KEPT_S
    for old in (before, *texts.iterdir()):
        os.utime(old, (long_ago, long_ago))
    with database.session() as session:
        documents.delete(session, "link", "changes", revision=2)
    with database.reader() as session:
        documents.materialise(session, home.cache)
    assert not before.exists()
    assert (after / "links" / "changes.toml").read_text(encoding="utf-8") == "c = 1\n"
    assert len(list(texts.iterdir())) == 2, "the text that only the old directory had is gone"


def test_documents_are_laid_out_as_they_would_be_and_nothing_is_left(database: Database, home: Home) -> None:
    create(database, "stays")
    with database.reader() as session:
        kept = documents.materialise(session, home.cache)
    left = home.cache / "proposals" / "of-a-process-that-was-killed"
    left.mkdir(parents=True)
    long_ago = time.time() - 2 * documents._KEPT_S
    os.utime(left, (long_ago, long_ago))
    texts = {("link", "stays"): "a = 1\n", ("workload", "my/new"): "n = 1\n"}
    with documents.laid_out(texts, [("workload", "my/new")], home.cache) as root:
        assert files(root) == {"links/stays.toml": "a = 1\n", "workloads/my/new.toml": "n = 1\n"}
        assert (root / "links" / "stays.toml").samefile(kept / "links" / "stays.toml")
        assert list((home.cache / "proposals").iterdir()) == [root]
    assert list((home.cache / "proposals").iterdir()) == []
    assert len(list((kept.parent / ".texts").iterdir())) == 1, "what was only proposed is kept nowhere"


def test_a_full_disk_is_told_from_other_trouble(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(*_: object) -> int:
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr("pathlib.Path.write_bytes", write)
    with pytest.raises(DiskFullError), documents.laid_out({("link", "a"): "b"}, [("link", "a")], home.cache):
        pass
