"""Write docs/openapi.json anew, as the service would say it. A test fails while the two differ."""

from __future__ import annotations

import json
from pathlib import Path

from windlull.api.app import document
from windlull.api.settings import Settings

KEPT = Path(__file__).resolve().parent.parent / "docs" / "openapi.json"


def main() -> None:
    """Write it."""
    told = document(Settings(Path("nowhere"), token="any"))  # noqa: S106 - one that wants a token says more
    KEPT.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{KEPT.name}: {len(told['paths'])} addresses")


if __name__ == "__main__":
    main()
