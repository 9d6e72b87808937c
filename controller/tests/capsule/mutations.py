"""Capsules with something changed, from a seed: bits, pieces, members and JSON; for the fuzz test and the fuzzer."""

from __future__ import annotations

import io
import json
import random
import struct
import zipfile
from typing import Any

from tests.capsule import made
from windlull.capsule import archive

_VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1 << 63, 1 << 64, 1 << 200, 1e308, "", "\0", "../../etc/passwd", "\ud7ff" * 300, [], {}, [[]],
    "18446744073709551616", "runs/../x", "a" * 5000,
)  # fmt: skip


def mutated(seed: int) -> bytes:
    """A capsule that differs from a whole one, most of the time."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    return chance.choice((_bits, _pieces, _numbers, _members, _json, _json, _other_zip))(chance)


def _bits(chance: random.Random) -> bytes:
    text = bytearray(made.packed())
    for _ in range(chance.randint(1, 8)):
        text[chance.randrange(len(text))] ^= 1 << chance.randrange(8)
    return bytes(text)


def _pieces(chance: random.Random) -> bytes:
    text = made.packed()
    for _ in range(chance.randint(1, 3)):
        one, two = sorted((chance.randrange(len(text) + 1), chance.randrange(len(text) + 1)))
        middle = chance.choice((b"", text[one:two] * 2, chance.randbytes(chance.randint(0, 40)), text[:one]))
        text = text[:one] + middle + text[two:]
    return text


def _numbers(chance: random.Random) -> bytes:
    """Sizes, counts and places of the zip file, which stand behind its signatures."""
    text = bytearray(made.packed())
    marks = [at for mark in (b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06") for at in _found(bytes(text), mark)]
    for _ in range(chance.randint(1, 4)):
        at = chance.choice(marks) + chance.randrange(4, 46, 2)
        value = chance.choice((0, 1, 0xFFFF, 0xFFFFFFFF, 0x7FFFFFFF, chance.randrange(1 << 32)))
        width = chance.choice(("<H", "<I"))
        piece = struct.pack(width, value & (0xFFFF if width == "<H" else 0xFFFFFFFF))
        text[at : at + len(piece)] = piece
    return bytes(text)


def _found(text: bytes, mark: bytes) -> list[int]:
    places, at = [], text.find(mark)
    while at >= 0:
        places.append(at)
        at = text.find(mark, at + 1)
    return places


def _members(chance: random.Random) -> bytes:
    """Other members, written as ours are."""
    whole = archive.Archive(io.BytesIO(made.packed()))
    members = {name: whole.read(name) for name in whole.names}
    for _ in range(chance.randint(1, 2)):
        name = chance.choice(sorted(members))
        match chance.randrange(4):
            case 0:
                members.pop(name)
            case 1:
                members[chance.choice(("run/extra.txt", "a", "run/run.json.gz", "zz/zz", "manifest.json.x"))] = b"x"
            case 2:
                members[name] = members[name] + b" "
            case 3:
                members[name] = chance.randbytes(20)
        if not members:
            break
    return _written(members)


def _json(chance: random.Random) -> bytes:
    """A value changed in one of the parts, with hashes that are right."""
    parts = {"run": made.run_json(), "experiment": made.experiment(), "bundle": json.loads(made.BUNDLE.json())}
    which = chance.choice((*parts, "manifest"))
    if which != "manifest":
        value: Any = parts[which]
        _spoil(value, chance)
        text = json.dumps(value).encode()
        if chance.random() < 0.1:
            text = b"[" * chance.randint(1, 100_000) + text
        return made.packed(**{which: text})
    whole = archive.Archive(io.BytesIO(made.packed()))
    members = {name: whole.read(name) for name in whole.names}
    manifest = json.loads(members["manifest.json"])
    _spoil(manifest, chance)
    members["manifest.json"] = json.dumps(manifest, indent=1, sort_keys=chance.random() < 0.5).encode() + b"\n"
    return _written(members)


def _spoil(value: Any, chance: random.Random) -> None:
    """Change, add or remove a value somewhere in an object."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = chance.choice(keys)
        if isinstance(value[key], dict | list) and value[key] and chance.random() < 0.7:
            value = value[key]
            continue
        match chance.randrange(3):
            case 0:
                value[key] = chance.choice(_VALUES)
            case 1:
                del value[key]
            case 2 if isinstance(value, dict):
                value[chance.choice(("x", "", "\0", "../x", "a/b"))] = chance.choice(_VALUES)
        return


def _other_zip(chance: random.Random) -> bytes:
    """A good zip file with the right files, as other programs write it."""
    whole = archive.Archive(io.BytesIO(made.packed()))
    target = io.BytesIO()
    method = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))
    with zipfile.ZipFile(target, "w", method) as out:
        for name in chance.sample(sorted(whole.names), len(whole.names)):
            out.writestr(name, whole.read(name))
    return target.getvalue()


def _written(members: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    archive.write(target, ((name, io.BytesIO(content)) for name, content in sorted(members.items())))
    return target.getvalue()
