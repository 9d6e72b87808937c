"""The files of an experiment with the values of one point set in them.

| key | where it is set |
|---|---|
| `link`, `variant`, `workload` | another one is chosen, by its name |
| `link.KEY` | in the file of every link of the experiment |
| `workload.KEY` | in the file of the workload |
| `variant.transport.options.KEY` | as text, in the file of every variant that is a stack from elsewhere |
| any other | in the experiment's file |

Elements of lists go by their `name`, as in `link.impairment.sudden-delays.length`, or by their place, counted from 0 as
in the engine's messages: `link.script[0].for`.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import tomlkit
from tomlkit import items

from windlull.errors import BadInputError
from windlull.runner.bundle import Bundle
from windlull.sweep.file import hint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from windlull.sweep.grid import Setting

CHOICES = {"link": "links", "variant": "variants", "workload": "workloads"}
"""Keys that choose a document, and the folders in which documents of that kind lie."""

NOT_SIMULATED = ("claim", "published", "live")
"""What an experiment says for its report and for live runs. It names variants, of which a point may have others."""

_OPTION = "variant.transport.options."
"""How keys begin that are set in variants: an option of a stack from elsewhere, whose values are texts."""

_OTHERWISE = {
    "links": 'choose among links by "link"',
    "variants": 'choose among variants by "variant"',
    "workloads": 'choose among workloads by "workload"',
    "title": "a title changes no result",
    "link.extends": 'choose among links by "link"',
}
_STEP = re.compile(r"[^\[\]]+|\[\d+\]")


@dataclass(frozen=True, slots=True)
class Written:
    """Where a setting was written: a file of the bundle, and the key as the engine's messages have it."""

    setting: Setting
    file: str
    key: str

    def is_at(self, file: str | None, key: str | None) -> bool:
        """Whether a problem at that file and key is about this setting."""
        if file != self.file or not key:
            return False
        return _is_within(key, self.key) or _is_within(self.key, key)


def _is_within(key: str, table: str) -> bool:
    return key == table or key.startswith((f"{table}.", f"{table}["))


class Editor:
    """Sets points into the files of one experiment; those that the grid chooses are among them."""

    def __init__(
        self,
        name: str,
        experiment_file: str,
        files: Mapping[str, str],
        *,
        leave_out: Sequence[str] = NOT_SIMULATED,
    ) -> None:
        """`leave_out` is which keys of the experiment are taken out of it."""
        self._name = name
        self._experiment_file = experiment_file
        self._files = dict(files)
        for file, document in _chain("experiment", experiment_file, files):
            for key in leave_out:
                document.pop(key, None)
            self._files[file] = tomlkit.dumps(document)
        # Points share most of their values, and a file is slow to read.
        self._edited = lru_cache(maxsize=1024)(self._edit)
        self._named = lru_cache(maxsize=1024)(self._documents)
        self._below = lru_cache(maxsize=1024)(self._extended)

    @property
    def files(self) -> Mapping[str, str]:
        """Every file that a point may need, before anything is set in it."""
        return self._files

    def bundle(self, settings: Iterable[Setting]) -> tuple[Bundle, list[Written]]:
        """Return a point's files, and where each setting was written.

        Raises BadInputError for a key that can be written nowhere.
        """
        by_room: dict[str, list[Setting]] = {"link": [], "workload": [], "variant": [], "": []}
        for setting in settings:
            room, dot, _ = setting.key.partition(".")
            fits = setting.key.startswith(_OPTION) if room == "variant" else dot and room in by_room
            by_room[room if fits else ""].append(setting)
        files = dict(self._files)
        files[self._experiment_file], in_experiment = self._edited(self._experiment_file, tuple(by_room[""]))
        written = [*in_experiment]
        for room in ("link", "workload", "variant"):
            named = self._named(room, files[self._experiment_file]) if by_room[room] else ()
            if room == "variant" and by_room[room]:
                named = [file for file in named if self._is_transport(file)]
                if not named:
                    key = by_room[room][0].key
                    raise BadInputError(f"{key}: no variant of the experiment is a stack from elsewhere")
            for file in named:
                files[file], in_file = self._edited(file, tuple(by_room[room]))
                written += in_file
        return Bundle(self._name, files), written

    def _edit(self, file: str, settings: tuple[Setting, ...]) -> tuple[str, tuple[Written, ...]]:
        """Return the text of one file with these settings, and where they were written."""
        for one in settings:
            if one.key in _OTHERWISE:
                raise BadInputError(f"{one.key}: {_OTHERWISE[one.key]}")
        document = tomlkit.parse(self._files[file])
        kind = "experiment" if file == self._experiment_file else _kind_of(settings)
        inherited = self._below(kind, file)
        if kind == "experiment":
            keys = [self._set_in_experiment(document, one, inherited) for one in settings]
        else:
            keys = [_set(document, one.key.partition(".")[2], one, inherited) for one in settings]
        written = tuple(Written(one, file, key) for one, key in zip(settings, keys, strict=True))
        return tomlkit.dumps(document), written

    def _extended(self, kind: str, file: str) -> tuple[tomlkit.TOMLDocument, ...]:
        """Return what a file extends, the nearest first; nobody changes it."""
        return tuple(document for _, document in _chain(kind, file, self._files)[1:])

    def _set_in_experiment(
        self, document: tomlkit.TOMLDocument, setting: Setting, inherited: Sequence[tomlkit.TOMLDocument]
    ) -> str:
        """Set one key, or choose a document, and return the key as the engine writes it."""
        key = setting.key
        if key.startswith("variant."):
            raise BadInputError(
                f'{key}: settings laid over all variants are "tcp.{key.removeprefix("variant.")}"; '
                f'options of stacks from elsewhere are "{_OPTION}NAME"'
            )
        if key not in CHOICES:
            return _set(document, key, setting, inherited)
        document.pop(CHOICES[key], None)
        place = "variants" if key == "variant" else key
        document[place] = [setting.value.text] if key == "variant" else setting.value.text
        return place

    def _documents(self, kind: str, experiment: str) -> list[str]:
        """Return the files of an experiment's links, or of its workload."""
        for file, document in _chain(
            "experiment", self._experiment_file, {**self._files, self._experiment_file: experiment}
        ):
            plain = document.unwrap()
            if kind in plain or CHOICES[kind] in plain:
                named = [plain[kind]] if kind in plain else plain[CHOICES[kind]]
                if not all(isinstance(name, str) for name in named):
                    raise BadInputError(
                        f"{kind}: the experiment has a table in the place of a name; there is no file to set a key in"
                    )
                # What stands behind an @ is a build of it.
                return [file_of(kind, name.partition("@")[0], file) for name in named]
        return []

    def _is_transport(self, file: str) -> bool:
        return any("transport" in document for _, document in _chain("variant", file, self._files))


def _kind_of(settings: Sequence[Setting]) -> str:
    room = settings[0].key.partition(".")[0]
    return room if room in CHOICES else "link"


def _chain(kind: str, file: str, files: Mapping[str, str]) -> list[tuple[str, tomlkit.TOMLDocument]]:
    """Return a file and what it extends, the nearest first; the engine has seen that there is no ring."""
    found = [(file, tomlkit.parse(files[file]))]
    while "extends" in found[-1][1]:
        file = file_of(kind, str(found[-1][1]["extends"]), file)
        found.append((file, tomlkit.parse(files[file])))
    return found


def file_of(kind: str, reference: str, beside: str) -> str:
    """Return the path within the bundle of what `beside` refers to: a name, or a path relative to it."""
    if reference.endswith(".toml"):
        return posixpath.normpath(posixpath.join(posixpath.dirname(beside), reference))
    return f"{kind}s/{reference}.toml"


def _set(document: tomlkit.TOMLDocument, key: str, setting: Setting, inherited: Sequence[tomlkit.TOMLDocument]) -> str:
    """Set one key, making the tables that lead to it, and return it as the engine writes it.

    An element or a table that the file has from one that it extends is copied first: the engine replaces both whole.
    """
    steps = _steps(key, setting)
    node: Any = document
    said = ""
    for place, step in enumerate(steps[:-1]):
        if _is_list(node):
            node, found = _element(node, step, setting)
            said += f"[{found}]"
            continue
        if not isinstance(node, dict):
            raise BadInputError(f"{setting.key}: {said} is no table")
        following = steps[place + 1]
        if place == 0 and _may_be_element(document, step, inherited):
            _inherit_element(document, step, following, inherited)
        elif place > 0 and step not in node:
            _inherit_table(node, steps[: place + 1], inherited)
        if step not in node:
            node[step] = tomlkit.inline_table() if isinstance(node, items.InlineTable) else tomlkit.table()
        node = node[step]
        said = f"{said}.{step}".lstrip(".")
    last = steps[-1]
    if _is_list(node):
        raise BadInputError(f"{setting.key}: say which key of {said} {last.strip('[]')!r} is meant")
    if not isinstance(node, dict):
        raise BadInputError(f"{setting.key}: {said} is no table")
    node[last] = setting.value.text if setting.key.startswith(_OPTION) else _item(setting.value.toml)
    return f"{said}.{last}".lstrip(".")


def _steps(key: str, setting: Setting) -> list[str]:
    """Split `script[0].for` into `script`, `[0]`, `for`."""
    steps = [step for part in key.split(".") for step in (_STEP.findall(part) or [""])]
    if "".join(steps) != key.replace(".", "") or not all(steps) or steps[0].startswith("["):
        raise BadInputError(f"{setting.key}: is no key; write it as in link.both.rate or link.script[0].for")
    return steps


def _is_list(node: Any) -> bool:  # noqa: ANN401 - whatever TOML has
    return isinstance(node, list)


def _element(elements: Any, step: str, setting: Setting) -> tuple[Any, int]:  # noqa: ANN401
    """Return the element that a step names, and its place."""
    if step.startswith("["):
        place = int(step[1:-1])
        if place >= len(elements):
            raise BadInputError(f"{setting.key}: there are {len(elements)}, counted from 0")
        return elements[place], place
    names = [str(element.get("name", "")) for element in elements if isinstance(element, dict)]
    if step not in names:
        known = tuple(name for name in names if name)
        raise BadInputError(f"{setting.key}: none has the name {step!r}; {hint(step, known)}")
    return elements[names.index(step)], names.index(step)


def _may_be_element(document: tomlkit.TOMLDocument, step: str, inherited: Sequence[tomlkit.TOMLDocument]) -> bool:
    return any(_is_list(one.get(step)) for one in (document, *inherited))


def _inherit_element(
    document: tomlkit.TOMLDocument, step: str, name: str, inherited: Sequence[tomlkit.TOMLDocument]
) -> None:
    """Copy the element of that name from the nearest file that has it, if this one has not."""
    for one in (document, *inherited):
        for element in one.get(step, []):
            if element.get("name") == name:
                if one is not document:
                    if step not in document:
                        document[step] = tomlkit.aot()
                    document[step].append(_table(element))
                return


def _inherit_table(node: Any, steps: Sequence[str], inherited: Sequence[tomlkit.TOMLDocument]) -> None:  # noqa: ANN401
    """Copy the table at these steps from the nearest file that has it."""
    for one in inherited:
        found: Any = one
        for step in steps:
            found = found.get(step) if isinstance(found, dict) else None
        if isinstance(found, items.Table | items.InlineTable):
            node[steps[-1]] = _item(found.unwrap())
            return


def _table(element: Any) -> items.Table:  # noqa: ANN401
    """Return a copy of a table that can stand in another document."""
    made = tomlkit.table()
    for key, value in element.unwrap().items():
        made[key] = _item(value)
    return made


def _item(value: Any) -> Any:  # noqa: ANN401 - whatever TOML has
    """Return a value for a document; tables are written in a line."""
    if isinstance(value, dict):
        made = tomlkit.inline_table()
        for key, item in value.items():
            made[key] = _item(item)
        return made
    if isinstance(value, list):
        made_list = tomlkit.array()
        for item in value:
            made_list.append(_item(item))
        return made_list
    return value
