"""What the web processes log of requests, and who may call them what."""

from __future__ import annotations

import logging
from datetime import timedelta
from types import SimpleNamespace

import pytest
from gunicorn.config import Config

from windlull.bounds import Bounds
from windlull.serve.web import GRACE_S, Application, Log
from windlull.serve.web_settings import WebSettings
from windlull.serve.worker import BoundedWorker

WEB = WebSettings(
    socket=3, data="/nowhere", database="sqlite:////nowhere/x", host="127.0.0.1", token=None, logins=False,
    secure_cookie=False, page=None, processes=3,
)  # fmt: skip


@pytest.mark.parametrize(
    ("method", "status", "seconds", "kind", "level"),
    [
        ("GET", 200, 0.1, "application/json", logging.DEBUG),
        ("GET", 404, 0.1, "application/json", logging.DEBUG),
        ("POST", 201, 0.1, "application/json", logging.INFO),
        ("DELETE", 404, 0.1, "application/json", logging.INFO),
        ("GET", 200, 1.0, "application/json", logging.WARNING),
        ("GET", 200, 3600, "text/event-stream; charset=utf-8", logging.DEBUG),
        ("GET", 503, 0.1, "application/json", logging.WARNING),
        ("POST", 500, 0.1, "application/json", logging.WARNING),
    ],
)
def test_requests_that_matter_are_told(
    caplog: pytest.LogCaptureFixture, method: str, status: int, seconds: float, kind: str, level: int
) -> None:
    answer = SimpleNamespace(status_code=status, headers=[("Content-Type", kind)], sent=12)
    asked = {
        "REQUEST_METHOD": method,
        "PATH_INFO": "/api/v1/runs",
        "QUERY_STRING": "token=x",
        "REMOTE_ADDR": "127.0.0.1",
    }
    with caplog.at_level(logging.DEBUG, logger="windlull.serve.web"):
        Log(Config()).access(answer, None, asked, timedelta(seconds=seconds))
    [record] = caplog.records
    fields = vars(record)
    assert (record.levelno, record.getMessage()) == (level, "request")
    assert {name: fields[name] for name in ("method", "path", "status", "ms", "bytes", "client")} == {
        "method": method, "path": "/api/v1/runs", "status": status, "ms": 1000 * seconds, "bytes": 12,
        "client": "127.0.0.1",
    }  # fmt: skip
    assert "token=x" not in str(fields), "what is asked for may be secret"


def test_gunicorn_is_told_how() -> None:
    settings = Application(WEB).cfg
    assert (settings.workers, settings.threads, settings.worker_connections) == (3, 128, 1000)
    assert issubclass(settings.worker_class, BoundedWorker)
    assert settings.worker_class.bounds == Bounds()
    assert settings.address == [3]
    assert settings.preload_app is False
    assert settings.graceful_timeout == GRACE_S
    assert settings.threads > Bounds().watchers, "requests are answered beside clients that watch"
