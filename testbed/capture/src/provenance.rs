//! Where a capture comes from.

use std::fmt;

use serde::{Deserialize, Serialize};
use windlull_units::Seed;

/// All that is needed to make the same run again; the comment of a capture's section header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Windlull's version.
    pub version: String,
    /// The commit it was built from.
    pub commit: String,
    /// The experiment's name.
    pub experiment: String,
    /// The variant's name.
    pub variant: String,
    /// The link profile's name.
    pub link: String,
    /// Which repetition, from 1.
    pub repetition: u32,
    /// The run's own seed.
    pub seed: Seed,
}

impl fmt::Display for Provenance {
    /// One line a fact, `name: value`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "windlull: {} (commit {})", self.version, self.commit)?;
        writeln!(f, "experiment: {}", self.experiment)?;
        writeln!(f, "variant: {}", self.variant)?;
        writeln!(f, "link: {}", self.link)?;
        writeln!(f, "repetition: {}", self.repetition)?;
        write!(f, "seed: {}", self.seed)
    }
}
