"""What a worker does: the runs of one part, and their rows as the octets of a part file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from windlull.errors import FailureError
from windlull.runner.work import metrics_only
from windlull.sweep import columns

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import BinaryIO

    from windlull.runner.work import Chunk

_PLAN, _INDEX = b"windlull.plan", b"windlull.part"


@dataclass(frozen=True, slots=True)
class Task:
    """A part to make: of which plan, which of its parts, and for each stretch its point and the work."""

    plan: str
    index: int
    chunks: tuple[tuple[int, Chunk], ...]


def perform(task: Task) -> bytes:
    """Make the runs, one after the other, and return the part's file. Raises as `metrics_only` does."""
    return file(task.plan, task.index, [columns.rows(point, metrics_only(chunk)) for point, chunk in task.chunks])


def file(plan: str, index: int, tables: Sequence[pa.Table]) -> bytes:
    """Return a part's file: these rows, and which part of which plan it is."""
    table = pa.concat_tables(tables).replace_schema_metadata({_PLAN: plan.encode(), _INDEX: str(index).encode()})
    octets = pa.BufferOutputStream()
    pq.write_table(table, octets, compression="zstd", write_page_checksum=True)
    return octets.getvalue().to_pybytes()


def belongs(part: Path | BinaryIO, plan: str, index: int, rows: int) -> bool:
    """Say whether a file, whole to its last octet, is that part of that plan. Looks at its end alone."""
    try:
        with pq.ParquetFile(part) as file:
            metadata = file.schema_arrow.metadata or {}
            return (
                metadata.get(_PLAN) == plan.encode()
                and metadata.get(_INDEX) == str(index).encode()
                and file.metadata.num_rows == rows
            )
    except (pa.ArrowInvalid, OSError):
        return False


def read(path: Path) -> pa.Table:
    """Return a part's rows. Raises FailureError if the file was damaged since it was written."""
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            return file.read()
    except (pa.ArrowInvalid, OSError) as error:
        raise FailureError(f"{path} is damaged: {error}; remove it and start again: its runs are made anew") from error
