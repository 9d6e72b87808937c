//! Counts of a link that others read while it runs. The link's thread alone writes them, and waits for nobody.

use std::sync::atomic::{AtomicU64, Ordering};

use windlull_link::Condition;
use windlull_link::preview::Pace;
use windlull_units::{BitRate, Direction, DropCause, Span};

windlull_units::named! {
    /// Why a packet did not arrive.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Cause {
        /// The queue was full.
        Queue = "queue",
        /// A loss process, the script's or the hand's.
        Loss = "loss",
        BitError = "bit-error",
        Outage = "outage",
        /// The script named this packet.
        Chosen = "chosen",
        /// The link layer gave up.
        Arq = "arq",
        /// A policer found it to exceed its rate and burst.
        Policer = "policer",
        /// A later acknowledgement of its connection took its place.
        AckThinned = "ack-thinned",
        /// Not the link's: the machine had no place for it, or its kernel did not take it.
        Plane = "plane",
        /// Nobody on the other side answered for its address.
        Unreachable = "unreachable",
    }
}

impl From<DropCause> for Cause {
    fn from(cause: DropCause) -> Self {
        match cause {
            DropCause::QueueOverflow | DropCause::QueueEarly => Self::Queue,
            DropCause::RandomLoss => Self::Loss,
            DropCause::BitError => Self::BitError,
            DropCause::Outage => Self::Outage,
            DropCause::Chosen => Self::Chosen,
            DropCause::ArqGaveUp => Self::Arq,
            DropCause::Policer => Self::Policer,
            DropCause::AckThinned => Self::AckThinned,
            DropCause::Unknown => Self::Plane,
        }
    }
}

/// The upper ends of the classes of release errors, in nanoseconds; a last class has what is beyond.
pub const RELEASE_ERROR_NS: [u64; 12] = [
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
];

/// All counts; they go on from one link to the next that is given the same monitor.
#[derive(Debug, Default)]
pub struct Monitor {
    ways: [DirectionCounters; 2],
    release_error: [AtomicU64; RELEASE_ERROR_NS.len() + 1],
    release_error_ns: AtomicU64,
    stalls: AtomicU64,
}

#[derive(Debug, Default)]
struct DirectionCounters {
    packets: AtomicU64,
    octets: AtomicU64,
    drops: [AtomicU64; Cause::ALL.len()],
    marks: AtomicU64,
    holds: AtomicU64,
    inside: AtomicU64,
    queued_packets: AtomicU64,
    queued_octets: AtomicU64,
    /// Bits a second, or [`NONE`].
    rate: AtomicU64,
    /// Nanoseconds, or [`NONE`].
    delay: AtomicU64,
    /// Packets of 10^9.
    loss: AtomicU64,
    held: AtomicU64,
    dropping: AtomicU64,
}

/// There is no such number: nothing limits the rate, or each packet draws its own delay.
const NONE: u64 = u64::MAX;

/// What one direction has carried and lost so far, and how it is now, as of a moment ago.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Packets put on the wire of the other side, copies too.
    pub packets: u64,
    /// Octets of these, as IP packets.
    pub octets: u64,
    /// Packets that did not arrive, by [`Cause::ALL`].
    pub drops: [u64; Cause::ALL.len()],
    /// Packets that a queue marked instead of dropping them.
    pub marks: u64,
    /// Holds that began.
    pub holds: u64,
    /// Packets inside the link, wherever.
    pub inside: u64,
    /// Packets that wait before the bottleneck.
    pub queued_packets: u64,
    /// Their octets.
    pub queued_octets: u64,
    /// The rate; `None` if nothing limits it. Zero is a trace that gives no opportunities.
    pub rate_bps: Option<u64>,
    /// The delay in force; `None` while each packet draws its own.
    pub delay: Option<Span>,
    /// Of 10^9 packets so many are lost in the state that the link is in, but for bit errors.
    pub loss_ppb: u64,
    /// Whether it delivers nothing and keeps everything.
    pub held: bool,
    /// Whether it loses everything.
    pub dropping: bool,
}

/// How late packets were released.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReleaseErrors {
    /// Packets in each class of [`RELEASE_ERROR_NS`], and beyond.
    pub packets: [u64; RELEASE_ERROR_NS.len() + 1],
    /// All errors together, in nanoseconds.
    pub sum_ns: u64,
}

impl Monitor {
    /// One direction's counts.
    pub fn read(&self, direction: Direction) -> Reading {
        let way = &self.ways[direction as usize];
        let some = |value: &AtomicU64| Some(get(value)).filter(|&value| value != NONE);
        Reading {
            packets: get(&way.packets),
            octets: get(&way.octets),
            drops: way.drops.each_ref().map(get),
            marks: get(&way.marks),
            holds: get(&way.holds),
            inside: get(&way.inside),
            queued_packets: get(&way.queued_packets),
            queued_octets: get(&way.queued_octets),
            rate_bps: some(&way.rate),
            delay: some(&way.delay).map(Span::from_ns),
            loss_ppb: get(&way.loss),
            held: get(&way.held) != 0,
            dropping: get(&way.dropping) != 0,
        }
    }

    /// How late packets of either direction were released.
    pub fn release_errors(&self) -> ReleaseErrors {
        ReleaseErrors {
            packets: self.release_error.each_ref().map(get),
            sum_ns: get(&self.release_error_ns),
        }
    }

    /// How often the machine stood still.
    pub fn stalls(&self) -> u64 {
        get(&self.stalls)
    }

    pub(super) fn released(&self, direction: Direction, octets: u64, late: Span) {
        let way = &self.ways[direction as usize];
        add(&way.packets, 1);
        add(&way.octets, octets);
        let class = RELEASE_ERROR_NS.partition_point(|&end| end < late.as_ns());
        add(&self.release_error[class], 1);
        add(&self.release_error_ns, late.as_ns());
    }

    /// Packets put on the wire by whom does not tell how late each was.
    pub(crate) fn carried(&self, direction: Direction, packets: u64, octets: u64) {
        let way = &self.ways[direction as usize];
        add(&way.packets, packets);
        add(&way.octets, octets);
    }

    pub(crate) fn dropped(&self, direction: Direction, cause: Cause, packets: u64) {
        add(&self.ways[direction as usize].drops[cause as usize], packets);
    }

    pub(super) fn marked(&self, direction: Direction) {
        add(&self.ways[direction as usize].marks, 1);
    }

    pub(crate) fn hold_began(&self, direction: Direction) {
        add(&self.ways[direction as usize].holds, 1);
    }

    /// By the thread that watches, which writes nothing else.
    pub(super) fn stalled(&self) {
        add(&self.stalls, 1);
    }

    /// How the link is now.
    pub(crate) fn look(&self, direction: Direction, condition: &Condition, inside: u64) {
        let way = &self.ways[direction as usize];
        let rate = match condition.rate {
            Pace::Unlimited => NONE,
            Pace::At(rate) => BitRate::as_bps(rate),
            Pace::Nothing => 0,
        };
        for (place, value) in [
            (&way.inside, inside),
            (&way.queued_packets, condition.queued_packets.into()),
            (&way.queued_octets, condition.queued_octets.get()),
            (&way.rate, rate),
            (&way.delay, condition.delay.map_or(NONE, Span::as_ns)),
            (&way.loss, (condition.loss * 1e9).round() as u64),
            (&way.held, condition.held.into()),
            (&way.dropping, condition.dropping.into()),
        ] {
            place.store(value, Ordering::Relaxed);
        }
    }

    /// The link has stopped: nothing is in it, and nothing holds it.
    pub(crate) fn still(&self) {
        for way in &self.ways {
            for place in [
                &way.inside,
                &way.queued_packets,
                &way.queued_octets,
                &way.loss,
                &way.held,
                &way.dropping,
            ] {
                place.store(0, Ordering::Relaxed);
            }
        }
    }
}

fn get(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}

/// There is one writer: no other can come between.
fn add(count: &AtomicU64, more: u64) {
    count.store(get(count) + more, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_counted_in_the_class_that_ends_at_or_after_them() {
        let monitor = Monitor::default();
        for late in [0, 10_000, 10_001, 1_000_000_000, 1_000_000_001] {
            monitor.released(Direction::Up, 100, Span::from_ns(late));
        }
        let errors = monitor.release_errors();
        assert_eq!((errors.packets[0], errors.packets[1]), (2, 1));
        assert_eq!(errors.packets[11..], [1, 1]);
        assert_eq!(errors.sum_ns, 2_000_020_002);
        let reading = monitor.read(Direction::Up);
        assert_eq!((reading.packets, reading.octets), (5, 500));
        assert_eq!(
            monitor.read(Direction::Down),
            Reading {
                rate_bps: Some(0),
                delay: Some(Span::ZERO),
                ..Reading::default()
            }
        );
    }

    #[test]
    fn every_cause_has_a_place_and_a_name_of_its_own() {
        let mut names: Vec<_> = Cause::ALL.iter().map(|cause| cause.name()).collect();
        for (place, cause) in Cause::ALL.iter().enumerate() {
            assert_eq!(*cause as usize, place);
        }
        names.dedup();
        assert_eq!(names.len(), Cause::ALL.len());
    }
}
