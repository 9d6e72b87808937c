//! Where a capture comes from.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_units::Seed;

/// All that is needed to make the same run again; the comment of a capture's section header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Provenance {
    /// Windlull's version.
    pub version: String,
    /// The commit it was built from; where sources were changed since, `+` and digits of their hash follow.
    pub commit: String,
    /// Where it ran: `sim` or `netns`.
    pub testbed: String,
    /// The kernel's release, if it ran on one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    pub experiment: String,
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
        match self.commit.split_once('+') {
            None => writeln!(f, "windlull: {} (commit {})", self.version, self.commit)?,
            Some((commit, sources)) => {
                writeln!(
                    f,
                    "windlull: {} (with changes since commit {commit}, sources {sources})",
                    self.version
                )?;
            }
        }
        writeln!(f, "testbed: {}", self.testbed)?;
        if let Some(kernel) = &self.kernel {
            writeln!(f, "kernel: {kernel}")?;
        }
        writeln!(f, "experiment: {}", self.experiment)?;
        writeln!(f, "variant: {}", self.variant)?;
        writeln!(f, "link: {}", self.link)?;
        writeln!(f, "repetition: {}", self.repetition)?;
        write!(f, "seed: {}", self.seed)
    }
}
