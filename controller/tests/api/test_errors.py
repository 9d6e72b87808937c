"""Whatever goes wrong, the answer has the one shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from windlull.api.context import of
from windlull.store.blobs import DiskFullError
from windlull.store.database import UnavailableError

if TYPE_CHECKING:
    from tests.api.client import Client, Reply


def assert_shape(reply: Reply, status: int, code: str) -> None:
    assert reply.status == status
    assert reply.mimetype == "application/json"
    assert set(reply.json) == {"error"}
    assert set(reply.json["error"]) <= {"code", "message", "problems"}
    assert reply.json["error"]["code"] == code
    assert reply.json["error"]["message"]
    for problem in reply.json["error"].get("problems", []):
        assert set(problem) <= {"file", "line", "column", "key", "message", "suggestion"}


@pytest.mark.parametrize(
    ("method", "address", "options", "status", "code"),
    [
        ("GET", "/api/v1/nothing", {}, 404, "not-found"),
        ("GET", "/nothing", {}, 404, "not-found"),
        ("GET", "/api/v1/runs/", {}, 404, "not-found"),
        ("GET", "/api/v1//runs", {}, 404, "not-found"),
        ("GET", "/api/v1/runs/0", {}, 404, "not-found"),
        ("GET", "/api/v1/runs/9223372036854775808", {}, 404, "not-found"),
        ("GET", "/api/v1/runs/7", {}, 404, "not-found"),
        ("GET", "/api/v1/links/..%2f..%2fetc%2fpasswd", {}, 404, "not-found"),
        ("GET", "/api/v1/links/gprs.toml", {}, 404, "not-found"),
        ("GET", "/api/v1/links/a%00b", {}, 404, "not-found"),
        ("PUT", "/api/v1/runs", {}, 405, "method-not-allowed"),
        ("TRACE", "/api/v1/runs", {}, 405, "method-not-allowed"),
        ("POST", "/api/v1/batches", {}, 415, "wrong-content-type"),
        ("POST", "/api/v1/batches", {"data": {"experiment": "first-look"}}, 415, "wrong-content-type"),
        ("POST", "/api/v1/batches", {"data": b"{}", "content_type": "text/plain"}, 415, "wrong-content-type"),
        ("POST", "/api/v1/batches", {"data": b"{", "content_type": "application/json"}, 400, "bad-json"),
        ("POST", "/api/v1/batches", {"data": b"", "content_type": "application/json"}, 400, "bad-json"),
        ("POST", "/api/v1/batches", {"data": b"\xff", "content_type": "application/json"}, 400, "bad-json"),
        ("POST", "/api/v1/batches", {"data": b"null", "content_type": "application/json"}, 422, "invalid"),
        ("POST", "/api/v1/links", {"data": b'{"name":"a","toml":"\\ud800"}', "content_type": "application/json"},
         400, "bad-json"),
        ("POST", "/api/v1/batches", {"data": b"[" * 100_000, "content_type": "application/json"}, 400, "bad-json"),
        ("POST", "/api/v1/batches", {"json": {"experiment": "x"}, "headers": {"Idempotency-Key": " "}}, 422, "invalid"),
        ("POST", "/api/v1/batches", {"json": {"experiment": "x"}, "headers": {"Idempotency-Key": "x" * 201}},
         422, "invalid"),
        ("PUT", "/api/v1/links/x", {"json": {"toml": ""}, "headers": {"If-Match": "3"}}, 422, "invalid"),
        ("GET", "/api/v1/runs?limit=1&limit=2", {}, 422, "invalid"),
        ("POST", "/api/v1/runs/7/rerun", {"json": {"seed": "1"}}, 400, "bad-request"),
        ("POST", "/api/v1/runs/7/retry", {"json": {}}, 400, "bad-request"),
        ("POST", "/api/v1/batches/7/cancel", {"data": b"now"}, 400, "bad-request"),
        ("DELETE", "/api/v1/batches/7", {"json": {"whole": True}}, 400, "bad-request"),
    ],
)  # fmt: skip
def test_a_wrong_request(
    client: Client, method: str, address: str, options: dict[str, object], status: int, code: str
) -> None:
    assert_shape(client.bare(method, address, **options), status, code)


def test_a_wrong_method_says_which_are_right(client: Client) -> None:
    assert client.bare("PUT", "/api/v1/runs").headers["Allow"] == "GET, HEAD, OPTIONS"
    options = client.bare("OPTIONS", "/api/v1/runs")
    assert options.status == 200
    assert sorted(options.headers["Allow"].split(", ")) == ["GET", "HEAD", "OPTIONS"]


def test_head_is_get_without_the_body(client: Client) -> None:
    head, get = (client.bare(method, "/api/v1/runs") for method in ("HEAD", "GET"))
    assert head.data == b""
    assert head.headers["ETag"] == get.headers["ETag"]
    assert head.headers["Content-Length"] == get.headers["Content-Length"]


def test_a_missing_database_is_503_and_passes(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> None:
        raise UnavailableError("the database: gone")

    with monkeypatch.context() as patch:
        patch.setattr(of(client.app).database, "reader", gone)
        reply = client.get("/runs")
        assert_shape(reply, 503, "unavailable")
        assert reply.headers["Retry-After"]
        assert client.get("/health").json["ready"] is False
        assert "database" in client.get("/health").json["scheduler"]["why"]
        assert client.get("/health/ready").status == 503
        assert client.get("/health/live").status == 200
    assert client.get("/runs").status == 200
    assert client.get("/health/ready").status == 200


def test_a_full_disk_is_507(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_content: bytes) -> str:
        raise DiskFullError("full")

    monkeypatch.setattr(of(client.app).blobs, "put", full)
    assert_shape(client.post("/batches", json={"experiment": "first-look"}), 507, "disk-full")


def test_a_fault_of_ours_says_no_more_than_that(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(of(client.app).database, "reader", broken)
    reply = client.get("/runs")
    assert_shape(reply, 500, "internal")
    assert "secret" not in reply.text


def test_a_rule_between_keys_is_told_in_words_alone(client: Client) -> None:
    reply = client.post("/links", json={"name": "mine"})
    assert_shape(reply, 422, "invalid")
    assert reply.json["error"]["message"] == "give either toml, copy_of or restore"
