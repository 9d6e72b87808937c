from __future__ import annotations

import contextlib
import gzip
import zlib
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.series import made
from windlull.series import columns
from windlull.series.columns import SeriesError
from windlull.series.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@settings(max_examples=30, deadline=None)
@given(made.series())
def test_what_is_read_is_what_was_written(tables: made.Tables) -> None:
    found = columns.read(made.packed(made.document(tables)))
    for table in TABLES:
        for name in table.columns:
            assert found.column(table, name).tolist() == tables[table.path][name]
    assert found.strings["responses.name"] == tables["responses"]["name"]
    assert found.head.run == {"experiment": "e", "variant": "v", "link": "l", "repetition": 1, "seed": str(2**64 - 1)}


def test_columns_are_mapped_and_not_copied(tmp_path: Path) -> None:
    packed = made.packed(made.document({"data": {name: [1, 2] for name in TABLES[0].columns}}))
    columns.prepare(packed, tmp_path / "a.arrow")
    read, mapped = columns.read(packed), columns.load(tmp_path / "a.arrow")
    assert (mapped.head, mapped.end_ns, mapped.passage_ns) == (read.head, read.end_ns, read.passage_ns)
    for name, values in read.integers.items():
        assert np.array_equal(mapped.integers[name], values)
        assert not mapped.integers[name].flags.owndata
        assert not mapped.integers[name].flags.writeable
    # In the file each column lies in one piece, with nothing between it and the memory.
    (tmp_path / "a.arrow").unlink()
    assert mapped.integers["data.t"].tolist() == [1, 2]


def test_a_file_is_put_in_place_whole_or_not_at_all(tmp_path: Path) -> None:
    with pytest.raises(SeriesError):
        columns.prepare(b"nonsense", tmp_path / "a.arrow")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "a.arrow").mkdir()
    with pytest.raises(OSError, match="directory"):
        columns.prepare(made.packed(made.document({})), tmp_path / "a.arrow")
    assert [path.name for path in tmp_path.iterdir()] == ["a.arrow"]


def _without(key: str) -> Callable[[dict[str, Any]], object]:
    return lambda document: document.pop(key)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda d: d.update(version=2), "version 2"),
        (_without("names"), "names"),
        (_without("acks"), "has no acks"),
        (lambda d: d["acks"].pop("ack"), "acks: has no ack"),
        (lambda d: d["acks"].update(ack=[1]), "acks.ack: has 1 values where t has 0"),
        (lambda d: d["acks"].update(t=[1.5]), "acks.t"),
        (lambda d: d["acks"].update(t=[2**70]), "acks.t"),
        (lambda d: d["acks"].update(t=[True]), "acks.t"),
        (lambda d: d["acks"].update(t="1"), "acks.t"),
        (lambda d: d["acks"].update(t=[5, -1], ack=[0, 0], edge=[0, 0], dup=[0, 0]), "acks.t: goes back"),
        (lambda d: d["acks"].update(t=[-5], ack=[0], edge=[0], dup=[0]), "acks.t: has a time"),
        (lambda d: d["acks"].update(t=[5], ack=[0], edge=[0], dup=[2]), "acks.dup: has a code"),
        (lambda d: d["names"].update(cause=["x"] * 1001), "names.cause"),
        (lambda d: d["names"].pop("rule"), "names: has no rule"),
        (lambda d: d["link"].update(queue=[]), "queue"),
        (lambda d: d["link"].pop("drops"), "link: has no drops"),
        (lambda d: d["link"].pop("marks"), "link: has no marks"),
        (lambda d: d.update(duration_ns=-1), "duration_ns"),
    ],
)
def test_what_is_no_series_is_refused_with_its_place(spoil: Callable[[dict[str, Any]], object], message: str) -> None:
    document = made.document({})
    spoil(document)
    with pytest.raises(SeriesError, match=message):
        columns.read(made.packed(document))


def test_what_is_not_gzip_or_not_all_of_it_is_refused() -> None:
    whole = made.packed(made.document({}))
    for wrong in (b"", b"x", whole[:-9], whole + b"x", gzip.compress(b"{"), gzip.compress(b"\xff")):
        with pytest.raises(SeriesError):
            columns.read(wrong)


def test_a_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "TEXT_LIMIT_BYTES", 5000)
    with pytest.raises(SeriesError, match="longer than 5000"):
        columns.read(gzip.compress(b" " * 100_000))
    monkeypatch.undo()
    monkeypatch.setattr(columns, "VALUES_LIMIT", 100)
    with pytest.raises(SeriesError, match="more than 100 values"):
        columns.read(made.packed(made.document({"acks": {name: [0] * 60 for name in ("t", "ack", "edge", "dup")}})))


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_no_text_breaks_the_parser(data: st.DataObject) -> None:
    text = bytearray(msgspec.json.encode(made.document({"acks": {name: [1] for name in ("t", "ack", "edge", "dup")}})))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(text) - 1))
        text[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    stream = zlib.compressobj(wbits=31)
    with contextlib.suppress(SeriesError):
        columns.read(stream.compress(bytes(text)) + stream.flush())


def test_of_a_sender_that_does_not_tell_what_limits_it_the_table_is_empty() -> None:
    whole = made.document({"limits": {"t": [1, 5], "by": [0, 3]}})
    assert columns.read(made.packed(whole)).integers["limits.by"].tolist() == [0, 3]
    del whole["limits"], whole["names"]["limit"]
    assert columns.read(made.packed(whole)).integers["limits.by"].tolist() == []
