"""What the service tells its web processes; apart from them, so that the service need not load what they do."""

from __future__ import annotations

import msgspec

from windlull.bounds import Bounds

VARIABLE = "WINDLULL_WEB"
"""The variable of the environment that has it, as JSON: others cannot read it, and it may hold a password."""


class WebSettings(msgspec.Struct, frozen=True):
    """What the web processes are told. `socket` is a descriptor that they inherit; `page` the built web page.

    `bounds` is what clients may have at most. `logins` says that the token is the data directory's own, and codes of
    one login stand for it.
    """

    socket: int
    data: str
    database: str
    host: str
    token: str | None
    logins: bool
    secure_cookie: bool
    page: str | None
    processes: int
    emulator: str | None = None
    bounds: Bounds = msgspec.field(default_factory=Bounds)
