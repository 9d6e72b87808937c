"""Fuzzes what people send: TOML documents and capsules, through the service.

`python -m tests.api.fuzz --seconds 600 [--seed N]`, in controller/. Every answer must be one that the document of the
API has, and none a fault of the service; a fault ends the fuzzer, which prints the seed.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.api.client import UNHURRIED, Client
from tests.capsule.mutations import mutated
from windlull import locate
from windlull.api.app import create_app
from windlull.api.context import of
from windlull.api.settings import Settings
from windlull.store.home import Home
from windlull.store.migrate import migrate

if TYPE_CHECKING:
    from collections.abc import Sequence

KINDS = ("link", "variant", "workload", "experiment")

_VALUES = (
    "", "0", "-1", "1e400", "nan", "inf", "-0.0", "9223372036854775808", "0x10", "true", "1979-05-27T07:32:00Z", '""',
    '"1"', '"-1 ms"', '"1e30 s"', '"99999999999999999999 bit/s"', '"../../etc/passwd"', '"/etc/passwd"', '"a\\u0000b"',
    '"uniform(2 s, 1 s)"', '"exponential(mean 0 s)"', '"normal(1 s, 1e300 s)"', '"trace.csv"', "[]", "[[]]", "{}",
    '["x", 1]', "{ kind = 1 }", '"' + "x" * 5000 + '"', '"""', "[" * 500,
)  # fmt: skip


@cache
def shipped() -> dict[str, list[str]]:
    """The shipped documents by kind."""
    return {
        kind: [file.read_text() for file in sorted((locate.profiles() / f"{kind}s").rglob("*.toml"))] for kind in KINDS
    }


def document(seed: int) -> tuple[str, str]:
    """A kind, and a shipped document of some kind, unchanged (one in five) or with up to four changes."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    kind = chance.choice(KINDS)
    text = chance.choice(shipped()[kind if chance.random() < 0.9 else chance.choice(KINDS)])
    lines = text.split("\n")
    for _ in range(chance.randint(0, 4)):
        at = chance.randrange(len(lines))
        match chance.randrange(6):
            case 0:
                del lines[at : at + chance.randint(1, 3)]
            case 1:
                lines.insert(at, chance.choice(lines))
            case 2 | 3:
                key = lines[at].partition("=")[0] or "x "
                lines[at] = f"{key}= {chance.choice(_VALUES)}"
            case 4:
                line = lines[at]
                place = chance.randint(0, len(line))
                lines[at] = (
                    line[:place] + chance.choice(('"', "[", "]", "=", "\r", "\t", "\x7f", "é", "𝄞")) + line[place:]
                )
            case 5:
                lines.insert(at, chance.choice(("[[impairment]]", "[tcp]", "[x]", "title = 1", 'extends = "gprs"')))
        if not lines:
            lines = [""]
    return kind, "\n".join(lines)


def attempt(client: Client, seed: int) -> bool:
    """Send one document; say whether it was taken. The client refuses answers that are not documented."""
    kind, text = document(seed)
    answer = client.post("/validations", json={"kind": kind, "toml": text})
    assert answer.status in {200, 422}, answer.text
    valid = answer.status == 200 and answer.json["valid"]
    name = f"fuzzed-{seed}"
    made = client.post(f"/{kind}s", json={"name": name, "toml": text})
    assert (made.status == 201) == valid, f"{answer.text}\n{made.text}"
    if made.status == 201:
        address = f"/{kind}s/{name}"
        assert client.get(address).json["toml"] == text
        assert client.delete(address, headers={"If-Match": made.headers["ETag"]}).status == 204
    else:
        assert made.status == 422, made.text
    return made.status == 201


def attempt_capsule(client: Client, seed: int) -> bool:
    """Send one capsule, and look at what came of it; say whether it was taken."""
    answer = client.post("/capsules", data=mutated(seed), content_type="application/zip")
    assert answer.status in {201, 422}, answer.text
    if answer.status == 201:
        batch = answer.json["id"]
        assert client.get(f"/batches/{batch}/results").status == 200
        assert client.get(f"/batches/{batch}/report").status == 200
        (run,) = client.get(f"/runs?batch={batch}").json["items"]
        for part in ("series", "analysis", "episodes", "capsule", "captures/server", "fates"):
            assert client.get(f"/runs/{run['id']}/{part}").status < 500
        assert client.delete(f"/batches/{batch}").status == 204
    return answer.status == 201


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz for so many seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0, help="the first one's")
    asked = parser.parse_args(arguments)
    directory = Path(tempfile.mkdtemp(prefix="windlull-fuzz-"))
    home = Home(directory)
    migrate(home.database_url)
    client = Client(create_app(Settings(home.path, bounds=UNHURRIED)))
    end, seed, documents, capsules = time.monotonic() + asked.seconds, asked.seed, 0, 0
    try:
        while time.monotonic() < end:
            documents += attempt(client, seed)
            capsules += attempt_capsule(client, seed)
            seed += 1
    except BaseException:
        print(f"seed {seed} broke the service", file=sys.stderr)  # noqa: T201
        raise
    finally:
        of(client.app).watch.close()
        shutil.rmtree(directory, ignore_errors=True)
    count = seed - asked.seed
    print(f"{count} documents, {documents} taken; {count} capsules, {capsules} taken; nothing broke")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
