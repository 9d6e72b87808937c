"""Write docs/openapi.json anew, as the service would say it, and for pages more documents.

These are docs/grades.json, docs/run-options.json, and schema/report.json, schema/papers.json and schema/learned.json,
which say what the report's page is given.

Tests fail while they differ.
"""

from __future__ import annotations

import json
from pathlib import Path

from windlull.api.app import document
from windlull.api.settings import Settings
from windlull.learning import frame as learning
from windlull.papers import frame as papers
from windlull.papers.grades import MEANING
from windlull.reports import frame
from windlull.runner.options import for_pages

DOCS = Path(__file__).resolve().parent.parent / "docs"


def main() -> None:
    """Write them."""
    openapi = document(Settings(Path("nowhere"), token="any"))  # noqa: S106 - one that wants a token says more
    _write("openapi.json", openapi)
    print(f"openapi.json: {len(openapi['paths'])} addresses")
    _write("grades.json", MEANING)
    print(f"grades.json: {len(MEANING)} grades")
    _write("run-options.json", for_pages())
    _write("../schema/report.json", {"$defs": frame.definitions()})
    _write("../schema/papers.json", {"$defs": papers.definitions()})
    _write("../schema/learned.json", {"$defs": learning.definitions()})


def _write(name: str, content: object) -> None:
    (DOCS / name).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
