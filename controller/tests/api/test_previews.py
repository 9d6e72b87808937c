from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from windlull.runner import engine

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.api.client import Client

SCHEMA = Path(__file__).resolve().parents[3] / "schema" / "link.json"

LINK = """\
title = "Pauses"
[both]
rate = "28.8 kbit/s"
delay = "200 ms"
queue = { kind = "droptail", limit = "7 packets" }
[[impairment]]
name = "pause"
kind = "hold"
on = "both"
every = "exponential(mean 5 s)"
length = "1 s"
[[impairment]]
name = "radio"
kind = "loss"
on = "down"
probability = "2 %"
[[script]]
at = "10 s"
for = "3 s"
do = "hold"
"""


def preview(client: Client, **more: Any) -> Any:
    reply = client.post("/previews", json={"toml": LINK, "seconds": 60} | more)
    assert reply.status == 200, reply.text
    return reply.json


def test_a_text_that_nobody_keeps_is_previewed(client: Client) -> None:
    answer = preview(client)
    assert (answer["seed"], answer["repetition"], answer["until_ns"]) == ("1", 1, 60_000_000_000)
    scripted = [spell for spell in answer["up"]["spells"] if spell["name"] == "script 1"]
    assert scripted == [{"kind": "hold", "name": "script 1", "from_ns": 10_000_000_000, "until_ns": 13_000_000_000}]
    assert [fact["name"] for fact in answer["facts"]] == ["radio"]
    drawn = [spell["from_ns"] for spell in answer["down"]["spells"] if spell["name"] == "pause"]
    assert drawn == [spell["from_ns"] for spell in answer["up"]["spells"] if spell["name"] == "pause"]
    assert len(drawn) > 3
    assert client.get("/links?origin=own").json["items"] == []


def impairments() -> Iterator[tuple[str, str]]:
    """Every kind that depends on packets, with an example of what it needs: all of the schema but one of the clock."""
    schema = json.loads(SCHEMA.read_bytes())
    for kind in schema["$defs"]["ImpairmentFile"]["oneOf"]:
        if (name := kind["properties"]["kind"]["const"]) == "handovers":
            continue
        keys = {key: kind["properties"][key] for key in kind["required"] if key != "kind"}
        yield name, "\n".join(f"{key} = {example_of(value)}" for key, value in keys.items())


def example_of(value: dict[str, Any]) -> str:
    if value.get("format") == "onset":
        return '"packet with probability 0.01"'
    return "2" if value["type"] == "integer" else json.dumps(value["examples"][0])


def test_every_kind_of_fact_is_told(client: Client) -> None:
    plain = LINK[: LINK.index("[[impairment]]")]
    kinds = dict(impairments())
    parts = [f'[[impairment]]\nname = "{kind}"\nkind = "{kind}"\non = "down"\n{keys}\n' for kind, keys in kinds.items()]
    answer = preview(client, toml=plain + "".join(parts))
    assert [fact["kind"] for fact in answer["facts"]] == list(kinds)


def test_what_the_interface_does_not_know_is_not_passed_on(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    text = engine.text

    def with_news(*args: Any, **more: Any) -> bytes:
        previewed = json.loads(text(*args, **more))
        previewed["facts"][0]["kind"] = "solar-storm"
        return json.dumps(previewed).encode()

    monkeypatch.setattr(engine, "text", with_news)
    reply = client.post("/previews", json={"toml": LINK, "seconds": 60})
    assert reply.status == 500, reply.text


def test_each_seed_and_repetition_has_its_history(client: Client) -> None:
    seeds = [preview(client, seed=seed)["down"]["spells"] for seed in ("1", "18446744073709551615")]
    assert seeds[0] != seeds[1]
    assert preview(client, seed="1", repetition=1)["down"]["spells"] == seeds[0]
    assert preview(client, seed="1", repetition=2)["down"]["spells"] != seeds[0]


def test_a_link_that_names_others_finds_them(client: Client) -> None:
    client.post("/links", json={"name": "mine", "toml": LINK})
    answer = preview(client, toml='title = "On it"\nextends = "mine"\n[up]\nrate = "1 kbit/s"\n', name="other")
    assert answer["up"]["rate"]["bps"] == [1000]
    assert answer["down"]["rate"]["bps"] == [28_800]


@pytest.mark.parametrize("name", ["gprs", "sarolahti2003-delay-3s", "umts-3g"])
def test_a_shipped_link_is_previewed_from_its_text(client: Client, name: str) -> None:
    toml = client.get(f"/links/{name}").json["toml"]
    for called in ({}, {"name": name}):
        assert preview(client, toml=toml, **called)["title"] != ""


def test_what_is_wrong_is_told_with_its_place(client: Client) -> None:
    wrong = LINK.replace('at = "10 s"', 'att = "10 s"')
    reply = client.post("/previews", json={"toml": wrong, "seconds": 60, "name": "mine"})
    assert reply.status == 422
    problem = next(one for one in reply.json["error"]["problems"] if one.get("suggestion") == "at")
    assert (problem["file"], problem["line"], problem["column"]) == ("links/mine.toml", 18, 1)


def test_no_file_beside_the_profiles_is_read(client: Client) -> None:
    outside = LINK.replace('rate = "28.8 kbit/s"', 'rate = { kind = "trace", file = "/etc/passwd" }')
    reply = client.post("/previews", json={"toml": outside, "seconds": 60})
    assert reply.status == 422
    assert "root:" not in reply.text


@pytest.mark.parametrize(
    "wrong",
    [
        {"seconds": 0},
        {"seconds": 3601},
        {"seconds": 1.5},
        {"repetition": 0},
        {"seed": "-1"},
        {"seed": 1.5},
        {"more": 1},
    ],
)
def test_what_cannot_be_is_refused(client: Client, wrong: dict[str, Any]) -> None:
    assert client.post("/previews", json={"toml": LINK, "seconds": 60} | wrong).status == 422


def test_a_busy_link_is_capped(client: Client) -> None:
    busy = LINK.replace('every = "exponential(mean 5 s)"', 'every = "1 ms"').replace(
        'length = "1 s"', 'length = "1 ms"'
    )
    reply = client.post("/previews", json={"toml": busy, "seconds": 3600})
    assert reply.json["capped"] is True
    assert reply.json["until_ns"] < 3600 * 1_000_000_000
    assert len(reply.data) < 4 << 20


def test_a_link_is_previewed_by_its_name(client: Client) -> None:
    assert client.post("/links", json={"name": "pauses", "toml": LINK}).status == 201
    by_name = client.post("/previews", json={"name": "pauses", "seconds": 60}).json
    assert by_name == preview(client)
    assert client.post("/previews", json={"name": "gprs", "seconds": 1}).json["title"].startswith("GPRS")
    assert client.post("/previews", json={"name": "nobody", "seconds": 1}).status == 404
    assert client.post("/previews", json={"seconds": 1}).status == 422
