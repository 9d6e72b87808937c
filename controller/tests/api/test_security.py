from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from windlull.api import limits, security
from windlull.api.app import create_app
from windlull.api.context import of
from windlull.api.settings import Settings
from windlull.bounds import Bounds
from windlull.store.access import Logins

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask

    from tests.api.client import Client
    from windlull.store.database import Database
    from windlull.store.home import Home

TOKEN = "a token that nobody guesses"  # noqa: S105


@pytest.fixture
def guarded(database: Database, home: Home) -> Iterator[Flask]:
    made = create_app(Settings(home.path, hosts=None, token=TOKEN, bounds=Bounds(body_bytes=1000)), database)
    yield made
    of(made).watch.close()


def test_another_name_in_host_is_refused(client: Client) -> None:
    for host in ("evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.", "[::2]:80", ""):
        reply = client.bare("GET", "/api/v1/runs", headers={"Host": host})
        assert reply.status in {400, 421}, host
    for host in ("localhost", "LOCALHOST:81", "127.0.0.1:8000", "[::1]", "[::1]:8000"):
        assert client.bare("GET", "/api/v1/runs", headers={"Host": host}).status == 200, host


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
     {"Sec-Fetch-Site": "same-site"}, {"Origin": "http://localhost:81"}],
)  # fmt: skip
def test_a_page_of_another_origin_changes_nothing(client: Client, headers: dict[str, str]) -> None:
    reply = client.bare("POST", "/api/v1/batches/1/cancel", headers=headers)
    assert reply.status == 403
    assert reply.json["error"]["code"] == "cross-origin"


def test_our_own_page_may(client: Client) -> None:
    headers = {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"}
    assert client.bare("POST", "/api/v1/batches/1/cancel", headers=headers).status == 404


def test_without_the_token_nothing_but_health_and_the_session(guarded: Flask) -> None:
    asking = guarded.test_client()
    for rule in guarded.url_map.iter_rules():
        address = rule.rule.replace("<int:id>", "1").replace("<path:name>", "gprs")
        if not address.startswith("/api/") or "<" in address:
            continue
        for method in (rule.methods or set()) - {"OPTIONS"}:
            status = asking.open(address, method=method).status_code
            assert (status == 401) == (not security.is_open(address)), f"{method} {address}: {status}"


@pytest.mark.parametrize("header", ["Bearer wrong", "Bearer", "Basic " + TOKEN, "", "Bearer " + TOKEN + "x", TOKEN])
def test_a_wrong_token_is_none(guarded: Flask, header: str) -> None:
    assert guarded.test_client().get("/api/v1/runs", headers={"Authorization": header}).status_code == 401


def test_the_token_opens(guarded: Flask) -> None:
    asking = guarded.test_client()
    assert asking.get("/api/v1/runs", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 200
    assert asking.get("/api/v1/runs").status_code == 401


def test_a_session_stands_for_the_token(guarded: Flask) -> None:
    asking = guarded.test_client()
    assert asking.get("/api/v1/session").json == {"required": True}
    assert asking.post("/api/v1/session", json={"token": "wrong"}).status_code == 403
    begun = asking.post("/api/v1/session", json={"token": TOKEN})
    assert begun.status_code == 204
    cookie = begun.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert TOKEN not in cookie
    assert asking.get("/api/v1/runs").status_code == 200
    assert asking.delete("/api/v1/session").status_code == 204
    assert asking.get("/api/v1/runs").status_code == 401


def test_the_code_of_one_login_begins_one_session(database: Database, home: Home) -> None:
    app = create_app(Settings(home.path, token=TOKEN, logins=True), database)
    try:
        code = Logins(home.path).issue(time.time())
        asking = app.test_client()
        assert asking.post("/api/v1/session", json={"code": code}).status_code == 204
        assert asking.get("/api/v1/runs").status_code == 200
        late = app.test_client()
        refused = late.post("/api/v1/session", json={"code": code})
        assert refused.status_code == 403
        assert refused.json is not None
        assert refused.json["error"]["code"] == "spent-login"
        assert late.get("/api/v1/runs").status_code == 401
        for given in ({}, {"token": TOKEN, "code": code}, {"code": ""}):
            assert late.post("/api/v1/session", json=given).status_code == 422, given
    finally:
        of(app).watch.close()


def test_a_code_opens_no_service_whose_token_was_given(guarded: Flask, home: Home) -> None:
    code = Logins(home.path).issue(time.time())
    assert guarded.test_client().post("/api/v1/session", json={"code": code}).status_code == 403


def test_a_session_ends_and_cannot_be_made_up() -> None:
    cookie = security.session_cookie(TOKEN, now_s=1000)
    assert security.is_session(cookie, TOKEN, now_s=1000 + security.SESSION_S - 1)
    assert not security.is_session(cookie, TOKEN, now_s=1000 + security.SESSION_S)
    assert not security.is_session(cookie, "another token", now_s=1001)
    until, _, seal = cookie.partition(".")
    assert not security.is_session(f"{int(until) + 1}.{seal}", TOKEN, now_s=1001)
    for made_up in ("", ".", "1", "x.y", f"{until}.", "\u0661.x", f"{'9' * 5000}.x"):
        assert not security.is_session(made_up, TOKEN, now_s=1)


def test_a_large_body_is_refused(guarded: Flask) -> None:
    reply = guarded.test_client().post(
        "/api/v1/validations",
        json={"kind": "link", "toml": "x" * 1000},
        headers={"Authorization": f"Bearer {TOKEN}"},
    )
    assert reply.status_code == 413
    assert reply.json is not None
    assert reply.json["error"]["code"] == "too-large"


def test_every_answer_has_the_headers(client: Client) -> None:
    for address in ("/", "/api/v1/runs", "/api/v1/docs", "/api/v1/nothing", "/nothing"):
        headers = client.bare("GET", address).headers
        assert headers["X-Content-Type-Options"] == "nosniff", address
        assert headers["X-Frame-Options"] == "DENY"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"]


def test_who_asks_too_often_waits(database: Database, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 1.0)
    asking = create_app(Settings(home.path, bounds=Bounds(requests_per_s=5)), database).test_client()
    replies = [asking.get("/api/v1/health/live") for _ in range(7)]
    assert [reply.status_code for reply in replies] == [200] * 5 + [429] * 2
    assert replies[-1].headers["Retry-After"]
    assert asking.get("/api/v1/runs", environ_base={"REMOTE_ADDR": "127.0.0.9"}).status_code == 200


def test_what_creates_is_counted_apart(database: Database, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", lambda: 1.0)
    asking = create_app(Settings(home.path, bounds=Bounds(posts_per_s=2)), database).test_client()
    assert [asking.post("/api/v1/batches/1/cancel").status_code for _ in range(3)] == [404, 404, 429]
    assert asking.get("/api/v1/runs").status_code == 200


def test_tokens_come_back_evenly_and_not_beyond_the_brim() -> None:
    buckets = limits.Buckets(4)
    assert [buckets.take("a", 10.0) for _ in range(5)] == [True] * 4 + [False]
    assert not buckets.take("a", 10.2)
    assert buckets.take("a", 10.25)
    assert not buckets.take("a", 10.25)
    assert [buckets.take("a", 1000.0) for _ in range(5)] == [True] * 4 + [False]
    assert buckets.take("b", 1000.0)


def test_addresses_are_forgotten_before_they_fill_the_memory() -> None:
    buckets = limits.Buckets(1)
    for number in range(limits.MOST_ADDRESSES + 100):
        assert buckets.take(str(number), 1.0)
    assert len(buckets._left) == limits.MOST_ADDRESSES
