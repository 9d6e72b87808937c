"""Whatever a process logs, by whichever library, is one JSON object a line."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

SAYS = """
import logging, warnings
import structlog
from windlull import logs
logs.configure("web")
structlog.get_logger().info("started", port=3)
logging.getLogger("some.library").warning("lost %s of %d", "two", 3)
logging.getLogger("some.library").debug("no")
logging.getLogger("alembic.runtime").info("no")
try:
    raise OSError("gone\\nfor good")
except OSError:
    structlog.get_logger().exception("failed")
"""


def said() -> list[dict[str, Any]]:
    done = subprocess.run([sys.executable, "-c", SAYS], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stderr.splitlines()]


def test_every_line_says_when_who_and_what() -> None:
    lines = said()
    assert [(line["level"], line["event"]) for line in lines] == [
        ("info", "started"),
        ("warning", "lost two of 3"),
        ("error", "failed"),
    ]
    for line in lines:
        assert line["process"] == "web"
        assert isinstance(line["pid"], int)
        assert datetime.fromisoformat(line["at"]).tzinfo == UTC
    assert lines[0]["port"] == 3
    assert "OSError: gone" in lines[2]["exception"]
