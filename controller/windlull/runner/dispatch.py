"""Who works for a Dask cluster, calls to its workers, and their answers: for sweeps and for the service alike.

Dask carries calls and answers and knows who is there; it decides nothing. Each call is bound to the worker that its
caller chose, and a call whose worker is lost is not repeated. Whoever calls keeps the calls under way, and gives up
those of a worker that is not there any more: an answer that dies with its worker may never come.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import time
from typing import TYPE_CHECKING, Any

from windlull.runner.cluster import Tender

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from distributed import Client, Future

LOOK_S = 0.5
"""The age at which knowledge of who is there is renewed."""
ANSWER_S = 30
"""How long Dask's scheduler may take to say who is there, before it is taken for gone."""

Call = concurrent.futures.Future[None]
"""A call under way; who cancels it lets go of it, and hears no answer."""


class Dispatch:
    """All workers of a cluster, from one thread, which never waits for a worker."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._there: dict[str, frozenset[str]] = {}
        self._looked: float | None = None
        self._tender = Tender(client)

    def there(self, *, now: bool = False) -> Mapping[str, frozenset[str]]:
        """Return the testbeds of each worker by its address, as of LOOK_S ago at most; `now` looks again.

        Nobody is there if the cluster cannot be reached.
        """
        if now or self._looked is None or time.monotonic() - self._looked > LOOK_S:
            self._tender.look()
            self._there = self._who_is_there()
            self._looked = time.monotonic()
        return self._there

    def call(
        self,
        address: str,
        function: Callable[..., Any],
        *arguments: object,
        answered: Callable[[Any, BaseException | None], None],
        key: str | None = None,
        priority: int = 0,
    ) -> Call:
        """Have a worker call a function.

        `answered` is called in Dask's thread with what it returned, or with why there is no answer, and must not wait.
        """
        future = self._client.submit(
            function, *arguments, key=key, workers=[address], allow_other_workers=False, retries=0, pure=False,
            priority=priority,
        )  # fmt: skip
        loop: Any = self._client.loop
        return asyncio.run_coroutine_threadsafe(_answer(future, answered), loop.asyncio_loop)

    def tell(self, address: str, function: Callable[..., Any], *arguments: object) -> None:
        """Have a worker call a coroutine at once, whatever else it does. Nothing is heard of it."""
        self._client.run(function, *arguments, workers=[address], wait=False, on_error="ignore")

    def hear(self, topic: str, heard: Callable[[Any], None]) -> None:
        """Have `heard` called, in Dask's thread, with what workers say under a topic."""
        self._client.subscribe_topic(topic, lambda event: heard(event[1]))  # type: ignore[no-untyped-call]

    def _who_is_there(self) -> dict[str, frozenset[str]]:
        scheduler: Any = self._client.scheduler
        try:
            identity = self._client.sync(scheduler.identity, n_workers=-1, callback_timeout=ANSWER_S)  # type: ignore[no-untyped-call]
        except Exception:  # noqa: BLE001 - Dask has many words for being gone
            return {}
        return {
            address: frozenset(name for name, amount in one["resources"].items() if amount)
            for address, one in identity["workers"].items()
            if one.get("status", "running") == "running"
        }


async def _answer(future: Future[Any], answered: Callable[[Any, BaseException | None], None]) -> None:
    try:
        answer = await future
    except (Exception, asyncio.CancelledError) as error:  # by whatever, the call has ended
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise  # the caller has let go of it
        answered(None, error)
    else:
        answered(answer, None)
