"""Links, variants, workloads and experiments: those shipped, to read and to copy, and the user's own, to change."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from flask import Response, request
from pydantic import Field, model_validator
from sqlalchemy.orm import Session

from windlull import locate
from windlull.api import etags, idempotency, usage
from windlull.api.answers import answer, digest, no_content
from windlull.api.blueprint import Blueprint, created
from windlull.api.context import current
from windlull.api.errors import ApiError, conflict, invalid, not_found
from windlull.api.idempotency import Created
from windlull.api.openapi import of_engine
from windlull.api.pagination import after, page
from windlull.api.pagination import name as named
from windlull.api.proposals import proposed
from windlull.api.revisions import RevisionNumber, heading, text_of
from windlull.api.schemas import (
    Changing,
    Creating,
    Given,
    Kind,
    Moment,
    Name,
    NamePath,
    Page,
    Paging,
    ProblemView,
    View,
    example,
)
from windlull.bounds import size
from windlull.contract.engine import Family
from windlull.runner import engine, plans
from windlull.runner.problems import InvalidFilesError
from windlull.store import documents as store
from windlull.store import events, revisions
from windlull.store.tables import Document

Origin = Literal["shipped", "own"]
MOST_CHARACTERS = 4 << 20
"""Of a text that is not kept: the trace of a link has hundreds of thousands of instants in it."""


class DocumentLine(View):
    """A document in a list."""

    name: str
    title: str
    description: str
    source: str
    family: Family | None = Field(
        description="Of a link: where it stands in lists; null if neither it nor what it builds on says so."
    )
    origin: Origin = Field(description="`shipped` ones can be read and copied; `own` ones changed as well.")
    revision: int | None = Field(description="How often it was written; null for shipped ones.")
    updated_at: Moment | None


class UserView(View):
    """A document that names another."""

    kind: Kind
    name: str


class PartView(View):
    """A document that another builds on."""

    kind: Kind
    name: str
    origin: Origin


class DocumentView(DocumentLine):
    """A document: its text, and its content with all defaults resolved."""

    kind: Kind
    toml: str
    resolved: Annotated[Any, of_engine("Resolved")] | None = Field(
        description="Its content with all defaults resolved; null if it is no longer valid, or a base of others."
    )
    problems: list[ProblemView] = Field(description="What is wrong with it, as can be after a change of version.")
    builds_on: list[PartView] = Field(
        description="Which documents it names, and which those name in their turn, by kind and name."
    )
    used_by: list[UserView] = Field(description="Which documents name it, by kind and name; at most 500 are listed.")


class DocumentGiven(Given):
    """A new document: its text, or which one it is to be a copy of, or what a deleted one of its name said."""

    model_config = example(name="mine", copy_of="gprs")

    name: Name
    toml: str | None = None
    copy_of: Name | None = None
    restore: RevisionNumber | None = Field(None, description="Which revision of the deleted document of that name.")

    @model_validator(mode="after")
    def _one_of_them(self) -> "DocumentGiven":
        if [self.toml, self.copy_of, self.restore].count(None) != 2:
            raise ValueError("give either toml, copy_of or restore")
        return self


class TextGiven(Given):
    """The new text of a document, or which of its revisions has it."""

    toml: str | None = None
    restore: RevisionNumber | None = None

    @model_validator(mode="after")
    def _one_of_the_two(self) -> "TextGiven":
        if (self.toml is None) == (self.restore is None):
            raise ValueError("give either toml or restore")
        return self


class DocumentsQuery(Paging):
    """Which documents."""

    origin: Origin | None = None


def _endpoints(kind: str, about: str) -> Blueprint:
    """Return the endpoints of one kind of document."""
    shelf = _Shelf(kind)
    things = shelf.folder
    a_thing = f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
    blueprint = Blueprint(things, __name__, tag=things, about=about)
    one = f"/{things}/<path:name>"

    @blueprint.get(
        f"/{things}",
        responses={200: Page[DocumentLine]},
        summary=f"List the {things}.",
        description=f"Those shipped and the user's own, by name. {about}",
    )
    def list_(query: DocumentsQuery) -> Response:
        start = named(query.cursor)
        with current().database.reader() as session:
            lines = [line for line in shelf.lines(session, query.origin) if start is None or line["name"] > start]
        return answer(page(lines, query.limit, lambda line: after(str(line["name"])), lambda line: line))

    @blueprint.post(
        f"/{things}",
        responses={
            201: created(DocumentView, f"{things}_read", name="$response.body#/name"),
            404: None,
            409: None,
            507: None,
        },
        summary=f"Create {a_thing}.",
        description="From its text, as a copy of another, or as a deleted one of its name was. The engine must accept "
        "it: 422 says what is wrong with it, and where. 409 if the name exists, shipped or not. 507 at the limit of "
        "documents.",
    )
    def create(header: Creating, body: DocumentGiven) -> Response:
        return idempotency.once(header.key, lambda session: shelf.create(session, body))

    @blueprint.get(
        one,
        responses={200: DocumentView},
        summary=f"Read {a_thing}.",
        description="Its text, and its content resolved with everything that it builds on.",
    )
    def read(path: NamePath) -> Response:
        with current().database.reader() as session:
            view = shelf.view(session, path.name)
        return answer(view, etag=shelf.etag(view))

    @blueprint.put(
        one,
        responses={200: DocumentView, 403: None, 412: None, 428: None, 507: None},
        summary=f"Change {a_thing}.",
        description="Replaces its text, by another or by that of an earlier revision. `If-Match` with its `ETag` is "
        "required (428), so that nobody's change is lost (412). 403 if it was shipped. The engine must accept it and "
        "all that name it: 422 says what is wrong.",
    )
    def change(path: NamePath, header: Changing, body: TextGiven) -> Response:
        with current().database.session() as session:
            view = shelf.change(session, path.name, body, header.match)
        return answer(view, etag=shelf.etag(view))

    @blueprint.delete(
        one,
        responses={204: None, 403: None, 409: None, 412: None, 428: None},
        summary=f"Delete {a_thing}.",
        description="`If-Match` with its `ETag` is required. 409 if others name it, and which. Batches that were made "
        "of it keep their own copy.",
    )
    def remove(path: NamePath, header: Changing) -> Response:
        with current().database.session() as session:
            shelf.remove(session, path.name, header.match)
        return no_content()

    return blueprint


@dataclass(frozen=True, slots=True)
class _Shelf:
    """All documents of one kind."""

    kind: str

    @property
    def folder(self) -> str:
        return store.FOLDERS[self.kind]

    # --- what is told -------------------------------------------------------------------------------------------------

    def lines(self, session: Session, origin: str | None) -> list[dict[str, Any]]:
        """Return all documents of the kind as lists have them, by name."""
        found: list[dict[str, Any]] = []
        if origin != "own":
            found += [
                line | {"origin": "shipped", "revision": None, "updated_at": None}
                for line in engine.ask(["list", self.folder])
            ]
        if origin != "shipped" and (own := store.listed(session, self.kind)):
            family = self._families(session)
            found += [_line(row) | {"family": family(row.name)} for row in own]
        return sorted(found, key=lambda line: str(line["name"]))

    def _families(self, session: Session) -> Callable[[str], str | None]:
        """Return what tells the family of a document, which may be that of another one on which it builds."""
        if self.kind != "link":
            return lambda _: None
        lines = engine.ask(["list", self.folder], profiles=current().profiles(session), confined=True)
        return {line["name"]: line["family"] for line in lines}.get

    def shipped(self, name: str) -> bool:
        """Whether a document of that name was shipped."""
        return self._file(locate.profiles(), name).is_file()

    def _file(self, root: Path, name: str) -> Path:
        return root / self.folder / f"{name}.toml"

    def view(self, session: Session, name: str) -> dict[str, Any]:
        """Return a document in full. Raises ApiError if there is none."""
        own = store.find(session, self.kind, name)
        if own is None and not self.shipped(name):
            raise not_found(f"{self.kind} called {name}")
        roots = current().profiles(session)
        file = self._file(roots[0] if own is None else roots[1], name)
        resolved: dict[str, Any] | None = None
        problems: Sequence[object] = ()
        toml = file.read_text(encoding="utf-8") if own is None else own.toml
        try:
            resolved = engine.ask(["show", "--", str(file)], profiles=roots, confined=True)["resolved"]
        except InvalidFilesError:
            # A base of others cannot be resolved, and may be valid all the same.
            problems = _problems(file, roots)
        if own is not None:
            line = _line(own)
        else:
            line = {"name": name, "origin": "shipped", "revision": None, "updated_at": None} | heading(toml)
        return (
            line
            | {"family": self._families(session)(name)}
            | {"kind": self.kind, "toml": toml, "resolved": resolved, "problems": problems}
            | {"builds_on": usage.built_on(session, self.kind, toml)}
            | {"used_by": usage.users(session, self.kind, name)}
        )

    def etag(self, view: dict[str, Any]) -> str:
        """Return what stands for it in its ETag: its revision, and everything else that can change."""
        return etags.of(view["revision"], digest(msgspec.json.encode(view)))

    # --- what is done -------------------------------------------------------------------------------------------------

    def create(self, session: Session, body: DocumentGiven) -> Created:
        """Add a document. Raises ApiError."""
        if self.shipped(body.name) or store.find(session, self.kind, body.name):
            raise conflict(f"{self.kind} {body.name} exists already", "exists")
        if body.copy_of is not None:
            toml: str = self.view(session, body.copy_of)["toml"]
        else:
            toml = self._text(session, body.name, body.toml, body.restore)
        self._require_room(session, body.name, toml)
        self._hold(session, body.name, toml)
        store.create(session, self.kind, body.name, toml, restored=body.restore)
        self._written(session, body.name, "created")
        view = self.view(session, body.name)
        return Created(view, f"{request.path}/{body.name}", {"ETag": f'"{self.etag(view)}"'})

    def change(self, session: Session, name: str, body: TextGiven, match: str | None) -> dict[str, Any]:
        """Give a document another text. Raises ApiError."""
        own = self._own(session, name, match)
        toml = self._text(session, name, body.toml, body.restore)
        self._require_room(session, name, toml)
        self._hold(session, name, toml)
        store.update(session, self.kind, name, toml, revision=own.revision, restored=body.restore)
        self._written(session, name, "changed")
        return self.view(session, name)

    def remove(self, session: Session, name: str, match: str | None) -> None:
        """Take a document away. Raises ApiError."""
        own = self._own(session, name, match)
        with proposed(session, {(self.kind, name): None}) as proposal:
            users = sorted(f"{kind} {other}" for kind, other in proposal.broken_by(self.kind, name))
        if users:
            raise conflict(f"it is used by {_and(users)}; change or delete that first", "in-use")
        store.delete(session, self.kind, name, revision=own.revision)
        self._written(session, name, "deleted")

    def _own(self, session: Session, name: str, match: str | None) -> Document:
        """Return the user's document that a request with `If-Match` may change. Raises ApiError."""
        own = store.find(session, self.kind, name)
        if own is None:
            if self.shipped(name):
                raise ApiError(
                    HTTPStatus.FORBIDDEN, f"{name} is shipped and cannot be changed; copy it", code="read-only"
                )
            raise not_found(f"{self.kind} called {name}")
        etags.require(match, own.revision)
        return own

    def _text(self, session: Session, name: str, toml: str | None, restore: int | None) -> str:
        """Return the text that is given, or that of the revision that is named. Raises ApiError."""
        return toml or "" if restore is None else text_of(session, self.kind, name, restore)

    def _require_room(self, session: Session, name: str, toml: str) -> None:
        """Refuse what is too large, or more than the service keeps. Raises ApiError, NoRoomError."""
        bounds = current().settings.bounds
        if len(toml.encode()) > bounds.document_bytes:
            most = size(bounds.document_bytes)
            raise ApiError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"the text has {len(toml.encode()):,} bytes; at most {most} are kept",
            )
        store.require_room(
            session, self.kind, name, toml, most=bounds.documents, most_bytes=bounds.documents_bytes
        )  # fmt: skip

    def _hold(self, session: Session, name: str, toml: str) -> None:
        """Refuse a text that is wrong, or that makes another document wrong. Raises ApiError."""
        with proposed(session, {(self.kind, name): toml}) as proposal:
            problems = list(proposal.problems(self.kind, name))
            broken = {} if problems else proposal.broken_by(self.kind, name)
        if problems:
            raise invalid(f"the {self.kind} is not valid", problems)
        if broken:
            others = _and(sorted(f"{kind} {other}" for kind, other in broken))
            every = [problem for found in broken.values() for problem in found]
            raise invalid(f"with it, {others} would no longer be valid", every)

    def _written(self, session: Session, name: str, change: str) -> None:
        """Tell of a change, and make room for it among the revisions that are kept."""
        bounds = current().settings.bounds
        revisions.trim(
            session,
            self.kind,
            name,
            most_of_document=bounds.revisions_of_document,
            most=bounds.revisions,
            most_bytes=bounds.revisions_bytes,
        )
        events.append(session, "document", {"kind": self.kind, "name": name, "change": change})


def _problems(file: Path, roots: Sequence[Path]) -> Sequence[object]:
    try:
        plans.check(file, profiles=roots, confined=True)
    except InvalidFilesError as error:
        return error.problems
    return ()


def _line(row: Document) -> dict[str, Any]:
    return {
        "name": row.name,
        "origin": "own",
        "revision": row.revision,
        "updated_at": row.updated_at,
    } | heading(row.toml)


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


BLUEPRINTS = (
    _endpoints("link", "How a path behaves."),
    _endpoints("variant", "A TCP to test, ours or the kernel's."),
    _endpoints("workload", "What is transferred."),
    _endpoints("experiment", "Links, variants, a workload, and the number of repetitions."),
)
