"""What a receiver is told of a round, and by which signature it knows that this service says so."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Any, Literal

import msgspec

if TYPE_CHECKING:
    from datetime import datetime

    from windlull.schedules.gates import Judged
    from windlull.store.tables import Round, Schedule

Event = Literal["gate-failed", "gate-undecided", "gate-unjudged", "batch-failed", "not-started"]

SIGNATURE, DELIVERY, EVENT = "X-Windlull-Signature-256", "X-Windlull-Delivery", "X-Windlull-Event"


def body(
    event: Event,
    words: str,
    schedule: Schedule,
    of: Round,
    *,
    batch_id: int | None,
    judged: Judged | None,
    key: str,
    now: datetime,
) -> str:
    """Return the body of a notice; docs/schedules.md has its fields."""
    commit = "" if of.commit is None else f" ({of.commit})"
    link = None if batch_id is None else f"{schedule.address}batches/{batch_id}"
    said: dict[str, Any] = {
        "id": key,
        "event": event,
        "at": now,
        "text": _shown(f"{schedule.name}{commit}: {words}") + ("" if link is None else f" {link}"),
        "schedule": {"id": schedule.id, "name": schedule.name, "experiment": schedule.asked["experiment"]},
        "round": {"id": of.id, "cause": of.cause.value, "commit": of.commit},
        "batch": None if batch_id is None else {"id": batch_id, "address": link},
        "reason": words,
        "gate": judged,
    }
    return msgspec.json.encode(said).decode()


def signature(secret: str, octets: bytes) -> str:
    """Return the signature of a body, as forges write it: `sha256=` and the HMAC (RFC 2104) in hexadecimal."""
    return f"sha256={hmac.new(secret.encode(), octets, hashlib.sha256).hexdigest()}"


def is_signature(given: str, secret: str, octets: bytes) -> bool:
    """Whether it is the signature of a body; takes as long for a wrong one as for the right one."""
    return hmac.compare_digest(given.encode(), signature(secret, octets).encode())


def headers(secret: str | None, key: str, event: str, octets: bytes) -> dict[str, str]:
    """Return the headers of a notice; it is signed if there is a secret."""
    signed = {} if secret is None else {SIGNATURE: signature(secret, octets)}
    return {"Content-Type": "application/json", DELIVERY: key, EVENT: event, **signed}


def _shown(text: str) -> str:
    """Return a text with the three characters as entities that Slack and Mattermost would take for marks."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
