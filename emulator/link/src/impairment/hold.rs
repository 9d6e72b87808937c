//! Hold: the link delivers nothing for a while, keeps what it has and what arrives, then releases in order
//! (sarolahti2003, section 5.1, "sudden delays"; gurtov2003, section IV).

use windlull_units::Time;

use super::onset::AtPacket;
use super::{Lanes, Source, Spell, SpellKind};

/// A hold that begins at a packet: it and everything after it wait, from when it would have been delivered.
#[derive(Clone, Debug)]
pub(crate) struct Hold {
    pub(crate) source: Source,
    pub(crate) lanes: Lanes,
    pub(crate) onset: AtPacket,
}

impl Hold {
    /// The spell that the next packet begins, which would be delivered at `due`.
    pub(crate) fn meet(&mut self, due: Time) -> Option<Spell> {
        let length = self.onset.draw()?;
        Some(spell(self.source, self.lanes, due, due + length))
    }
}

/// A hold from one instant to another.
pub(crate) fn spell(source: Source, lanes: Lanes, from: Time, until: Time) -> Spell {
    Spell {
        kind: SpellKind::Hold,
        source,
        lanes,
        from,
        until,
    }
}
