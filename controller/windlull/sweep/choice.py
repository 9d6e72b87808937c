"""Documents that a grid chooses: a link, a variant or a workload that is none of the experiment's own."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import tomlkit

from windlull.errors import BadInputError
from windlull.runner import plans
from windlull.runner.messages import SIMULATED
from windlull.runner.options import RunOptions
from windlull.runner.problems import InvalidFilesError
from windlull.sweep.edit import CHOICES, file_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_STUBS = {
    "link": 'title = "-"\n[both]\nrate = "1 Mbit/s"\ndelay = "1 s"\nqueue = { kind = "droptail", limit = "9 kB" }\n',
    "variant": 'title = "-"\n',
    "workload": 'title = "-"\nkind = "bulk"\nsize = "1 kB"\ndirection = "down"\n',
}
"""The smallest documents that are good, to go with the one that is looked for."""


def find(key: str, name: str, profiles: Sequence[Path], testbed: str = SIMULATED) -> dict[str, str]:
    """Return all files that the document of that name is made of, as a bundle has them.

    `testbed` is where it is to be used: `sim` has no variants of Linux. Raises BadInputError if there is none of that
    name, or if it is not good.
    """
    if name.endswith(".toml"):
        raise BadInputError(
            f"{key}={name}: is no name; files of your own go into the experiment, which may have several {CHOICES[key]}"
        )
    with tempfile.TemporaryDirectory(prefix="windlull-sweep-") as made:
        named = {kind: name if kind == key else f"{kind}.toml" for kind in CHOICES}
        for kind in CHOICES:
            if kind != key:
                (Path(made) / named[kind]).write_text(_STUBS[kind], encoding="utf-8")
        asking = {"title": "-", "link": named["link"], "variants": [named["variant"]], "workload": named["workload"]}
        file = Path(made) / "choice.toml"
        file.write_text(tomlkit.dumps(asking), encoding="utf-8")
        try:
            planned = plans.plan(str(file), RunOptions(testbed=testbed), profiles=profiles, brief=True)
        except InvalidFilesError as error:
            message = "\n".join(f"{key}={name}: {problem.message}" for problem in error.problems)
            raise BadInputError(message) from error
    stubs = {file_of(kind, named[kind], planned.experiment_file) for kind in CHOICES if kind != key}
    return {path: text for path, text in planned.files.items() if path not in {planned.experiment_file, *stubs}}
