"""The diagram's data: a window of a run's series, as many rows as a drawing of its width needs."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from flask import Response
from pydantic import Field, create_model

from windlull.api import artefacts
from windlull.api.answers import answer, digest, encoded, is_known
from windlull.api.artefacts import HAS_FILES, SERIES
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.errors import ApiError, invalid
from windlull.api.openapi import of_engine
from windlull.api.schemas import IdPath, Query, View
from windlull.series import window
from windlull.series.cache import Cache
from windlull.series.columns import SeriesError
from windlull.series.tables import NAMES, OPTIONAL_NAMES, TABLES, Table

blueprint = Blueprint("series", __name__, tag="results", about="What runs showed.")

LATEST_NS = (1 << 62) - 1


class TableView(View):
    """Rows of one table; columns hold the first value, then differences."""

    rows: int = Field(description="How many rows the window has.")
    given: int = Field(description="How many of them are here.")
    decimated: bool = Field(description="Whether that is fewer: a drawing of the width asked for loses nothing by it.")
    before: int = Field(description="How many rows of earlier times stand first, because the drawing needs them.")
    after: int = Field(description="How many rows of later times stand last.")


class WindowView(View):
    """The window: `from` is in it, `to` is not."""

    start: int = Field(alias="from")
    to: int
    pixels: int


_made: Any = create_model
"""Types that are made of the list of tables, which a type checker cannot follow."""


def _model(table: Table) -> Any:  # noqa: ANN401 - a type that is made
    name = "".join(part.capitalize() for part in table.path.replace(".", "_").split("_")) + "View"
    columns: dict[str, Any] = dict.fromkeys(table.columns, (list[int], ...))
    return _made(name, __base__=TableView, **columns, **dict.fromkeys(table.strings, (list[str], ...)))


_OF: dict[str, Any] = {table.path: (_model(table), ...) for table in TABLES}
_QUEUES = _made("QueuesView", __base__=View, down=_OF["link.queue.down"], up=_OF["link.queue.up"])
_LINK = _made(
    "LinkView",
    __base__=View,
    queue=(_QUEUES, ...),
    **{path.removeprefix("link."): model for path, model in _OF.items() if path.count(".") == 1},
)
_NAMES = _made(
    "NamesView",
    __base__=View,
    **dict.fromkeys(NAMES, (list[str], ...)),
    **dict.fromkeys(OPTIONAL_NAMES, (list[str] | None, None)),
)
SeriesView = _made(
    "SeriesView",
    __base__=View,
    version=(Literal[1], ...),
    run=(Annotated[Any, of_engine("SeriesRun")] | None, None),
    data_sender=(Literal["server", "client"], ...),
    duration_ns=(int, ...),
    names=(_NAMES, ...),
    window=(WindowView, ...),
    link=(_LINK, ...),
    **{path: model for path, model in _OF.items() if "." not in path},
)

TableName = Literal[
    "data", "acks", "sacks", "timeouts", "fast_retransmits", "detector", "responses", "state", "limits", "link",
    "link.holds", "link.outages", "link.bad", "link.drops", "link.marks", "link.queue", "link.queue.down",
    "link.queue.up", "link.rates", "link.delays",
]  # fmt: skip


class SeriesQuery(Query):
    """Which window, and how wide it is drawn."""

    start: int | None = Field(None, alias="from", ge=0, le=LATEST_NS, description="ns; the run's start if left out.")
    to: int | None = Field(None, ge=1, le=LATEST_NS, description="ns, not in the window; the end if left out.")
    pixels: int = Field(2000, ge=1, le=window.PIXELS_LIMIT, description="How many pixels wide the drawing is.")
    tables: list[TableName] | None = Field(
        None, max_length=20, description="Which tables have rows; may be repeated. All if left out."
    )


@blueprint.get("/runs/<int:id>/series", responses={200: SeriesView, **HAS_FILES})
def read(path: IdPath, query: SeriesQuery) -> Response:
    """Read what a diagram of a run shows.

    Of the shape of `series.json`: each column has its first value, then differences. Up to four rows a pixel are given
    as they are; of more, those that can be told apart in a drawing of this width. Zoom in by another window.
    """
    artefact = artefacts.file(path.id, SERIES)

    def packed() -> bytes:
        with artefacts.content(artefact, path.id) as source:
            return source.read()

    try:
        return cut(artefact.sha256, packed, query)
    except SeriesError as error:
        raise unreadable(path.id, str(error)) from error


def cut(key: str, packed: Callable[[], bytes], query: SeriesQuery) -> Response:
    """Answer with a window of the series that `packed` returns. `key` stands for its content. Raises SeriesError."""
    tables = sorted(set(query.tables)) if query.tables is not None else None
    etag = digest(repr((key, query.start, query.to, query.pixels, tables)).encode())
    if is_known(etag):
        return encoded(b"", etag=etag)
    columns = Cache(current().home.cache / "series").get(key, packed)
    try:
        asked = window.asked(columns, query.start, query.to, query.pixels, tables)
    except ValueError as error:
        raise invalid(str(error)) from error
    return answer(window.cut(columns, asked), etag=etag)


def unreadable(run_id: int, why: str) -> ApiError:
    """Return 422: a file of a run cannot be understood. It came with a capsule, or is of another version."""
    return ApiError(422, f"run {run_id} has a file that cannot be read: {why}", code="unreadable")
