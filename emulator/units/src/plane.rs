//! What carries the packets of a link on a real kernel, how it waits, who plays it, and what a capture of it has counted.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

crate::named! {
    /// What carries the packets in the router.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "lowercase"))]
    #[cfg_attr(feature = "schema", derive(JsonSchema))]
    #[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
    pub enum PlaneKind {
        /// The simulator's link, on packet sockets.
        #[default]
        Model = "model",
        /// The kernel's tc, netem and nftables.
        Netem = "netem",
    }
}

crate::named! {
    /// How the link waits for the next packet's time.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[cfg_attr(feature = "serde", derive(Serialize, Deserialize), serde(rename_all = "lowercase"))]
    #[cfg_attr(feature = "schema", derive(JsonSchema))]
    #[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
    pub enum Pace {
        /// Polls the clock just before the time: exact to microseconds, occupying a core of the machine.
        #[default]
        Precise = "precise",
        /// By timers alone: exact to a tenth of a millisecond or so, many runs side by side.
        Frugal = "frugal",
        /// By timers alone, on a machine whose time stands still while anything computes: it never stalls, so that nobody
        /// watches for that, and nobody wakes up only to look whether something has happened.
        #[cfg_attr(feature = "schema", schemars(skip))]
        #[cfg_attr(feature = "clap", value(skip))]
        Virtual = "virtual",
    }
}

/// Which program speaks. The processes of a run must be of one version and one commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    pub version: &'static str,
    /// The commit it was built from.
    pub commit: &'static str,
}

/// How far a capture of the link's two devices is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LinkCaptureCounts {
    /// Octets of the file.
    pub bytes: u64,
    /// Packets in it: one that passed both devices counts twice.
    pub packets: u64,
    /// Packets that found a ring full.
    pub dropped: u64,
    /// Whether the file has as much as it may.
    pub full: bool,
}
