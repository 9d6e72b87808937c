from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any, get_args

import pytest
from sqlalchemy import select, update

from tests.api import finished
from tests.series import made as drawn
from windlull.api import series
from windlull.api.context import of
from windlull.series.tables import NAMES, OPTIONAL_NAMES, TABLES
from windlull.store.tables import Artefact, Run

if TYPE_CHECKING:
    from tests.api.client import Client


@pytest.fixture
def run(client: Client) -> int:
    """The number of a run that has ended."""
    batch = finished.store(client.app, finished.first_look())
    return int(client.get(f"/runs?batch={batch}&order=oldest").json["items"][0]["id"])


def _file() -> Any:
    made = finished.first_look()
    return json.loads(gzip.decompress(made.files[made.planned.runs[0].directory]["series.json.gz"]))


def test_a_run_with_few_rows_is_told_as_its_file_has_it(client: Client, run: int) -> None:
    answer = client.get(f"/runs/{run}/series")
    assert answer.status == 200
    expected, given = _file(), answer.json
    tables, _ = drawn.uncoded(given)
    of_file, _ = drawn.uncoded(expected)
    assert tables == of_file
    for key in ("version", "run", "data_sender", "duration_ns", "names"):
        assert given[key] == expected[key]
    assert given["data"]["rows"] == given["data"]["given"] == len(of_file["data"]["t"])
    assert not given["data"]["decimated"]


def test_the_engine_writes_the_columns_that_are_known() -> None:
    whole = _file()
    for table in TABLES:
        part = whole
        for name in table.path.split("."):
            part = part[name]
        assert set(part) == {*table.columns, *table.strings}
    assert set(whole["names"]) == {*NAMES, *OPTIONAL_NAMES}


def test_every_table_can_be_asked_for() -> None:
    below = {table.path for table in TABLES} | {"link", "link.queue"}
    assert set(get_args(series.TableName)) == below


def test_a_narrow_drawing_gets_fewer_rows_and_a_window_of_it_all(client: Client, run: int) -> None:
    narrow = client.get(f"/runs/{run}/series?pixels=5&tables=data").json
    assert narrow["data"]["decimated"]
    assert narrow["data"]["given"] < narrow["data"]["rows"] == len(_file()["data"]["t"])
    assert narrow["acks"]["given"] == 0 < narrow["acks"]["rows"]
    window = client.get(f"/runs/{run}/series?from=2000000000&to=3000000000&pixels=500&tables=data&tables=acks").json
    assert window["window"] == {"from": 2_000_000_000, "to": 3_000_000_000, "pixels": 500}
    assert not window["data"]["decimated"]


def test_what_has_not_changed_is_not_sent_again(client: Client, run: int) -> None:
    first = client.get(f"/runs/{run}/series?pixels=100")
    again = client.get(f"/runs/{run}/series?pixels=100", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.data) == (304, b"")
    other = client.get(f"/runs/{run}/series?pixels=101", headers={"If-None-Match": first.headers["ETag"]})
    assert other.status == 200


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("pixels=0", "pixels"), ("pixels=1.5", "pixels"), ("pixels=10001", "pixels"), ("from=-1", "from"),
        ("tables=dat", "tables"), ("width=3", "width"), ("from=5&to=5", "window"),
        ("from=4611686018427387903", "window"),
        ("to=99999999999999999999", "to"), ("from=1&from=2", "from"),
    ],
)  # fmt: skip
def test_what_is_no_window_is_refused(client: Client, run: int, query: str, key: str) -> None:
    answer = client.get(f"/runs/{run}/series?{query}")
    assert answer.status == 422
    assert key in json.dumps(answer.json)


def test_there_is_a_reason_where_there_is_no_series(client: Client, run: int) -> None:
    assert client.get("/runs/999/series").status == 404
    assert client.get("/runs/0/series").status == 404
    batch = finished.store(client.app, finished.figure_2(), done=0)
    queued = client.get(f"/runs?batch={batch}").json["items"][0]["id"]
    refused = client.get(f"/runs/{queued}/series")
    assert (refused.status, refused.json["error"]["code"]) == (409, "no-result")
    finished.evict(client.app)
    assert client.get(f"/runs/{run}/series").status == 410


def test_a_file_that_is_no_series_is_told(client: Client, run: int) -> None:
    context = of(client.app)
    wrong = context.blobs.put(gzip.compress(b'{"version":1}'))
    with context.database.session() as session:
        result = session.scalar(select(Run.result_id).where(Run.id == run))
        session.execute(
            update(Artefact).where(Artefact.result_id == result, Artefact.name == "series.json.gz").values(sha256=wrong)
        )
    answer = client.get(f"/runs/{run}/series")
    assert (answer.status, answer.json["error"]["code"]) == (422, "unreadable")
