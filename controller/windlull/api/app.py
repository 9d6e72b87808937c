"""The application: the store behind it, every endpoint, and what holds for all of them."""

import atexit
from typing import Any

from flask import Flask
from flask_openapi3.models.info import Info
from flask_openapi3.openapi import OpenAPI

import windlull
from windlull.api import context, errors, gateway, limits, metrics, openapi, page, security
from windlull.api.registry import BLUEPRINTS
from windlull.api.remembered import Remembered
from windlull.api.schemas import ErrorAnswer
from windlull.api.settings import Settings
from windlull.api.watch import Watch
from windlull.store.database import Database
from windlull.store.home import Home

ROOT = "/api/v1"


def create_app(settings: Settings, database: Database | None = None) -> Flask:
    """Return the application on a data directory. The database has been migrated; `database` is for tests.

    Raises FailureError if the directory or the database cannot be had.
    """
    home = Home(settings.data)
    store = database or Database(settings.database or home.database_url)
    watch = Watch(store, settings.bounds.watchers, settings.bounds.watchers_of_client)
    app = _bare(settings)
    context.attach(app, context.Context(settings, home, store, home.blobs, watch, Remembered()))
    atexit.register(watch.close)
    gateway.tell_errors_as_json()
    return app


def _bare(settings: Settings) -> OpenAPI:
    """Return the application without a store: enough for its document."""
    app = OpenAPI(
        "windlull.api",
        info=Info(title="Windlull", version=windlull.__version__, description=openapi.DESCRIPTION),
        security_schemes=openapi.SECURITY_SCHEMES,
        doc_ui=False,
        validation_error_model=ErrorAnswer,
        static_folder=None,
    )
    app.config["MAX_CONTENT_LENGTH"] = settings.bounds.body_bytes
    app.url_map.merge_slashes = False  # a wrong address is 404, not another one
    app.url_map.redirect_defaults = False
    metrics.install(app)
    errors.install(app)
    security.install(app, settings)
    limits.install(app, settings)
    for blueprint in BLUEPRINTS:
        app.register_api(blueprint, url_prefix=ROOT)
    page.install(app, settings.page)
    return app


def document(settings: Settings) -> dict[str, Any]:
    """Return the OpenAPI document of an application with these settings; nothing is opened."""
    return openapi.complete(_bare(settings), token=settings.token is not None)
