"""What the application is told when it is made: where its data are, who may ask, and how much."""

from dataclasses import dataclass, field
from pathlib import Path

from windlull.bounds import Bounds

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
"""The names under which a machine knows itself. Another one in `Host` is of a page whose name was pointed at us."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one web process.

    `hosts` are the names that `Host` may have, without port; None allows any, which only a token makes safe. `token` is
    what every client must show; None asks nobody. `logins` says that codes of one login stand for it, which the service
    prints. `page` is the directory of the web page, None if it is not built. `emulator` is the address of the emulator
    that clients may change, None without one. `bounds` is what it takes at most.
    """

    data: Path
    database: str | None = None
    hosts: frozenset[str] | None = LOOPBACK
    token: str | None = None
    logins: bool = False
    secure_cookie: bool = False
    page: Path | None = None
    emulator: str | None = None
    bounds: Bounds = field(default_factory=Bounds)
