"""Arrow tables as pandas has them. pandas is asked for here alone: who has Arrow does without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from windlull.errors import FailureError

if TYPE_CHECKING:
    import pandas as pd


def frame_of(table: pa.Table) -> pd.DataFrame:
    """Return a table as a data frame; whole numbers stay whole where some are missing.

    Raises FailureError if pandas is not there.
    """
    try:
        import pandas as pd  # noqa: PLC0415 - an extra that need not be installed
    except ModuleNotFoundError as error:
        raise FailureError(
            "a data frame takes pandas, which is not installed: pip install 'windlull[pandas]'; "
            "table() has the same as Arrow"
        ) from error
    whole: dict[pa.DataType, Any] = {
        pa.int64(): pd.Int64Dtype(),
        pa.uint32(): pd.UInt32Dtype(),
        pa.uint64(): pd.UInt64Dtype(),
    }
    return table.to_pandas(types_mapper=whole.get)
