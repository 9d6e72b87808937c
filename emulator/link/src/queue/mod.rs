//! The queue before the bottleneck: who may wait, who is dropped, and who is marked instead.
//!
//! A queue keeps account; the packets themselves stand in the pipeline's ring. What manages the queue judges each
//! packet as it arrives or as it leaves, and works out what has happened in between only then: no discipline has a
//! timer.

mod adaptive_red;
mod codel;
mod drop_tail;
mod drr;
mod dual_pi2;
mod flow_queue;
mod flows;
mod fq_codel;
mod pie;
mod red;
mod verdict;

use windlull_units::{Bytes, Ecn, Rng, Span, Time};

use crate::model::{QueueLimit, QueueModel, QueueSize, RateModel};
use adaptive_red::AdaptiveRed;
use codel::Codel;
use drop_tail::DropTail;
pub(crate) use flow_queue::Waits;
pub(crate) use flows::Flows;
use pie::Pie;
use red::{Red, real};
use verdict::Departure;
pub(crate) use verdict::{Arrival, Verdict};

/// A queue of one discipline.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    account: DropTail,
    manager: Manager,
}

/// What keeps a queue short before it is full.
#[derive(Clone, Debug)]
enum Manager {
    None,
    Red(Box<Red>),
    AdaptiveRed(Box<AdaptiveRed>),
    Codel(Codel),
    Pie(Box<Pie>),
}

impl Queue {
    /// A queue before a bottleneck of this rate, with the stream that it draws from if it draws.
    pub(crate) fn new(model: &QueueModel, rate: Option<&RateModel>, stream: impl FnOnce() -> Rng) -> Self {
        let manager = match model {
            // What keeps flows or kinds of packets apart judges packets in the queues of those. What is the kernel's judges
            // none here.
            QueueModel::DropTail(_)
            | QueueModel::Drr(_)
            | QueueModel::FqCodel(_)
            | QueueModel::DualPi2(_)
            | QueueModel::Cake(_) => Manager::None,
            QueueModel::Red(model) => Manager::Red(Box::new(Red::new(model, stream()))),
            QueueModel::AdaptiveRed(model) => {
                let rate = match rate {
                    Some(RateModel::Constant(rate)) => Some(*rate),
                    _ => None,
                };
                Manager::AdaptiveRed(Box::new(AdaptiveRed::new(model, rate, stream())))
            }
            QueueModel::Codel(model) => Manager::Codel(Codel::new(model)),
            QueueModel::Pie(model) => Manager::Pie(Box::new(Pie::new(model, stream()))),
        };
        Self {
            account: DropTail::default(),
            manager,
        }
    }

    /// Whether more waits than the limit allows.
    pub(crate) fn exceeds(&self, limit: &QueueLimit) -> bool {
        self.account.exceeds(limit)
    }

    /// Whether anything but the limit matters.
    pub(crate) const fn is_managed(&self) -> bool {
        !matches!(self.manager, Manager::None)
    }

    /// Whether the limit leaves room for a packet of `size` that arrives now.
    #[inline]
    pub(crate) fn admits(&self, limit: &QueueLimit, size: Bytes) -> bool {
        self.account.admits(limit, size)
    }

    /// A packet arrives: what the management says of it. Asked before it waits.
    pub(crate) fn arrives(&mut self, arrival: &Arrival) -> Verdict {
        let account = &self.account;
        match &mut self.manager {
            Manager::None => Verdict::Pass,
            Manager::Red(red) => red.arrives(arrival, account),
            Manager::AdaptiveRed(red) => red.arrives(arrival, account),
            Manager::Codel(codel) => codel.arrives(arrival.size),
            Manager::Pie(pie) => pie.arrives(arrival, account),
        }
    }

    /// A packet that waited is next: what the management says of it. Asked when it no longer waits.
    #[inline]
    pub(crate) fn leaves(&mut self, now: Time, waited: Span, ecn: Ecn) -> Verdict {
        let account = &self.account;
        let departure = Departure { now, waited, ecn };
        match &mut self.manager {
            Manager::None | Manager::Red(_) | Manager::AdaptiveRed(_) => Verdict::Pass,
            Manager::Codel(codel) => codel.leaves(&departure, account),
            Manager::Pie(pie) => {
                pie.leaves(&departure, account);
                Verdict::Pass
            }
        }
    }

    /// The bottleneck has nothing to do.
    #[inline]
    pub(crate) const fn rests(&mut self, now: Time) {
        match &mut self.manager {
            Manager::None | Manager::Pie(_) => {}
            Manager::Red(red) => red.rests(now),
            Manager::AdaptiveRed(red) => red.rests(now),
            Manager::Codel(codel) => codel.rests(),
        }
    }

    /// A packet waits.
    pub(crate) fn push(&mut self, size: Bytes) {
        self.account.push(size);
    }

    /// A packet that waited goes on.
    pub(crate) fn pop(&mut self, size: Bytes) {
        self.account.pop(size);
    }

    /// How many packets wait.
    pub(crate) const fn packets(&self) -> u32 {
        self.account.packets()
    }

    /// How many octets wait.
    pub(crate) const fn octets(&self) -> Bytes {
        self.account.octets()
    }
}

impl QueueSize {
    const fn number(self) -> f64 {
        match self {
            Self::Packets(packets) => packets as f64,
            Self::Bytes(octets) => real(octets),
        }
    }
}
