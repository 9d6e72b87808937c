"""The document of this interface, for programs and for people."""

from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from flask import Response, current_app

from windlull.api import openapi
from windlull.api.answers import digest, encoded, file
from windlull.api.blueprint import Blueprint, file_response
from windlull.api.context import current

blueprint = Blueprint("reference", __name__, tag="service", about="The service itself.")

_SCRIPT = files("flask_openapi3_redoc").joinpath("templates/redoc/js/redoc.standalone.js")

_PAGE = b"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Windlull: reference of the API</title>
<link rel="icon" href="data:,">
<redoc spec-url="openapi.json" hide-download-button native-scrollbars></redoc>
<script src="docs/redoc.js"></script>
</html>
"""

# The script makes styles, and a worker of its own text for the search.
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "worker-src blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


@blueprint.get(
    "/openapi.json",
    responses={
        200: {
            "description": "An OpenAPI 3.1 document.",
            "content": {"application/json": {"schema": {"type": "object", "required": ["openapi", "paths"]}}},
        },
        304: None,
    },
)
def document() -> Response:
    """Read this document.

    OpenAPI 3.1; types for other languages can be made of it.
    """
    return encoded(_document(current_app._get_current_object(), current().settings.token is not None))  # type: ignore[attr-defined]  # noqa: SLF001 - Flask's way to the object


@cache
def _document(app: Any, token: bool) -> bytes:  # noqa: ANN401, FBT001 - Flask's application
    return msgspec.json.encode(openapi.complete(app, token=token))


@blueprint.get("/docs", responses={200: file_response("text/html", "A page."), 304: None})
def page() -> Response:
    """Read this document as a page.

    It needs nothing from any other server.
    """
    response = file(_PAGE, "text/html", etag=digest(_PAGE))
    response.headers["Content-Security-Policy"] = _PAGE_POLICY
    return response


@blueprint.get("/docs/redoc.js", responses={200: file_response("text/javascript", "A script."), 304: None})
def script() -> Response:
    """Read the script of that page.

    Redoc, as it was packaged.
    """
    text, etag = _script()
    return file(text, "text/javascript", etag=etag)


@cache
def _script() -> tuple[bytes, str]:
    text = _SCRIPT.read_bytes()
    return text, digest(text)
