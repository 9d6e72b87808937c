"""Print the keys and words of file types for libFuzzer's dictionary: `python3 fuzz/words.py SCHEMA...`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def words(schema: object) -> Iterator[str]:
    """Names of properties, constants and alternatives, wherever they stand."""
    match schema:
        case dict():
            yield from schema.get("properties", {})
            alternatives = [schema.get("const"), *schema.get("enum", [])]
            yield from (word for word in alternatives if isinstance(word, str))
            for inner in schema.values():
                yield from words(inner)
        case list():
            for inner in schema:
                yield from words(inner)


if __name__ == "__main__":
    found = {word for file in sys.argv[1:] for word in words(json.loads(Path(file).read_text(encoding="utf-8")))}
    sys.stdout.writelines(f'"{word}"\n' for word in sorted(found))
