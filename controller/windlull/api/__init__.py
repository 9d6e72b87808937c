"""The HTTP interface: JSON in and out, versioned, described by the OpenAPI document that it serves.

`app.create_app` makes the application. Each other module with a `blueprint` has the endpoints of one thing; `app` lists
them all.
"""
