"""Hold the API against its own document: Schemathesis, all checks, over a service with finished runs.

    scripts/api_fuzz.py --minutes 30
    scripts/api_fuzz.py --examples 3 --seed 1      a short one, the same each time

Starts `windlull serve` on a data directory of its own, with a token, makes some runs, and asks it everything that its
document allows and forbids. Exit code 1 if an answer is not as documented, or anything is answered with 5xx.
"""

from __future__ import annotations

import argparse
import json
import re
import secrets
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

BIN = Path(sys.executable).parent
READY = re.compile(rb"(http://[^ /]+)")
SEEDED = (
    {"experiment": "first-look", "repetitions": 2},
    {"experiment": "first-look", "repetitions": 1, "captures": False, "seed": "2"},
)

# What a document, a query or an experiment means, no schema can say: what is well-formed may still be 422. And what
# was found may be gone by 410, be in use (409), or have been changed meanwhile (412).
CONFIG = """
hooks = "hooks.py"
max-stream-events = 1
suppress-health-check = ["all"]
request-timeout = 30

[generation]
database = "none"

[warnings]
enabled = false

[checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "410", "412", "416", "422", "428", "429"]

[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "406", "413", "414", "415", "422", "428", "429", "431"]

[checks.missing_required_header]
expected-statuses = ["400", "401", "403", "406", "422", "428"]

[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx"]

[auth.openapi.token]
bearer = "{token}"

[[operations]]
include-operation-id = "events_stream"
parameters = {{ "query.follow" = false }}
"""


# Schemathesis would write JSON in place of a file. One that is a capsule is worth more than any other.
HOOKS = """
import schemathesis

@schemathesis.serializer("application/zip")
def serialize(context, value):
    return value if isinstance(value, bytes) else getattr(value, "data", str(value).encode())
"""


def main() -> int:
    """Serve, seed, fuzz."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--minutes", type=float, help="how long; fuzzing and stateful testing go on until then")
    options.add_argument("--examples", type=int, help="at most so many test cases for each operation")
    options.add_argument("--seed", type=int, help="of the random requests; another one each time if not given")
    options.add_argument("--phases", default="examples,coverage,fuzzing,stateful")
    options.add_argument("--report", type=Path, help="where a report of all failures goes, as JSON lines")
    options.add_argument("--only", help="a regular expression of the paths to ask")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="windlull-fuzz-") as directory:
        work = Path(directory)
        token = secrets.token_hex(16)
        with serving(work, token) as address:
            seed(address, token)
            return fuzz(work, address, token, given)


@contextmanager
def serving(work: Path, token: str) -> Iterator[str]:
    """Start the service and give its address; stop it at the end, which must go well."""
    (work / "token").write_text(token)
    command = [BIN / "windlull", "serve", "--data", work / "data", "--port", "0", "--token-file", work / "token"]
    with (work / "log").open("wb") as log:
        process = subprocess.Popen([*map(str, command), "--workers", "1"], stdout=subprocess.PIPE, stderr=log)
    try:
        assert process.stdout is not None  # noqa: S101 - because of PIPE
        found = READY.search(process.stdout.readline())
        if found is None:
            raise SystemExit(f"the service did not start:\n{(work / 'log').read_text()}")
        yield found[1].decode()
        errors = [line for line in (work / "log").read_text().splitlines() if "a request failed" in line]
        print(f"the service logged {len(errors)} failed requests", *errors[:5], sep="\n")
    finally:
        process.terminate()
        process.wait(60)


def seed(address: str, token: str) -> None:
    """Make some runs and wait until they have ended, so that there are results to ask for."""
    for body in SEEDED:
        ask(address, token, "POST", "/batches", body)
    batches: list[Any] = []
    for _ in range(600):
        batches = ask(address, token, "GET", "/batches")["items"]
        if all(batch["state"] == "ended" for batch in batches):
            break
        time.sleep(0.1)
    print("seeded:", [batch["runs"] for batch in batches])


def ask(address: str, token: str, method: str, path: str, body: Any = None) -> Any:  # noqa: ANN401 - JSON
    """Ask the service one thing."""
    request = urllib.request.Request(  # noqa: S310 - the service that we have started
        f"{address}/api/v1{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
        return json.load(answer)


def fuzz(work: Path, address: str, token: str, given: argparse.Namespace) -> int:
    """Let Schemathesis ask; its exit code is ours."""
    (work / "hooks.py").write_text(HOOKS)
    (work / "schemathesis.toml").write_text(CONFIG.format(token=token))
    command = [
        str(BIN / "schemathesis"), "--config-file", str(work / "schemathesis.toml"), "run",
        f"{address}/api/v1/openapi.json", "--checks", "all", "--phases", given.phases, "--continue-on-failure",
        "--no-color", "-H", f"Authorization: Bearer {token}",
    ]  # fmt: skip
    for option, value in (
        ("--max-time", given.minutes and str(int(60 * given.minutes))),
        ("--max-examples", given.examples and str(given.examples)),
        ("--seed", given.seed is not None and str(given.seed)),
        ("--include-path-regex", given.only),
        ("--report-ndjson-path", given.report and str(given.report)),
    ):
        if value:
            command += [option, value]
    if given.seed is not None:
        command.append("--generation-deterministic")
    return subprocess.run(command, cwd=work, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
