"""The token of a data directory, and the codes of one login that stand for it.

    DATA/token     the token, made at the first start without another one; its owner's alone
    DATA/login/    a file for each code that is good still, under the hash of the code

A code is good once and for a short time, for whichever process of the service it comes to: who removes its file has it.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING

from windlull.errors import BadInputError, FailureError

if TYPE_CHECKING:
    from pathlib import Path

LOGIN_S = 600
"""How long a code is good."""

SHORTEST_TOKEN = 16


def read_token(file: Path) -> str:
    """Return the token that a file holds, without the space around it. Raises BadInputError."""
    try:
        token = file.read_text(encoding="ascii").strip()
    except UnicodeDecodeError:
        token = ""
    except OSError as error:
        raise BadInputError(f"cannot read the token in {file}: {error.strerror or error}") from error
    if len(token) < SHORTEST_TOKEN or not token.isprintable() or " " in token:
        raise BadInputError(
            f"{file} holds no token: one line of at least {SHORTEST_TOKEN} letters and digits, as made by\n"
            f"    (umask 077; openssl rand -hex 32 > {file})"
        )
    return token


def token_file(data: Path) -> Path:
    """Return where the token of a data directory is."""
    return data / "token"


def own_token(data: Path) -> str:
    """Return the token of a data directory, made when there is none. Raises BadInputError and FailureError."""
    file = token_file(data)
    if not file.exists():
        draft = data / ".token.part"
        try:
            draft.unlink(missing_ok=True)
            draft.touch(0o600, exist_ok=False)
            draft.write_text(f"{secrets.token_hex(32)}\n", encoding="ascii")
            draft.rename(file)
        except OSError as error:
            raise FailureError(f"cannot write the token to {file}: {error.strerror or error}") from error
    return read_token(file)


class Logins:
    """The codes of one login of a data directory, in files that all processes of the service see."""

    def __init__(self, data: Path) -> None:
        self._directory = data / "login"

    def issue(self, now_s: float) -> str:
        """Return a code that is good once, until LOGIN_S from now; earlier ones end. Raises FailureError."""
        code = secrets.token_urlsafe(32)
        try:
            self._directory.mkdir(mode=0o700, exist_ok=True)
            self.forget()
            self._file(code).write_text(str(int(now_s) + LOGIN_S), encoding="ascii")
        except OSError as error:
            raise FailureError(f"cannot write to {self._directory}: {error.strerror or error}") from error
        return code

    def spend(self, code: str, now_s: float) -> bool:
        """Whether a code was good. It is no more."""
        file = self._file(code)
        try:
            until_s = int(file.read_text(encoding="ascii"))
            file.unlink()  # of two who come at once, one finds nothing here
        except (OSError, ValueError):
            return False
        return now_s < until_s

    def forget(self) -> None:
        """Let no code be good any more."""
        for file in self._directory.glob("*"):
            file.unlink(missing_ok=True)

    def _file(self, code: str) -> Path:
        return self._directory / hashlib.sha256(code.encode()).hexdigest()
