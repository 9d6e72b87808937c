"""What a capsule says of itself, and whether its files bear it out. docs/capsule-format.md is the page about it."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import msgspec

from windlull.contract.engine import PlaneKind, Testbed
from windlull.errors import BadInputError
from windlull.runner.messages import SIMULATED, Experiment

if TYPE_CHECKING:
    from windlull.runner.bundle import Bundle

VERSION = 1
_Kind = TypeVar("_Kind")

Word = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*$")]
Text = Annotated[str, msgspec.Meta(max_length=10_000, pattern=r"^[^\x00]*$")]
Count = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Seed = Annotated[str, msgspec.Meta(pattern=r"^(0|[1-9][0-9]{0,19})$")]
Sha256 = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]

_DEEPEST = 32
_DIRECTORY = re.compile(r"runs(/[^/\x00-\x1f\x7f\\]+){2,4}")


class CapsuleError(BadInputError):
    """Not a capsule, or not a whole one; the message says what is wrong with it."""


class Engine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which engine made the run."""

    version: Word
    commit: Word


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the engine was asked for: the whole experiment, of which the run is one place."""

    testbed: Testbed
    seed: Seed
    repetitions: Count
    plane: PlaneKind | None = None


class RunOfPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The run in the plan."""

    place: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
    testbed: Testbed
    variant: Word
    link: Word
    repetition: Count
    seed: Seed
    directory: Word


class Ending(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the run ended; `reason` says why it is not done."""

    state: Literal["done", "invalid", "failed"]
    attempts: Count = 1
    reason: Text | None = None


class File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of the capsule."""

    sha256: Sha256
    bytes: Annotated[int, msgspec.Meta(ge=0)]


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The capsule's `manifest.json`. `files` has every other file of it."""

    capsule: int
    engine: Engine
    plan: Plan
    run: RunOfPlan
    ending: Ending
    files: dict[str, File]

    def json(self) -> bytes:
        """Return it as JSON, the same octets for the same manifest."""
        return msgspec.json.format(msgspec.json.encode(self, order="deterministic"), indent=1) + b"\n"

    @classmethod
    def read(cls, text: bytes) -> Manifest:
        """Return the manifest that `json` wrote. Raises CapsuleError for anything else."""
        version = _decode(text, _Version, "manifest.json").capsule
        if version != VERSION:
            raise CapsuleError(f"the capsule has format version {version}; this Windlull reads version {VERSION}")
        manifest = _decode(text, Manifest, "manifest.json")
        if manifest.json() != text:
            raise CapsuleError("manifest.json: is not written as Windlull writes it")
        for where, seed in (("plan", manifest.plan.seed), ("run", manifest.run.seed)):
            if int(seed) >= 1 << 64:
                raise CapsuleError(f"manifest.json: {where}.seed {seed} has more than 64 bits")
        if not _DIRECTORY.fullmatch(manifest.run.directory) or {".", ".."} & set(manifest.run.directory.split("/")):
            raise CapsuleError(f"manifest.json: run.directory {manifest.run.directory!r} is not under runs/")
        return manifest


class _Version(msgspec.Struct):
    capsule: int


Value = Annotated[float, msgspec.Meta(ge=-1e300, le=1e300)] | int


class Provenance(msgspec.Struct, frozen=True):
    """What a run's `run.json` says of where it comes from."""

    version: Word
    commit: Word
    testbed: Word
    experiment: Word
    variant: Word
    link: Word
    repetition: Count
    seed: Seed


class RunFile(msgspec.Struct, frozen=True):
    """What is read of a run's `run.json`."""

    provenance: Provenance
    metrics: dict[Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]{0,63}$")], Value]
    certificate: dict[str, Any] | None = None


def read_run(text: bytes) -> RunFile:
    """Return what is read of run.json. Raises CapsuleError."""
    run = _decode(text, RunFile, "run/run.json")
    if any(isinstance(value, int) and abs(value) >= 1 << 63 for value in run.metrics.values()):
        raise CapsuleError("run/run.json: a metric has more than 64 bits")
    _check_plain(run.certificate, "run/run.json: certificate")
    return run


def read_experiment(text: bytes) -> tuple[dict[str, Any], Experiment]:
    """Return experiment.json, and the part of it that is understood. Raises CapsuleError."""
    whole = _decode(text, dict[str, Any], "experiment.json")
    try:
        experiment = msgspec.convert(whole, Experiment)
    except msgspec.ValidationError as error:
        raise CapsuleError(f"experiment.json: {str(error)[:500]}") from error
    _check_plain(whole, "experiment.json")
    return whole, experiment


def check(manifest: Manifest, bundle: Bundle, experiment: Experiment, run: RunFile) -> None:
    """Compare what the parts say of the same thing. Raises CapsuleError where two differ."""
    provenance, place = run.provenance, manifest.run
    same: list[tuple[str, object, object]] = [
        ("experiment.json's name and bundle.json's", experiment.name, bundle.experiment),
        ("experiment.json's name and run.json's", experiment.name, provenance.experiment),
        ("experiment.json's seed and the plan's", experiment.seed, manifest.plan.seed),
        ("experiment.json's repetitions and the plan's", experiment.repetitions, manifest.plan.repetitions),
        ("experiment.json's version and the engine's", experiment.version, manifest.engine.version),
        ("experiment.json's commit and the engine's", experiment.commit, manifest.engine.commit),
    ]
    same += [
        (f"run.json's {name} and the manifest's", getattr(provenance, name), getattr(place, name))
        for name in ("testbed", "variant", "link", "repetition", "seed")
    ]
    same += [
        (f"run.json's {name} and the engine's", getattr(provenance, name), getattr(manifest.engine, name))
        for name in ("version", "commit")
    ]
    for what, one, other in same:
        if one != other:
            raise CapsuleError(f"{what} differ: {str(one)[:200]!r} and {str(other)[:200]!r}")
    for name, known in (("variant", experiment.variants), ("link", experiment.links)):
        if getattr(place, name) not in {one.name for one in known}:
            raise CapsuleError(f"the experiment has no {name} {getattr(place, name)!r}")
    if place.repetition > manifest.plan.repetitions:
        raise CapsuleError(f"repetition {place.repetition} of {manifest.plan.repetitions}")
    if (place.testbed != SIMULATED) != (run.certificate is not None):
        raise CapsuleError("run.json: a live run has a certificate, and a simulated one has none")


def _check_plain(value: object, where: str, depth: int = 0) -> None:
    """Refuse JSON that databases and other readers stumble over: NUL, numbers beyond 64 bits, towers of brackets."""
    if depth > _DEEPEST:
        raise CapsuleError(f"{where}: has more than {_DEEPEST} levels")
    match value:
        case dict():
            for key, part in value.items():
                _check_plain(key, where, depth)
                _check_plain(part, where, depth + 1)
        case list():
            for part in value:
                _check_plain(part, where, depth + 1)
        case str() if "\0" in value:
            raise CapsuleError(f"{where}: has a NUL")
        case int() if not -(1 << 63) <= value < 1 << 64:
            raise CapsuleError(f"{where}: has a number with more than 64 bits")
        case float() if not math.isfinite(value):
            raise CapsuleError(f"{where}: has a number that is none")


def _decode(text: bytes, kind: type[_Kind], where: str) -> _Kind:
    try:
        return msgspec.json.decode(text, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise CapsuleError(f"{where}: {str(error)[:500]}") from error
