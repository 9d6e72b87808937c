//! How far the packets of a link that replays a recording were those that were recorded.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use crate::{Direction, Time};

/// What came to a link that replays a recording, beside what was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Replayed {
    /// From server to client.
    pub down: ReplayedWay,
    /// From client to server.
    pub up: ReplayedWay,
}

/// The packets of a direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ReplayedWay {
    /// Packets that came to the link.
    pub packets: u64,
    /// Of these, those that had no recorded one. By time they are those before the first recorded one and after the last.
    pub unrecorded: u64,
    /// When the first of them came; null without any.
    pub unrecorded_from_ns: Option<Time>,
    /// Of the others, those that had another size than the recorded one.
    pub resized: u64,
}

impl Replayed {
    /// Both directions together.
    pub fn together(&self) -> ReplayedWay {
        let Self { down, up } = self;
        let first = [down.unrecorded_from_ns, up.unrecorded_from_ns].into_iter().flatten();
        ReplayedWay {
            packets: down.packets + up.packets,
            unrecorded: down.unrecorded + up.unrecorded,
            unrecorded_from_ns: first.min(),
            resized: down.resized + up.resized,
        }
    }

    /// The packets of this direction.
    pub const fn way(&self, direction: Direction) -> &ReplayedWay {
        match direction {
            Direction::Down => &self.down,
            Direction::Up => &self.up,
        }
    }
}
