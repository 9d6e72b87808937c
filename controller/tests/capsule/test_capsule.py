from __future__ import annotations

import io
import json
from typing import Any

import pytest

from tests.capsule import made
from tests.capsule.fuzz import attempt
from tests.capsule.test_archive import written
from windlull.capsule import capsule
from windlull.capsule.archive import Archive
from windlull.capsule.manifest import Ending, Engine, Plan, RunOfPlan
from windlull.errors import BadInputError


def _read(text: bytes) -> capsule.Capsule:
    return capsule.read(io.BytesIO(text))


def _members(text: bytes) -> dict[str, bytes]:
    whole = Archive(io.BytesIO(text))
    return {name: whole.read(name) for name in whole.names}


def test_a_capsule_is_read_as_it_was_packed() -> None:
    one = _read(made.packed())
    assert one.manifest == made.packing().manifest
    assert one.bundle == made.BUNDLE
    assert one.resolved == made.experiment()
    assert one.run.metrics == {"elapsed_s": 1.5, "segments_sent": 400}
    assert sorted(one.files()) == ["fates.csv", "run.json", "server.pcapng"]
    assert one.read("server.pcapng") == bytes(range(256)) * 3


def test_every_file_that_a_run_may_have_is_packed() -> None:
    files = {name: name.encode() for name in capsule.RUN_FILES - {"run.json"}}
    assert "emulator.pcapng" in files
    assert set(_read(made.packed(files=files)).files()) == capsule.RUN_FILES


def test_the_same_run_gives_the_same_octets() -> None:
    assert made.packed() == made.packed()
    assert made.packing().sha256 == made.packing().sha256
    assert made.packing().sha256 != made.packing(files={}).sha256


def _without(name: str) -> bytes:
    members = _members(made.packed())
    del members[name]
    return written(members)


def _with(**more: bytes) -> bytes:
    return written(_members(made.packed()) | {name.replace("__", "/"): content for name, content in more.items()})


def _manifest(**changes: Any) -> bytes:
    members = _members(made.packed())
    manifest = json.loads(members["manifest.json"]) | changes
    members["manifest.json"] = json.dumps(manifest, indent=1).encode() + b"\n"
    return written(members)


@pytest.mark.parametrize("name", capsule.REQUIRED)
def test_every_part_must_be_there(name: str) -> None:
    with pytest.raises(BadInputError, match=f"has no {name}"):
        _read(_without(name))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (_with(run__extra=b"x"), "a file 'run/extra', which no capsule has"),
        (_with(fates=b"x"), "a file 'fates', which no capsule has"),
        (_without("run/fates.csv"), "run/fates.csv: is in the manifest or in the capsule, and not in both"),
        (written(_members(made.packed()) | {"run/fates.csv": b"x" * 250}), "run/fates.csv: is not the file"),
        (written(_members(made.packed()) | {"run/fates.csv": b"x"}), "run/fates.csv: 1 octets, where the manifest"),
        (_manifest(capsule=2), "format version 2; this Windlull reads version 1"),
        (_manifest(more=1), "manifest.json: Object contains unknown field `more`"),
        (_manifest(capsule=True), "manifest.json: Expected `int`"),
        (_manifest(), None),
        (made.packed(bundle=b"{}"), "not a bundle"),
        (made.packed(bundle=b" " + made.BUNDLE.json()), "bundle.json: is not written as"),
        (made.packed(bundle=b'{"experiment":"tiny","files":{"../x":""}}'), "not a path within"),
        (made.packed(bundle=b'{"experiment":"x","files":{}}'), "experiment.json's name and bundle.json's differ"),
        (made.packed(experiment=b"[]"), "experiment.json: Expected `object`"),
        (made.packed(experiment=b"[" * 100_000), "experiment.json"),
        (made.packed(experiment=made.experiment(seed="2")), "seed and the plan's differ"),
        (made.packed(experiment=made.experiment(title="a\0b")), "has a NUL"),
        (made.packed(experiment=made.experiment(links=[])), "has no link 'edge'"),
        (made.packed(experiment=made.experiment(repetitions=4)), "repetitions and the plan's differ"),
        (made.packed(run=json.dumps(made.run_json()).replace("1.5", "1e400").encode()), "run/run.json"),
        (made.packed(run=b'{"provenance":1}'), "run/run.json: Expected `object`"),
        (made.packed(run=made.run_json(metrics={"a": 1 << 70})), "run/run.json"),
        (made.packed(run=made.run_json(metrics={"A": 1})), "metrics"),
        (made.packed(run=made.run_json(certificate={})), "a simulated one has none"),
        (made.packed(engine=Engine("9", made.ENGINE.commit)), "version and the engine's differ: '0.1.0' and '9'"),
        (made.packed(plan=Plan("sim", "1", 1), experiment=made.experiment(repetitions=1)), "repetition 2 of 1"),
        (made.packed(plan=Plan("sim", str(1 << 64), 3)), "more than 64 bits"),
        (made.packed(ending=Ending("cancelled")), "Invalid enum value 'cancelled'"),  # type: ignore[arg-type]
    ],
)
def test_what_does_not_fit_together_is_refused(text: bytes, message: str | None) -> None:
    if message is None:
        _read(text)
        return
    with pytest.raises(BadInputError, match=message):
        _read(text)


@pytest.mark.parametrize("directory", ["../x/y", "runs/../x/001", "/etc/x/y", "runs/a", "runs//a/b", "runs/a/b\nc"])
def test_directories_that_lead_elsewhere_are_refused(directory: str) -> None:
    place = RunOfPlan(1, "sim", "sack", "edge", 2, made.PLACE.seed, directory)
    with pytest.raises(BadInputError, match=r"directory|pattern"):
        _read(made.packed(place=place))


def test_the_reader_survives_the_fuzzer() -> None:
    taken = sum(attempt(seed) for seed in range(1500))
    assert taken < 750, "the mutations change too little"
