"""What the user's documents said before: revisions, what changed from one to another, and documents that are gone."""

import tomllib
from typing import Annotated, Any, Literal

from flask import Response
from pydantic import Field
from sqlalchemy.orm import Session

from windlull.api.answers import answer, no_content
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.errors import not_found
from windlull.api.pagination import after, number, page
from windlull.api.pagination import name as named
from windlull.api.schemas import Kind, Moment, Name, Page, Paging, Path, Query, View
from windlull.store import events
from windlull.store import revisions as store
from windlull.store.tables import Revision
from windlull.store.text_changes import Hunk, hunks

RevisionNumber = Annotated[int, Field(ge=1, le=(1 << 31) - 1)]

MOST_LINES = 2_000
"""So many lines of what changed are told: more than anybody reads, and a page can show them."""

blueprint = Blueprint(
    "revisions",
    __name__,
    tag="revisions",
    about="What the user's documents said before. `PUT` and `POST` of a document restore a revision.",
)


class RevisionLine(View):
    """A revision in a list."""

    revision: int
    change: Literal["created", "changed", "restored", "deleted"] = Field(
        description="What made it; `deleted` ones have no text."
    )
    restored: int | None = Field(description="The revision whose text it has again.")
    at: Moment
    size_bytes: int
    lines_added: int | None = Field(
        description="Compared with the text before; null where there was none, or none is known."
    )
    lines_removed: int | None


class LineView(View):
    """A line of what changed."""

    change: Literal["same", "removed", "added"]
    text: str


class HunkView(View):
    """Changes that lie close together, with three lines around them."""

    before: int = Field(description="Where it begins in the earlier text, in lines from 1.")
    after: int = Field(description="Where it begins in this text.")
    lines: list[LineView]


class RevisionView(RevisionLine):
    """A revision with its text and, if that was asked for, what changed since another."""

    kind: Kind
    name: str
    toml: str
    since: int | None
    hunks: list[HunkView] | None = Field(description=f"At most {MOST_LINES:,} lines; null if `since` is not given.")
    left_out: int = Field(description="So many lines more has what changed.")


class DeletedView(View):
    """A document that was deleted and can be restored."""

    name: str
    title: str
    at: Moment = Field(description="When it was deleted.")
    revision: int = Field(description="The last one that has a text.")


class HistoryPath(Path):
    """A name, which a document has or had."""

    kind: Kind
    name: Name


class RevisionPath(HistoryPath):
    """A revision of a document."""

    revision: RevisionNumber


class RevisionQuery(Query):
    """What is told besides the text."""

    since: RevisionNumber | None = Field(None, description="Tell what changed since that revision.")


class DeletedQuery(Paging):
    """Deleted documents of which kind."""

    kind: Kind


@blueprint.get("/history/<kind>/<path:name>", responses={200: Page[RevisionLine]})
def history(path: HistoryPath, query: Paging) -> Response:
    """List the revisions of a document.

    Newest first; of one that was deleted, too. The first is what it says now. Of earlier ones a bounded number is kept.
    """
    before = number(query.cursor)
    with current().database.reader() as session:
        rows = store.newest(session, path.kind, path.name, before=before, limit=query.limit + 1)
        if not rows and before is None:
            raise not_found(f"{path.kind} of yours called {path.name}, and was none of which anything is kept,")
        return answer(page(rows, query.limit, lambda row: row.revision, RevisionLine.of))


@blueprint.delete("/history/<kind>/<path:name>", responses={204: None})
def forget(path: HistoryPath) -> Response:
    """Forget the earlier revisions of a document.

    All of them, if it was deleted: it cannot be restored any more. What a document says now stays.
    """
    with current().database.session() as session:
        if not store.forget(session, path.kind, path.name):
            raise not_found(f"earlier revision of a {path.kind} called {path.name}")
        events.append(session, "document", {"kind": path.kind, "name": path.name, "change": "forgotten"})
    return no_content()


@blueprint.get("/revisions/<kind>/<int:revision>/<path:name>", responses={200: RevisionView})
def one(path: RevisionPath, query: RevisionQuery) -> Response:
    """Read a revision of a document.

    Its text and, with `since`, what changed since another revision, which may be a later one.
    """
    with current().database.reader() as session:
        toml = text_of(session, path.kind, path.name, path.revision)
        found = None if query.since is None else hunks(text_of(session, path.kind, path.name, query.since), toml)
        row = store.find(session, path.kind, path.name, path.revision)
        shown, left_out = (None, 0) if found is None else _shown(found)
        return answer(
            RevisionView.of(row, toml=toml, since=query.since, hunks=shown, left_out=left_out)
        )  # fmt: skip


@blueprint.get("/deleted-documents", responses={200: Page[DeletedView]})
def deleted(query: DeletedQuery) -> Response:
    """List deleted documents of a kind.

    Those that can be restored, by name: `POST` one of that name with `restore`.
    """
    with current().database.reader() as session:
        gone = store.deleted(session, query.kind, after=named(query.cursor), limit=query.limit + 1)
        return answer(page(gone, query.limit, lambda one: after(one[0].name), _deleted))


def text_of(session: Session, kind: str, name: str, revision: int) -> str:
    """Return the text of a revision. Raises ApiError if it is not kept, or is a deletion."""
    row = store.find(session, kind, name, revision)
    if row is None or row.toml is None:
        raise not_found(f"revision {revision} with a text of a {kind} called {name}")
    return row.toml


def heading(toml: str) -> dict[str, str]:
    """Return title, description and source of a document, also of one that is no longer valid."""
    try:
        read = tomllib.loads(toml)
    except tomllib.TOMLDecodeError:
        read = {}
    keys = ("title", "description", "source")
    return {key: value if isinstance(value := read.get(key, ""), str) else "" for key in keys}


def _deleted(row: tuple[Revision, Revision]) -> dict[str, Any]:
    deletion, text = row
    title = heading(text.toml or "")["title"]
    return DeletedView.of(None, name=deletion.name, title=title, at=deletion.at, revision=text.revision)


def _shown(found: list[Hunk]) -> tuple[list[dict[str, Any]], int]:
    """Return the hunks as far as they are told, and how many lines are left out."""
    shown: list[dict[str, Any]] = []
    room = MOST_LINES
    for hunk in found:
        if room:
            lines = [{"change": change, "text": text} for change, text in hunk.lines[:room]]
            shown.append({"before": hunk.before, "after": hunk.after, "lines": lines})
            room -= len(lines)
    return shown, sum(len(hunk.lines) for hunk in found) - (MOST_LINES - room)
