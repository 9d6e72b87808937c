//! Who acts where, and what becomes of the packet that it meets.

use windlull_units::{Direction, DropCause, Span, Time};

use crate::model::Scope;

/// Who causes something: the index of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source(pub(crate) usize);

/// Where something acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lanes {
    Only(Direction),
    Both,
}

impl Lanes {
    /// The directions, down first.
    pub(crate) fn directions(self) -> impl Iterator<Item = Direction> {
        let has = move |direction| match self {
            Self::Only(only) => only == direction,
            Self::Both => true,
        };
        Direction::ALL.into_iter().filter(move |&direction| has(direction))
    }

    /// The first part of a stream's name.
    pub(crate) const fn prefix(self) -> &'static str {
        match self {
            Self::Only(direction) => direction.name(),
            Self::Both => "both",
        }
    }
}

/// The instances of a process of this scope, by where each acts.
pub(crate) fn instances(scope: Scope) -> impl Iterator<Item = Lanes> {
    let (first, second) = match scope {
        Scope::One(direction) => (Lanes::Only(direction), None),
        Scope::Each => (Lanes::Only(Direction::Down), Some(Lanes::Only(Direction::Up))),
        Scope::Shared => (Lanes::Both, None),
    };
    std::iter::once(first).chain(second)
}

/// A packet that meets the channel: its last bit is being sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Passage {
    pub(crate) direction: Direction,
    pub(crate) now: Time,
    /// When it would be delivered.
    pub(crate) due: Time,
    /// Its bits and those of its framing.
    pub(crate) bits: u64,
    /// Whether the link layer sends it again.
    pub(crate) again: bool,
}

/// What becomes of the packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// The cause of its loss: that a script chose it, else an outage, else the first in the order of the profile.
    pub(crate) lost: Option<DropCause>,
    pub(crate) kept_back: Span,
    pub(crate) doubled: bool,
    pub(crate) corrupted: bool,
}
