"""What the project is made of that others have made: pinned by hash, from one source, free to use, without known holes.

Two halves. What the locks and the licences say is read here and must hold, always. What is known to be vulnerable is
known by databases on the network: where one of them answers, a known vulnerability is an error; where it does not, this
says so, loudly, and the end of it is no pass but "not audited". WINDLULL_AUDIT=require makes that an error too.

Python: pip-audit. Web: npm audit. Rust: cargo audit if it is installed, else OSV, which has the same advisories.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from collections import Counter
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
PYTHON_LOCK = ROOT / "controller" / "requirements.lock"
SITE_LOCK = ROOT / "docs" / "site" / "requirements.lock"
RUST_LOCKS = (
    *(ROOT / place / "Cargo.lock" for place in (".", "fuzz", "lints/control", "controller/tests/qlog/reader")),
    ROOT / "emulator" / "link" / "examples-quinn" / "Cargo.lock",
    *sorted(ROOT.glob("stacks/*/Cargo.lock")),
)
WEB_LOCK = ROOT / "web" / "package-lock.json"

ALLOWED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0",
    "CC0-1.0", "CC-BY-4.0", "ISC", "MIT", "MIT-0", "MPL-2.0", "NCSA", "PSF-2.0", "Python-2.0", "Unicode-3.0",
    "Unlicense", "Zlib",
}  # fmt: skip
"""Licences that ask for no more than a notice, or of changes to the library itself."""

EXCEPTIONS = {
    "psycopg": "LGPL-3.0-only",  # used as it is, as a library that anybody can replace
    "psycopg-binary": "LGPL-3.0-only",
}

CLASSIFIERS = {
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""What Python packages call their licence that do not yet use SPDX's names."""

ACCEPTED: dict[str, str] = {}
"""Advisories that do not concern us: identifier to reason."""

CRATES = "registry+https://github.com/rust-lang/crates.io-index"
OSV = "https://api.osv.dev/v1/querybatch"
PATIENCE_S = 60


class UnreachableError(Exception):
    """A database of vulnerabilities did not answer, and why."""


@dataclass(frozen=True)
class Package:
    """One library of a lock. `licence` is an SPDX expression, None if it is not known here."""

    name: str
    version: str
    licence: str | None = None


# --- what the locks say -----------------------------------------------------------------------------------------------


def python_packages(lock: str) -> tuple[list[Package], list[str]]:
    """Read pip's lock: the packages, and what is wrong with it."""
    packages, wrong = [], []
    for entry in re.sub(r"\\\n", " ", lock).splitlines():
        line = re.sub(r"(^|\s)#.*", "", entry).strip()
        if not line:
            continue
        pinned = re.match(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;]+)", line)
        if not pinned:
            wrong.append(f"requirements.lock: {line[:60]}: no package with one version")
            continue
        name, version = pinned.groups()
        if "--hash=sha256:" not in line:
            wrong.append(f"requirements.lock: {name} {version} has no hash")
        packages.append(Package(name.lower(), version))
    return packages, wrong + duplicates("requirements.lock", [package.name for package in packages])


def rust_packages(where: str, lock: str) -> tuple[list[Package], list[str]]:
    """Read Cargo's lock: the packages of others, and what is wrong with it."""
    packages, wrong = [], []
    for entry in tomllib.loads(lock).get("package", []):
        source = entry.get("source")
        if source is None:
            continue  # ours
        name, version = entry["name"], entry["version"]
        if source != CRATES:
            wrong.append(f"{where}: {name} {version} comes from {source}")
        if "checksum" not in entry:
            wrong.append(f"{where}: {name} {version} has no checksum")
        packages.append(Package(name, version))
    return packages, wrong + duplicates(where, [f"{package.name} {package.version}" for package in packages])


def withdrawn(crates: list[Package]) -> list[str]:
    """Crates whose version was withdrawn ("yanked"), as far as this machine's copy of the index knows."""
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    wrong = []
    for crate in sorted(set(crates), key=lambda crate: (crate.name, crate.version)):
        name = crate.name.lower()
        folder = {1: "1", 2: "2", 3: f"3/{name[0]}"}.get(len(name), f"{name[:2]}/{name[2:4]}")
        for known in home.glob(f"registry/index/*/.cache/{folder}/{name}"):
            if crate.version in withdrawn_versions(known.read_bytes()):
                wrong += [f"Rust: {crate.name} {crate.version} was withdrawn by its makers"]
    return wrong


def withdrawn_versions(index: bytes) -> set[str]:
    """Read Cargo's copy of the index of one crate: a header, then version and JSON object by turns, NUL after each."""
    entries = [json.loads(part) for part in index.split(b"\0") if part.startswith(b"{")]
    return {entry["vers"] for entry in entries if entry.get("yanked")}


def web_packages(lock: str) -> tuple[list[Package], list[str]]:
    """Read npm's lock: the packages, and what is wrong with it."""
    packages, wrong = [], []
    for path, entry in json.loads(lock)["packages"].items():
        if not path:
            continue  # ours
        name = path.rpartition("node_modules/")[2]
        version = entry.get("version", "?")
        if not str(entry.get("integrity", "")).startswith("sha512-"):
            wrong.append(f"package-lock.json: {path} has no hash")
        # No entry says where it comes from: that is the registry that npm is told to use, whichever mirror it is.
        if "resolved" in entry:
            wrong.append(f"package-lock.json: {path} comes from {entry['resolved']}")
        if "deprecated" in entry:
            wrong.append(f"package-lock.json: {path} {version} is given up: {entry['deprecated']}")
        packages.append(Package(name, version, entry.get("license", "")))
    return packages, wrong


def duplicates(where: str, names: list[str]) -> list[str]:
    """What is there more than once, and so from two sources or in two versions at once."""
    return [f"{where}: {name} is there {count} times" for name, count in Counter(names).items() if count > 1]


# --- licences ---------------------------------------------------------------------------------------------------------


def may_use(licence: str) -> bool:
    """Whether an SPDX expression can be met by allowed licences. Cargo's old `/` means OR."""
    words = re.findall(r"\(|\)|[^\s()]+", licence.replace("/", " OR "))
    place = 0

    def either() -> bool:
        nonlocal place
        good = both()
        while place < len(words) and words[place].upper() == "OR":
            place += 1
            good = both() or good
        return good

    def both() -> bool:
        nonlocal place
        good = one()
        while place < len(words) and words[place].upper() == "AND":
            place += 1
            good = one() and good
        return good

    def one() -> bool:
        nonlocal place
        if place >= len(words):
            return False
        word = words[place]
        place += 1
        if word == "(":
            good = either()
            place += 1
            return good
        if place + 1 < len(words) and words[place].upper() == "WITH":
            word = f"{word} WITH {words[place + 1]}"
            place += 2
        return word in ALLOWED

    return either() and place == len(words)


def licence_of(name: str) -> str | None:
    """Return what an installed Python package says of itself; None if it is not installed, "" if it says nothing."""
    try:
        said = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    if "License-Expression" in said:
        return str(said["License-Expression"])
    named = [
        line.rpartition("::")[2].strip() for line in said.get_all("Classifier") or () if line.startswith("License ::")
    ]
    named = named or [line for line in said.get_all("License") or () if line][:1]
    return " AND ".join(CLASSIFIERS.get(one, one) for one in (text.splitlines()[0] for text in named))


def rust_licences(manifest: Path) -> Iterator[tuple[str, str]]:
    """Name and licence of every crate of others."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--manifest-path", str(manifest)]
    output = subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout
    for package in json.loads(output)["packages"]:
        if package["source"] is not None:
            yield package["name"], package["license"] or ""


def refused(where: str, name: str, licence: str) -> list[str]:
    """What is wrong with a licence."""
    if may_use(licence) or EXCEPTIONS.get(name) == licence:
        return []
    return [f"{where}: {name} may be used by {licence or 'a licence that it does not tell'}, which is not on the list"]


# --- what is known to be vulnerable -----------------------------------------------------------------------------------


def python_holes() -> list[str]:
    """Ask pip-audit. Raises UnreachableError, also for a service that answers and knows none of the packages."""
    locks = [word for lock in (PYTHON_LOCK, SITE_LOCK) for word in ("--requirement", str(lock))]
    base = [sys.executable, "-m", "pip_audit", *locks, "--disable-pip", "--require-hashes"]
    reasons = []
    for service in ("pypi", "osv"):
        answer = run([*base, "--format", "json", "--progress-spinner", "off", "--timeout", "15", "-s", service])
        try:
            packages = json.loads(answer.stdout)["dependencies"]
        except (ValueError, KeyError):
            reasons.append(f"{service}: {last_line(answer.stderr)}")
            continue
        skipped = [one["name"] for one in packages if "skip_reason" in one]
        holes = [
            f"{one['name']} {one['version']}: {hole['id']}"
            for one in packages
            for hole in one.get("vulns", ())
            if not {hole["id"], *hole.get("aliases", ())} & ACCEPTED.keys()
        ]
        if holes or not skipped:
            return holes
        reasons.append(f"{service} knows nothing of {len(skipped)} of {len(packages)} packages")
    raise UnreachableError("; ".join(reasons))


def web_holes() -> list[str]:
    """Ask npm audit. Raises UnreachableError."""
    answer = run(["npm", "audit", "--json"], ROOT / "web")
    try:
        report = json.loads(answer.stdout)
    except ValueError:
        report = {}
    if "vulnerabilities" not in report:
        raise UnreachableError(str(report.get("message") or last_line(answer.stderr)))
    holes = []
    for name, one in report["vulnerabilities"].items():
        known = [via["url"].rpartition("/")[2] for via in one["via"] if isinstance(via, dict)]
        if not known or set(known) - ACCEPTED.keys():
            holes.append(f"{name} {one['range']}: {', '.join(known) or 'by what it needs'} ({one['severity']})")
    return holes


def rust_holes(packages: list[Package]) -> list[str]:
    """Ask cargo audit if it is there, else OSV, which has its advisories. Raises UnreachableError."""
    if shutil.which("cargo-audit"):
        holes = []
        for lock in RUST_LOCKS:
            answer = run(["cargo", "audit", "--json", "--file", str(lock)])
            try:
                found = json.loads(answer.stdout)["vulnerabilities"]["list"]
            except (ValueError, KeyError) as error:
                raise UnreachableError(last_line(answer.stderr)) from error
            holes += [(f"{one['package']['name']} {one['package']['version']}", one["advisory"]["id"]) for one in found]
        return [f"{name}: {known}" for name, known in dict.fromkeys(holes) if known not in ACCEPTED]
    asked = sorted({(package.name, package.version) for package in packages})
    queries = [{"package": {"ecosystem": "crates.io", "name": name}, "version": version} for name, version in asked]
    body = json.dumps({"queries": queries}).encode()
    question = urllib.request.Request(OSV, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(question, timeout=PATIENCE_S) as answer:  # noqa: S310 - https, above
            results: dict[str, Any] = json.load(answer)
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise UnreachableError(f"osv: {error}; and cargo-audit is not installed") from error
    return [
        f"{name} {version}: {hole['id']}"
        for (name, version), one in zip(asked, results["results"], strict=True)
        for hole in one.get("vulns", ())
        if hole["id"] not in ACCEPTED
    ]


def run(command: list[str], where: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run a tool for a while."""
    try:
        return subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"no answer within {PATIENCE_S} s")
    except OSError as error:
        return subprocess.CompletedProcess(command, 1, "", f"{command[0]}: {error.strerror}")


def last_line(text: str) -> str:
    """The last line that says something."""
    return next((line.strip()[:200] for line in reversed(text.splitlines()) if line.strip()), "it said nothing")


# --- all of it --------------------------------------------------------------------------------------------------------


def here() -> tuple[list[str], list[Package]]:
    """What is wrong that can be seen without a network, and the crates."""
    python, wrong = python_packages(PYTHON_LOCK.read_text(encoding="utf-8"))
    site, bad = python_packages(SITE_LOCK.read_text(encoding="utf-8"))
    wrong += bad
    for package in python:
        licence = licence_of(package.name)
        if licence is None:
            continue  # for another system than this one
        wrong += refused("Python", package.name, licence)
    crates: list[Package] = []
    for lock in RUST_LOCKS:
        found, bad = rust_packages(str(lock.relative_to(ROOT)), lock.read_text(encoding="utf-8"))
        crates += found
        wrong += bad
        wrong += [
            each
            for name, licence in rust_licences(lock.with_name("Cargo.toml"))
            for each in refused("Rust", name, licence)
        ]
    wrong += withdrawn(crates)
    web, bad = web_packages(WEB_LOCK.read_text(encoding="utf-8"))
    wrong += bad
    wrong += [each for package in web for each in refused("web", package.name, package.licence or "")]
    counts = f"{len(python) + len(site)} Python, {len(set(crates))} Rust, {len(web)} web packages"
    print(f"audit: {counts}: locks and licences looked at")
    return list(dict.fromkeys(wrong)), crates


def prove() -> None:
    """Show that what must be refused is: a check that finds nothing anywhere would pass as well."""

    def must(right: bool, what: str) -> None:  # noqa: FBT001 - reads as a sentence
        if not right:
            raise SystemExit(f"error: scripts/audit.py is broken: {what}")

    bad_python = "good==1 --hash=sha256:0\ngood==2 --hash=sha256:0\nbare==1\nloose>=1\ngit+https://x/y\n"
    must(len(python_packages(bad_python)[1]) == 4, "it reads pip's lock wrongly")
    crate = '[[package]]\nname = "x"\nversion = "1"\nsource = "{}"\n'
    must(len(rust_packages("x", crate.format(CRATES))[1]) == 1, "it misses a checksum")
    must(len(rust_packages("x", crate.format("git+https://x/y") + 'checksum = "0"\n')[1]) == 1, "it misses a source")
    entry = {"version": "1", "integrity": "sha512-x", "resolved": "https://elsewhere/x.tgz", "deprecated": "old"}
    lock = json.dumps({"packages": {"": {}, "node_modules/x": entry, "node_modules/y": {}}})
    must(len(web_packages(lock)[1]) == 3, "it reads npm's lock wrongly")
    yanked_x = b"\x031\0" + b'{"name":"x","vers":"1","yanked":true}\0' + b'2\0{"name":"x","vers":"2","yanked":false}\0'
    must(withdrawn_versions(yanked_x) == {"1"}, "it misses a version that was withdrawn")
    for licence in ("(MIT OR GPL-3.0-only) AND Apache-2.0 WITH LLVM-exception", "Unlicense/MIT"):
        must(may_use(licence), f"it refuses {licence}")
    for licence in ("", "GPL-3.0-only", "MIT AND GPL-3.0-only", "MIT GPL-3.0-only", "(MIT", "Apache-2.0 WITH x", "OR"):
        must(not may_use(licence), f"it allows {licence}")


def main() -> int:
    """Exit code 0 when nothing is wrong; also when a database could not be asked, unless WINDLULL_AUDIT=require."""
    prove()
    wrong, crates = here()
    not_audited = []
    for what, ask in (("Python", python_holes), ("web", web_holes), ("Rust", lambda: rust_holes(crates))):
        try:
            holes = ask()
        except UnreachableError as error:
            not_audited.append(what)
            print(f"NOT AUDITED: {what}: {error}", file=sys.stderr)
            continue
        print(f"audit: {what}: {len(holes) or 'no'} known vulnerabilities")
        wrong += [f"{what}: {hole}" for hole in holes]
    for each in wrong:
        print(f"error: {each}", file=sys.stderr)
    if not_audited:
        print(
            f"NOT AUDITED against known vulnerabilities: {', '.join(not_audited)}. Locks and licences alone were "
            "looked at. Run scripts/audit.py where the databases answer; WINDLULL_AUDIT=require makes this an error.",
            file=sys.stderr,
        )
    strict = os.environ.get("WINDLULL_AUDIT") == "require"
    return 1 if wrong or (not_audited and strict) else 0


if __name__ == "__main__":
    raise SystemExit(main())
