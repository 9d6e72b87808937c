//! Bottlenecks that serve packets in batches, and when each batch begins and ends.
//!
//! A batch is what is sent together: a unit of a cellular link, or an aggregate of Wi-Fi. The pipeline asks when the next
//! one may begin, fills it from the queue, and asks at its end what became of the packets.

mod contention;
mod grants;
mod served;

use windlull_units::{Seed, Time};

use crate::model::ServiceModel;
pub(crate) use contention::Contention;
pub(crate) use grants::Grants;
pub(crate) use served::Served;

/// How one direction serves.
#[derive(Clone, Debug)]
pub(crate) enum Service {
    Grants(Box<Grants>),
    Contention(Box<Contention>),
}

impl Service {
    /// `streams` is the direction's name.
    pub(crate) fn new(model: &ServiceModel, seed: Seed, direction: &str) -> Self {
        match model {
            ServiceModel::Grants(model) => Self::Grants(Box::new(Grants::new(model, seed, direction))),
            ServiceModel::Contention(model) => Self::Contention(Box::new(Contention::new(model, seed, direction))),
        }
    }

    /// When the next batch begins, if the bottleneck is free at `now`; `NEVER` if there is nothing to send. `waiting`: whether
    /// a packet waits that is not in service yet.
    pub(crate) fn begins(&mut self, now: Time, waiting: bool) -> Time {
        match self {
            Self::Grants(grants) => grants.begins(now, waiting),
            Self::Contention(contention) => contention.begins(now, waiting),
        }
    }

    /// The batch that was in service is over: whose service ended with it, in order.
    pub(crate) fn end(&mut self, now: Time) -> Vec<Served> {
        let mut served = match self {
            Self::Grants(grants) => grants.end(now),
            Self::Contention(contention) => contention.end(now),
        };
        served.sort_unstable();
        served
    }
}
