//! What happens to a packet from outside its own direction: the link's state and the script.

use windlull_units::{DropCause, Time};

use crate::LinkObserver;
use crate::impairment::{Lanes, Passage, Source, Spell, SpellKind, Verdict};
use crate::link_state::LinkState;
use crate::model::Action;
use crate::script::Script;

/// The link's state and the script, over both directions.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    pub(crate) link_state: LinkState,
    pub(crate) script: Script,
    /// Names of impairments come before those of script entries.
    pub(crate) impairments: usize,
}

impl Surroundings {
    /// When something happens next.
    pub(crate) fn next(&self) -> Time {
        self.link_state.next().min(self.script.next())
    }

    /// Who a script entry is.
    pub(crate) const fn source(&self, entry: usize) -> Source {
        Source(self.impairments + entry)
    }

    /// The spell that a script entry begins then.
    pub(crate) fn spell(&self, entry: usize, kind: SpellKind, lanes: Lanes, from: Time) -> Spell {
        Spell {
            kind,
            source: self.source(entry),
            lanes,
            from,
            until: self.script.lasts(entry).map_or(Time::NEVER, |lasts| from + lasts),
        }
    }

    /// Script entry `entry` has chosen the packet that meets the channel.
    pub(crate) fn chosen(
        &mut self,
        entry: usize,
        passage: &Passage,
        verdict: &mut Verdict,
        observer: &mut impl LinkObserver,
    ) {
        let Passage {
            direction, now, due, ..
        } = *passage;
        let lanes = self.script.lanes_from(entry, direction);
        match *self.script.action(entry) {
            Action::Hold => self.link_state.announce(self.spell(entry, SpellKind::Hold, lanes, due)),
            Action::HoldArrivals => {
                let spell = self.spell(entry, SpellKind::HoldOfArrivals, lanes, now);
                self.link_state.begin(spell, observer);
            }
            Action::Drop if self.script.lasts(entry).is_none() => verdict.lost = Some(DropCause::Chosen),
            Action::Drop => {
                let spell = self.spell(entry, SpellKind::Outage, lanes, now);
                self.link_state.begin(spell, observer);
            }
            Action::Delay(by) => verdict.kept_back = verdict.kept_back + by,
            Action::SetRate(_) | Action::SetDelay(_) | Action::SetLoss(_) | Action::SetQueue(_) => {
                self.script.plan(now, entry, lanes);
            }
        }
    }
}
