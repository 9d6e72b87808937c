"""A capsule: packed of a run's parts, opened and checked, and its run made again."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from windlull.capsule import manifest as manifests
from windlull.capsule.archive import Archive, write
from windlull.capsule.manifest import CapsuleError, File, Manifest
from windlull.runner.bundle import Bundle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from windlull.capsule.manifest import Ending, Engine, Plan, RunFile, RunOfPlan
    from windlull.runner.messages import Experiment

MANIFEST, BUNDLE, EXPERIMENT = "manifest.json", "bundle.json", "experiment.json"
RUN_FILES = frozenset({
    "run.json", "series.json.gz", "server.pcapng", "client.pcapng", "emulator.pcapng", "fates.csv", "events.jsonl",
    "server.sqlog", "client.sqlog",
})  # fmt: skip
"""The files that a run's directory may have."""
REQUIRED = (MANIFEST, BUNDLE, EXPERIMENT, "run/run.json")
_MANIFEST_LIMIT = 1 << 16
_BUNDLE_LIMIT = 40 << 20
_EXPERIMENT_LIMIT = 16 << 20
_RUN_LIMIT = 256 << 20


@dataclass(frozen=True, slots=True)
class Content:
    """A file to be packed: its hash and size, and how it is opened."""

    sha256: str
    size: int
    open: Callable[[], IO[bytes]]

    @classmethod
    def of(cls, octets: bytes) -> Content:
        """Return octets as a file."""
        return cls(hashlib.sha256(octets).hexdigest(), len(octets), lambda: io.BytesIO(octets))


@dataclass(frozen=True, slots=True)
class Packing:
    """A capsule to be: what its manifest says, and its files by their names in it."""

    manifest: Manifest
    contents: Mapping[str, Content]

    @classmethod
    def of(
        cls,
        engine: Engine,
        plan: Plan,
        place: RunOfPlan,
        ending: Ending,
        bundle: Content,
        experiment: Content,
        run: Mapping[str, Content],
    ) -> Packing:
        """Return the capsule of a run; `run` are the files of its directory."""
        contents = {BUNDLE: bundle, EXPERIMENT: experiment} | {f"run/{name}": one for name, one in run.items()}
        files = {name: File(one.sha256, one.size) for name, one in sorted(contents.items())}
        return cls(Manifest(manifests.VERSION, engine, plan, place, ending, files), contents)

    @property
    def sha256(self) -> str:
        """What stands for all of the capsule: the hash of its manifest, which has those of all files."""
        return hashlib.sha256(self.manifest.json()).hexdigest()

    def write(self, target: IO[bytes]) -> None:
        """Write the capsule to a file that can be sought in: the same octets for the same run."""
        contents = dict(self.contents) | {MANIFEST: Content.of(self.manifest.json())}

        def opened() -> Iterator[tuple[str, IO[bytes]]]:
            for name, content in sorted(contents.items()):
                with content.open() as source:
                    yield name, source

        write(target, opened())


@dataclass(frozen=True, slots=True)
class Capsule:
    """A capsule whose every file has proved to be what its manifest says, and whose parts agree.

    Nothing more is known of it: whoever made it may have made the numbers up.
    """

    manifest: Manifest
    bundle: Bundle
    experiment: Experiment
    resolved: dict[str, Any]
    run: RunFile
    archive: Archive

    def files(self) -> dict[str, File]:
        """Return the files of the run's directory by name."""
        return {
            name.removeprefix("run/"): file for name, file in self.manifest.files.items() if name.startswith("run/")
        }

    def read(self, name: str) -> bytes:
        """Return a file of the run's directory."""
        return self.archive.read(f"run/{name}")


def read(source: IO[bytes]) -> Capsule:
    """Open a capsule, unpack and check all of it. Raises BadInputError that says what is wrong.

    Memory is bounded; of the larger files only a piece at a time is unpacked.
    """
    archive = Archive(source)
    for name in REQUIRED:
        if name not in archive.names:
            raise CapsuleError(f"the capsule has no {name}")
    manifest = Manifest.read(archive.read(MANIFEST, _MANIFEST_LIMIT))
    allowed = {*REQUIRED, *(f"run/{name}" for name in RUN_FILES)}
    for name in sorted(archive.names | set(manifest.files)):
        if name not in allowed:
            raise CapsuleError(f"the capsule has a file {name[:200]!r}, which no capsule has")
    if set(manifest.files) != archive.names - {MANIFEST}:
        differing = sorted(set(manifest.files) ^ (archive.names - {MANIFEST}))
        raise CapsuleError(f"{differing[0]}: is in the manifest or in the capsule, and not in both")
    for name, file in manifest.files.items():
        _verify(archive, name, file)
    bundle_text = archive.read(BUNDLE, _BUNDLE_LIMIT)
    bundle = Bundle.read(bundle_text)
    if bundle.json() != bundle_text:
        raise CapsuleError(f"{BUNDLE}: is not written as Windlull writes it")
    resolved, experiment = manifests.read_experiment(archive.read(EXPERIMENT, _EXPERIMENT_LIMIT))
    run = manifests.read_run(archive.read("run/run.json", _RUN_LIMIT))
    manifests.check(manifest, bundle, experiment, run)
    return Capsule(manifest, bundle, experiment, resolved, run, archive)


def _verify(archive: Archive, name: str, file: File) -> None:
    if archive.size(name) != file.bytes:
        raise CapsuleError(f"{name}: {archive.size(name)} octets, where the manifest says {file.bytes}")
    found = hashlib.sha256()
    for piece in archive.pieces(name):
        found.update(piece)
    if found.hexdigest() != file.sha256:
        raise CapsuleError(f"{name}: is not the file that the manifest names; its hash differs")
