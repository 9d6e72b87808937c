"""What the engine says, in types: made of its JSON Schema, `schema/engine.json`, by `scripts/contract.py`."""
