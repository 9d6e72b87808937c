//! What happened on the link itself, apart from any packet: the lane under every diagram.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::{BitRate, Direction, Span, Time};

/// A change of the link's state. `name` is the impairment's or script line's name in the profile.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(Serialize, Deserialize),
    serde(tag = "event", rename_all = "kebab-case")
)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub enum LinkEvent {
    /// The link stops to deliver in this direction; it keeps what it has.
    HoldBegan {
        direction: Direction,
        name: String,
        /// When it will end, as drawn.
        until: Time,
    },
    /// The hold is over.
    HoldEnded { direction: Direction, name: String },
    /// The link loses everything it meets in this direction.
    OutageBegan {
        direction: Direction,
        name: String,
        /// When it will end, as drawn.
        until: Time,
    },
    /// The outage is over.
    OutageEnded { direction: Direction, name: String },
    /// A loss process changed state.
    LossState {
        direction: Direction,
        name: String,
        /// Whether it is now the bad state.
        bad: bool,
    },
    Rate {
        direction: Direction,
        /// The new rate; `None` while a trace gives no opportunities.
        rate: Option<BitRate>,
    },
    /// The propagation delay changed on the script. `None`: each packet draws its own.
    Delay {
        direction: Direction,
        /// The new one-way delay.
        delay: Option<Span>,
        /// The one-way delay that it was; files of earlier versions do not tell it.
        #[cfg_attr(feature = "serde", serde(default))]
        before: Option<Span>,
    },
    /// An idle channel is being acquired again.
    Allocating {
        direction: Direction,
        /// When it will be usable.
        until: Time,
    },
    /// Another scripted change (loss, queue), told in the profile's words.
    Changed {
        direction: Direction,
        /// What changed, as in the profile.
        what: String,
    },
}

impl LinkEvent {
    /// Which way it concerns.
    pub const fn direction(&self) -> Direction {
        match self {
            Self::HoldBegan { direction, .. }
            | Self::HoldEnded { direction, .. }
            | Self::OutageBegan { direction, .. }
            | Self::OutageEnded { direction, .. }
            | Self::LossState { direction, .. }
            | Self::Rate { direction, .. }
            | Self::Delay { direction, .. }
            | Self::Allocating { direction, .. }
            | Self::Changed { direction, .. } => *direction,
        }
    }
}
