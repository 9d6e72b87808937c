//! Suspend: the transmitter stops for a while; what is being sent or on its way arrives, the rest waits in the queue
//! (gurtov2003, section IV.A: the tool "suspends transmission").

use windlull_units::Time;

use super::onset::AtPacket;
use super::{Lanes, Source, Spell, SpellKind};

/// A suspension that begins at a packet: that one still passes, those after it wait.
#[derive(Clone, Debug)]
pub(crate) struct Suspend {
    pub(crate) source: Source,
    pub(crate) lanes: Lanes,
    pub(crate) onset: AtPacket,
}

impl Suspend {
    /// The spell that the packet begins whose last bit is sent `now`.
    pub(crate) fn meet(&mut self, now: Time) -> Option<Spell> {
        let length = self.onset.draw()?;
        Some(Spell {
            kind: SpellKind::Suspension,
            source: self.source,
            lanes: self.lanes,
            from: now,
            until: now + length,
        })
    }
}
