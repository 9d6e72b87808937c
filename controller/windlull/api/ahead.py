"""What a page reads first, named in its headers: the browser asks for it while it still loads the first script."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flask import Response, request
from sqlalchemy import select

from windlull.api import security
from windlull.api.context import current
from windlull.store.database import UnavailableError
from windlull.store.tables import Result, Run

OVERVIEW_PIXELS = 1200
"""How wide a run's diagram is drawn at first: what web/src/series/address.ts says, and a test compares."""

_RUN = re.compile(r"runs/([1-9][0-9]{0,15})")
_RUN_PAGE = "../pages/run/page.tsx"
_ALWAYS = "index.html"

# As the page will ask for each: what was had in another mode is asked for again.
_SCRIPT = 'rel="modulepreload"'
_STYLE = 'rel="preload"; as="style"; crossorigin="anonymous"'
_ANSWER = 'rel="preload"; as="fetch"; crossorigin="anonymous"'


class Ahead:
    """The headers of the pages of an application, which was built into `directory`."""

    def __init__(self, directory: Path) -> None:
        self._files = list(_files_of_run(directory / "scripts.json"))

    def announce(self, page: str, response: Response) -> None:
        """Name in `Link` what the page at this address will read: of a run its scripts, itself, and its diagram.

        Who may not ask the API is told nothing of what it has; what cannot be known now is left to the page.
        """
        if (found := _RUN.fullmatch(page)) is None:
            return
        for file in self._files:
            relation = _SCRIPT if file.endswith(".js") else _STYLE
            response.headers.add("Link", f"</{file}>; {relation}")
        if security.may_ask(request, current().settings):
            for address in _of_run(int(found[1])):
                response.headers.add("Link", f"<{address}>; {_ANSWER}")


def _files_of_run(manifest: Path) -> Iterator[str]:
    """Yield the scripts and styles of a run's page that are not in every page, as the build wrote them down.

    A page that was put there otherwise may have no such list: then the page finds them itself.
    """
    if not manifest.is_file():
        return
    built = json.loads(manifest.read_text(encoding="utf-8"))
    everywhere = _needed(built, _ALWAYS)
    for name in _needed(built, _RUN_PAGE):
        if name not in everywhere:
            yield built[name]["file"]
            yield from built[name].get("css", [])


def _needed(built: dict[str, Any], entry: str) -> list[str]:
    """Return a file of the manifest and all that it imports, directly or not."""
    names = [entry]
    for name in names:
        names += [other for other in built[name].get("imports", []) if other not in names]
    return names


def _of_run(run_id: int) -> list[str]:
    try:
        with current().database.reader() as session:
            drawable = Result.id.is_not(None) & Result.evicted_at.is_(None)
            query = select(drawable).select_from(Run).outerjoin(Result, Run.result_id == Result.id)
            found = session.scalar(query.where(Run.id == run_id))
    except UnavailableError:
        return []
    if found is None:
        return []
    address = f"/api/v1/runs/{run_id}"
    return [address, f"{address}/series?pixels={OVERVIEW_PIXELS}"] if found else [address]
