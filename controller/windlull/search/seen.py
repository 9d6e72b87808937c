"""What was seen to happen, and on which candidates: what a search goes by while nothing is worse than anything else."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Hashable


class Seen:
    """Candidates by how the senders behaved on them, as the numbers of the study that each is of.

    The numbers of an event are called after its place: `0.kind`, `1.begin`.
    """

    def __init__(self) -> None:
        self._by_study: dict[int, dict[Hashable, list[dict[str, Any]]]] = defaultdict(dict)
        self._events: dict[Hashable, list[dict[str, Any]]] = {}

    def add(self, behaviour: Hashable, events: int, values: dict[str, Any]) -> None:
        """Take in a candidate of so many events."""
        self._by_study[events].setdefault(behaviour, []).append(values)
        for place in range(events):
            prefix = f"{place}."
            event = {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}
            self._events.setdefault(behaviour, []).append(event)

    def behaviours(self, events: int) -> int:
        """Return how many were seen on candidates of so many events."""
        return len(self._by_study[events])

    def rare(self, events: int, draw: random.Random) -> tuple[Hashable, dict[str, Any]]:
        """Return a behaviour that few candidates of so many events have, the likelier the fewer, and one of these."""
        groups = self._by_study[events]
        (behaviour,) = draw.choices(list(groups), [1 / len(group) for group in groups.values()])
        return behaviour, draw.choice(groups[behaviour])

    def other(self, behaviour: Hashable, draw: random.Random) -> dict[str, Any] | None:
        """Return an event of a candidate on which the senders behaved otherwise, if there is any."""
        behaviours = [one for one in self._events if one != behaviour]
        return draw.choice(self._events[draw.choice(behaviours)]) if behaviours else None
