from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.api.client import Client


def test_the_process_lives(client: Client) -> None:
    assert client.get("/health/live").json == {"live": True}


def test_health_says_that_no_scheduler_runs(client: Client) -> None:
    health = client.get("/health").json
    assert health["ready"]
    assert not health["working"]
    assert health["scheduler"]["state"] == "absent"


def test_versions(client: Client) -> None:
    assert client.get("/version").json["api"] == "v1"


def test_an_unknown_parameter_is_named(client: Client) -> None:
    error = client.get("/version?verbose=1").json["error"]
    assert error["code"] == "invalid"
    assert error["problems"][0]["key"] == "verbose"


def test_the_document_and_its_page(client: Client) -> None:
    assert client.get("/openapi.json").json["openapi"] == "3.1.0"
    page = client.get("/docs")
    assert b"redoc.js" in page.data
    assert "http" not in page.headers["Content-Security-Policy"]
    assert client.get("/docs/redoc.js").status == 200
