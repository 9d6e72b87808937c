//! What a script says of itself.

use windlull_units::{Seed, Span};

/// Where a script comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// The link profile's name.
    pub profile: String,
    /// The program that made the script, with its version.
    pub made_by: String,
    /// The seed of the link's random processes.
    pub seed: Seed,
    /// How far the timeline goes.
    pub horizon: Span,
}
