//! What a run of the plane leaves behind: the link's story, and how exactly it was kept to.

use hdrhistogram::Histogram;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use windlull_link::{Condition, Delivery, LinkObserver, Packet as _};
use windlull_units::{Bytes, Direction, Fate, LinkEvent, Outcome, PacketId, Span, Time};

use super::frame::{Frame, Refused};
use super::monitor::Cause;
use super::watch::Stall;
use super::{Keeps, Monitor};
use crate::{Epoch, Fingerprint};

/// All that happened. Fed with `entered` in this order, each after `advance` to the same instant, a fresh link of the same
/// model and seed tells the same fates and events, to the nanosecond.
#[derive(Debug, Serialize, Deserialize)]
pub struct Log {
    /// What the link took in, in order.
    pub entered: Vec<Entered>,
    /// What became of the packets, in the model's own times. What was inside at the end has none.
    pub fates: Vec<Fate>,
    /// How the link changed, in the model's own times.
    pub events: Vec<(Time, LinkEvent)>,
    /// What was put on the wire, in order.
    pub released: Vec<Released>,
    /// Up to when the model was played.
    pub until: Time,
    /// How exact all this was.
    pub accuracy: Accuracy,
}

/// A packet that the link took in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entered {
    /// Its number.
    pub id: PacketId,
    /// Its way.
    pub direction: Direction,
    /// When it reached the router's device, by the kernel's stamp; later only if the model was already beyond it (see
    /// [`Accuracy::late_entries`]).
    pub at: Time,
    /// By what it is known again in captures.
    pub fingerprint: Fingerprint,
    /// Octets of the IP packet.
    pub size: Bytes,
}

/// A packet on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Released {
    /// Its number; a duplicate has one of its own.
    pub id: PacketId,
    /// When the model said.
    pub planned: Time,
    /// When the system call that sent it had returned: by then it was with the far host's kernel, or beyond.
    pub actual: Time,
}

/// How exactly the plane did what the model said. Errors are in nanoseconds and never below zero: nothing is early.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Accuracy {
    /// Actual less planned time of release, outside of stalls of the machine.
    #[serde(serialize_with = "write_counts", deserialize_with = "read_counts")]
    pub release_error: Histogram<u64>,
    /// The same of packets whose release a stall of the machine delayed.
    #[serde(serialize_with = "write_counts", deserialize_with = "read_counts")]
    pub release_error_in_stalls: Histogram<u64>,
    /// How late the link's own events were played, outside of stalls.
    #[serde(serialize_with = "write_counts", deserialize_with = "read_counts")]
    pub script_error: Histogram<u64>,
    /// The same of events that a stall delayed.
    #[serde(serialize_with = "write_counts", deserialize_with = "read_counts")]
    pub script_error_in_stalls: Histogram<u64>,
    /// How much later than its stamp a packet was taken in, of those where this was so: the model had already gone on
    /// when they were seen.
    #[serde(serialize_with = "write_counts", deserialize_with = "read_counts")]
    pub late_entries: Histogram<u64>,
    /// When the machine itself stood still.
    pub stalls: Vec<Stall>,
    /// Packets from server and from client that the kernel had no place for: the plane did not keep up.
    pub ring_drops: [u64; 2],
    /// Packets that the kernel did not take from us.
    pub send_failures: u64,
    /// How long the plane's thread was in the system calls that send.
    pub sending: Span,
    /// Packets dropped because the model held more than there is memory for.
    pub pool_drops: u64,
    /// Packets dropped because nobody on the other side answered for their address.
    pub unreachable: u64,
    /// Frames that were no IPv4 packets.
    pub foreign: u64,
    /// Frames longer than the MTU allows, dropped: an offload is on.
    pub too_long: u64,
    /// Packets whose checksum the sending kernel had not finished: an offload is on.
    pub unfinished_checksums: u64,
}

/// Writes the log while the link runs, or counts.
pub(super) struct Recorder {
    epoch: Epoch,
    keeps: Keeps,
    pub(super) log: Log,
    /// Model's and actual time of each event that was not there from the start.
    events: Vec<Released>,
    /// Packets taken in, by direction.
    entered: [u64; 2],
    /// Packets whose story is over, without copies, by direction.
    ended: [u64; 2],
}

impl Accuracy {
    fn new() -> Self {
        Self {
            release_error: errors(),
            release_error_in_stalls: errors(),
            script_error: errors(),
            script_error_in_stalls: errors(),
            late_entries: errors(),
            stalls: Vec::new(),
            ring_drops: [0; 2],
            send_failures: 0,
            sending: Span::ZERO,
            pool_drops: 0,
            unreachable: 0,
            foreign: 0,
            too_long: 0,
            unfinished_checksums: 0,
        }
    }

    /// Packets that ought to have passed the link and did not, for want of the plane.
    pub fn drops(&self) -> u64 {
        self.ring_drops.iter().sum::<u64>() + self.send_failures + self.pool_drops
    }
}

/// A histogram of errors in nanoseconds: three digits, up to an hour.
pub fn errors() -> Histogram<u64> {
    Histogram::new_with_bounds(1, Span::from_secs(3_600).as_ns(), 3).expect("these bounds are allowed")
}

/// A histogram as its values and how often each was counted.
fn write_counts<S: Serializer>(errors: &Histogram<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    let counted = errors.iter_recorded();
    serializer.collect_seq(counted.map(|step| (step.value_iterated_to(), step.count_at_value())))
}

fn read_counts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Histogram<u64>, D::Error> {
    let mut counted = errors();
    for (value, count) in Vec::<(u64, u64)>::deserialize(deserializer)? {
        counted.record_n(value, count).map_err(serde::de::Error::custom)?;
    }
    Ok(counted)
}

impl Recorder {
    pub(super) fn new(epoch: Epoch, keeps: Keeps) -> Self {
        Self {
            epoch,
            keeps,
            log: Log {
                entered: Vec::new(),
                fates: Vec::new(),
                events: Vec::new(),
                released: Vec::new(),
                until: Time::ZERO,
                accuracy: Accuracy::new(),
            },
            events: Vec::new(),
            entered: [0; 2],
            ended: [0; 2],
        }
    }

    /// The log, with errors sorted by whether a stall was to blame.
    pub(super) fn finish(mut self, stalls: Vec<Stall>) -> Log {
        let accuracy = &mut self.log.accuracy;
        for (late, plain, stalled) in [
            (
                &self.log.released,
                &mut accuracy.release_error,
                &mut accuracy.release_error_in_stalls,
            ),
            (
                &self.events,
                &mut accuracy.script_error,
                &mut accuracy.script_error_in_stalls,
            ),
        ] {
            for each in late {
                let error = each.actual.since(each.planned).as_ns();
                let blamed = Stall::any_within(&stalls, each.planned, each.actual);
                let histogram = if blamed { &mut *stalled } else { &mut *plain };
                histogram.saturating_record(error);
            }
        }
        accuracy.stalls = stalls;
        self.log
    }

    /// Packets taken in.
    pub(super) fn entered(&self) -> u64 {
        self.entered.iter().sum()
    }

    /// Packets in the link.
    pub(super) fn inside(&self) -> u64 {
        self.entered() - self.ended.iter().sum::<u64>()
    }

    /// The link took a packet in.
    pub(super) fn took(&mut self, entered: Entered) {
        self.entered[entered.direction as usize] += 1;
        if self.keeps_everything() {
            self.log.entered.push(entered);
        }
    }

    /// These were put on the wire.
    pub(super) fn released(&mut self, sent: &[Delivery<Frame>], actual: Time) {
        match &self.keeps {
            Keeps::Everything => self.log.released.extend(sent.iter().map(|each| Released {
                id: each.id,
                planned: each.at,
                actual,
            })),
            Keeps::Counts(monitor) => {
                for each in sent {
                    monitor.released(each.direction, each.packet.size().get(), actual.since(each.at));
                }
            }
        }
    }

    /// A frame was not taken; `whole` if the kernel had not cut it.
    pub(super) fn refused(&mut self, direction: Direction, refused: Refused, whole: bool) {
        let accuracy = &mut self.log.accuracy;
        match refused {
            Refused::Foreign if whole => {
                accuracy.foreign += 1;
                return;
            }
            Refused::Foreign | Refused::TooLong => accuracy.too_long += 1,
            Refused::Exhausted => accuracy.pool_drops += 1,
        }
        self.lost(direction, Cause::Plane, 1);
    }

    /// The kernel did not take a packet from us.
    pub(super) fn unsent(&mut self, direction: Direction) {
        self.log.accuracy.send_failures += 1;
        self.lost(direction, Cause::Plane, 1);
    }

    /// Nobody answered for a packet's address.
    pub(super) fn unreachable(&mut self, direction: Direction) {
        self.log.accuracy.unreachable += 1;
        self.lost(direction, Cause::Unreachable, 1);
    }

    /// The kernel had no place for so many packets.
    pub(super) fn overrun(&mut self, direction: Direction, packets: u64) {
        self.log.accuracy.ring_drops[direction as usize] += packets;
        self.lost(direction, Cause::Plane, packets);
    }

    /// How a direction of the link is now.
    pub(super) fn look(&self, direction: Direction, condition: &Condition) {
        if let Some(monitor) = self.monitor() {
            let way = direction as usize;
            monitor.look(direction, condition, self.entered[way] - self.ended[way]);
        }
    }

    /// Who reads the counts while the link runs, if anybody does.
    pub(super) fn monitor(&self) -> Option<&Monitor> {
        match &self.keeps {
            Keeps::Everything => None,
            Keeps::Counts(monitor) => Some(monitor),
        }
    }

    fn lost(&self, direction: Direction, cause: Cause, packets: u64) {
        if let Some(monitor) = self.monitor() {
            monitor.dropped(direction, cause, packets);
        }
    }

    const fn keeps_everything(&self) -> bool {
        matches!(self.keeps, Keeps::Everything)
    }

    pub(super) fn late_entry(&mut self, by: Span) {
        self.log.accuracy.late_entries.saturating_record(by.as_ns());
    }
}

impl LinkObserver for Recorder {
    fn fate(&mut self, fate: &Fate) {
        self.ended[fate.direction as usize] += u64::from(fate.duplicate_of.is_none());
        if self.keeps_everything() {
            self.log.fates.push(*fate);
        } else if let Outcome::Dropped { by, .. } = fate.outcome {
            self.lost(fate.direction, by.into(), 1);
        }
    }

    fn link(&mut self, now: Time, event: &LinkEvent) {
        if let Some(monitor) = self.monitor() {
            if let LinkEvent::HoldBegan { direction, .. } = event {
                monitor.hold_began(*direction);
            }
            return;
        }
        self.log.events.push((now, event.clone()));
        // What is so from the start cannot be late.
        if now > Time::ZERO {
            self.events.push(Released {
                id: PacketId(0),
                planned: now,
                actual: self.epoch.now(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use windlull_units::DropCause;

    use super::*;

    fn fate(outcome: Outcome) -> Fate {
        Fate {
            id: PacketId(1),
            direction: Direction::Down,
            size: Bytes::new(100),
            entered: Time::ZERO,
            started: None,
            sent: None,
            held: Span::ZERO,
            queue_packets: 0,
            corrupted: false,
            reordered: false,
            duplicate_of: None,
            outcome,
        }
    }

    fn entered(at: Time) -> Entered {
        Entered {
            id: PacketId(1),
            direction: Direction::Down,
            at,
            fingerprint: Fingerprint(0),
            size: Bytes::new(100),
        }
    }

    /// Ten thousand packets, each lost in an outage of its own.
    fn busy(keeps: Keeps) -> Recorder {
        let mut recorder = Recorder::new(Epoch::begin(), keeps);
        let (direction, by) = (Direction::Down, DropCause::Outage);
        for number in 1..=10_000 {
            let at = Time::from_ns(number);
            recorder.took(entered(at));
            let name = "it".to_owned();
            recorder.link(
                at,
                &LinkEvent::HoldBegan {
                    direction,
                    name,
                    until: at,
                },
            );
            recorder.fate(&fate(Outcome::Dropped { at, by }));
        }
        recorder
    }

    #[test]
    fn a_run_keeps_its_whole_story() {
        let log = busy(Keeps::Everything).log;
        assert_eq!(
            (log.entered.len(), log.fates.len(), log.events.len()),
            (10_000, 10_000, 10_000)
        );
    }

    #[test]
    fn a_standing_link_counts_and_keeps_nothing() {
        let monitor = Arc::new(Monitor::default());
        let recorder = busy(Keeps::Counts(Arc::clone(&monitor)));
        assert_eq!((recorder.entered(), recorder.inside()), (10_000, 0));
        let log = &recorder.log;
        let room = [
            log.entered.capacity(),
            log.fates.capacity(),
            log.events.capacity(),
            recorder.events.capacity(),
        ];
        assert_eq!(room, [0; 4]);
        let reading = monitor.read(Direction::Down);
        assert_eq!((reading.drops[Cause::Outage as usize], reading.holds), (10_000, 10_000));
    }

    #[test]
    fn errors_are_read_as_they_were_written() {
        let mut accuracy = Accuracy::new();
        for (value, count) in [(0, 3), (1_500, 2), (2_000_000_000, 1)] {
            let recorded = accuracy.release_error.record_n(value, count);
            recorded.expect("less than an hour");
        }
        let text = serde_json::to_string(&accuracy).expect("it has string keys and finite numbers");
        let read: Accuracy = serde_json::from_str(&text).expect("it is one");
        assert_eq!(read.release_error, accuracy.release_error);
        assert_eq!(read.release_error.max(), accuracy.release_error.max());
        assert!(read.script_error.is_empty());
    }
}
