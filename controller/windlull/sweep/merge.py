"""From parts to results: one file, made in one pass that holds little at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from windlull.reports import files
from windlull.sweep import work
from windlull.sweep.columns import Results
from windlull.sweep.directory import PLAN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from windlull.sweep.directory import Directory
    from windlull.sweep.plan import Sweep

GROUP_ROWS = 65_536
"""Rows of a row group. It is the same wherever the parts end, so that the file is, too."""


def merge(sweep: Sweep, directory: Directory) -> None:
    """Write the results from all parts: the same octets whoever made the parts, and in whatever order."""
    results = Results(sweep.grid, {PLAN: directory.plan.encode()})
    tables = (results.of_part(work.read(directory.part(part))) for part in sweep.parts())
    with (
        files.writing(directory.results) as stream,
        pq.ParquetWriter(stream, results.schema, compression="zstd", write_page_checksum=True) as writer,
    ):
        for group in regrouped(tables, GROUP_ROWS):
            writer.write_table(group, row_group_size=GROUP_ROWS)


def regrouped(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """Yield the same rows in tables of so many, the last one with what is left."""
    waiting: list[pa.Table] = []
    count = 0
    for table in tables:
        waiting.append(table)
        count += table.num_rows
        while count >= rows:
            whole = pa.concat_tables(waiting)
            # Written from one piece: where a part ended must not be seen in the file's pages.
            yield whole.slice(0, rows).combine_chunks()
            count -= rows
            waiting = [whole.slice(rows)]
    if count:
        yield pa.concat_tables(waiting).combine_chunks()
