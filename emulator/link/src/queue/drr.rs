//! Deficit Round Robin (Shreedhar and Varghese 1996): each flow in turn sends what its quantum and what it saved allow.

use std::collections::VecDeque;

use windlull_units::Bytes;

use super::flow_queue::{FlowQueue, Waits};
use crate::model::DrrModel;

/// Whose turn it is, and what each may send.
#[derive(Clone, Debug)]
pub(super) struct Drr {
    quantum: u64,
    /// Flows with something waiting, in order of their turns: `ActiveList` (section III).
    active: VecDeque<usize>,
    /// `DC`: what a flow may send before its next quantum, octets; `None` while nothing of it waits.
    deficits: Vec<Option<u64>>,
    /// Whether the first of `active` has had this round's quantum.
    turn: Turn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    ToBegin,
    Begun,
}

impl Drr {
    pub(super) fn new(model: &DrrModel) -> Self {
        Self {
            quantum: model.quantum.get().max(1),
            active: VecDeque::new(),
            deficits: Vec::new(),
            turn: Turn::ToBegin,
        }
    }

    /// A packet waits now in the queue at this place.
    pub(super) fn arrives(&mut self, place: usize) {
        if self.deficits.len() <= place {
            self.deficits.resize(place + 1, None);
        }
        if self.deficits[place].is_none() {
            self.deficits[place] = Some(0);
            self.active.push_back(place);
        }
    }

    /// Whose packet is next; `None` if nothing waits. Asked again, the answer is the same.
    pub(super) fn select<T: Waits>(&mut self, queues: &[FlowQueue<T>]) -> Option<usize> {
        loop {
            let place = *self.active.front()?;
            let Some(head) = queues[place].head() else {
                // What waited was dropped for lack of room.
                self.retire(place);
                continue;
            };
            let deficit = self.deficits[place].get_or_insert(0);
            if self.turn == Turn::ToBegin {
                *deficit += self.quantum;
                self.turn = Turn::Begun;
            }
            if head.size().get() <= *deficit {
                return Some(place);
            }
            self.active.rotate_left(1);
            self.turn = Turn::ToBegin;
        }
    }

    /// A packet of the flow whose turn it is leaves.
    pub(super) fn leaves<T: Waits>(&mut self, place: usize, size: Bytes, queue: &FlowQueue<T>) {
        if let Some(deficit) = &mut self.deficits[place] {
            *deficit -= size.get();
        }
        if queue.is_empty() {
            self.retire(place);
        }
    }

    /// Nothing waits any longer: what the flow has saved is gone.
    fn retire(&mut self, place: usize) {
        self.deficits[place] = None;
        self.active.pop_front();
        self.turn = Turn::ToBegin;
    }
}

#[cfg(test)]
mod tests {
    use super::super::flows::Flows;
    use super::super::flows::tests::{Stone, flows, served, stone};
    use super::*;
    use crate::model::{QueueLimit, QueueModel};

    fn drr(quantum: u64) -> Flows<Stone> {
        flows(&QueueModel::Drr(DrrModel {
            limit: QueueLimit::Unlimited,
            quantum: Bytes::new(quantum),
            flows: 1024,
        }))
    }

    /// The paper's figures 2 and 3: of 20, 750 and 200 octets the first goes with a quantum of 500, and 480 are saved: in
    /// the next round 980 suffice for the other two, of which the last would be 30 short of its own.
    #[test]
    fn what_a_flow_did_not_use_it_has_in_the_next_round() {
        let mut flows = drr(500);
        let waiting: [(u64, &[u64]); 4] = [
            (1, &[200, 750, 20]),
            (2, &[500, 500]),
            (3, &[100, 600, 200]),
            (4, &[180, 700, 50]),
        ];
        for (flow, sizes) in waiting {
            for &octets in sizes {
                flows.push(stone(flow, octets, 0));
            }
        }
        // First round: 1 saves 300, 2 nothing, 3 saves 400, 4 saves 320. Second: 1 sends 750 of its 800 and 20 of the 50
        // left; 2 ends; 3 sends 600 of 900, and 200 of 300; 4 sends 700 of 820, and 50 of 120.
        assert_eq!(
            served(&mut flows, 20),
            [
                (1, 200),
                (2, 500),
                (3, 100),
                (4, 180),
                (1, 750),
                (1, 20),
                (2, 500),
                (3, 600),
                (3, 200),
                (4, 700),
                (4, 50)
            ]
        );
        assert!(flows.is_empty());
    }

    #[test]
    fn a_flow_that_ends_keeps_nothing() {
        let mut flows = drr(500);
        flows.push(stone(1, 100, 0));
        assert_eq!(served(&mut flows, 9), [(1, 100)]);
        // 400 were left; a packet of 600 takes two rounds all the same, in which another flow has its turn.
        flows.push(stone(1, 600, 0));
        flows.push(stone(2, 500, 0));
        flows.push(stone(2, 500, 0));
        assert_eq!(served(&mut flows, 9), [(2, 500), (1, 600), (2, 500)]);
    }

    #[test]
    fn a_packet_larger_than_many_quanta_goes_in_the_end() {
        let mut flows = drr(1);
        flows.push(stone(1, 1500, 0));
        assert_eq!(flows.next_size(), Some(Bytes::new(1500)));
        assert_eq!(served(&mut flows, 9), [(1, 1500)]);
    }

    /// McKenney's buffer stealing, which section III takes over.
    #[test]
    fn the_longest_queue_loses_its_last() {
        let mut flows = drr(500);
        for (flow, octets, name) in [(1, 300, 1), (1, 300, 2), (2, 700, 3)] {
            flows.push(stone(flow, octets, name));
        }
        assert_eq!(flows.steal(), [stone(2, 700, 3)]);
        assert_eq!(flows.steal(), [stone(1, 300, 2)]);
        assert_eq!(served(&mut flows, 9), [(1, 300)]);
        assert!(flows.steal().is_empty());
    }
}
