"""The TCP connections in the captures of a run, and what one of them shows."""

from flask import Response
from pydantic import Field

from windlull.api import artefacts, dissections
from windlull.api.artefacts import CAPTURES, EVENTS, FATES, HAS_FILES
from windlull.api.blueprint import Blueprint
from windlull.api.context import current
from windlull.api.dissections import ConnectionAnalysisView, Dissection
from windlull.api.openapi import said
from windlull.api.schemas import IdPath
from windlull.api.series import SeriesQuery, SeriesView

blueprint = Blueprint("connections", __name__, tag="results", about="What runs showed.")


class ConnectionPath(IdPath):
    """A run, and a connection of it."""

    number: dissections.Number = Field(description="Its number in the list of the run's connections.")


@blueprint.get("/runs/<int:id>/connections", responses={200: said("ConnectionList"), **HAS_FILES})
def list_(path: IdPath) -> Response:
    """List the TCP connections in the captures of a run.

    Those with data, in the order in which they begin at the server; 404 if the run kept no captures.
    """
    return _of(path.id).connections()


@blueprint.get("/runs/<int:id>/connections/<int:number>", responses={200: ConnectionAnalysisView, **HAS_FILES})
def read(path: ConnectionPath) -> Response:
    """Read what one connection of a run shows.

    Its metrics and episodes, from both captures and the fates of the run's packets.
    """
    return _of(path.id).analysis(path.number)


@blueprint.get("/runs/<int:id>/connections/<int:number>/series", responses={200: SeriesView, **HAS_FILES})
def series(path: ConnectionPath, query: SeriesQuery) -> Response:
    """Read what a diagram of one connection shows.

    Windows of it, as of a run's series.
    """
    return _of(path.id).series(path.number, query)


def _of(run_id: int) -> Dissection:
    context = current()
    with context.database.reader() as session:
        found = artefacts.find(session, run_id)
        captures = tuple(CAPTURES.values())
        files = {name: found.file(name).sha256 for name in captures}
        files |= {name: found.files[name].sha256 for name in (FATES, EVENTS) if name in found.files}
    paths = {name: (sha256, context.blobs.path(sha256)) for name, sha256 in files.items()}
    if not all(path.exists() for _, path in paths.values()):
        raise artefacts.gone(run_id)
    return Dissection(paths, captures)
