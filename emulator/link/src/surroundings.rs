//! What happens to a packet from outside its own direction: the weather and the script.

use windlull_units::{DropCause, Time};

use crate::LinkObserver;
use crate::impairment::{Passage, Source, Spell, SpellKind, Verdict};
use crate::model::Action;
use crate::script::Script;
use crate::weather::Weather;

/// Weather and script, over both directions.
#[derive(Clone, Debug)]
pub(crate) struct Surroundings {
    pub(crate) weather: Weather,
    pub(crate) script: Script,
    /// Names of impairments come before those of script entries.
    pub(crate) impairments: usize,
}

impl Surroundings {
    /// When something happens next.
    pub(crate) fn next(&self) -> Time {
        self.weather.next().min(self.script.next())
    }

    /// Who a script entry is.
    pub(crate) const fn source(&self, entry: usize) -> Source {
        Source(self.impairments + entry)
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
        let source = self.source(entry);
        let lasts = self.script.lasts(entry);
        match *self.script.action(entry) {
            Action::Hold => {
                let until = lasts.map_or(Time::NEVER, |lasts| due + lasts);
                self.weather.announce(Spell {
                    kind: SpellKind::Hold,
                    source,
                    lanes,
                    from: due,
                    until,
                });
            }
            Action::Drop => match lasts {
                None => verdict.lost = Some(DropCause::Chosen),
                Some(lasts) => {
                    let spell = Spell {
                        kind: SpellKind::Outage,
                        source,
                        lanes,
                        from: now,
                        until: now + lasts,
                    };
                    self.weather.begin(spell, observer);
                }
            },
            Action::Delay(by) => verdict.kept_back = verdict.kept_back + by,
            Action::SetRate(_) | Action::SetDelay(_) | Action::SetLoss(_) | Action::SetQueue(_) => {
                self.script.plan(now, entry, lanes);
            }
        }
    }
}
