//! Spells: times in which the link holds, suspends or loses packets, which begin at an instant or at a packet.
//!
//! - Hold: the link delivers nothing for a while, keeps what it has and what arrives, then releases in order (sarolahti2003,
//!   section 5.1, "sudden delays").
//! - Suspension: the transmitter stops for a while; what is being sent or on its way arrives, the rest waits in the queue
//!   (gurtov2003, section IV.A: the tool "suspends transmission").
//! - Hold of arrivals: what arrives waits in front of the queue for a while, whatever its limit, and is let in at once when
//!   that ends; queue and delivery go on (a delay element before the bottleneck, as in simulators' dumb-bells).
//! - Outage: the link loses what it meets.

use windlull_units::Time;

use super::onset::AtPacket;
use super::{Lanes, Passage, Source};
use crate::model::Action;

/// What happens to the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpellKind {
    Hold,
    Suspension,
    HoldOfArrivals,
    Outage,
}

impl Action {
    /// Which spell it begins; `None` if it sets something.
    pub(crate) const fn spell(&self) -> Option<SpellKind> {
        match self {
            Self::Hold => Some(SpellKind::Hold),
            Self::HoldArrivals => Some(SpellKind::HoldOfArrivals),
            Self::Drop => Some(SpellKind::Outage),
            Self::Delay(_) | Self::SetRate(_) | Self::SetDelay(_) | Self::SetLoss(_) | Self::SetQueue(_) => None,
        }
    }
}

/// A time in which the link holds, suspends or loses packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spell {
    pub(crate) kind: SpellKind,
    pub(crate) source: Source,
    pub(crate) lanes: Lanes,
    pub(crate) from: Time,
    pub(crate) until: Time,
}

/// Spells that begin at packets.
#[derive(Clone, Debug)]
pub(crate) struct SpellAtPacket {
    pub(crate) kind: SpellKind,
    pub(crate) source: Source,
    pub(crate) lanes: Lanes,
    pub(crate) onset: AtPacket,
}

impl SpellAtPacket {
    /// The spell that the packet begins, if it does. A hold keeps it and everything after it, from when it would have been
    /// delivered; a suspension or a hold of arrivals lets it pass, and an outage has it as its first victim, all
    /// as its last bit is sent.
    pub(crate) fn meet(&mut self, passage: &Passage) -> Option<Spell> {
        let length = self.onset.draw()?;
        let from = match self.kind {
            SpellKind::Hold => passage.due,
            SpellKind::Suspension | SpellKind::HoldOfArrivals | SpellKind::Outage => passage.now,
        };
        Some(Spell {
            kind: self.kind,
            source: self.source,
            lanes: self.lanes,
            from,
            until: from + length,
        })
    }
}
