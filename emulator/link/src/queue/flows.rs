//! Queues of flows: each flow waits by itself, and a scheduler says whose turn it is.
//!
//! Flows are told apart by a salted hash of their numbers, as RFC 8290, section 4.1, has it: with few queues two flows may
//! share one, and which do is drawn. A packet keeps its place among those of its flow. When all together hold more than the
//! limit, whoever has the most octets waiting loses packets.
//!
//! DualPI2 keeps two kinds of packets apart instead, by their codepoints: it has two queues, and who came last loses.

use std::collections::BTreeMap;

use windlull_units::{Bytes, Rng, Time};

use super::Verdict;
use super::drr::Drr;
use super::dual_pi2::DualPi2;
use super::flow_queue::{FlowQueue, Stolen, Waits};
use super::fq_codel::FqCodel;
use super::verdict::Departure;
use crate::draw;
use crate::model::QueueModel;

/// The queues of all flows of a direction.
#[derive(Clone, Debug)]
pub(crate) struct Flows<T> {
    salt: u64,
    /// How many queues there could be.
    most: u64,
    /// Which of `queues` a hash means. They are made as flows come, and stay.
    places: BTreeMap<u64, usize>,
    queues: Vec<FlowQueue<T>>,
    packets: usize,
    scheduler: Scheduler,
}

#[derive(Clone, Debug)]
enum Scheduler {
    Drr(Drr),
    FqCodel(FqCodel),
    DualPi2(Box<DualPi2>),
}

impl<T: Waits> Flows<T> {
    /// Those of a discipline that keeps flows apart, with the stream that the salt is drawn from; `None` of any other.
    pub(crate) fn new(model: &QueueModel, stream: impl FnOnce() -> Rng) -> Option<Self> {
        if let QueueModel::DualPi2(model) = model {
            return Some(Self::of_two(DualPi2::new(model)));
        }
        let (most, scheduler) = match model {
            QueueModel::Drr(model) => (model.flows, Scheduler::Drr(Drr::new(model))),
            QueueModel::FqCodel(model) => (model.flows, Scheduler::FqCodel(FqCodel::new(model))),
            QueueModel::DropTail(_)
            | QueueModel::Red(_)
            | QueueModel::AdaptiveRed(_)
            | QueueModel::Codel(_)
            | QueueModel::Pie(_)
            | QueueModel::Cake(_)
            | QueueModel::DualPi2(_) => return None,
        };
        Some(Self {
            salt: draw::salt(&mut stream()),
            most: u64::from(most.max(1)),
            places: BTreeMap::new(),
            queues: Vec::new(),
            packets: 0,
            scheduler,
        })
    }

    /// Two queues, whoever's the packets are.
    fn of_two(dual: DualPi2) -> Self {
        Self {
            salt: 0,
            most: 2,
            places: BTreeMap::new(),
            queues: vec![FlowQueue::new(), FlowQueue::new()],
            packets: 0,
            scheduler: Scheduler::DualPi2(Box::new(dual)),
        }
    }

    /// How many packets wait, of all flows.
    pub(crate) const fn packets(&self) -> usize {
        self.packets
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.packets == 0
    }

    /// A packet waits behind those of its flow.
    pub(crate) fn push(&mut self, item: T) {
        if let Scheduler::DualPi2(dual) = &mut self.scheduler {
            dual.catch_up(item.queued(), &self.queues);
        }
        let place = self.place(&item);
        let size = item.size();
        self.queues[place].push(item);
        self.packets += 1;
        match &mut self.scheduler {
            Scheduler::Drr(drr) => drr.arrives(place),
            Scheduler::FqCodel(fq_codel) => fq_codel.arrives(place, size),
            Scheduler::DualPi2(dual) => dual.arrives(place),
        }
    }

    /// The size of the packet that is next; `None` if none waits.
    pub(crate) fn next_size(&mut self) -> Option<Bytes> {
        let place = self.select()?;
        self.queues[place].head().map(Waits::size)
    }

    /// Takes the packet that is next, and what its queue says of it.
    pub(crate) fn take(&mut self, now: Time) -> Option<(T, Verdict)> {
        let place = self.select()?;
        if let Scheduler::DualPi2(dual) = &mut self.scheduler {
            dual.catch_up(now, &self.queues);
        }
        let item = self.pop_front(place)?;
        let departure = Departure {
            now,
            waited: now.since(item.queued()),
            ecn: item.ecn(),
        };
        let queue = &self.queues[place];
        let verdict = match &mut self.scheduler {
            Scheduler::Drr(drr) => {
                drr.leaves(place, item.size(), queue);
                Verdict::Pass
            }
            Scheduler::FqCodel(fq_codel) => fq_codel.leaves(place, item.size(), &departure, queue),
            Scheduler::DualPi2(dual) => dual.leaves(place, item.size(), &departure, &self.queues),
        };
        Some((item, verdict))
    }

    /// Takes from whoever has the most octets waiting, of two kinds from whoever came last; none if nothing waits.
    pub(crate) fn steal(&mut self) -> Vec<T> {
        let longest = match &self.scheduler {
            Scheduler::DualPi2(dual) => Some(dual.last(&self.queues)),
            Scheduler::Drr(_) | Scheduler::FqCodel(_) => (0..self.queues.len()).max_by_key(|&place| {
                // Of equals the first.
                (self.queues[place].account.octets(), std::cmp::Reverse(place))
            }),
        };
        let Some(place) = longest.filter(|_| self.packets > 0) else {
            return Vec::new();
        };
        let stolen = match &self.scheduler {
            Scheduler::Drr(_) | Scheduler::DualPi2(_) => Stolen::Last,
            Scheduler::FqCodel(_) => FqCodel::stolen(self.queues[place].len()),
        };
        match stolen {
            Stolen::Last => self.pop_back(place).into_iter().collect(),
            Stolen::First(packets) => (0..packets).map_while(|_| self.pop_front(place)).collect(),
        }
    }

    fn select(&mut self) -> Option<usize> {
        match &mut self.scheduler {
            Scheduler::Drr(drr) => drr.select(&self.queues),
            Scheduler::FqCodel(fq_codel) => fq_codel.select(&self.queues),
            Scheduler::DualPi2(dual) => dual.select(&self.queues),
        }
    }

    fn pop_front(&mut self, place: usize) -> Option<T> {
        let item = self.queues[place].pop_front()?;
        self.packets -= 1;
        Some(item)
    }

    fn pop_back(&mut self, place: usize) -> Option<T> {
        let item = self.queues[place].pop_back()?;
        self.packets -= 1;
        Some(item)
    }

    /// Where a packet waits: by the number of its flow, or by its kind.
    fn place(&mut self, item: &T) -> usize {
        if matches!(self.scheduler, Scheduler::DualPi2(_)) {
            return DualPi2::place(item.ecn());
        }
        let hash = mixed(item.flow() ^ self.salt) % self.most;
        let queues = &mut self.queues;
        *self.places.entry(hash).or_insert_with(|| {
            queues.push(FlowQueue::new());
            queues.len() - 1
        })
    }
}

/// Spreads numbers that differ little over all of 64 bits: the last steps of `SplitMix` (Steele, Lea and Flood 2014, figure 16).
pub(crate) const fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

#[cfg(test)]
pub(super) mod tests {
    use windlull_units::Ecn;

    use super::*;

    /// A packet of a flow, with a name to know it by.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) struct Stone {
        pub(crate) flow: u64,
        pub(crate) octets: u64,
        pub(crate) name: u32,
        pub(crate) queued: Time,
        pub(crate) ecn: Ecn,
    }

    impl Waits for Stone {
        fn size(&self) -> Bytes {
            Bytes::new(self.octets)
        }

        fn flow(&self) -> u64 {
            self.flow
        }

        fn ecn(&self) -> Ecn {
            self.ecn
        }

        fn queued(&self) -> Time {
            self.queued
        }
    }

    pub(crate) const fn stone(flow: u64, octets: u64, name: u32) -> Stone {
        Stone {
            flow,
            octets,
            name,
            queued: Time::ZERO,
            ecn: Ecn::NotEct,
        }
    }

    pub(crate) fn flows(model: &QueueModel) -> Flows<Stone> {
        let stream = || windlull_units::Seed::new(1).stream("down/queue");
        Flows::new(model, stream).expect("flows are kept apart")
    }

    /// Serves all that waits, at the instant zero: flow and octets of each.
    pub(crate) fn served(flows: &mut Flows<Stone>, most: usize) -> Vec<(u64, u64)> {
        std::iter::from_fn(|| flows.take(Time::ZERO))
            .take(most)
            .map(|(stone, _)| (stone.flow, stone.octets))
            .collect()
    }

    #[test]
    fn numbers_next_to_each_other_are_spread() {
        let mut met = std::collections::BTreeSet::new();
        for number in 0..100 {
            met.insert(mixed(number) % 1024);
        }
        // Of 100 balls into 1024 boxes 95 are expected to be the first in theirs.
        assert!(met.len() > 88, "{}", met.len());
    }
}
