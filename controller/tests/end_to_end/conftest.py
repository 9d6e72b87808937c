from __future__ import annotations

import pytest

from windlull import locate
from windlull.errors import FailureError


@pytest.fixture(scope="session", autouse=True)
def _parts() -> None:
    """The engine, the profiles and the pages, built: these tests are of the whole and need all of it."""
    for find in (locate.engine, locate.profiles, locate.report_page, locate.two_runs_page):
        try:
            find()
        except FailureError as error:
            pytest.fail(str(error), pytrace=False)
