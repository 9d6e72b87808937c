"""How often one client address may ask, counted by each process for itself.

Each address has a bucket of tokens: a request takes one, and they come back evenly, up to as many as a second brings.
"""

import threading
import time
from collections import OrderedDict
from http import HTTPStatus

from flask import Flask, request

from windlull.api.errors import RETRY_AFTER_S, ApiError
from windlull.api.settings import Settings

MOST_ADDRESSES = 4096
"""Of how many addresses it is known; who asked longest ago is forgotten first, with a full bucket."""


class Buckets:
    """The buckets of all addresses, for all threads."""

    def __init__(self, per_second: int) -> None:
        self._per_second = per_second
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str, now_s: float) -> bool:
        """Take a token, if there is one."""
        with self._lock:
            left, then_s = self._left.pop(address, (float(self._per_second), now_s))
            left = min(float(self._per_second), left + (now_s - then_s) * self._per_second)
            there = left >= 1
            self._left[address] = (left - there, now_s)
            if len(self._left) > MOST_ADDRESSES:
                self._left.popitem(last=False)
        return there


def install(app: Flask, settings: Settings) -> None:
    """Count requests, and those with POST once more: an engine works for most of them. Too many are 429."""
    bounds = settings.bounds
    every, posts = Buckets(bounds.requests_per_s), Buckets(bounds.posts_per_s)

    @app.before_request
    def _count() -> None:
        address, now_s = request.remote_addr or "", time.monotonic()
        if not every.take(address, now_s):
            raise _too_many("requests", bounds.requests_per_s)
        if request.method == "POST" and not posts.take(address, now_s):
            raise _too_many("requests with POST", bounds.posts_per_s)


def _too_many(what: str, per_second: int) -> ApiError:
    return ApiError(
        HTTPStatus.TOO_MANY_REQUESTS,
        f"at most {per_second} {what} a second",
        headers={"Retry-After": str(RETRY_AFTER_S)},
    )
