"""Fuzzes the reader of capsules: `python -m tests.capsule.fuzz --seconds 300 [--seed N]`, in controller/.

Every mutation is either read whole or refused with a sentence; anything else ends the fuzzer, which prints the seed.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
from typing import TYPE_CHECKING

from tests.capsule.mutations import mutated
from windlull.capsule import capsule
from windlull.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Sequence


def attempt(seed: int) -> bool:
    """Read the mutation of this seed; say whether it was taken. Raises what is a fault of ours."""
    try:
        one = capsule.read(io.BytesIO(mutated(seed)))
    except BadInputError as error:
        if not 0 < len(str(error)) < 2000:
            raise AssertionError(f"a message of {len(str(error))} letters") from error
        return False
    for name in one.files():
        one.read(name)
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz for so many seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0, help="the first mutation's")
    asked = parser.parse_args(arguments)
    end, seed, taken = time.monotonic() + asked.seconds, asked.seed, 0
    while time.monotonic() < end:
        try:
            taken += attempt(seed)
        except BaseException:
            print(f"mutation {seed} broke the reader", file=sys.stderr)  # noqa: T201
            raise
        seed += 1
    print(f"{seed - asked.seed} capsules read, {taken} taken, none broke the reader")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
