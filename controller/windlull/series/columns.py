"""The columns of a run's series: read from series.json.gz, written as one Arrow file, mapped into memory.

The Arrow file has one record batch of one row. Each field is a list, so that tables of different lengths lie in one
file, each column in one piece; what is no column stands in the schema's metadata. See docs/decisions/0017.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.ipc

from windlull.series.tables import NAMES, OPTIONAL_NAMES, TABLES, Drawing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence, Sized

    from numpy.typing import NDArray

    from windlull.series.tables import Table

    Integers = NDArray[np.int64]

VERSION = 1
"""The version of series.json that is understood."""

TEXT_LIMIT_BYTES = 1 << 29
"""The longest series.json that is read. A million segments are about 40 MB."""
VALUES_LIMIT = 100_000_000
"""The most values that the columns of a series may have together."""
NAMES_LIMIT = 1000
"""The most words that a list of names may have."""
_METADATA = b"windlull"
_GREATEST = np.int64((1 << 63) - 1)
_Kind = TypeVar("_Kind")


class SeriesError(ValueError):
    """What should be a run's series is none; the message says where."""


class _Head(msgspec.Struct, frozen=True):
    """What a series has beside its columns."""

    version: int
    data_sender: str
    duration_ns: int
    names: dict[str, list[str]]
    run: dict[str, Any] | None = None


class _Metadata(msgspec.Struct, frozen=True):
    """The metadata of the Arrow file: the head, and what is worked out once.

    `end_ns` is behind the last time of any row; `passage_ns` the longest time that a segment was under way.
    """

    head: _Head
    end_ns: int
    passage_ns: int


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of one series by name (`data.seq`), int64, read-only, and what it says of itself."""

    head: _Head
    end_ns: int
    passage_ns: int
    integers: Mapping[str, Integers]
    strings: Mapping[str, list[str]] = field(default_factory=dict)

    def column(self, table: Table, name: str) -> Integers:
        """One column of a table."""
        return self.integers[table.key(name)]

    @property
    def size_bytes(self) -> int:
        """How many bytes the columns have."""
        return sum(column.nbytes for column in self.integers.values())


def prepare(packed: bytes, path: Path) -> None:
    """Write the columns of a series.json.gz to `path`, whole or not at all.

    Raises SeriesError if it is no series, OSError if it cannot be written.
    """
    save(read(packed), path)


def read(packed: bytes) -> Columns:
    """Parse a series.json.gz. Raises SeriesError if it is none, or too large."""
    top = _object(_inflate(packed), "series")
    version = _decode(_member(top, "version", "series"), int, "version")
    if version != VERSION:
        raise SeriesError(f"the series has format version {version}; this is made for version {VERSION}")
    head = _head(top)
    integers: dict[str, Integers] = {}
    strings: dict[str, list[str]] = {}
    room = VALUES_LIMIT
    for table in TABLES:
        if table.optional and table.path not in top:
            integers |= {table.key(name): np.zeros(0, dtype=np.int64) for name in table.columns}
            continue
        members = _table(top, table)
        for name in table.columns:
            integers[table.key(name)] = column = _column(_member(members, name, table.path), table.key(name), room)
            room -= len(column)
        for name in table.strings:
            strings[table.key(name)] = _decode(_member(members, name, table.path), list[str], table.key(name))
        _check(table, integers, strings, head)
    arrived, sent = integers["data.arrived"], integers["data.t"]
    under_way = (arrived - sent)[arrived >= 0]
    ends = [int(integers[table.key(table.time)][-1]) for table in TABLES if len(integers[table.key(table.time)])]
    return Columns(
        head,
        end_ns=max(head.duration_ns, *ends, 0) + 1,
        passage_ns=max(0, int(under_way.max())) if len(under_way) else 0,
        integers=integers,
        strings=strings,
    )


def save(columns: Columns, path: Path) -> None:
    """Write columns to an Arrow file, whole or not at all. Raises OSError."""
    metadata = msgspec.json.encode(_Metadata(columns.head, columns.end_ns, columns.passage_ns))
    arrays: dict[str, pa.Array[Any]] = {name: _as_row(_integers(values)) for name, values in columns.integers.items()}
    arrays |= {name: _as_row(_texts(values)) for name, values in columns.strings.items()}
    schema = pa.schema([pa.field(name, array.type) for name, array in arrays.items()], metadata={_METADATA: metadata})
    batch = pa.record_batch(list(arrays.values()), schema=schema)
    with _replacing(path) as temporary, pa.OSFile(str(temporary), "wb") as sink, pa.ipc.new_file(sink, schema) as file:
        file.write_batch(batch)


def load(path: Path) -> Columns:
    """Map an Arrow file into memory; nothing of a column is read before it is looked at.

    Raises SeriesError if it is not one of ours, OSError if it cannot be opened.
    """
    try:
        # The mapping keeps itself alive as long as an array of it does.
        batch = pa.ipc.open_file(pa.memory_map(str(path))).get_batch(0)
        metadata = msgspec.json.decode((batch.schema.metadata or {})[_METADATA], type=_Metadata)
        integers = {
            table.key(name): _list(batch, table.key(name)).to_numpy(zero_copy_only=True)
            for table in TABLES
            for name in table.columns
        }
        strings = {
            table.key(name): cast("list[str]", _list(batch, table.key(name)).to_pylist())
            for table in TABLES
            for name in table.strings
        }
    except (pa.ArrowInvalid, msgspec.MsgspecError, KeyError, IndexError) as error:
        raise SeriesError(f"{path.name} has no columns of ours: {error}") from error
    return Columns(metadata.head, metadata.end_ns, metadata.passage_ns, integers, strings)


def _inflate(packed: bytes) -> bytes:
    stream = zlib.decompressobj(wbits=31)
    try:
        text = stream.decompress(packed, TEXT_LIMIT_BYTES)
    except zlib.error as error:
        raise SeriesError(f"the series is not gzip: {error}") from error
    if stream.unconsumed_tail:
        raise SeriesError(f"the series is longer than {TEXT_LIMIT_BYTES} octets")
    if not stream.eof or stream.unused_data:
        raise SeriesError("the series is cut off, or has something behind its end")
    return text


def _head(top: dict[str, msgspec.Raw]) -> _Head:
    members = {name: top[name] for name in _Head.__struct_fields__ if name in top}
    head = _decode(msgspec.json.encode(members), _Head, "series")
    if not 0 <= head.duration_ns < 1 << 62:
        raise SeriesError(f"duration_ns: {head.duration_ns} is no duration")
    for name in (*NAMES, *OPTIONAL_NAMES):
        if name in NAMES and name not in head.names:
            raise SeriesError(f"names: has no {name}")
        if len(head.names.get(name, ())) > NAMES_LIMIT:
            raise SeriesError(f"names.{name}: has more than {NAMES_LIMIT} words")
    return head


def _table(top: dict[str, msgspec.Raw], table: Table) -> dict[str, msgspec.Raw]:
    members, walked = top, "series"
    for part in table.path.split("."):
        members = _object(_member(members, part, walked), part)
        walked = part
    return members


def _column(raw: msgspec.Raw, name: str, room: int) -> Integers:
    text = bytes(raw)
    count = text.count(b",") + 1
    if count > room:
        raise SeriesError(f"{name}: the series has more than {VALUES_LIMIT} values")
    steps = _numbers(text, count)
    if steps is None:
        try:
            steps = np.array(_decode(raw, list[int], name), dtype=np.int64)
        except OverflowError as error:
            raise SeriesError(f"{name}: a number is beyond 64 bits") from error
    return np.cumsum(steps, out=steps)


def _numbers(text: bytes, count: int) -> Integers | None:
    """Return so many numbers of a JSON array, in half the time that a list of them takes; None if it is none."""
    if not text.startswith(b"["):
        return None
    try:
        # It ends at what is no whole number, with a warning that is an error where tests run.
        numbers = np.fromstring(text[1:-1], dtype=np.int64, sep=",")
    except (DeprecationWarning, ValueError):
        return None
    # A number beyond 64 bits is read as the greatest there is.
    beyond = (numbers == _GREATEST) | (numbers == ~_GREATEST)
    return numbers if len(numbers) == count and not beyond.any() else None


def _check(table: Table, integers: Mapping[str, Integers], strings: Mapping[str, list[str]], head: _Head) -> None:
    """Refuse columns of different lengths, times that go back, and codes that have no name."""
    time = integers[table.key(table.time)]
    for name in (*table.columns, *table.strings):
        key = table.key(name)
        length = len(integers[key]) if key in integers else len(strings[key])
        if length != len(time):
            raise SeriesError(f"{key}: has {length} values where {table.time} has {len(time)}")
    if len(time) and (time.min() < 0 or time.max() >= 1 << 62):
        raise SeriesError(f"{table.key(table.time)}: has a time beyond all runs")
    if table.drawing is not Drawing.SPELLS and bool((time[1:] < time[:-1]).any()):
        raise SeriesError(f"{table.key(table.time)}: goes back in time")
    for name, known in table.codes.items():
        count = known if isinstance(known, int) else len(head.names.get(known, ()))
        codes = integers[table.key(name)]
        if len(codes) and (codes.min() < -1 or codes.max() >= count):
            raise SeriesError(f"{table.key(name)}: has a code that is neither below {count} nor -1")


# Arrays are made of what lies in memory: `pa.array` imports pandas first, to see whether it was given something of it.


def _integers(values: Integers) -> pa.Int64Array:
    made = pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values.data)])
    return cast("pa.Int64Array", made)


def _texts(values: list[str]) -> pa.Array[Any]:
    encoded = [value.encode() for value in values]
    return pa.LargeStringArray.from_buffers(
        len(values), pa.py_buffer(_offsets(encoded).data), pa.py_buffer(b"".join(encoded))
    )


def _as_row(values: pa.Array[Any]) -> pa.LargeListArray[Any]:
    return pa.LargeListArray.from_arrays(_integers(_offsets([values])), values)


def _offsets(parts: Sequence[Sized]) -> Integers:
    """Return where each part begins, one behind the other, and where the last one ends."""
    return np.cumsum([0, *map(len, parts)], dtype=np.int64)


def _list(batch: pa.RecordBatch, name: str) -> pa.Array[Any]:
    return batch.column(name).values  # type: ignore[attr-defined, no-any-return]


def _object(text: bytes | msgspec.Raw, where: str) -> dict[str, msgspec.Raw]:
    return _decode(text, dict[str, msgspec.Raw], where)


def _member(members: dict[str, msgspec.Raw], name: str, where: str) -> msgspec.Raw:
    try:
        return members[name]
    except KeyError:
        raise SeriesError(f"{where}: has no {name}") from None


def _decode(text: bytes | msgspec.Raw, kind: type[_Kind], where: str) -> _Kind:
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise SeriesError(f"{where}: {error}") from error


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Give a file beside `path` that takes its place at the end, or goes away after an error."""
    handle, name = tempfile.mkstemp(prefix=".part-", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
