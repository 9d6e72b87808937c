"""What the application is told when it is made: where its data are, who may ask, and how much."""

from dataclasses import dataclass
from pathlib import Path

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
"""The names under which a machine knows itself. Another one in `Host` is of a page whose name was pointed at us."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one web process.

    `hosts` are the names that `Host` may have, without port; None allows any, which only a token makes safe. `token` is
    what every client must show; None asks nobody. `requests_per_s` and `posts_per_s` are of one client address in one
    process; None does not count. `watchers` is how many clients may watch events in one process: each
    keeps a thread. `page` is the directory of the web page, None if it is not built. `emulator` is the address of the
    emulator that clients may change, None without one.
    """

    data: Path
    database: str | None = None
    hosts: frozenset[str] | None = LOOPBACK
    token: str | None = None
    secure_cookie: bool = False
    body_bytes: int = 10 << 20
    requests_per_s: int | None = 2000
    posts_per_s: int | None = 100
    watchers: int = 64
    page: Path | None = None
    emulator: str | None = None
