//! What happens to a packet from outside its own direction: the link's state and the script.

use windlull_units::{DropCause, Time};

use crate::LinkObserver;
use crate::effect::{Effect, EffectKind};
use crate::impairment::{Lanes, Passage, Source, Verdict};
use crate::link_state::LinkState;
use crate::model::Action;
use crate::script::Script;

/// The link's state and the script, over both directions.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    pub(crate) link_state: LinkState,
    pub(crate) script: Script,
    /// How many names come before those of script entries: the impairments', and the recording's.
    pub(crate) before_script: usize,
}

impl Surroundings {
    /// When something happens next.
    pub(crate) fn next(&self) -> Time {
        self.link_state.next().min(self.script.next())
    }

    /// Who a script entry is.
    pub(crate) const fn source(&self, entry: usize) -> Source {
        Source(self.before_script + entry)
    }

    /// What a script entry does.
    pub(crate) fn effect(&self, entry: usize, lanes: Lanes) -> Effect {
        Effect {
            kind: self.script.action(entry).into(),
            source: self.source(entry),
            lanes,
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
        let lanes = self.script.lanes_from(entry, passage.direction);
        let lasts = self.script.lasts(entry);
        match self.script.action(entry) {
            Action::Drop if lasts.is_none() => verdict.lost = Some(DropCause::Chosen),
            Action::Delay(by) => verdict.kept_back = verdict.kept_back + *by,
            _ => {
                let effect = self.effect(entry, lanes);
                match effect.kind {
                    EffectKind::Spell(_) => self.link_state.begin_at_packet(effect, lasts, passage, observer),
                    EffectKind::Set(_) => self.script.plan(passage.now, entry, lanes),
                }
            }
        }
    }
}
