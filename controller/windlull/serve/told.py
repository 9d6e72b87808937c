"""What the service tells its web processes; apart from them, so that the service need not load what they do."""

from __future__ import annotations

import msgspec

VARIABLE = "WINDLULL_WEB"
"""The variable of the environment that has it, as JSON: others cannot read it, and it may hold a password."""


class Web(msgspec.Struct, frozen=True):
    """What the web processes are told. `socket` is a descriptor that they inherit; `page` the built web page."""

    socket: int
    data: str
    database: str
    host: str
    token: str | None
    secure_cookie: bool
    page: str | None
    processes: int
    emulator: str | None = None
