"""Write schema/engine.json and schema/stack.json anew, as the engine says them, and what Python has of the schemas.

    contract.py [ENGINE]      without one, that of `make setup`

Rust's types are the source; in `controller/windlull/contract` are the same for Python, `engine.py`, and the values that
impairments have in schema/link.json, `impairments.py`. Tests fail while one of them differs. `npm run types` makes
TypeScript's.
"""

from __future__ import annotations

import json
import pprint
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SCHEMA = ROOT / "schema" / "engine.json"
STACK = ROOT / "schema" / "stack.json"
LINK = ROOT / "schema" / "link.json"
TYPES = ROOT / "controller" / "windlull" / "contract" / "engine.py"
IMPAIRMENTS = TYPES.with_name("impairments.py")

OPTIONS = (
    "--input-file-type", "jsonschema", "--output-model-type", "msgspec.Struct", "--target-python-version", "3.11",
    "--base-class", "windlull.contract.base.Said", "--enum-field-as-literal", "all", "--use-msgspec-tagged-unions",
    "--use-annotated", "--use-union-operator", "--use-standard-collections", "--use-schema-description",
    "--field-constraints", "--formatters", "builtin", "--disable-timestamp", "--disable-warnings",
)  # fmt: skip
_OPTIONAL = re.compile(r"(?:\s*\| None)*\s*\| UnsetType\b")
_LEFT_OUT = {"format", "pattern"}
_LIST = re.compile(r"\blist\[([\w |]+)\]")


def schema(engine: Path, of: str = "engine") -> str:
    """Return the schema of all that an engine says and writes, or of the contract of a stack, as it is committed."""
    said = subprocess.run([engine, "schema", of], check=True, capture_output=True, text=True).stdout
    return json.dumps(json.loads(said), indent=1, ensure_ascii=False) + "\n"


def types(schema: str) -> str:
    """Return Python's types of a schema. What may be absent is None where it is."""
    with tempfile.TemporaryDirectory() as place:
        given, made = Path(place, "engine.json"), Path(place, "engine.py")
        given.write_text(json.dumps(_plain(json.loads(schema))), encoding="utf-8")
        files = ("--input", str(given), "--output", str(made))
        command = [sys.executable, "-m", "datamodel_code_generator", *files, *OPTIONS]
        subprocess.run(command, check=True)
        text = _OPTIONAL.sub(" | None", made.read_text(encoding="utf-8"))
        text = re.sub(r"import .*\bUNSET.*", "import Meta, field", text).replace("UNSET", "None")
        text = _LIST.sub(r"tuple[\1, ...]", text)
        text = re.sub(r"^(class \w+\(Said)", r"\1, frozen=True", text, flags=re.MULTILINE)
        made.write_text(re.sub(r"^\w+: TypeAlias = Annotated\[Any, .*\n", "", text, flags=re.MULTILINE))
        ruff = Path(sys.executable).with_name("ruff")
        for what in (["check", "--select", "F401,I", "--fix"], ["format"]):
            # What belongs to the project, ruff tells by the directory that it runs in.
            subprocess.run([ruff, *what, "--quiet", "--isolated", "--line-length", "120", made], check=True, cwd=ROOT)
        return made.read_text(encoding="utf-8")


def impairments(schema: str) -> str:
    """Return Python's table of the values that impairments have, from the schema of links."""
    table = {
        kind["properties"]["kind"]["const"]: {
            name: (value["format"], value.get("atMost"))
            for name, value in kind["properties"].items()
            if "format" in value
        }
        for kind in json.loads(schema)["$defs"]["ImpairmentFile"]["oneOf"]
    }
    return (
        '"""The values of impairments, by kind and key: their format in schema/link.json, and the greatest."""\n\n'
        "# scripts/contract.py makes it.\n\n"
        f"VALUES: dict[str, dict[str, tuple[str, str | None]]] = {pprint.pformat(table, width=110)}\n"
    )


def _plain(schema: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a schema without formats, which Python does not have, and patterns: who reads a seed checks its size."""
    if isinstance(schema, dict):
        return {key: _plain(part) for key, part in schema.items() if key not in _LEFT_OUT or not isinstance(part, str)}
    return [_plain(part) for part in schema] if isinstance(schema, list) else schema


def main() -> None:
    """Write them all."""
    engine = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target" / "release" / "windlull-engine")
    said = schema(engine)
    SCHEMA.write_text(said, encoding="utf-8")
    STACK.write_text(schema(engine, "stack"), encoding="utf-8")
    TYPES.write_text(types(said), encoding="utf-8")
    IMPAIRMENTS.write_text(impairments(LINK.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
