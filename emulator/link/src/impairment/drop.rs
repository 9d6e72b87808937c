//! Drop: an outage, in which the link loses what its channel meets. A link layer may repair it.

use windlull_units::Time;

use super::onset::AtPacket;
use super::{Lanes, Source, Spell, SpellKind};

/// An outage that begins at a packet, as its last bit is sent; that packet is its first victim.
#[derive(Clone, Debug)]
pub(crate) struct Outage {
    pub(crate) source: Source,
    pub(crate) lanes: Lanes,
    pub(crate) onset: AtPacket,
}

impl Outage {
    /// The spell that the next packet begins, whose last bit is sent at `now`.
    pub(crate) fn meet(&mut self, now: Time) -> Option<Spell> {
        let length = self.onset.draw()?;
        Some(spell(self.source, self.lanes, now, now + length))
    }
}

/// An outage from one instant to another.
pub(crate) fn spell(source: Source, lanes: Lanes, from: Time, until: Time) -> Spell {
    Spell {
        kind: SpellKind::Outage,
        source,
        lanes,
        from,
        until,
    }
}
