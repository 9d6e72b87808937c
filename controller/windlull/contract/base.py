"""What all types of the contract have in common."""

import msgspec


class Said(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A part of what the engine says. A key that is not in the schema is an error."""
