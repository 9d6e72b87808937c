//! FQ-CoDel (RFC 8290): a queue with CoDel for each flow, served in rounds, and first those that have just begun to send.

use std::collections::VecDeque;

use windlull_units::Bytes;

use super::codel::Codel;
use super::flow_queue::{FlowQueue, Stolen, Waits};
use super::verdict::{Departure, Verdict};
use crate::model::{CodelModel, FqCodelModel};

/// No more packets are dropped at once when there is no room (section 4.1).
const LARGEST_BATCH: usize = 64;

/// ```text
///            arrives                  its quantum is used, or it is empty
///   Idle ---------------> New ------------------------------------------> Old --+ its quantum is used
///     ^                                                                  |  ^   |
///     +------------------------------ it is empty -----------------------+  +---+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Idle,
    New,
    Old,
}

/// What a queue has of its own.
#[derive(Clone, Debug)]
struct Credit {
    place: Place,
    /// What it may send before its turn ends, octets.
    deficit: i64,
    codel: Codel,
}

#[derive(Clone, Debug)]
pub(super) struct FqCodel {
    quantum: i64,
    codel: CodelModel,
    credits: Vec<Credit>,
    new: VecDeque<usize>,
    old: VecDeque<usize>,
}

impl FqCodel {
    pub(super) fn new(model: &FqCodelModel) -> Self {
        Self {
            quantum: octets(model.quantum).max(1),
            codel: model.codel(),
            credits: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
        }
    }

    /// A packet waits now in the queue at this place (section 4.1).
    pub(super) fn arrives(&mut self, place: usize, size: Bytes) {
        let codel = self.codel;
        if self.credits.len() <= place {
            self.credits.resize_with(place + 1, || Credit {
                place: Place::Idle,
                deficit: 0,
                codel: Codel::new(&codel),
            });
        }
        let credit = &mut self.credits[place];
        credit.codel.arrives(size);
        if credit.place == Place::Idle {
            credit.place = Place::New;
            credit.deficit = self.quantum;
            self.new.push_back(place);
        }
    }

    /// Whose packet is next; `None` if nothing waits (section 4.2). Asked again, the answer is the same.
    pub(super) fn select<T: Waits>(&mut self, queues: &[FlowQueue<T>]) -> Option<usize> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let place = *list.front()?;
            let credit = &mut self.credits[place];
            // "It has already dequeued at least a quantum of bytes."
            if credit.deficit <= 0 {
                credit.deficit += self.quantum;
                credit.place = Place::Old;
                list.pop_front();
                self.old.push_back(place);
                continue;
            }
            if !queues[place].is_empty() {
                return Some(place);
            }
            credit.codel.rests();
            list.pop_front();
            if is_new {
                // Else a flow that sends one packet at a time would always be ahead of the old ones.
                credit.place = Place::Old;
                self.old.push_back(place);
            } else {
                credit.place = Place::Idle;
            }
        }
    }

    /// A packet of the queue at this place leaves it: what CoDel says. What is dropped costs the flow nothing.
    pub(super) fn leaves<T: Waits>(
        &mut self,
        place: usize,
        size: Bytes,
        departure: &Departure,
        queue: &FlowQueue<T>,
    ) -> Verdict {
        let credit = &mut self.credits[place];
        let verdict = credit.codel.leaves(departure, &queue.account);
        if verdict != Verdict::Drop {
            credit.deficit -= octets(size);
        }
        verdict
    }

    /// What the longest queue, of so many packets, loses when there is no room: half of it from the head.
    pub(super) fn stolen(packets: usize) -> Stolen {
        Stolen::First((packets / 2).clamp(1, LARGEST_BATCH))
    }
}

fn octets(size: Bytes) -> i64 {
    i64::try_from(size.get()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::flows::Flows;
    use super::super::flows::tests::{Stone, flows, served, stone};
    use super::*;
    use crate::model::{QueueLimit, QueueModel};
    use windlull_units::{Ecn, Span, Time};

    fn fq_codel(ecn: bool) -> Flows<Stone> {
        flows(&QueueModel::FqCodel(FqCodelModel {
            limit: QueueLimit::Unlimited,
            quantum: Bytes::new(1000),
            flows: 1024,
            target: Span::from_ms(5),
            interval: Span::from_ms(100),
            ecn,
        }))
    }

    #[test]
    fn flows_take_turns_by_octets() {
        let mut flows = fq_codel(false);
        for _ in 0..4 {
            flows.push(stone(1, 1000, 0));
        }
        for _ in 0..8 {
            flows.push(stone(2, 500, 0));
        }
        // The first packet of each round may take the deficit below zero; two halves are a whole.
        let expected = [(1, 1000), (2, 500), (2, 500)].repeat(4);
        assert_eq!(served(&mut flows, 20), expected);
    }

    #[test]
    fn a_flow_that_has_just_come_goes_first() {
        let mut flows = fq_codel(false);
        for _ in 0..6 {
            flows.push(stone(1, 1000, 0));
            flows.push(stone(2, 1000, 0));
        }
        assert_eq!(served(&mut flows, 3), [(1, 1000), (2, 1000), (1, 1000)]);
        flows.push(stone(3, 100, 0));
        // It is ahead of the flow whose turn it would be, with its first packet and with a second within the quantum.
        assert_eq!(served(&mut flows, 1), [(3, 100)]);
        flows.push(stone(3, 100, 0));
        assert_eq!(served(&mut flows, 2), [(3, 100), (2, 1000)]);
    }

    /// Section 4.2: an empty queue goes to the end of the old list, so that a flow cannot be new at each of its packets.
    #[test]
    fn a_flow_is_not_new_again_before_its_round_is_over() {
        let mut flows = fq_codel(false);
        for _ in 0..6 {
            flows.push(stone(1, 1000, 0));
        }
        assert_eq!(served(&mut flows, 1), [(1, 1000)]);
        flows.push(stone(3, 100, 0));
        // Its queue is found empty as the next packet is chosen, and it waits for its turn among the old.
        assert_eq!(served(&mut flows, 2), [(3, 100), (1, 1000)]);
        flows.push(stone(3, 100, 0));
        flows.push(stone(1, 1000, 0));
        assert_eq!(served(&mut flows, 3), [(3, 100), (1, 1000), (1, 1000)]);
    }

    #[test]
    fn the_longest_queue_loses_half_from_its_head() {
        let mut flows = fq_codel(false);
        for name in 0..5 {
            flows.push(stone(1, 100, name));
        }
        flows.push(stone(2, 499, 9));
        let names = |stolen: Vec<Stone>| stolen.iter().map(|stone| stone.name).collect::<Vec<_>>();
        assert_eq!(names(flows.steal()), [0, 1]);
        assert_eq!(names(flows.steal()), [9]);
        for name in 0..300 {
            flows.push(stone(3, 100, name));
        }
        assert_eq!(flows.steal().len(), 64);
        assert_eq!(flows.packets(), 239);
    }

    /// A flow whose packets have waited long is told; one beside it whose packets have not is left alone.
    #[test]
    fn each_flow_has_a_codel_of_its_own() {
        let mut flows = fq_codel(true);
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let mut marked = Vec::new();
        for _ in 0..400 {
            flows.push(Stone {
                ecn: Ecn::Ect0,
                ..stone(1, 1000, 0)
            });
        }
        for ms in (10..400).step_by(2) {
            flows.push(Stone {
                queued: at(ms),
                ..stone(2, 100, 0)
            });
            for _ in 0..2 {
                let (stone, verdict) = flows.take(at(ms)).expect("some wait");
                assert_ne!(verdict, Verdict::Drop);
                if verdict == Verdict::Mark {
                    marked.push((stone.flow, ms));
                }
            }
        }
        // CoDel's first after an interval above the target, from 10 ms on; then by 100/sqrt(n).
        let expected = [(1, 110), (1, 210), (1, 282), (1, 340), (1, 390)];
        assert_eq!(marked, expected);
    }
}
