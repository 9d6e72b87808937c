//! What a plan says of one direction.

use windlull_link::model::QueueModel;
use windlull_units::{Bytes, Direction};

use super::delay::Delay;
use super::managed;

/// What does not change of one direction.
#[derive(Clone, Debug)]
pub(crate) struct PathPlan {
    pub(crate) direction: Direction,
    /// Whether there is ever a rate.
    pub(crate) rated: bool,
    pub(crate) framing: Bytes,
    /// A queue that does more than keep to its limit, by the kernel's discipline of its name.
    pub(crate) managed: Option<QueueModel>,
    /// Whether the queue ever stops by itself.
    pub(crate) stops: bool,
    pub(crate) delay: Delay,
    pub(crate) order: Order,
    /// Whether packets pass a netem on their way out.
    pub(crate) travels: bool,
    /// Whether it ever holds.
    pub(crate) holds: bool,
    pub(crate) states: Option<LossStates>,
    pub(crate) processes: Vec<LossInTime>,
    /// Independent loss by netem.
    pub(crate) loss: f64,
    /// Independent loss by nftables, where netem cannot.
    pub(crate) loss_by_rule: f64,
    pub(crate) duplicate: f64,
    pub(crate) corrupt: f64,
    /// Packets to be lost, by number from 1.
    pub(crate) chosen: Vec<u32>,
}

impl PathPlan {
    /// Whether the queue's own discipline keeps to the rate, and stands in HTB's place.
    pub(crate) fn is_shaped_by_its_queue(&self) -> bool {
        !self.stops && self.managed.as_ref().is_some_and(managed::is_shaper)
    }
}

/// In which order packets leave netem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Delays are all alike: there is nothing to do.
    Natural,
    /// None overtakes another, although delays differ.
    Kept,
    /// Who is due first leaves first.
    ByTime,
}

/// Two states that alternate in time.
#[derive(Clone, Debug)]
pub(crate) struct LossInTime {
    pub(crate) name: String,
    pub(crate) loss_good: f64,
    pub(crate) loss_bad: f64,
}

/// Gilbert-Elliott.
#[derive(Clone, Debug)]
pub(crate) struct LossStates {
    pub(crate) name: String,
    pub(crate) to_bad: f64,
    pub(crate) to_good: f64,
    pub(crate) loss_good: f64,
    pub(crate) loss_bad: f64,
}
