"""What a page reads first, named in its headers: the browser asks for it while it still loads the scripts."""

import re

from flask import Response, request
from sqlalchemy import select

from windlull.api import security
from windlull.api.context import current
from windlull.store.database import UnavailableError
from windlull.store.tables import Result, Run

OVERVIEW_PIXELS = 1200
"""How wide a run's diagram is drawn at first: what web/src/series/address.ts says, and a test compares."""

_RUN = re.compile(r"runs/([1-9][0-9]{0,15})")


def announce(page: str, response: Response) -> None:
    """Name in `Link` what the page at this address will read: a run, and the overview of its diagram if it has one.

    Who may not ask the API is told nothing; what cannot be known now is left to the page.
    """
    if (found := _RUN.fullmatch(page)) is None or not security.may_ask(request, current().settings):
        return
    for address in _of_run(int(found[1])):
        response.headers.add("Link", f'<{address}>; rel="preload"; as="fetch"; crossorigin="anonymous"')


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
