//! Link profile files: TOML to valid link models.
