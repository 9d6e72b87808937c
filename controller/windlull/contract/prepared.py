"""What msgspec works out of a type when it first meets it, worked out before there are threads.

Until it is done, another thread that reads the same type finds it half made, and the process ends with a segmentation
fault (msgspec 0.22). Large types, as an experiment is, take long enough for that.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator


def prepare() -> int:
    """Work it out of all types that have been imported. Return how many there are."""
    count = 0
    for kind in _below(msgspec.Struct):
        # What is only written may name types that are not there when it runs.
        with suppress(NameError, TypeError):
            msgspec.json.Decoder(kind)
            count += 1
    return count


def _below(kind: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)
