//! What happens to packets before the queue, if anything does: the script's selectors, then impairments; at last some wait
//! for others.

use windlull_units::{Direction, DropCause, Time};

use crate::Packet;
use crate::impairment::{AckThinning, Aggregation, EntryMechanism, Mechanisms};
use crate::model::LinkModel;
use crate::selector::Chooser;
use crate::slot::Slot;

/// The entrance of one direction.
#[derive(Clone, Debug)]
pub(super) struct Entrance {
    chooser: Option<Chooser>,
    mechanisms: Vec<EntryMechanism>,
    aggregation: Option<Aggregation>,
    thinning: Option<AckThinning>,
}

/// What becomes of a packet that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It comes to the queue.
    Passes,
    /// It waits outside for others, unless as many as may wait with it.
    Gathered,
    Stopped(DropCause),
}

impl Entrance {
    /// The entrance of `direction`, which takes what works there out of `mechanisms`; `None` if nothing does.
    pub(super) fn new(model: &LinkModel, direction: Direction, mechanisms: &mut Mechanisms) -> Option<Box<Self>> {
        let entrance = Self {
            chooser: Chooser::new(model, direction),
            mechanisms: std::mem::take(&mut mechanisms.entry),
            aggregation: mechanisms.aggregation.take(),
            thinning: mechanisms.thinning.take(),
        };
        let works = entrance.chooser.is_some()
            || !entrance.mechanisms.is_empty()
            || entrance.aggregation.is_some()
            || entrance.thinning.is_some();
        works.then(|| Box::new(entrance))
    }

    /// A packet arrives. The script chooses among all; what the first impairment stops the later ones do not see.
    pub(super) fn meet<P: Packet>(&mut self, now: Time, slot: &mut Slot<P>) -> Admission {
        if let Some(chooser) = &mut self.chooser {
            slot.chosen = chooser.choose(slot.packet.tcp());
        }
        let stopped = self.mechanisms.iter_mut().find_map(|each| each.stops(now, slot.size));
        if let Some(by) = stopped {
            return Admission::Stopped(by);
        }
        match &mut self.aggregation {
            Some(aggregation) => {
                aggregation.gather(now);
                Admission::Gathered
            }
            None => Admission::Passes,
        }
    }

    /// How acknowledgements that wait in the queue are thinned out.
    pub(super) const fn thinning(&self) -> Option<AckThinning> {
        self.thinning
    }

    /// When the first of so many packets outside no longer waits for others; in the past if it does not.
    pub(super) fn opens(&self, outside: usize) -> Time {
        match &self.aggregation {
            Some(aggregation) if aggregation.for_next() >= outside => aggregation.next(),
            _ => Time::ZERO,
        }
    }

    /// How many of the last packets outside still wait for others.
    pub(super) fn waiting(&self, now: Time) -> usize {
        self.aggregation
            .as_ref()
            .map_or(0, |aggregation| aggregation.waiting(now))
    }
}
