//! A line of a ledger.

use serde::{Deserialize, Serialize};

use super::entry::Entry;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Line {
    /// This is about to be made.
    Make {
        nth: u64,
        entry: Entry,
    },
    Gone(u64),
}
