//! What this engine was built from.

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The commit it was built from, or `unknown`; where sources were changed since, `+` and the hash's first 12 digits.
pub(crate) const COMMIT: &str = env!("WINDLULL_COMMIT");
/// SHA-256 over the sources it was built from, in hexadecimal.
pub(crate) const SOURCES: &str = env!("WINDLULL_SOURCES");
