from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from windlull.api.app import create_app
from windlull.api.context import of
from windlull.api.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flask.testing import FlaskClient

    from tests.api.client import Client
    from windlull.store.database import Database
    from windlull.store.home import Home


@pytest.fixture
def page(database: Database, home: Home, tmp_path: Path) -> Iterator[FlaskClient]:
    built = tmp_path / "app"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("the page")
    (built / "icon.svg").write_text("the icon")
    (built / "assets" / "main-1a2b.js").write_text("the script")
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
