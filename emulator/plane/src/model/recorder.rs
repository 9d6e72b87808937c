//! Writes a run's log while the link runs; of a standing link it counts, and keeps nothing.

use std::sync::Arc;

use windlull_link::{Condition, Delivery, LinkObserver, Packet as _};
use windlull_units::{Direction, Fate, LinkEvent, Outcome, PacketId, Span, Time};

use super::frame::{Frame, Refused};
use super::monitor::Cause;
use super::timekeeper::Timekeeper;
use super::watch::Stall;
use super::{Accuracy, Entered, Keeps, Log, Monitor, Passed, Released};

/// Writes the log while the link runs, or counts.
pub(super) struct Recorder {
    clock: Arc<Timekeeper>,
    keeps: Keeps,
    pub(super) log: Log,
    /// Model's and actual time of each event that was not there from the start.
    events: Vec<Released>,
    /// Packets taken in, by direction.
    entered: [u64; 2],
    /// Packets whose story is over, without copies, by direction.
    ended: [u64; 2],
}

impl Recorder {
    pub(super) fn new(clock: Arc<Timekeeper>, keeps: Keeps) -> Self {
        Self {
            clock,
            keeps,
            log: Log {
                entered: Vec::new(),
                fates: Vec::new(),
                events: Vec::new(),
                released: Vec::new(),
                replayed: None,
                unmet: None,
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
        self.keeps.tell(Passed::Arrived {
            direction: entered.direction,
            at: entered.at,
            size: entered.size,
        });
        if self.keeps_story() {
            self.log.entered.push(entered);
        }
    }

    /// These were put on the wire.
    pub(super) fn released(&mut self, sent: &[Delivery<Frame>], actual: Time) {
        if let Some(monitor) = self.monitor() {
            for each in sent {
                monitor.released(each.direction, each.packet.size().get(), actual.since(each.at));
            }
        }
        if self.keeps_story() {
            self.log.released.extend(sent.iter().map(|each| Released {
                id: each.id,
                planned: each.at,
                actual,
            }));
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
        self.keeps.monitor()
    }

    fn lost(&self, direction: Direction, cause: Cause, packets: u64) {
        if let Some(monitor) = self.monitor() {
            monitor.dropped(direction, cause, packets);
        }
    }

    const fn keeps_story(&self) -> bool {
        matches!(self.keeps, Keeps::Story(_))
    }

    pub(super) fn late_entry(&mut self, by: Span) {
        self.log.accuracy.late_entries.saturating_record(by.as_ns());
    }
}

impl LinkObserver for Recorder {
    fn fate(&mut self, fate: &Fate) {
        self.ended[fate.direction as usize] += u64::from(fate.duplicate_of.is_none());
        if let Outcome::Dropped { by, .. } = fate.outcome {
            self.lost(fate.direction, by.into(), 1);
        }
        if let Some(monitor) = self.monitor().filter(|_| fate.marked && fate.duplicate_of.is_none()) {
            monitor.marked(fate.direction);
        }
        self.keeps.tell(Passed::Ended(*fate));
        if self.keeps_story() {
            self.log.fates.push(*fate);
        }
    }

    fn link(&mut self, now: Time, event: &LinkEvent) {
        if let (Some(monitor), LinkEvent::HoldBegan { direction, .. }) = (self.monitor(), event) {
            monitor.hold_began(*direction);
        }
        if !self.keeps_story() {
            return;
        }
        self.log.events.push((now, event.clone()));
        // What is so from the start cannot be late.
        if now > Time::ZERO {
            self.events.push(Released {
                id: PacketId(0),
                planned: now,
                actual: self.clock.now(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use windlull_units::{Bytes, DropCause};

    use super::*;
    use crate::{Epoch, Fingerprint};

    fn fate(outcome: Outcome) -> Fate {
        Fate::plain(PacketId(1), Direction::Down, Bytes::new(100), Time::ZERO, outcome)
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

    fn clock() -> Arc<Timekeeper> {
        Arc::new(Timekeeper::real(Epoch::begin()))
    }

    /// Ten thousand packets, each lost in an outage of its own.
    fn busy(keeps: Keeps) -> Recorder {
        let mut recorder = Recorder::new(clock(), keeps);
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
        let log = busy(Keeps::Story(None)).log;
        assert_eq!(
            (log.entered.len(), log.fates.len(), log.events.len()),
            (10_000, 10_000, 10_000)
        );
    }

    #[test]
    fn a_run_that_is_watched_counts_as_well() {
        let monitor = Arc::new(Monitor::default());
        let log = busy(Keeps::Story(Some(Arc::clone(&monitor)))).log;
        assert_eq!(log.fates.len(), 10_000);
        let reading = monitor.read(Direction::Down);
        assert_eq!((reading.drops[Cause::Outage as usize], reading.holds), (10_000, 10_000));
    }

    #[test]
    fn marks_are_counted_once_and_by_direction() {
        let monitor = Arc::new(Monitor::default());
        let mut recorder = Recorder::new(clock(), Keeps::Counts(Arc::clone(&monitor)));
        let marked = Fate {
            marked: true,
            ..fate(Outcome::Delivered { at: Time::ZERO })
        };
        let copy = Fate {
            duplicate_of: Some(PacketId(1)),
            ..marked
        };
        let unmarked = Fate {
            marked: false,
            ..marked
        };
        for fate in [marked, copy, unmarked] {
            recorder.took(entered(Time::ZERO));
            recorder.fate(&fate);
        }
        let marks = Direction::ALL.map(|way| monitor.read(way).marks);
        assert_eq!(marks, [1, 0]);
    }

    #[test]
    fn who_listens_is_told_of_each_packet() {
        let (listener, told) = std::sync::mpsc::channel();
        let recorder = busy(Keeps::Packets(Arc::default(), Some(listener)));
        assert_eq!((recorder.entered(), recorder.log.fates.len()), (10_000, 0));
        drop(recorder);
        let told: Vec<Passed> = told.iter().collect();
        assert_eq!(told.len(), 20_000);
        let arrived = Passed::Arrived {
            direction: Direction::Down,
            at: Time::from_ns(1),
            size: Bytes::new(100),
        };
        assert_eq!(told[0], arrived);
        assert!(matches!(told[1], Passed::Ended(fate) if fate.outcome.at() == Time::from_ns(1)));
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
}
