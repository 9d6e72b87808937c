//! How fast one direction serialises, and the packet it is serialising.
//!
//! A packet's work is counted in bit-nanoseconds, so that a rate that changes in mid-packet splits it exactly.

mod constant;
mod light;
mod stepped;
mod trace;
mod work;

use windlull_units::{BitRate, Bytes, LinkEvent, Span, Time};

use crate::model::{LightModel, RateModel};
use crate::start::Beginning;
pub(crate) use constant::Constant;
use light::{Light, Place};
use stepped::Stepped;
use trace::{Cursor, Trace};
pub(crate) use work::Work;

pub use trace::{OPPORTUNITY, RATE_WINDOW, TraceError, parse_trace};

/// How fast, by whom.
#[derive(Clone, Debug)]
enum Pace {
    Unlimited,
    Constant(Constant),
    Trace(Trace),
}

/// What the model says of the rate over time.
#[derive(Clone, Debug)]
enum Plan {
    /// Nothing beyond its first pace.
    Fixed,
    Stepped(Stepped),
    /// The trace is the pace; told to observers from window to window.
    Traced {
        next_window: Time,
        reported: Option<BitRate>,
    },
}

/// The rate of one direction and the packet in service.
#[derive(Clone, Debug)]
pub(crate) struct Serialiser {
    plan: Plan,
    planned: Pace,
    /// The rate that is set, while one is.
    set: Option<Constant>,
    /// What serves after idle times, if not the planned pace.
    light: Option<Box<Light>>,
    /// When to tell the first rate.
    announce_at: Time,
    serving: Option<Serving>,
}

/// The packet in service.
#[derive(Clone, Copy, Debug)]
struct Serving {
    left: Work,
    since: Time,
    end: Time,
    /// Where in the trace it began.
    bookmark: Cursor,
    /// Where in a train after an idle time, if it is served there.
    in_train: Option<Place>,
}

impl Serialiser {
    pub(crate) fn new(model: Option<&RateModel>, set_later: bool, beginning: Beginning) -> Self {
        let (plan, planned) = match model {
            None => (Plan::Fixed, Pace::Unlimited),
            Some(RateModel::Constant(rate)) => (Plan::Fixed, Pace::Constant(Constant::new(*rate))),
            Some(RateModel::Stepped { steps, period }) => {
                let stepped = Stepped::new(steps, *period, beginning);
                let first = stepped
                    .first()
                    .map_or(Pace::Unlimited, |rate| Pace::Constant(Constant::new(rate)));
                (Plan::Stepped(stepped), first)
            }
            Some(RateModel::Trace { opportunities, period }) => (
                Plan::Traced {
                    next_window: Time::ZERO,
                    reported: None,
                },
                Pace::Trace(Trace::new(opportunities, *period, beginning.within(*period))),
            ),
        };
        let announces = set_later && matches!((&plan, &planned), (Plan::Fixed, Pace::Constant(_)));
        Self {
            plan,
            planned,
            set: None,
            light: None,
            announce_at: if announces { Time::ZERO } else { Time::NEVER },
            serving: None,
        }
    }

    /// The same, but with trains for the first packets after an idle time.
    pub(crate) fn with_light(mut self, model: Option<&LightModel>, beginning: Beginning) -> Self {
        self.light = model.map(|model| Box::new(Light::new(model, beginning)));
        self
    }

    /// When the packet in service has left; `NEVER` without one.
    pub(crate) const fn end(&self) -> Time {
        match self.serving {
            Some(serving) => serving.end,
            None => Time::NEVER,
        }
    }

    pub(crate) const fn is_idle(&self) -> bool {
        self.serving.is_none()
    }

    /// Takes `amount` into service and says when its first bit leaves.
    pub(crate) fn start(&mut self, now: Time, amount: Bytes) -> Time {
        self.serve(now, Work::of(amount))
    }

    /// Is busy until `end`, whatever the rate does meanwhile: with a batch of packets.
    pub(crate) fn occupy(&mut self, now: Time, end: Time) {
        self.serving = Some(Serving {
            left: Work::BATCH,
            since: now,
            end,
            bookmark: Cursor::default(),
            in_train: None,
        });
    }

    /// How long `amount` takes at the rate of this instant; no time at all if nothing limits it.
    pub(crate) fn time_for(&self, now: Time, amount: Bytes) -> Span {
        self.rate(now).map_or(Span::ZERO, |rate| Work::of(amount).at(rate))
    }

    /// What the rate of this instant, or a trace's opportunities, do in `span`, in bit-nanoseconds; `None` if nothing limits it.
    pub(crate) fn work_in(&self, now: Time, span: Span) -> Option<u128> {
        match (&self.set, &self.planned) {
            (Some(constant), _) | (None, Pace::Constant(constant)) => {
                Some(u128::from(constant.rate().as_bps()) * u128::from(span.as_ns()))
            }
            (None, Pace::Trace(trace)) => Some(u128::from(trace.octets_in(now, span)) * 8_000_000_000),
            (None, Pace::Unlimited) => None,
        }
    }

    /// The packet in service has left.
    pub(crate) const fn finish(&mut self) {
        self.serving = None;
    }

    /// When [`Self::turn`] wants to be called.
    pub(crate) fn next_turn(&self) -> Time {
        match &self.plan {
            Plan::Fixed => self.announce_at,
            Plan::Stepped(stepped) => stepped.next_at(),
            Plan::Traced { next_window, .. } => *next_window,
        }
    }

    /// Changes the rate as the model plans it; says what observers are to be told, and when the first bit of the
    /// packet in service leaves, if that was still to come.
    pub(crate) fn turn(&mut self, now: Time) -> Option<Option<BitRate>> {
        match &mut self.plan {
            Plan::Fixed => {
                self.announce_at = Time::NEVER;
                Some(self.rate(now))
            }
            Plan::Stepped(stepped) => {
                let rate = stepped.step()?;
                let left = self.pause(now);
                self.planned = Pace::Constant(Constant::new(rate));
                self.resume(now, left);
                self.set.is_none().then_some(Some(rate))
            }
            Plan::Traced { next_window, reported } => {
                let Pace::Trace(trace) = &self.planned else {
                    *next_window = Time::NEVER;
                    return None;
                };
                let rate = trace.rate_from(now);
                let changed = now == Time::ZERO || *reported != rate;
                (*next_window, *reported) = (Trace::next_window(now), rate);
                (changed && self.set.is_none()).then_some(rate)
            }
        }
    }

    /// A rate is set (`Some`) or given back to the model (`None`), also for what is left of the packet in service.
    pub(crate) fn set_rate(&mut self, now: Time, rate: Option<BitRate>) {
        let left = self.pause(now);
        self.set = rate.map(Constant::new);
        self.resume(now, left);
    }

    /// The rate in force, as observers are told; `None` if unlimited, or a trace without opportunities.
    pub(crate) fn rate(&self, now: Time) -> Option<BitRate> {
        match (&self.set, &self.planned) {
            (Some(set), _) => Some(set.rate()),
            (None, Pace::Constant(constant)) => Some(constant.rate()),
            (None, Pace::Trace(trace)) => trace.rate_from(now),
            (None, Pace::Unlimited) => None,
        }
    }

    /// Whether nothing limits the rate now.
    pub(crate) const fn is_unlimited(&self) -> bool {
        self.set.is_none() && matches!(self.planned, Pace::Unlimited)
    }

    #[inline]
    fn serve(&mut self, now: Time, left: Work) -> Time {
        if self.light.is_some() {
            return self.serve_after_idle(now, left);
        }
        self.serve_by_pace(now, left)
    }

    /// Serves by a train if there is one and no rate is set, which goes before it; else by the pace.
    #[inline(never)]
    fn serve_after_idle(&mut self, now: Time, left: Work) -> Time {
        let unset = self.set.is_none();
        let light = self.light.as_mut().filter(|_| unset);
        let taken = light.and_then(|light| light.take(now, left.octets()));
        let first = match taken {
            None => self.serve_by_pace(now, left),
            Some((place, served)) => {
                self.serving = Some(Serving {
                    left,
                    since: now,
                    end: served.last,
                    bookmark: Cursor::default(),
                    in_train: Some(place),
                });
                served.first
            }
        };
        let end = self.end();
        if let Some(light) = &mut self.light {
            light.busy_until(end);
        }
        first
    }

    #[inline]
    fn serve_by_pace(&mut self, now: Time, left: Work) -> Time {
        let mut bookmark = Cursor::default();
        let (first, end) = match (&mut self.set, &mut self.planned) {
            (Some(constant), _) | (None, Pace::Constant(constant)) => (now, now + constant.time_for(left)),
            (None, Pace::Unlimited) => (now, now),
            (None, Pace::Trace(trace)) => {
                bookmark = trace.bookmark();
                let served = trace.serve(now, left.octets(), Time::NEVER);
                (served.first.unwrap_or(served.last), served.last)
            }
        };
        self.serving = Some(Serving {
            left,
            since: now,
            end,
            bookmark,
            in_train: None,
        });
        first
    }

    /// Takes the packet out of service and says what is left of it.
    fn pause(&mut self, now: Time) -> Option<Work> {
        let serving = self.serving.take_if(|serving| serving.left != Work::BATCH)?;
        if let (Some(place), Some(light)) = (serving.in_train, &mut self.light) {
            let octets = serving.left.octets();
            let gone = light.interrupt(place, serving.since, octets, now);
            return Some(Work::of(Bytes::new(octets - gone)));
        }
        Some(match (&mut self.set, &mut self.planned) {
            (Some(constant), _) | (None, Pace::Constant(constant)) => {
                serving.left.less(constant.rate(), now.since(serving.since))
            }
            (None, Pace::Unlimited) => Work::NONE,
            (None, Pace::Trace(trace)) => {
                trace.rewind(serving.bookmark);
                let served = trace.serve(serving.since, serving.left.octets(), now);
                Work::of(Bytes::new(serving.left.octets() - served.octets))
            }
        })
    }

    fn resume(&mut self, now: Time, left: Option<Work>) {
        if let Some(left) = left {
            self.serve(now, left);
        }
    }
}

/// The event that tells a rate.
pub(crate) const fn rate_event(direction: windlull_units::Direction, rate: Option<BitRate>) -> LinkEvent {
    LinkEvent::Rate { direction, rate }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_ONCE: Beginning = Beginning::At(Span::ZERO);

    fn rate(kbps: u64) -> BitRate {
        BitRate::from_bps(kbps * 1000).expect("above zero")
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    #[test]
    fn a_constant_rate_serialises_by_size() {
        let mut serialiser = Serialiser::new(Some(&RateModel::Constant(rate(8))), false, AT_ONCE);
        assert_eq!(serialiser.start(ms(5), Bytes::new(100)), ms(5));
        assert_eq!(serialiser.end(), ms(105));
        serialiser.finish();
        assert_eq!(serialiser.end(), Time::NEVER);
    }

    #[test]
    fn a_change_in_mid_packet_applies_to_the_rest() {
        let mut serialiser = Serialiser::new(Some(&RateModel::Constant(rate(8))), true, AT_ONCE);
        serialiser.start(ms(0), Bytes::new(100));
        // 40 of 100 octets are out; the other 60 at a tenth of the rate take 600 ms.
        serialiser.set_rate(ms(40), BitRate::from_bps(800));
        assert_eq!(serialiser.end(), ms(640));
        // 20 more are out; the last 40 at the old rate take 40 ms.
        serialiser.set_rate(ms(240), None);
        assert_eq!(serialiser.end(), ms(280));
    }

    #[test]
    fn a_trace_hands_over_to_a_forced_rate_and_back() {
        let model = parse_trace("10\n20\n30\n").expect("a trace");
        let mut serialiser = Serialiser::new(Some(&model), true, AT_ONCE);
        assert_eq!(serialiser.start(ms(1), Bytes::new(3 * 1504)), ms(10));
        assert_eq!(serialiser.end(), ms(30));
        // One opportunity of three is used; 3008 octets at 8 octets a ms.
        serialiser.set_rate(ms(20), Some(rate(64)));
        assert_eq!(serialiser.end(), ms(20 + 376));
        // 1504 octets left after 188 ms: the next opportunity is at 210.
        serialiser.set_rate(ms(208), None);
        assert_eq!(serialiser.end(), ms(210));
    }

    #[test]
    fn a_rate_that_is_set_goes_before_a_train_and_takes_over_what_is_left() {
        let light = LightModel {
            idle_after: Span::from_ms(100),
            trains: [crate::model::Train {
                at: Time::ZERO,
                opportunities: [0, 10, 20].map(Span::from_ms).to_vec(),
            }]
            .into(),
            period: None,
        };
        let with_light =
            || Serialiser::new(Some(&RateModel::Constant(rate(8))), true, AT_ONCE).with_light(Some(&light), AT_ONCE);
        let mut serialiser = with_light();
        assert_eq!(serialiser.start(ms(1), Bytes::new(4000)), ms(1));
        assert_eq!(serialiser.end(), ms(21));
        // Two of its opportunities are used; the other 992 octets take 124 ms at eight octets a ms.
        serialiser.set_rate(ms(15), Some(rate(64)));
        assert_eq!(serialiser.end(), ms(15 + 124));
        let mut serialiser = with_light();
        serialiser.set_rate(ms(0), Some(rate(64)));
        serialiser.start(ms(1), Bytes::new(80));
        assert_eq!(serialiser.end(), ms(11));
    }

    #[test]
    fn an_unlimited_rate_takes_no_time() {
        let mut serialiser = Serialiser::new(None, false, AT_ONCE);
        serialiser.start(ms(3), Bytes::new(1_000_000));
        assert_eq!(serialiser.end(), ms(3));
    }
}
