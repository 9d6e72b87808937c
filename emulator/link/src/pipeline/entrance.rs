//! What looks at packets before the queue, if anything does: the script's selectors, then impairments.

use windlull_units::{Direction, DropCause, Time};

use crate::Packet;
use crate::impairment::EntryMechanism;
use crate::model::LinkModel;
use crate::selector::Chooser;
use crate::slot::Slot;

/// The entrance of one direction.
#[derive(Clone, Debug)]
pub(super) struct Entrance {
    chooser: Option<Chooser>,
    mechanisms: Vec<EntryMechanism>,
}

impl Entrance {
    /// The entrance of `direction`; `None` if nothing looks at packets there.
    pub(super) fn new(model: &LinkModel, direction: Direction, mechanisms: Vec<EntryMechanism>) -> Option<Box<Self>> {
        let chooser = Chooser::new(model, direction);
        let looks = chooser.is_some() || !mechanisms.is_empty();
        looks.then(|| Box::new(Self { chooser, mechanisms }))
    }

    /// A packet arrives. The script chooses among all; what the first impairment stops the later ones do not see. Why it
    /// is stopped, if it is.
    pub(super) fn meet<P: Packet>(&mut self, now: Time, slot: &mut Slot<P>) -> Option<DropCause> {
        if let Some(chooser) = &mut self.chooser {
            slot.chosen = chooser.choose(slot.packet.tcp());
        }
        self.mechanisms.iter_mut().find_map(|each| each.stops(now, slot.size))
    }
}
