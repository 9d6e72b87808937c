//! Experiment, variant and workload files: TOML to valid types.
