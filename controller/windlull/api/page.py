"""The web page, served from where it was built; a sentence in its place while it is not."""

import mimetypes
from pathlib import Path

from flask import Flask, Response, request, send_from_directory
from werkzeug.exceptions import NotFound
from werkzeug.routing import PathConverter
from werkzeug.security import safe_join

from windlull.api.ahead import Ahead

_SENTENCE = b"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Windlull</title><link rel="icon" href="data:,">
<p>Windlull works. The web page is not built: run <code>make setup</code> in the repository, and start the
service again.
<a href="/api/v1/docs">The reference of the API</a> is here.</p></html>
"""

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; worker-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'self'"
)
_FOREVER = "public, max-age=31536000, immutable"
"""For files under `assets/`, whose names have the hash of their content."""


class _PageConverter(PathConverter):
    """A path of the page's own."""

    regex = "(?!api/)[^/].*?"


def install(app: Flask, directory: Path | None) -> None:
    """Serve the page at `/`. Its own addresses, all that are no files of it, get the page too: it reads them itself."""

    def root() -> Response:
        return _page(directory)

    # Not by the decorators of the API: these are no operations of its document.
    app.add_url_rule("/", view_func=root)
    if directory is None:
        return

    ahead = Ahead(directory)
    # The API's addresses are none of the page's: a rule that took them too would say that all of them can be read.
    app.url_map.converters["page"] = _PageConverter

    def below(name: str) -> Response:
        asset = name.startswith("assets/")
        file = safe_join(str(directory), name)
        # What is no asset may be an address of the page's own, also one with a full stop: names may have them.
        if file is None:
            raise NotFound
        if asset or Path(file).is_file():
            response = _file(directory, name)
            response.headers["Cache-Control"] = _FOREVER if asset else "no-cache"
            return response
        response = _page(directory)
        ahead.announce(name, response)
        return response

    app.add_url_rule("/<page:name>", view_func=below)


def _file(directory: Path, name: str) -> Response:
    """Return a file, as the build compressed it if it did so and the client takes that."""
    if not (directory / f"{name}.gz").is_file():
        return send_from_directory(directory, name)
    if request.accept_encodings["gzip"] > 0:
        kind, _ = mimetypes.guess_type(name)
        response = send_from_directory(directory, f"{name}.gz", mimetype=kind, download_name=Path(name).name)
        response.headers["Content-Encoding"] = "gzip"
    else:
        response = send_from_directory(directory, name)
    response.vary.add("Accept-Encoding")
    return response


def _page(directory: Path | None) -> Response:
    if directory is None:
        response = Response(_SENTENCE, mimetype="text/html")
    else:
        response = send_from_directory(directory, "index.html")
        response.headers["Cache-Control"] = "no-cache"
    response.headers["Content-Security-Policy"] = _POLICY
    return response
