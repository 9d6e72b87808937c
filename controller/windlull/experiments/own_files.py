"""Files of people's own, given where a name of the library may stand."""

from __future__ import annotations

from pathlib import Path

from windlull.errors import BadInputError


def refuse_others(name: str) -> None:
    """Say of a file of another kind that it is one, where the engine would look for a name.

    Raises BadInputError. A name has no suffix of letters alone.
    """
    suffix = Path(name).suffix
    if suffix != ".toml" and suffix[1:].isalpha():
        raise BadInputError(f"{name}: is not a .toml file, as links, variants, workloads and experiments are")
