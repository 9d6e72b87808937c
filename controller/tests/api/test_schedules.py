"""Schedules: made, changed, started, read; and hooks, by which a forge starts one without the token."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.api import finished
from tests.api.client import UNHURRIED, Client
from windlull.api import hooks
from windlull.api.app import create_app
from windlull.api.context import of
from windlull.api.settings import Settings
from windlull.schedules.messages import signature
from windlull.stats.quantities import ALPHA
from windlull.store import notices
from windlull.store import schedules as store

if TYPE_CHECKING:
    from windlull.store.database import Database
    from windlull.store.home import Home

NOTICE_SECRET = "0123456789abcdef"  # noqa: S105 - a test's
HOOK_SECRET = "fedcba9876543210"  # noqa: S105
URL = "https://chat.example.org/hooks/T0/B0/xyz"
GIVEN: dict[str, Any] = {"name": "nightly", "experiment": "first-look", "cron": "30 2 * * *", "zone": "Europe/Berlin"}
GATE = {"fail_if": ["elapsed.median > 1.05 * baseline"]}
WHOLE = GIVEN | {
    "repetitions": 3, "seed": "7", "tags": ["thesis"], "gate": GATE,
    "hook": {"secret": HOOK_SECRET, "branch": "main"}, "notice": {"url": URL, "secret": NOTICE_SECRET},
}  # fmt: skip
PUSH = {"ref": "refs/heads/main", "after": "3f2a9c41d03f2a9c41d03f2a9c41d03f2a9c41d0"}


@pytest.fixture
def made(client: Client) -> int:
    """The number of a schedule that has everything."""
    answer = client.post("/schedules", json=WHOLE)
    assert answer.status == 201, answer.text
    return int(answer.json["id"])


def push(client: Client, number: int, said: dict[str, Any] = PUSH, **headers: str) -> Any:
    """Send what GitHub sends, signed unless a header says otherwise."""
    octets = json.dumps(said).encode()
    signed = {hooks.SIGNATURE: signature(HOOK_SECRET, octets), "X-GitHub-Event": "push"}
    asked = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.post(
        f"/hooks/{number}", data=octets, content_type="application/json", headers={**signed, **asked}
    )  # fmt: skip


def test_a_schedule_is_kept_and_tells_no_secret(client: Client, made: int) -> None:
    answer = client.get(f"/schedules/{made}")
    view = answer.json
    assert (view["name"], view["experiment"], view["words"]) == ("nightly", "first-look", "At 02:30 every day")
    assert (view["repetitions"], view["seed"], view["tags"], view["last"]) == (3, "7", ["thesis"], None)
    assert view["gate"] == GATE | {"against": "previous", "batch": None, "alpha": ALPHA, "strict": False}
    assert view["hook"] == {"path": f"api/v1/hooks/{made}", "branch": "main"}
    assert view["notice"] == {"to": "https://chat.example.org", "signed": True}
    assert datetime.fromisoformat(view["next_at"]) > datetime.now(UTC)
    lists = [client.get("/schedules"), client.patch(f"/schedules/{made}", json={"priority": 1}), answer]
    for one in lists:
        assert not any(secret in one.text for secret in (NOTICE_SECRET, HOOK_SECRET, "T0/B0"))


def test_what_is_left_out_stays(client: Client, made: int) -> None:
    before = client.get(f"/schedules/{made}").json
    after = client.patch(f"/schedules/{made}", json={"cron": "0 4 * * 1", "repetitions": None}).json
    assert after["words"] == "At 04:00 on Monday"
    assert after["next_at"] != before["next_at"]
    changed = {"cron", "words", "next_at", "repetitions"}
    assert {name for name in before if before[name] != after[name]} == changed
    context = of(client.app)
    with context.database.reader() as session:
        (row,) = store.newest(session, before=None, limit=2)
    assert (row.hook_secret, row.notice_url, row.notice_secret) == (HOOK_SECRET, URL, NOTICE_SECRET)


def test_a_gate_is_replaced_as_a_whole(client: Client, made: int) -> None:
    rules = ["elapsed.median > 2 * baseline"]
    after = client.patch(f"/schedules/{made}", json={"gate": {"fail_if": rules}}).json
    assert after["gate"] == {"fail_if": rules, "against": "previous", "batch": None, "alpha": ALPHA, "strict": False}
    assert client.patch(f"/schedules/{made}", json={"gate": None}).json["gate"] is None


def test_one_that_is_paused_is_not_due(client: Client, made: int) -> None:
    assert client.patch(f"/schedules/{made}", json={"paused": True}).json["next_at"] is None
    assert client.patch(f"/schedules/{made}", json={"priority": 2}).json["next_at"] is None
    assert client.patch(f"/schedules/{made}", json={"paused": False}).json["next_at"] is not None
    assert client.patch(f"/schedules/{made}", json={"cron": None}).json["next_at"] is None


def test_a_change_does_not_move_the_next_time(client: Client, made: int) -> None:
    context = of(client.app)
    missed = datetime.now(UTC) - timedelta(hours=3)
    with context.database.session() as session:
        store.newest(session, before=None, limit=1)[0].next_at = missed
    after = client.patch(f"/schedules/{made}", json={"tags": []}).json
    assert datetime.fromisoformat(after["next_at"]) == missed


@pytest.mark.parametrize(
    ("changes", "status", "word"),
    [
        ({"experiment": "nothing"}, 404, "nothing"),
        ({"name": "-"}, 422, "name"),
        ({"cron": "2 o'clock"}, 422, "five fields"),
        ({"cron": "61 2 * * *"}, 422, "bad minute"),
        ({"zone": "Europe/Berln"}, 422, "Europe/Berlin"),
        ({"seed": "1", "fresh_seed": True}, 422, "fresh_seed"),
        ({"plane": "netem"}, 422, "plane"),
        ({"repetitions": 90_000}, 422, "a batch has at most"),
        ({"gate": {"fail_if": ["elapsed is bad"]}}, 422, "gate.fail_if"),
        ({"gate": GATE | {"against": "batch"}}, 422, "batch goes with"),
        ({"gate": GATE | {"against": "batch", "batch": 99}}, 422, "there is no batch 99"),
        ({"hook": {"secret": "short"}}, 422, "hook.secret: string should have at least 16 characters"),
        (
            {"hook": {"secret": "a long random word"}},
            422,
            "it takes letters, digits and punctuation of ASCII, without spaces",
        ),
        ({"name": "nightly!"}, 422, "name: has the wrong form; it takes letters, digits, spaces and"),
        ({"notice": {"url": "ftp://example.org"}}, 422, "notice.url"),
        ({"notice": {"url": "https://me:pass@example.org"}}, 422, "without user and password"),
    ],
)
def test_what_cannot_be_scheduled_is_refused(client: Client, changes: dict[str, Any], status: int, word: str) -> None:
    answer = client.post("/schedules", json=GIVEN | changes)
    assert answer.status == status
    assert word in answer.text
    assert client.get("/schedules").json["items"] == []


def test_the_page_has_an_example_that_is_taken(client: Client) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "schedules.md").read_text(encoding="utf-8")
    (body,) = re.findall(r"/api/v1/schedules -d '(.*?)'\n", page, flags=re.DOTALL)
    answer = client.post("/schedules", json=json.loads(body))
    assert answer.status == 201, answer.text


def test_two_have_not_one_name(client: Client, made: int) -> None:
    answer = client.post("/schedules", json=GIVEN)
    assert (answer.status, answer.json["error"]["code"]) == (409, "name-taken")
    other = client.post("/schedules", json=GIVEN | {"name": "weekly"}).json["id"]
    assert client.patch(f"/schedules/{other}", json={"name": "nightly"}).status == 409
    assert client.patch(f"/schedules/{made}", json={"name": "nightly"}).status == 200


def test_asked_for_twice_with_one_key_it_is_made_once(client: Client) -> None:
    first, again = (client.post("/schedules", json=WHOLE, headers={"Idempotency-Key": "k"}) for _ in range(2))
    assert first.json == again.json
    assert len(client.get("/schedules").json["items"]) == 1
    assert HOOK_SECRET not in again.text


def test_there_are_so_many_at_most(client: Client, monkeypatch: pytest.MonkeyPatch, made: int) -> None:
    monkeypatch.setattr(store, "KEPT", 1)
    answer = client.post("/schedules", json=GIVEN | {"name": "weekly"})
    assert (answer.status, answer.json["error"]["code"]) == (507, "too-many-schedules")
    assert client.delete(f"/schedules/{made}").status == 204
    assert client.get(f"/schedules/{made}").status == 404
    assert client.post("/schedules", json=GIVEN | {"name": "weekly"}).status == 201


def test_it_is_started_for_a_commit(client: Client, made: int, monkeypatch: pytest.MonkeyPatch) -> None:
    client.patch(f"/schedules/{made}", json={"paused": True})
    answer = client.post(f"/schedules/{made}/trigger", json={"commit": "3f2a9c4"}, headers={"Idempotency-Key": "k"})
    assert answer.status == 201
    assert client.get(answer.headers["Location"].removeprefix("/api/v1")).json == answer.json
    assert (answer.json["cause"], answer.json["commit"], answer.json["state"]) == ("trigger", "3f2a9c4", "waiting")
    client.post(f"/schedules/{made}/trigger", json={"commit": "3f2a9c4"}, headers={"Idempotency-Key": "k"})
    client.post(f"/schedules/{made}/trigger", json={})
    listed = client.get(f"/schedules/{made}/rounds").json["items"]
    assert [one["commit"] for one in listed] == [None, "3f2a9c4"]
    assert client.get(f"/schedules/{made}").json["last"] == listed[0]
    monkeypatch.setattr(store, "MOST_WAITING", 2)
    full = client.post(f"/schedules/{made}/trigger", json={})
    assert (full.status, full.json["error"]["code"]) == (429, "too-many-waiting")


def test_a_round_tells_its_batch_its_verdict_and_its_notices(client: Client, made: int) -> None:
    number = client.post(f"/schedules/{made}/trigger", json={}).json["id"]
    batch = finished.store(client.app, finished.first_look())
    now = datetime.now(UTC)
    check = {"status": "fail", "rule": "r", "subject": "s", "measured": "m", "why": "w"}
    judged = {"verdict": "fail", "words": "It failed.", "baseline": None, "checks": [check], "notes": []}
    with of(client.app).database.session() as session:
        assert store.begin(session, number, batch, now=now)
        assert store.end(session, number, verdict="fail", judged=judged, reason=None, now=now)
        notices.add(session, number, "key", '{"event":"gate-failed"}', now=now)
    told = client.get(f"/batches/{batch}/round").json
    view = told["round"]
    assert told["schedule"] == "nightly"
    assert (view["schedule"], view["state"], view["gate"]) == (made, "ended", judged)
    (notice,) = view["notices"]
    assert (notice["event"], notice["state"], notice["attempts"]) == ("gate-failed", "waiting", 0)
    assert client.get("/batches/9999/round").status == 404
    other = finished.store(client.app, finished.first_look())
    assert client.get(f"/batches/{other}/round").json == {"schedule": None, "round": None}


def test_a_cron_expression_is_explained(client: Client) -> None:
    view = client.get("/schedules/times?cron=0+3+*+*+1-5&zone=Europe/Berlin").json
    assert view["words"] == "At 03:00 on Monday through Friday"
    assert len(view["next"]) == 5
    assert view["next"] == sorted(view["next"])
    wrong = client.get("/schedules/times?cron=0+3+*+*+9&zone=UTC")
    assert (wrong.status, wrong.json["error"]["problems"][0]["key"]) == (422, "cron")


# --- hooks ------------------------------------------------------------------------------------------------------------


def test_a_push_that_is_signed_starts_it(client: Client, made: int) -> None:
    answer = push(client, made)
    assert answer.status == 201
    assert (answer.json["cause"], answer.json["commit"]) == ("hook", PUSH["after"])


def test_gitlab_shows_the_secret_itself(client: Client, made: int) -> None:
    headers = {hooks.TOKEN: HOOK_SECRET, "X-Gitlab-Event": "Push Hook"}
    assert client.post(f"/hooks/{made}", json=PUSH, headers=headers).status == 201
    assert client.post(f"/hooks/{made}", json=PUSH, headers=headers | {hooks.TOKEN: "x" * 16}).status == 403


def test_who_does_not_know_the_secret_learns_and_starts_nothing(client: Client, made: int) -> None:
    bare = client.post("/schedules", json=GIVEN | {"name": "without"}).json["id"]
    answers = [
        client.post(f"/hooks/{made}", json=PUSH),
        push(client, made, X_Hub_Signature_256="sha256=" + "0" * 64),
        push(client, made, X_Hub_Signature_256="é"),
        # A signature of another body.
        client.post(
            f"/hooks/{made}", json=PUSH | {"ref": "x"},
            headers={hooks.SIGNATURE: signature(HOOK_SECRET, json.dumps(PUSH).encode())},
        ),
        push(client, bare),
        push(client, 9999),
    ]  # fmt: skip
    assert {(one.status, one.text) for one in answers} == {(403, answers[0].text)}
    assert client.get(f"/schedules/{made}/rounds").json["items"] == []


@pytest.mark.parametrize(
    ("said", "headers", "words"),
    [
        ({"zen": "Keep it logically awesome."}, {"X_GitHub_Event": "ping"}, "nothing is started by 'ping'"),
        ({**PUSH, "ref": "refs/heads/topic"}, {}, "only pushes to main"),
        ({**PUSH, "ref": "refs/tags/main"}, {}, "only pushes to main"),
        ({**PUSH, "after": "0" * 40}, {}, "deleted"),
    ],
)
def test_what_is_no_push_to_the_branch_starts_nothing(
    client: Client, made: int, said: dict[str, Any], headers: dict[str, str], words: str
) -> None:
    answer = push(client, made, said, **headers)
    assert answer.status == 200
    assert words in answer.json["words"]
    assert client.get(f"/schedules/{made}/rounds").json["items"] == []


def test_what_is_delivered_twice_starts_it_once(client: Client, made: int) -> None:
    first, again = (push(client, made, X_GitHub_Delivery="72d3162e") for _ in range(2))
    assert first.json == again.json
    push(client, made, X_GitHub_Delivery="another")
    assert len(client.get(f"/schedules/{made}/rounds").json["items"]) == 2


def test_a_push_does_not_start_what_is_paused(client: Client, made: int) -> None:
    client.patch(f"/schedules/{made}", json={"paused": True})
    assert push(client, made).json["error"]["code"] == "paused"


@pytest.mark.parametrize("body", [b"[]", b"{", b'{"after": 7}', b"\xff"])
def test_what_cannot_be_read_is_refused(client: Client, made: int, body: bytes) -> None:
    answer = client.post(
        f"/hooks/{made}", data=body, content_type="application/json",
        headers={hooks.SIGNATURE: signature(HOOK_SECRET, body)},
    )  # fmt: skip
    assert (answer.status, answer.json["error"]["code"]) == (400, "bad-json")


def test_a_commit_that_is_none_is_left_out(client: Client, made: int) -> None:
    answer = push(client, made, {**PUSH, "after": "'; DROP TABLE rounds"})
    assert (answer.status, answer.json["commit"]) == (201, None)


def test_a_hook_needs_no_token_and_a_trigger_does(database: Database, home: Home) -> None:
    app = create_app(Settings(home.path, hosts=None, token="the-token", bounds=UNHURRIED), database)  # noqa: S106
    client = Client(app)
    headers = {"Authorization": "Bearer the-token"}
    number = client.post("/schedules", json=WHOLE, headers=headers).json["id"]
    assert push(client, number).status == 201
    assert client.bare("POST", f"/api/v1/schedules/{number}/trigger", json={}).status == 401
    assert client.bare("GET", f"/api/v1/hooks/{number}").status == 405
    # A page of another origin is no forge.
    assert push(client, number, Origin="https://evil.example").status == 403
    of(app).watch.close()
