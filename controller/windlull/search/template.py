"""The experiment of every candidate: the person's own, with the candidate's link, and the variants that meet on it."""

from __future__ import annotations

import posixpath
import tomllib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import tomlkit

from windlull.errors import BadInputError
from windlull.runner.bundle import Bundle
from windlull.runner.messages import SIMULATED
from windlull.search.layout import EXPERIMENT, LINK, LINK_FILE, NAME
from windlull.sweep import choice, values
from windlull.sweep.edit import CHOICES, Editor, file_of
from windlull.sweep.grid import Setting
from windlull.sweep.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from windlull.runner.plans import Planned
    from windlull.search.candidate import Candidate, Parameter

_STATEMENTS = (
    "assumptions", "base", "claim", "description", "extends", "figure", "figures", "links", "live", "published",
    "source",
)  # fmt: skip
"""Keys that say something of the whole experiment that does not hold of a candidate's, or that were resolved."""

_NOT_OF_A_CANDIDATE = {"repetitions", "variants"}
"""Keys of `[live]` that a search decides."""


@dataclass(frozen=True)
class Template:
    """What a candidate's files are made of.

    `document` is the experiment without its link; `files` all other files; `link` what the candidate's link extends.
    """

    variants: tuple[str, ...]
    link: str
    base_link: str
    document: Mapping[str, Any]
    files: Mapping[str, str]

    def bundle(self, candidate: Candidate, *, seed: int, repetitions: int, title: str | None = None) -> Bundle:
        """Return the files of a candidate's experiment. Raises BadInputError for a key that can be set nowhere."""
        settings = [Setting(f"link.{one.key}", _value(one)) for one in candidate.parameters]
        link = self._editor.bundle(settings)[0].files[LINK] + candidate.script()
        return Bundle(NAME, {**self.files, EXPERIMENT: self._experiment(seed, repetitions, title), LINK: link})

    @cached_property
    def _editor(self) -> Editor:
        """What sets keys of the link, whatever the seed: candidates share the link's files, which are slow to read."""
        return Editor(NAME, EXPERIMENT, {**self.files, EXPERIMENT: self._experiment(0, 1, None), LINK: self._base()})

    def _experiment(self, seed: int, repetitions: int, title: str | None) -> str:
        experiment: dict[str, Any] = {
            "title": title or f"{self.document.get('title', NAME)} (on a link of a search)",
            **{key: value for key, value in self.document.items() if key != "title"},
            "link": LINK_FILE,
            "repetitions": repetitions,
            # TOML's numbers end before a seed's.
            "seed": str(seed) if seed >= 1 << 63 else seed,
        }
        return _toml(experiment)

    def _base(self) -> str:
        return f'title = "{NAME}: a link of a search, over {self.base_link}"\nextends = "{self.link}"\n'


def template(
    planned: Planned, variants: Sequence[str], link: str, profiles: Sequence[Path], testbed: str = SIMULATED
) -> Template:
    """Return the template of a planned experiment, for some variants and one of its links, all by name.

    `planned` is the plan for `testbed`: with kernels, the variants of `[live]` are among its own, and its time limit,
    plane and peer are kept. A variant that the experiment does not have is another build of one that it has, or on
    another kernel, as `linux@mine` of `linux`; else a shipped one. Raises BadInputError if there is none of that name,
    or if the link is a table and not a file.
    """
    files = dict(planned.files)
    chain = list(_chain(planned.experiment_file, files))
    document: dict[str, Any] = {}
    for _, one in reversed(chain):
        document = _laid_over(document, one)
    place = [one["name"] for one in planned.experiment["links"]].index(link)
    reference, of_file = _nearest(chain, "link", place)
    if not isinstance(reference, str):
        raise BadInputError(
            f"link {link}: is a table in the experiment; give it a file of its own, which a search varies"
        )
    flows = document.pop("flows", None)
    if flows:
        document["flows"] = [flows[place]]
    known = {
        one["name"]: _moved(*written)
        for one, written in zip(planned.experiment["variants"], _written_variants(chain), strict=False)
    }
    chosen = []
    for variant in variants:
        own = _of_the_experiment(variant, known)
        if own is None:
            try:
                files |= choice.find("variant", variant, profiles, testbed)
            except BadInputError as error:
                raise BadInputError(str(error).replace(f"variant={variant}", f"--against {variant}")) from error
        chosen.append(own or variant)
    for kind in ("workload", "access"):
        if kind == "access" and "access" not in document:
            continue
        written, beside = _nearest(chain, kind, 0)
        document.pop("workloads" if kind == "workload" else kind, None)
        document[kind] = _moved(written, beside) if isinstance(written, str) else document.get(kind, written)
    live = {} if testbed == SIMULATED else document.get("live", {})
    for key in _STATEMENTS:
        document.pop(key, None)
    if kept := {key: value for key, value in live.items() if key not in _NOT_OF_A_CANDIDATE}:
        document["live"] = kept
    for file, _ in chain:
        del files[file]
    document["variants"] = chosen
    return Template(tuple(variants), _moved(reference, of_file), link, document, files)


def own_files(bundle: Bundle, profiles: Path) -> dict[str, str]:
    """Return the files of a bundle that are not shipped as they are: those that must go wherever it goes."""
    found = {}
    for path, text in bundle.files.items():
        shipped = profiles / path
        if not shipped.is_file() or shipped.read_bytes() != text.encode():
            found[path] = text
    return found


def _chain(file: str, files: Mapping[str, str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield an experiment's file and those that it extends, the nearest first. The engine refuses a ring."""
    while True:
        document = tomllib.loads(files[file])
        yield file, document
        if "extends" not in document:
            return
        file = file_of("experiment", str(document["extends"]), file)


def _laid_over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Lay one file over another, as the engine does: tables key by key, unless they have a `kind`."""
    merged = dict(below)
    for key, value in above.items():
        there = merged.get(key)
        together = (
            isinstance(value, dict) and isinstance(there, dict) and not ({"kind"} & (value.keys() | there.keys()))
        )
        merged[key] = _laid_over(there, value) if together and isinstance(there, dict) else value
    return merged


def _of_the_experiment(variant: str, known: Mapping[str, str]) -> str | None:
    """Return how a candidate's experiment refers to a variant that is the experiment's, or another build of one."""
    name, at, build = variant.rpartition("@")
    if variant in known:
        return known[variant]
    return f"{known[name]}@{build}" if at and name in known else None


def _written_variants(chain: Sequence[tuple[str, dict[str, Any]]]) -> list[tuple[str, str]]:
    """Return the experiment's variants as they are written, each with its file: its own, then those of `[live]`."""
    found: list[tuple[str, str]] = []
    own = next(((one["variants"], file) for file, one in chain if "variants" in one), None)
    live = next(
        ((one["live"]["variants"], file) for file, one in chain if "variants" in one.get("live", {})),
        None,
    )
    for listed in (own, live):
        if listed is not None:
            found += [(str(name), listed[1]) for name in listed[0]]
    return found


def _nearest(chain: Sequence[tuple[str, dict[str, Any]]], kind: str, place: int) -> tuple[Any, str]:
    """Return what the nearest file says of a kind, singly or in a list, and which file that is."""
    several = CHOICES.get(kind)
    for file, document in chain:
        if kind in document:
            return document[kind], file
        if several is not None and several in document:
            return document[several][place], file
    raise BadInputError(f"the experiment has no {kind}")


def _moved(reference: str, beside: str) -> str:
    """Return a reference as the candidate's experiment has it; a name is the same everywhere."""
    file, at, build = reference.partition("@")
    if not file.endswith(".toml"):
        return reference
    path = file_of("experiment", file, beside)
    return posixpath.relpath(path, posixpath.dirname(EXPERIMENT)) + at + build


def _value(one: Parameter) -> Value:
    """Return a parameter as a grid has it: bare numbers are numbers, all else is text."""
    if one.number is not None and not one.unit and not one.form:
        number = int(one.number) if one.number == int(one.number) else one.number
        return Value(one.text, number)
    if one.number is not None:
        return Value(one.text, one.text)
    found = values.parse(one.word) if one.word else ()
    return found[0] if len(found) == 1 else Value(one.word, one.word)


def _toml(document: Mapping[str, Any]) -> str:
    """Write a document; tables come after plain keys, as TOML wants it."""
    plain = {key: value for key, value in document.items() if not _is_table(value)}
    return tomlkit.dumps(plain | {key: value for key, value in document.items() if _is_table(value)})


def _is_table(value: Any) -> bool:  # noqa: ANN401 - whatever TOML has
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(one, dict) for one in value))
