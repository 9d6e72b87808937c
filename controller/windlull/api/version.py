"""Which version answers."""

from functools import cache

from flask import Response

import windlull
from windlull.api.answers import answer
from windlull.api.blueprint import Blueprint
from windlull.api.schemas import Told
from windlull.runner import engine

blueprint = Blueprint("version", __name__, tag="service", about="The service itself.")


class EngineTold(Told):
    """The engine that plans and checks here."""

    version: str
    commit: str


class VersionTold(Told):
    """Which version answers."""

    version: str
    api: str
    engine: EngineTold


@blueprint.get("/version", responses={200: VersionTold})
def one() -> Response:
    """Say which versions answer.

    Of the service, of this interface, and of the engine that plans and checks here.
    """
    return answer({"version": windlull.__version__, "api": "v1", "engine": _engine()})


@cache
def _engine() -> dict[str, str]:
    told = engine.version()
    return {"version": told["version"], "commit": told["commit"]}
