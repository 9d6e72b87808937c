//! The nearest link that `tc` and `nft` can make of one that they cannot make as it is.
//!
//! Each part that the plane refuses is replaced by one that it takes, or left out, and named. What a packet's length, or
//! the gap between packets, decides is taken for packets of one size that follow each other at the link's rate.

mod link_layer;
mod process;
mod scripted;

use std::fmt;

use windlull_link::model::{LinkModel, QueueLimit, RateModel, Zeros};
use windlull_units::{BitRate, Bytes, Direction, Span, Time};

use super::refusal::{LEAST_RATE_BPS, ProfileItem};

/// Mahimahi's packet, which a trace's opportunity sends.
const OPPORTUNITY_BITS: u64 = 1_504 * 8;
/// A trace's opportunities are counted in windows of this length.
const WINDOW: Span = Span::from_ms(200);

/// A part of a link that was replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct Approximation {
    /// Where in the profile it stands.
    pub place: ProfileItem,
    pub key: &'static str,
    pub instead: Instead,
}

/// By what a part was replaced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Instead {
    /// Nothing: the link layer's buffers.
    Buffers,
    /// The queue stops within each hold.
    StoppedQueue {
        /// How long after the hold's beginning.
        after: Span,
        /// How long after the hold's end it goes on.
        until: Span,
    },
    /// Retransmissions as longer delays.
    RetriesAsDelay {
        /// The loss of one transmission.
        loss: f64,
        /// What each retransmission takes.
        each: Span,
    },
    /// Losses in time as holds.
    OutageAsHold,
    /// Nothing: the re-acquired channel.
    NoAllocation,
    /// Nothing: batches, and what must happen before each.
    NoService,
    /// A rate for each window.
    Windows,
    /// The least rate that HTB keeps.
    LeastRate,
    /// The kernel's own discipline of that name.
    KernelQueue,
    /// The shortest queue that passes a packet.
    ShortestQueue,
    /// A renewal process in time.
    InTime {
        mean: Span,
    },
    Hold,
    /// The loss of a packet of the assumed size.
    LossAt {
        size: Bytes,
        loss: f64,
    },
    /// The same process, each direction for itself.
    Each,
    /// As many independent losses.
    MeanLoss(f64),
    /// Packets of these numbers.
    Packets {
        first: u64,
        last: u64,
    },
    Instant(Time),
    /// The same length in the queue's own unit.
    OtherUnit,
    LeftOut(&'static str),
}

/// What replaces a link, and how it differs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// The link that the plane takes.
    pub(crate) model: LinkModel,
    pub(crate) approximations: Vec<Approximation>,
    /// By direction, how the queue stops within holds.
    pub(crate) stops: [Option<Stop>; 2],
}

/// A link layer whose buffer fills up while nothing is delivered stops the queue before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    pub(crate) after: Span,
    pub(crate) until: Span,
}

/// Replaces all parts that `tc` and `nft` have no equal of. `packet` is the size of the packets that are assumed where a
/// part depends on it.
pub(crate) fn nearest(model: &LinkModel, packet: Bytes) -> Nearest {
    let mut work = Work {
        model: model.clone(),
        packet,
        found: Vec::new(),
        stops: [None; 2],
    };
    for direction in Direction::ALL {
        work.rate(direction);
        work.queue(direction);
        work.link_layer(direction);
        if work.model.path_mut(direction).allocation.take().is_some() {
            work.note_path(direction, "allocation", Instead::NoAllocation);
        }
        if work.model.path_mut(direction).light.take().is_some() {
            work.note_path(
                direction,
                "light",
                Instead::LeftOut("tc does not know when a link was idle"),
            );
        }
        if work.model.path_mut(direction).service.take().is_some() {
            work.note_path(direction, "service", Instead::NoService);
        }
        if !std::mem::take(&mut work.model.path_mut(direction).in_order).is_always() {
            work.note_path(
                direction,
                "in_order",
                Instead::LeftOut("nothing that is sent again is late"),
            );
        }
    }
    work.impairments();
    work.script();
    work.recording();
    Nearest {
        model: work.model,
        approximations: merged(work.found),
        stops: work.stops,
    }
}

struct Work {
    model: LinkModel,
    packet: Bytes,
    found: Vec<Approximation>,
    stops: [Option<Stop>; 2],
}

impl Work {
    fn note(&mut self, place: ProfileItem, key: &'static str, instead: Instead) {
        self.found.push(Approximation { place, key, instead });
    }

    fn note_path(&mut self, direction: Direction, key: &'static str, instead: Instead) {
        self.note(ProfileItem::Path(direction), key, instead);
    }

    /// How long a packet of the assumed size is in service; `None` where nothing limits the rate.
    fn service(&self, direction: Direction) -> Option<Span> {
        let path = self.model.path(direction);
        let bps = match path.rate.as_ref()? {
            RateModel::Constant(rate) => rate.as_bps(),
            RateModel::Stepped { steps, .. } => steps.first()?.1.as_bps(),
            RateModel::Trace { .. } => return None,
        };
        let bits = (self.packet.get() + path.framing.get()) * 8;
        Some(Span::from_ns(bits.saturating_mul(1_000_000_000) / bps.max(1)))
    }

    fn rate(&mut self, direction: Direction) {
        let Some(rate) = self.model.path(direction).rate.clone() else {
            return;
        };
        let mut slow = false;
        let mut least = |rate: BitRate| {
            slow |= rate.as_bps() < LEAST_RATE_BPS;
            at_least(rate)
        };
        let rate = match rate {
            RateModel::Constant(rate) => RateModel::Constant(least(rate)),
            RateModel::Stepped { steps, period } => RateModel::Stepped {
                steps: steps.into_iter().map(|(at, rate)| (at, least(rate))).collect(),
                period,
            },
            RateModel::Trace { opportunities, period } => {
                self.note_path(direction, "rate", Instead::Windows);
                in_windows(&opportunities, period)
            }
        };
        if slow {
            self.note_path(direction, "rate", Instead::LeastRate);
        }
        self.model.path_mut(direction).rate = Some(rate);
    }

    /// Its rates are at least what HTB keeps; a rate of zero that holds what waits holds what is on its way as well.
    fn recording(&mut self) {
        let Some(recording) = &mut self.model.recording else {
            return;
        };
        let (mut slow, mut silent) = (false, false);
        for row in &mut recording.rows {
            for rate in [&mut row.down.rate_bps, &mut row.up.rate_bps].into_iter().flatten() {
                slow |= (1..LEAST_RATE_BPS).contains(rate);
                silent |= *rate == 0;
                *rate = if *rate == 0 { 0 } else { LEAST_RATE_BPS.max(*rate) };
            }
        }
        let holds = silent && recording.zeros == Zeros::Hold;
        if slow {
            self.note(ProfileItem::Link, "recording", Instead::LeastRate);
        }
        if holds {
            self.note(ProfileItem::Link, "recording", Instead::Hold);
        }
    }

    fn queue(&mut self, direction: Direction) {
        let queue = self.model.path(direction).queue;
        if queue.is_managed() {
            self.note_path(direction, "queue", Instead::KernelQueue);
        } else if let Some(limit) = longer(queue.limit()) {
            self.note_path(direction, "queue", Instead::ShortestQueue);
            self.model.path_mut(direction).queue = windlull_link::model::QueueModel::DropTail(limit);
        }
    }
}

/// HTB is exact from this rate on.
fn at_least(rate: BitRate) -> BitRate {
    BitRate::from_bps(LEAST_RATE_BPS).map_or(rate, |least| rate.max(least))
}

/// The shortest queue that passes a packet, if this one is shorter.
fn longer(limit: QueueLimit) -> Option<QueueLimit> {
    match limit {
        QueueLimit::Packets(0) => Some(QueueLimit::Packets(1)),
        QueueLimit::Bytes(octets) if octets.get() < 1_500 => Some(QueueLimit::Bytes(Bytes::new(1_500))),
        _ => None,
    }
}

/// The mean rate of each window; where there is no opportunity, the least.
fn in_windows(opportunities: &[Time], period: Span) -> RateModel {
    let windows = period.as_ns().div_ceil(WINDOW.as_ns()).max(1);
    let mut steps: Vec<(Time, BitRate)> = Vec::new();
    for window in 0..windows {
        let from = window * WINDOW.as_ns();
        let length = WINDOW.as_ns().min(period.as_ns() - from).max(1);
        let inside = |at: &&Time| (from..from + length).contains(&at.as_ns());
        let count = opportunities.iter().filter(inside).count() as u64;
        let bps = u128::from(count * OPPORTUNITY_BITS) * 1_000_000_000 / u128::from(length);
        let bps = u64::try_from(bps).unwrap_or(u64::MAX).max(LEAST_RATE_BPS);
        let Some(rate) = BitRate::from_bps(bps) else { continue };
        if steps.last().is_none_or(|&(_, before)| before != rate) {
            steps.push((Time::from_ns(from), rate));
        }
    }
    RateModel::Stepped {
        steps,
        period: Some(period),
    }
}

/// One line for what both directions have alike.
fn merged(found: Vec<Approximation>) -> Vec<Approximation> {
    let mut merged: Vec<Approximation> = Vec::new();
    for one in found {
        let twin = merged.iter_mut().find(|other| {
            let paths = matches!((&other.place, &one.place), (ProfileItem::Path(a), ProfileItem::Path(b)) if a != b);
            (paths || other.place == one.place) && other.key == one.key && other.instead == one.instead
        });
        match twin {
            Some(twin) if twin.place != one.place => twin.place = ProfileItem::Both,
            Some(_) => {}
            None => merged.push(one),
        }
    }
    merged
}

impl fmt::Display for Approximation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, key, instead } = self;
        match place {
            ProfileItem::Link => write!(f, "{key}: {instead}"),
            _ => write!(f, "{place} {key}: {instead}"),
        }
    }
}

impl fmt::Display for Instead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Buffers => {
                f.write_str("the link layer's buffers are left out; only a loss or a hold would fill them")
            }
            Self::StoppedQueue { after, until } => write!(
                f,
                "the queue stops {after} after a hold begins, when a busy link has filled the send buffer, and goes on \
                 {until} after it ends"
            ),
            Self::RetriesAsDelay { loss, each } => write!(
                f,
                "retransmission is a delay of {each} each, drawn for {:.4} % of the packets; it takes nothing of the rate",
                loss * 100.0
            ),
            Self::OutageAsHold => f.write_str("what the link layer repairs after an outage is held until its end"),
            Self::NoAllocation => {
                f.write_str("left out: the first packet after an idle time leaves without waiting for a channel")
            }
            Self::NoService => f.write_str(
                "left out: packets leave one after another at the rate, without request, contention, batches or their failures",
            ),
            Self::Windows => write!(
                f,
                "the mean rate of each {WINDOW}, and 1 kbit/s where there is no opportunity"
            ),
            Self::LeastRate => f.write_str("1 kbit/s, the least that HTB keeps"),
            Self::KernelQueue => {
                f.write_str("the kernel's own discipline of this name, by its own rules and random numbers")
            }
            Self::ShortestQueue => f.write_str("the shortest queue that passes a packet of 1500 octets"),
            Self::InTime { mean } => write!(
                f,
                "begins in time, with exponential gaps of {mean} on average, as on a link that is always busy"
            ),
            Self::Hold => f.write_str("a hold: what is on its way waits as well"),
            Self::LossAt { size, loss } => {
                write!(f, "every packet is lost as one of {size} is: {:.4} %", loss * 100.0)
            }
            Self::Each => f.write_str("each direction has states of its own"),
            Self::MeanLoss(loss) => write!(f, "independent losses, as many: {:.4} %", loss * 100.0),
            Self::Packets { first, last } if first == last => {
                write!(f, "packet {first}, as in a connection without earlier losses")
            }
            Self::Packets { first, last } => {
                write!(
                    f,
                    "packets {first} to {last}, as in a connection without earlier losses"
                )
            }
            Self::Instant(at) => write!(f, "at {at}, when a busy link would have come to that packet"),
            Self::OtherUnit => f.write_str("the same length in the unit that the queue began with"),
            Self::LeftOut(why) => write!(f, "left out: {why}"),
        }
    }
}
