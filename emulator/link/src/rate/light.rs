//! What a link does for the first packets after an idle time, apart from its rate under load: CellReplay's light trains.
//!
//! A base station serves a terminal that was idle otherwise than one that always has data (CellReplay, NSDI 2025). Of the
//! first kind of service short trains of packets were recorded, each after an idle time: at which instants after the first
//! packet the others arrived. Of the second a trace under load, which is the path's `rate`.
//!
//! ```text
//!           a packet after the idle time            the train has no room for the next packet
//!   Loaded -----------------------------> InTrain -------------------------------------------> Loaded
//! ```

use std::sync::Arc;

use windlull_units::{Span, Time};

use super::trace::OPPORTUNITY;
use crate::model::{LightModel, Train};
use crate::start::Beginning;

/// The service after idle times of one direction.
#[derive(Clone, Debug)]
pub(crate) struct Light {
    idle_after: Span,
    trains: Arc<[Train]>,
    period: Option<Span>,
    /// How far into its period the run begins.
    offset: Span,
    state: State,
    /// When the last packet has left, as far as is known; `None` before the first.
    busy_until: Option<Time>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Loaded,
    InTrain(Place),
}

/// Where in a train the next packet is served.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    train: usize,
    began: Time,
    next: usize,
    /// What earlier packets have taken of that opportunity.
    taken: u64,
}

/// How a packet is served, or what of it was by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InTrain {
    pub(crate) first: Time,
    pub(crate) last: Time,
    pub(crate) octets: u64,
}

impl Light {
    pub(crate) fn new(model: &LightModel, beginning: Beginning) -> Self {
        Self {
            idle_after: model.idle_after,
            trains: Arc::clone(&model.trains),
            period: model.period,
            offset: model.period.map_or(Span::ZERO, |period| beginning.within(period)),
            state: State::Loaded,
            busy_until: None,
        }
    }

    /// A packet of so many octets goes into service: where it is served, if in a train. One that does not fit whole into
    /// what is left of a train ends it.
    pub(crate) fn take(&mut self, now: Time, octets: u64) -> Option<(Place, InTrain)> {
        if self.busy_until.is_none_or(|until| now > until + self.idle_after) {
            self.state = State::InTrain(Place {
                train: self.train_of(now),
                began: now,
                next: 0,
                taken: 0,
            });
        }
        let State::InTrain(place) = self.state else { return None };
        let (after, served) = self.serve(place, now, octets, Time::NEVER);
        match served {
            Some(served) if served.octets == octets => {
                self.state = State::InTrain(after);
                Some((place, served))
            }
            _ => {
                self.state = State::Loaded;
                None
            }
        }
    }

    /// The packet in service, and so all before it, has left at `end`.
    pub(crate) const fn busy_until(&mut self, end: Time) {
        self.busy_until = Some(end);
    }

    /// How much of a packet that was taken at `place` has gone before `before`; the rest of the train is still to come.
    pub(crate) fn interrupt(&mut self, place: Place, since: Time, octets: u64, before: Time) -> u64 {
        let (after, served) = self.serve(place, since, octets, before);
        self.state = State::InTrain(after);
        served.map_or(0, |served| served.octets)
    }

    /// Serves a packet by opportunities from `from` on and before `before`; those that have passed are lost.
    fn serve(&self, mut place: Place, from: Time, octets: u64, before: Time) -> (Place, Option<InTrain>) {
        let mut served: Option<InTrain> = None;
        let instants = &self.trains[place.train].opportunities;
        while let Some(&after) = instants.get(place.next) {
            let at = place.began + after;
            let done = served.map_or(0, |served| served.octets);
            if at >= before || done == octets {
                break;
            }
            if at >= from {
                let some = (octets - done).min(OPPORTUNITY.get() - place.taken);
                place.taken += some;
                served = Some(InTrain {
                    first: served.map_or(at, |served| served.first),
                    last: at,
                    octets: done + some,
                });
                if place.taken < OPPORTUNITY.get() {
                    continue;
                }
            }
            (place.next, place.taken) = (place.next + 1, 0);
        }
        (place, served)
    }

    /// The train that was recorded last by this time of the recording.
    fn train_of(&self, now: Time) -> usize {
        let at = now + self.offset;
        let at = match self.period {
            Some(period) => Time::from_ns(at.as_ns() % period.as_ns().max(1)),
            None => at,
        };
        self.trains.partition_point(|train| train.at <= at).saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn light(period: Option<u64>) -> Light {
        let train = |at: u64, opportunities: &[u64]| Train {
            at: ms(at),
            opportunities: opportunities.iter().copied().map(Span::from_ms).collect(),
        };
        let model = LightModel {
            idle_after: Span::from_ms(10),
            trains: [train(0, &[0, 4, 9]), train(100, &[2])].into(),
            period: period.map(Span::from_ms),
        };
        Light::new(&model, Beginning::At(Span::ZERO))
    }

    /// When a packet that goes into service at `now` has left, if a train serves it; else it takes 1 ms.
    fn last(light: &mut Light, now: u64, octets: u64) -> Option<Time> {
        let served = light.take(ms(now), octets).map(|(_, served)| served.last);
        light.busy_until(served.unwrap_or(ms(now + 1)));
        served
    }

    #[test]
    fn a_train_serves_until_it_has_no_room() {
        let mut it = light(None);
        assert_eq!(last(&mut it, 3, 1500), Some(ms(3)));
        // Four octets of the first opportunity are left, and take the first of these.
        assert_eq!(last(&mut it, 3, 1500), Some(ms(7)));
        assert_eq!(last(&mut it, 7, 1500), Some(ms(12)));
        assert_eq!(last(&mut it, 12, 1500), None, "12 octets are left");
        assert_eq!(last(&mut it, 13, 12), None, "the train is over");
    }

    #[test]
    fn a_train_begins_after_more_than_the_idle_time() {
        let mut it = light(None);
        assert_eq!(last(&mut it, 0, 3008), Some(ms(4)));
        assert_eq!(last(&mut it, 4, 3008), None);
        // That one has left at 5 ms.
        assert_eq!(last(&mut it, 15, 100), None);
        assert_eq!(last(&mut it, 27, 100), Some(ms(27)));
    }

    #[test]
    fn opportunities_that_pass_unused_are_lost() {
        let mut it = light(None);
        assert_eq!(last(&mut it, 0, 100), Some(ms(0)));
        assert_eq!(last(&mut it, 5, 100), Some(ms(9)));
        assert_eq!(last(&mut it, 10, 100), None);
    }

    #[test]
    fn the_train_is_that_of_the_time_and_comes_again_after_the_period() {
        for (period, now, expected) in [
            (None, 99, 99),
            (None, 100, 102),
            (None, 1_000, 1_002),
            (Some(200), 199, 201),
            (Some(200), 200, 200),
        ] {
            assert_eq!(last(&mut light(period), now, 100), Some(ms(expected)), "{now}");
        }
    }

    #[test]
    fn what_went_before_an_interruption_is_known() {
        let mut it = light(None);
        let (place, served) = it.take(ms(0), 4000).expect("a train");
        assert_eq!((served.first, served.last), (ms(0), ms(9)));
        it.busy_until(served.last);
        assert_eq!(it.interrupt(place, ms(0), 4000, ms(4)), 1504);
        assert_eq!(it.take(ms(4), 2496).map(|(_, served)| served.last), Some(ms(9)));
    }
}
