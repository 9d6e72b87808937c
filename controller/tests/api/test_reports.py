from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pyarrow.parquet as pq

from tests.api import finished
from windlull.metrics import METRICS
from windlull.run import Request, run
from windlull.runner.options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.api.client import Client


class _Silent:
    def start(self, name: str, total: int, *, live: bool, needs: Sequence[str] = ()) -> None: ...
    def advance(self, run: object) -> None: ...
    def move(self, progress: object) -> None: ...


def test_results_are_those_of_the_command_to_the_byte(client: Client, tmp_path: Path) -> None:
    batch = finished.store(client.app, finished.first_look())
    out = tmp_path / "out"
    outcome = run(Request("first-look", out, options=RunOptions(repetitions=2)), _Silent())
    assert outcome.exit_code == 0
    answer = client.get(f"/batches/{batch}/results")
    assert answer.data == (out / "results.json").read_bytes()
    assert client.get(f"/batches/{batch}/results", headers={"If-None-Match": answer.headers["ETag"]}).status == 304


def test_results_say_what_is_missing(client: Client) -> None:
    batch = finished.store(client.app, finished.first_look(), done=3)
    results = client.get(f"/batches/{batch}/results").json
    assert results["incomplete"] == {"finished": 3, "planned": 4}
    batch = finished.store(client.app, finished.figure_2(), done=0)
    assert client.get(f"/batches/{batch}/results").json["cells"] == []
    assert client.get("/batches/999/results").status == 404


def test_the_report_is_a_page_with_all_runs_that_asks_nobody(client: Client) -> None:
    batch = finished.store(client.app, finished.first_look())
    answer = client.get(f"/batches/{batch}/report")
    assert (answer.status, answer.mimetype) == (200, "text/html")
    assert answer.data.count(b"data-run=") == 4
    assert b'"files":[]' in answer.data
    policy = answer.headers["Content-Security-Policy"]
    assert "connect-src 'none'" in policy
    assert "allow-same-origin" not in policy
    assert client.get(f"/batches/{batch}/report", headers={"If-None-Match": answer.headers["ETag"]}).status == 304
    finished.evict(client.app)
    assert client.get(f"/batches/{batch}/report").data.count(b"data-run=") == 0


def test_the_table_has_a_row_a_run_and_a_column_a_metric(client: Client) -> None:
    batch = finished.store(client.app, finished.first_look())
    answer = client.get(f"/batches/{batch}/results.parquet")
    table = pq.read_table(io.BytesIO(answer.data))
    assert table.num_rows == 4
    assert set(METRICS) <= set(table.column_names)
    results = client.get(f"/batches/{batch}/results").json
    values = [value for cell in results["cells"] for value in cell["metrics"]["elapsed_s"]["values"]]
    assert table["elapsed_s"].to_pylist() == values
    ids = [run["id"] for run in client.get(f"/runs?batch={batch}").json["items"]]
    assert set(table["run"].to_pylist()) == set(ids)
    assert table["seed"].to_pylist()[0] == int(finished.first_look().planned.runs[0].seed)
    empty = finished.store(client.app, finished.figure_2(), done=0)
    assert pq.read_table(io.BytesIO(client.get(f"/batches/{empty}/results.parquet").data)).num_rows == 0


def test_the_lines_are_the_rows_of_the_table(client: Client) -> None:
    batch = finished.store(client.app, finished.first_look())
    answer = client.get(f"/batches/{batch}/results.csv")
    assert answer.headers["Content-Type"].startswith("text/csv")
    lines = list(csv.DictReader(io.StringIO(answer.data.decode())))
    table = pq.read_table(io.BytesIO(client.get(f"/batches/{batch}/results.parquet").data))
    assert list(lines[0]) == table.column_names
    for line, row in zip(lines, table.to_pylist(), strict=True):
        for name, value in row.items():
            if value is None:
                assert line[name] == "", name
            elif isinstance(value, float):
                assert float(line[name]) == value, name
            else:
                assert line[name] == str(value).replace("True", "true").replace("False", "false"), name
    assert client.get(f"/batches/{batch}/results.csv", headers={"If-None-Match": answer.headers["ETag"]}).status == 304
    empty = finished.store(client.app, finished.figure_2(), done=0)
    assert len(client.get(f"/batches/{empty}/results.csv").data.splitlines()) == 1
