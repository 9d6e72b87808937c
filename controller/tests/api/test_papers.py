from __future__ import annotations

from typing import TYPE_CHECKING

from tests.api import finished
from windlull import locate

if TYPE_CHECKING:
    from tests.api.client import Client

NAME = "papers/sarolahti2003/figure-2"


def test_papers_are_listed_with_their_experiments(client: Client) -> None:
    items = client.get("/papers").json["items"]
    papers = {item["name"]: item["experiments"] for item in items}
    assert list(papers) == ["gurtov2003", "jacobson1988", "psaras2007", "sarolahti2003", "wen2010"]
    for paper, experiments in papers.items():
        files = (locate.profiles() / "experiments" / "papers" / paper).glob("*.toml")
        names = [file.stem for file in files if file.stem.partition("-")[0] != "base"]
        assert sorted(experiments) == sorted(f"papers/{paper}/{name}" for name in names)


def test_a_paper_that_was_not_run_has_its_numbers_and_claims_all_the_same(client: Client) -> None:
    paper = client.get("/papers/sarolahti2003").json
    table = next(one for one in paper["experiments"] if one["name"].endswith("table-1"))
    assert table["batch"] is None
    assert len(table["rows"]) == 6
    assert table["rows"][0]["numbers"][0]["published"] is not None
    assert table["rows"][0]["numbers"][0]["ours"] == {}
    assert table["rows"][0]["numbers"][0]["spread"] == {}
    assert table["repetitions"] > 1
    assert table["assumptions"]
    assert (table["batch"], table["under_way"]) == (None, None)
    assert {claim["status"] for claim in table["claims"]} == {"not run"}
    assert {one["grade"] for one in paper["statements"]} == {"not checked"}
    assert {check["grade"] for one in paper["statements"] for check in one["checks"]} == {None}
    assert paper["counts"]["not checked"] == len(paper["statements"])


def test_the_newest_batch_that_has_ended_counts(client: Client) -> None:
    finished.store(client.app, finished.figure_2())
    newer = finished.store(client.app, finished.figure_2())
    paper = client.get("/papers/sarolahti2003").json
    figure = next(one for one in paper["experiments"] if one["name"] == NAME)
    assert figure["batch"]["id"] == newer
    assert figure["under_way"] is None
    running = client.post("/batches", json={"experiment": NAME, "seed": "9"}).json["id"]
    paper = client.get("/papers/sarolahti2003").json
    figure = next(one for one in paper["experiments"] if one["name"] == NAME)
    assert (figure["batch"]["id"], figure["under_way"]) == (newer, running)
    assert client.delete(f"/batches/{running}").status == 204
    assert {claim["status"] for claim in figure["claims"]} <= {"reproduced", "not reproduced", "cannot be decided"}
    assert client.delete(f"/batches/{newer}").status == 204
    again = client.get("/papers/sarolahti2003").json
    assert next(one for one in again["experiments"] if one["name"] == NAME)["batch"]["id"] == newer - 1


def test_a_paper_that_is_none_is_not_found(client: Client) -> None:
    assert client.get("/papers/nobody1999").status == 404
    assert client.get("/papers/..").status == 404


def test_our_numbers_have_their_spread(client: Client) -> None:
    finished.store(client.app, finished.table_1())
    paper = client.get("/papers/sarolahti2003").json
    table = next(one for one in paper["experiments"] if one["name"].endswith("table-1"))
    for row in table["rows"]:
        for number in row["numbers"]:
            spread = number["spread"]["sim"]
            assert spread["q1"] <= number["ours"]["sim"] <= spread["q3"]
            assert spread["runs"] == 2
            assert number["digits"] in range(4)


def test_a_statement_has_its_grade_by_the_newest_batches(client: Client) -> None:
    finished.store(client.app, finished.figure_2())
    paper = client.get("/papers/sarolahti2003").json
    by_id = {one["id"]: one for one in paper["statements"]}
    assert by_id["frto-avoids"]["grade"] == "shown by one run"
    assert [check["experiment"] for check in by_id["frto-avoids"]["checks"]] == [NAME] * 3
    # Another figure checks it, too, and was not run.
    assert by_id["needless-fast-retransmit"]["grade"] == "not checked"
    assert by_id["needless-fast-retransmit"]["why"] == "1 of its 2 checks were run"
    assert sum(paper["counts"].values()) == len(paper["statements"])


def test_a_published_number_has_its_distance(client: Client) -> None:
    finished.store(client.app, finished.table_1())
    paper = client.get("/papers/sarolahti2003").json
    numbers = [number for one in paper["statements"] if one["id"] == "delays-frto-faster" for number in one["numbers"]]
    assert [round(number["published"], 2) for number in numbers] == [0.81, 0.83]
    for number in numbers:
        assert number["distance"] == number["ours"] / number["published"] - 1
