"""Links for other tools."""

from flask import Response
from pydantic import Field

from windlull.api.answers import digest, file
from windlull.api.blueprint import Blueprint, file_response
from windlull.api.context import current
from windlull.api.errors import not_found
from windlull.api.schemas import Name, Query, Seed
from windlull.runner import engine

blueprint = Blueprint("exports", __name__, tag="exports", about="Links for other tools.")


class ExportQuery(Query):
    """Which link, and which of its random histories."""

    link: Name = Field(json_schema_extra={"example": "bench-s1"})
    seed: Seed | None = Field(None, description="Of the link's random events. Default: 1.")
    seconds: int | None = Field(None, ge=1, le=86_400, description="How long the link's events last.")


@blueprint.get(
    "/exports/tc",
    responses={
        200: file_response("text/x-shellscript", "A script for `sh`, which also undoes what it did."),
        304: None,
        404: None,
    },
)
def tc(query: ExportQuery) -> Response:
    """Export a link as a script of `tc` and `nft`.

    What Linux's own emulator can do of the link; what it cannot, the script says. 422 if nothing of it can be said so.
    """
    context = current()
    with context.database.reader() as session:
        roots = context.profiles(session)
    for root in roots:
        path = root / "links" / f"{query.link}.toml"
        if path.is_file():
            break
    else:
        raise not_found(f"link called {query.link}")
    options = ["--seed", query.seed] if query.seed is not None else []
    options += ["--for", f"{query.seconds} s"] if query.seconds is not None else []
    script = engine.text(["export", "--format", "tc", *options, "--", str(path)], profiles=roots, confined=True)
    name = f"{query.link.replace('/', '-')}.sh"
    return file(script, "text/x-shellscript", etag=digest(script), name=name)
