//! Random Early Detection (Floyd and Jacobson 1993, "Random Early Detection Gateways for Congestion Avoidance").
//!
//! The average of the queue decides; marks are spread evenly over the packets. The probability takes no account of a
//! packet's size, also where the queue is measured in octets (RFC 7141, section 2.2).

use windlull_units::{Bytes, Rng, Span, Time};

use super::drop_tail::DropTail;
use super::{Arrival, Verdict};
use crate::draw;
use crate::model::{QueueSize, RedModel};

/// RED with parameters that stay.
#[derive(Clone, Debug)]
pub(super) struct Red {
    average: Average,
    slope: Slope,
    lottery: Lottery,
    marks: bool,
}

impl Red {
    pub(super) fn new(model: &RedModel, stream: Rng) -> Self {
        Self {
            average: Average::new(model.weight, model.mean_packet),
            slope: Slope {
                minimum: model.minimum.number(),
                maximum: model.maximum.number(),
                probability: model.probability,
                gentle: model.gentle,
                unit: Unit::of(model.minimum),
                spare: model.spare,
            },
            lottery: Lottery::new(stream),
            marks: model.ecn,
        }
    }

    pub(super) fn arrives(&mut self, arrival: &Arrival, account: &DropTail) -> Verdict {
        let average = self.average.arrives(arrival, self.slope.unit.measure(account));
        let pressure = self.slope.pressure(average, account);
        self.lottery.judge(pressure, arrival, self.marks)
    }

    pub(super) const fn rests(&mut self, now: Time) {
        self.average.rests(now);
    }
}

/// In what a queue is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Packets,
    Octets,
}

impl Unit {
    pub(super) const fn of(size: QueueSize) -> Self {
        match size {
            QueueSize::Packets(_) => Self::Packets,
            QueueSize::Bytes(_) => Self::Octets,
        }
    }

    pub(super) fn measure(self, account: &DropTail) -> f64 {
        match self {
            Self::Packets => f64::from(account.packets()),
            Self::Octets => real(account.octets()),
        }
    }
}

/// The average queue (section 4): an exponentially weighted moving average over arrivals.
#[derive(Clone, Debug)]
pub(super) struct Average {
    value: f64,
    weight: f64,
    mean_packet: Bytes,
    /// Since when the bottleneck has had nothing to do.
    idle_since: Option<Time>,
    /// When a packet last found it so, and the part of the idle time too short for a typical packet, by when it began. If that
    /// packet is dropped the idle time goes on; without this, packets that come faster than that would never let it count.
    goes_on: Option<(Time, Time)>,
}

impl Average {
    pub(super) const fn new(weight: f64, mean_packet: Bytes) -> Self {
        Self {
            value: 0.0,
            weight,
            mean_packet,
            idle_since: None,
            goes_on: None,
        }
    }

    /// The average with a packet that finds the queue so long.
    pub(super) fn arrives(&mut self, arrival: &Arrival, queued: f64) -> f64 {
        let packet_time = self.packet_time(arrival);
        self.value = match self.idle_since.take() {
            Some(since) => {
                let room = packets_in(since, arrival.now, packet_time);
                self.goes_on = Some((arrival.now, since + packet_time.saturating_mul(room.unwrap_or(0))));
                self.faded(room)
            }
            None => self.value + self.weight * (queued - self.value),
        };
        self.value
    }

    /// What it was at `now`, between two arrivals.
    pub(super) fn at(&self, now: Time, packet_time: Span) -> f64 {
        match self.idle_since {
            Some(since) if since < now => self.faded(packets_in(since, now, packet_time)),
            _ => self.value,
        }
    }

    /// How long a typical packet takes; nothing where no rate is known.
    pub(super) fn packet_time(&self, arrival: &Arrival) -> Span {
        arrival.rate.map_or(Span::ZERO, |rate| rate.time_for(self.mean_packet))
    }

    pub(super) const fn rests(&mut self, now: Time) {
        if self.idle_since.is_none() {
            self.idle_since = match self.goes_on {
                Some((at, since)) if at.as_ns() == now.as_ns() => Some(since),
                _ => Some(now),
            };
        }
    }

    /// As if as many packets as an idle time has `room` for had arrived at an empty queue: `(1-w_q)^m avg`.
    fn faded(&self, room: Option<u64>) -> f64 {
        room.map_or(0.0, |packets| draw::power(1.0 - self.weight, packets) * self.value)
    }
}

/// How many typical packets an idle time had room for; `None` if they take none.
fn packets_in(since: Time, now: Time, packet_time: Span) -> Option<u64> {
    now.since(since).as_ns().checked_div(packet_time.as_ns())
}

/// How likely an average makes a mark: `p_b` (section 4).
#[derive(Clone, Debug)]
pub(super) struct Slope {
    pub(super) minimum: f64,
    pub(super) maximum: f64,
    /// `max_p`.
    pub(super) probability: f64,
    pub(super) gentle: bool,
    pub(super) unit: Unit,
    /// While no more than this waits nothing is asked for.
    pub(super) spare: Option<QueueSize>,
}

/// What an average asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pressure {
    /// Below the minimum.
    None,
    /// This probability for each packet.
    Some(f64),
    /// Beyond the maximum: every packet.
    Full,
}

impl Slope {
    /// What this average asks for of a queue that holds so much, as in ns-2, which spares one packet (`queue/red.cc`).
    pub(super) fn pressure(&self, average: f64, account: &DropTail) -> Pressure {
        let spared = self.spare.is_some_and(|spare| match spare {
            QueueSize::Packets(packets) => account.packets() <= packets,
            QueueSize::Bytes(octets) => account.octets() <= octets,
        });
        if spared { Pressure::None } else { self.at(average) }
    }

    fn at(&self, average: f64) -> Pressure {
        let span = self.maximum - self.minimum;
        if average < self.minimum {
            Pressure::None
        } else if average < self.maximum {
            Pressure::Some(self.probability * (average - self.minimum) / span)
        } else if self.gentle && average < 2.0 * self.maximum {
            // Floyd's variant: from max_p at max_th to one at twice that.
            let beyond = (average - self.maximum) / self.maximum;
            Pressure::Some(self.probability + (1.0 - self.probability) * beyond)
        } else {
            Pressure::Full
        }
    }
}

/// Spreads marks evenly (section 7, method 2): the more packets since the last, the likelier the next.
#[derive(Clone, Debug)]
pub(super) struct Lottery {
    /// Packets since the last mark, the one that arrives among them; `None` while there is no pressure.
    count: Option<u32>,
    stream: Rng,
}

impl Lottery {
    pub(super) const fn new(stream: Rng) -> Self {
        Self { count: None, stream }
    }

    /// RFC 3168, section 7: a mark stands for the drop that hints at congestion; where all is to be dropped, all is.
    pub(super) fn judge(&mut self, pressure: Pressure, arrival: &Arrival, marks: bool) -> Verdict {
        if !arrival.fits {
            // That it is lost is hint enough.
            self.count = Some(0);
            return Verdict::Pass;
        }
        match pressure {
            Pressure::None => {
                self.count = None;
                Verdict::Pass
            }
            Pressure::Full => {
                self.count = Some(0);
                Verdict::Drop
            }
            Pressure::Some(each) => {
                let count = self.count.map_or(0, |count| count.saturating_add(1));
                self.count = Some(count);
                if !draw::happens(&mut self.stream, spread(each, count)) {
                    return Verdict::Pass;
                }
                self.count = Some(0);
                Verdict::notify(marks, arrival.ecn)
            }
        }
    }
}

/// `p_a`, of `p_b` and the packets since the last mark.
fn spread(each: f64, count: u32) -> f64 {
    let rest = 1.0 - f64::from(count) * each;
    if rest > 0.0 { (each / rest).min(1.0) } else { 1.0 }
}

/// A number of octets or packets as averages and thresholds count.
#[expect(clippy::cast_precision_loss, reason = "no queue holds 2^53 octets")]
pub(super) const fn real(octets: Bytes) -> f64 {
    octets.get() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use windlull_units::{BitRate, Ecn, Seed};

    fn arrival(now: u64) -> Arrival {
        Arrival {
            now: Time::ZERO + Span::from_ms(now),
            size: Bytes::new(1000),
            ecn: Ecn::NotEct,
            fits: true,
            rate: BitRate::from_bps(800_000),
        }
    }

    fn slope(gentle: bool) -> Slope {
        Slope {
            minimum: 5.0,
            maximum: 15.0,
            probability: 0.02,
            gentle,
            unit: Unit::Packets,
            spare: None,
        }
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    /// Of a queue that jumps from nothing to `q`, the average after n packets is `q (1 - (1 - w)^n)`.
    #[test]
    fn the_average_follows_a_step_as_its_closed_form_says() {
        let mut average = Average::new(0.002, Bytes::new(1000));
        let mut last = 0.0;
        for _ in 0..50 {
            last = average.arrives(&arrival(0), 50.0);
        }
        assert!(near(last, 50.0 * (1.0 - 0.998_f64.powi(50))), "{last}");
    }

    /// The paper's figure of section 6: a queue that grows by one with each arrival has, after L of them,
    /// the average `L + 1 + ((1 - w)^(L+1) - 1) / w`.
    #[test]
    fn the_average_of_a_burst_is_the_papers() {
        let mut average = Average::new(0.002, Bytes::new(1000));
        let mut last = 0.0;
        for queued in 1..=70 {
            last = average.arrives(&arrival(0), f64::from(queued));
        }
        let expected = 71.0 + (0.998_f64.powi(71) - 1.0) / 0.002;
        assert!((last - expected).abs() < 1e-6, "{last} for {expected}");
        // "Given minth = 5 and wq = 0.002, a burst of up to 50 packets is let through."
        assert!(51.0 + (0.998_f64.powi(51) - 1.0) / 0.002 < 5.0);
    }

    /// 1000 octets at 800 kbit/s take 10 ms: an idle time of 250 ms is worth 25 packets.
    #[test]
    fn an_idle_time_counts_as_the_packets_that_it_could_have_sent() {
        let mut average = Average::new(0.1, Bytes::new(1000));
        average.arrives(&arrival(0), 100.0);
        average.rests(Time::ZERO + Span::from_ms(50));
        // The earlier instant counts.
        average.rests(Time::ZERO + Span::from_ms(299));
        let at = average.at(Time::ZERO + Span::from_ms(150), Span::from_ms(10));
        assert!(near(at, 10.0 * 0.9_f64.powi(10)), "{at}");
        let after = average.arrives(&arrival(300), 0.0);
        assert!(near(after, 10.0 * 0.9_f64.powi(25)), "{after}");
        // It is over with that packet.
        assert!(near(average.arrives(&arrival(400), 0.0), after * 0.9));
    }

    /// Packets every 4 ms, each of them dropped, at an idle bottleneck that takes 10 ms for a typical one: without an end to
    /// what is counted the average would stay where it was, and everything be dropped for ever.
    #[test]
    fn an_idle_time_goes_on_if_the_packet_that_came_was_dropped() {
        let mut average = Average::new(0.1, Bytes::new(1000));
        average.arrives(&arrival(0), 100.0);
        average.rests(Time::ZERO);
        let mut value = 10.0;
        for ms in (4..=100).step_by(4) {
            value = average.arrives(&arrival(ms), 0.0);
            average.rests(Time::ZERO + Span::from_ms(ms));
        }
        assert!(near(value, 10.0 * 0.9_f64.powi(10)), "{value}");
        // One that is sent ends it: the next idle time begins with its end.
        average.arrives(&arrival(104), 0.0);
        average.rests(Time::ZERO + Span::from_ms(114));
        assert!(near(average.arrives(&arrival(120), 0.0), value));
    }

    #[test]
    fn without_a_rate_an_idle_time_forgets_everything() {
        let mut average = Average::new(0.5, Bytes::new(1000));
        average.arrives(&arrival(0), 100.0);
        average.rests(Time::ZERO);
        let free = Arrival {
            rate: None,
            ..arrival(1)
        };
        assert!(near(average.arrives(&free, 0.0), 0.0));
    }

    #[test]
    fn the_probability_rises_between_the_thresholds() {
        for gentle in [false, true] {
            let slope = slope(gentle);
            assert_eq!(slope.at(4.999), Pressure::None);
            assert_eq!(slope.at(5.0), Pressure::Some(0.0));
            assert_eq!(slope.at(10.0), Pressure::Some(0.01));
            let Pressure::Some(most) = slope.at(14.999_999_999) else {
                panic!("below the maximum it is a matter of chance");
            };
            assert!(near(most, 0.02));
        }
        assert_eq!(slope(false).at(15.0), Pressure::Full);
        assert_eq!(slope(true).at(15.0), Pressure::Some(0.02));
        // Half way from 15 to 30: 0.02 + 0.98 / 2.
        assert_eq!(slope(true).at(22.5), Pressure::Some(0.51));
        assert_eq!(slope(true).at(30.0), Pressure::Full);
    }

    /// Method 2: with `p_b` = p the gap between two marks is uniform over 1 to 1/p, so its mean is 1/(2p) + 1/2.
    #[test]
    fn gaps_between_marks_are_uniform() {
        let each = 0.02;
        assert!(near(spread(each, 0), 0.02));
        assert!(near(spread(each, 25), 0.04));
        assert!(near(spread(each, 49), 1.0));
        assert!(near(spread(each, 50), 1.0));
        let mut lottery = Lottery::new(Seed::new(1).stream("down/queue"));
        let mut gaps = Vec::new();
        let mut gap = 0;
        while gaps.len() < 4000 {
            gap += 1;
            if lottery.judge(Pressure::Some(each), &arrival(0), false) == Verdict::Drop {
                gaps.push(gap);
                gap = 0;
            }
        }
        // After a mark the count is one at the next packet, so the longest gap is 49; before the first mark it is 50.
        assert!(gaps.iter().skip(1).all(|gap| (1..=49).contains(gap)), "{gaps:?}");
        let mean = f64::from(gaps.iter().sum::<i32>()) / 4000.0;
        // Mean 25, deviation 14.1 / sqrt(4000) = 0.22: five of them either way.
        assert!((23.9..26.1).contains(&mean), "{mean}");
        let early = gaps.iter().filter(|gap| **gap <= 12).count();
        // 12 of 49: 980, deviation 27.
        assert!((840..1120).contains(&early), "{early}");
    }

    #[test]
    fn capable_packets_are_marked_until_everything_is_to_be_dropped() {
        let mut lottery = Lottery::new(Seed::new(1).stream("down/queue"));
        let capable = Arrival {
            ecn: Ecn::Ect0,
            ..arrival(0)
        };
        let sure = Pressure::Some(1.0);
        assert_eq!(lottery.judge(sure, &capable, true), Verdict::Mark);
        assert_eq!(lottery.judge(sure, &capable, false), Verdict::Drop);
        assert_eq!(lottery.judge(sure, &arrival(0), true), Verdict::Drop);
        assert_eq!(lottery.judge(Pressure::Full, &capable, true), Verdict::Drop);
        assert_eq!(lottery.judge(Pressure::None, &capable, true), Verdict::Pass);
    }
}
