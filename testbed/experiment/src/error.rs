//! Why an experiment's settings do not go with a variant.

use thiserror::Error;
use windlull_stack::LinuxError;
use windlull_tcp::VariantError;

/// Settings that a TCP does not bear.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(transparent)]
pub enum SettingsError {
    Windlull(#[from] VariantError),
    Linux(#[from] LinuxError),
}

impl SettingsError {
    /// The key of the settings at fault and, where two are in conflict, the other one.
    pub fn keys(&self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Windlull(error) => error.keys(),
            Self::Linux(error) => match error.keys() {
                ("minimum_rto", other) => ("timer.minimum_rto", other),
                ("receive_buffer", other) => ("receive_window", other),
                keys => keys,
            },
        }
    }
}
