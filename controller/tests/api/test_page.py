from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.api import finished
from windlull.api import ahead
from windlull.api.app import create_app
from windlull.api.context import of
from windlull.api.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from tests.api.client import Client
    from windlull.store.database import Database
    from windlull.store.home import Home

SCRIPTS = {
    "index.html": {"file": "assets/main.js", "imports": ["_parts.js"], "css": ["assets/main.css"]},
    "../pages/run/page.tsx": {
        "file": "assets/page.js",
        "imports": ["_parts.js", "_diagram.js", "index.html"],
        "css": ["assets/page.css"],
    },
    "_parts.js": {"file": "assets/parts.js"},
    "_diagram.js": {"file": "assets/diagram.js", "imports": ["_paint.js", "_parts.js"]},
    "_paint.js": {"file": "assets/paint.js", "imports": ["_diagram.js"]},
}
"""What the build writes of its files, and which need which."""

TOKEN = "a-token-of-some-length"  # noqa: S105 - of this test's service


@pytest.fixture
def page(database: Database, home: Home, tmp_path: Path) -> Iterator[FlaskClient]:
    built = tmp_path / "app"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("the page")
    (built / "scripts.json").write_text(json.dumps(SCRIPTS))
    (built / "icon.svg").write_text("the icon")
    (built / "assets" / "main-1a2b.js").write_text("the script")
    (built / "assets" / "main-1a2b.js.gz").write_bytes(gzip.compress(b"the script"))
    (built / "assets" / "small-3c4d.js").write_text("another")
    (tmp_path / "secret.txt").write_text("a secret")
    app = create_app(Settings(home.path, page=built), database)
    yield app.test_client()
    of(app).watch.close()


@pytest.mark.parametrize("address", ["/", "/runs", "/runs/7", "/links/my/gprs", "/profiles/links/view/late-2.5"])
def test_the_page_answers_at_its_own_addresses(page: FlaskClient, address: str) -> None:
    reply = page.get(address, buffered=True)
    assert reply.text == "the page"
    assert "script-src 'self'" in reply.headers["Content-Security-Policy"]
    assert reply.headers["Cache-Control"] == "no-cache"


def test_a_file_that_is_there_is_given(page: FlaskClient) -> None:
    reply = page.get("/icon.svg", buffered=True)
    assert (reply.text, reply.headers["Cache-Control"]) == ("the icon", "no-cache")


def test_without_a_page_it_is_said_how_to_build_one(client: Client) -> None:
    assert "make setup" in client.bare("GET", "/").text


def test_files_with_a_hash_in_their_name_are_kept(page: FlaskClient) -> None:
    assert "immutable" in page.get("/assets/main-1a2b.js", buffered=True).headers["Cache-Control"]


def test_a_file_is_sent_compressed_to_those_who_take_it(page: FlaskClient) -> None:
    packed = page.get("/assets/main-1a2b.js", headers={"Accept-Encoding": "br, gzip"}, buffered=True)
    assert gzip.decompress(packed.data) == b"the script"
    plain = page.get("/assets/main-1a2b.js", headers={"Accept-Encoding": "gzip;q=0"}, buffered=True)
    assert plain.text == "the script"
    assert [one.headers.get("Content-Encoding") for one in (packed, plain)] == ["gzip", None]
    for reply in (packed, plain):
        assert reply.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert reply.headers["Vary"] == "Accept-Encoding"
    other = page.get("/assets/small-3c4d.js", headers={"Accept-Encoding": "gzip"}, buffered=True)
    assert (other.text, other.headers.get("Vary")) == ("another", None)


def test_what_the_page_of_a_run_reads_first_is_announced(page: FlaskClient) -> None:
    batch = finished.store(page.application, finished.first_look())
    runs = [run["id"] for run in _json(page.get(f"/api/v1/runs?batch={batch}"))["items"]]
    announced = page.get(f"/runs/{runs[0]}", buffered=True).headers.getlist("Link")
    addresses = [f"/api/v1/runs/{runs[0]}", f"/api/v1/runs/{runs[0]}/series?pixels={ahead.OVERVIEW_PIXELS}"]
    assert announced == [
        '</assets/page.js>; rel="modulepreload"',
        '</assets/page.css>; rel="preload"; as="style"; crossorigin="anonymous"',
        '</assets/diagram.js>; rel="modulepreload"',
        '</assets/paint.js>; rel="modulepreload"',
        *(f'<{address}>; rel="preload"; as="fetch"; crossorigin="anonymous"' for address in addresses),
    ]
    assert [page.get(address, buffered=True).status_code for address in addresses] == [200, 200]


def test_the_overview_that_is_announced_is_the_one_that_the_page_reads() -> None:
    source = (Path(__file__).parents[3] / "web" / "src" / "series" / "address.ts").read_text()
    assert re.findall(r"OVERVIEW_PIXELS = (\d+);", source) == [str(ahead.OVERVIEW_PIXELS)]


def test_a_run_that_is_not_there_has_a_page_all_the_same(page: FlaskClient) -> None:
    announced = page.get("/runs/999", buffered=True).headers.getlist("Link")
    assert len(announced) == 4
    assert not any("/api/" in one for one in announced)


@pytest.mark.parametrize("address", ["/", "/runs/x", "/runs", "/batches/1"])
def test_other_pages_announce_nothing(page: FlaskClient, address: str) -> None:
    assert page.get(address, buffered=True).headers.getlist("Link") == []


def test_nothing_is_announced_to_those_who_may_not_ask(database: Database, home: Home, tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "index.html").write_text("the page")
    app = create_app(Settings(home.path, page=tmp_path / "app", token=TOKEN), database)
    batch = finished.store(app, finished.first_look())
    asking = app.test_client()
    headers = {"Authorization": f"Bearer {TOKEN}"}
    run = _json(asking.get(f"/api/v1/runs?batch={batch}", headers=headers))["items"][0]["id"]
    assert asking.get(f"/runs/{run}", buffered=True).headers.getlist("Link") == []
    assert len(asking.get(f"/runs/{run}", buffered=True, headers=headers).headers.getlist("Link")) == 2
    of(app).watch.close()


@pytest.mark.parametrize(
    "address",
    [
        "/assets/none.js",
        "/api/v1/nothing",
        "/api/nothing",
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/assets/../../secret.txt",
    ],
)
def test_nothing_else_is_there(page: FlaskClient, address: str) -> None:
    reply = page.get(address, buffered=True)
    assert reply.status_code == 404
    assert reply.json is not None
    assert reply.json["error"]["code"] == "not-found"


def _json(reply: TestResponse) -> Any:
    return reply.json
