"""Which version answers."""

from functools import cache

from flask import Response

import windlull
from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint
from windlull.api.schemas import View
from windlull.runner import engine

blueprint = Blueprint("version", __name__, tag="service", about="The service itself.")


class EngineView(View):
    """The engine that plans and checks here."""

    version: str
    commit: str


class VersionView(View):
    """Which version answers."""

    version: str
    api: str
    engine: EngineView


@blueprint.get("/version", responses={200: VersionView})
def one() -> Response:
    """Say which versions answer.

    Of the service, of this interface, and of the engine that plans and checks here.
    """
    return answer({"version": windlull.__version__, "api": "v1", "engine": _engine()})


@cache
def _engine() -> dict[str, str]:
    found = engine.version()
    return {"version": found["version"], "commit": found["commit"]}
