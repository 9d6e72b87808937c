//! Controlled Delay (RFC 8289): a wait that stays above the target for an interval is answered by drops that come ever
//! faster, until it is below.

use windlull_units::{Bytes, Span, Time};

use super::drop_tail::DropTail;
use super::{Departure, Verdict};
use crate::model::CodelModel;

/// How soon after the last dropping state a new one takes up its rate: 16 intervals (RFC 8289, section 5.5).
const RECENT_INTERVALS: u64 = 16;

/// ```text
///              the wait has been above the target for an interval: drop
///   Watching ----------------------------------------------------------> Dropping --+ now >= next:
///      ^                                                                   |  ^     | drop
///      +------------ the wait is below the target, or the queue is short --+  +-----+
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Watching,
    /// `due`: a packet was dropped and the time of the next follows if the one behind it waited too long as well.
    Dropping {
        due: bool,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Codel {
    target: Span,
    interval: Span,
    marks: bool,
    state: State,
    /// `first_above_time`.
    above_until: Option<Time>,
    /// `drop_next`.
    next: Time,
    /// Drops since this dropping state began, and before it those that it took over.
    count: u32,
    /// `lastcount`: what `count` began with.
    first_count: u32,
    /// The largest packet so far, for MAXPACKET: the queue knows of no MTU.
    largest: Bytes,
}

impl Codel {
    pub(super) const fn new(model: &CodelModel) -> Self {
        Self {
            target: model.target,
            interval: model.interval,
            marks: model.ecn,
            state: State::Watching,
            above_until: None,
            next: Time::ZERO,
            count: 0,
            first_count: 0,
            largest: Bytes::ZERO,
        }
    }

    pub(super) fn arrives(&mut self, size: Bytes) -> Verdict {
        self.largest = self.largest.max(size);
        Verdict::Pass
    }

    /// RFC 8289, section 5.5, `deque`, one packet at a time.
    pub(super) fn leaves(&mut self, departure: &Departure, account: &DropTail) -> Verdict {
        let now = departure.now;
        if !self.is_ok_to_drop(now, departure.waited, account.octets()) {
            self.state = State::Watching;
            return Verdict::Pass;
        }
        match self.state {
            State::Watching => self.begin(now),
            State::Dropping { due } => {
                if due {
                    self.next = self.control_law(self.next);
                    self.state = State::Dropping { due: false };
                }
                if now < self.next {
                    return Verdict::Pass;
                }
                self.count = self.count.saturating_add(1);
                self.state = State::Dropping { due: true };
            }
        }
        let verdict = Verdict::notify(self.marks, departure.ecn);
        if verdict == Verdict::Mark && self.state == (State::Dropping { due: true }) {
            // The packet goes on: there is none behind it to decide whether the next is due.
            self.next = self.control_law(self.next);
            self.state = State::Dropping { due: false };
        }
        verdict
    }

    /// The queue is empty.
    pub(super) const fn rests(&mut self) {
        self.above_until = None;
        self.state = State::Watching;
    }

    /// Section 5.6, `dodequeue`: whether the wait has been above the target for an interval, and more than a packet is left.
    fn is_ok_to_drop(&mut self, now: Time, waited: Span, left: Bytes) -> bool {
        if waited < self.target || left <= self.largest {
            self.above_until = None;
            return false;
        }
        let until = *self.above_until.get_or_insert(now + self.interval);
        now >= until
    }

    fn begin(&mut self, now: Time) {
        self.state = State::Dropping { due: false };
        let taken_over = self.count - self.first_count;
        let recent = now.since(self.next) < self.interval.saturating_mul(RECENT_INTERVALS);
        self.count = if taken_over > 1 && recent { taken_over } else { 1 };
        self.first_count = self.count;
        self.next = self.control_law(now);
    }

    /// Section 3.3: the next drop is an interval over the square root of the drops so far later.
    fn control_law(&self, time: Time) -> Time {
        time + Span::from_secs_f64(self.interval.as_secs_f64() / f64::from(self.count).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::QueueLimit;
    use windlull_units::Ecn;

    const SIZE: Bytes = Bytes::new(1000);

    fn codel(ecn: bool) -> Codel {
        let mut codel = Codel::new(&CodelModel {
            limit: QueueLimit::Unlimited,
            target: Span::from_ms(5),
            interval: Span::from_ms(100),
            ecn,
        });
        codel.arrives(SIZE);
        codel
    }

    fn holding(packets: u32) -> DropTail {
        let mut account = DropTail::default();
        for _ in 0..packets {
            account.push(SIZE);
        }
        account
    }

    fn leaves(codel: &mut Codel, at_us: u64, waited_ms: u64, left: u32, ecn: Ecn) -> Verdict {
        let departure = Departure {
            now: Time::ZERO + Span::from_us(at_us),
            waited: Span::from_ms(waited_ms),
            ecn,
        };
        codel.leaves(&departure, &holding(left))
    }

    /// Packets leave every 0.1 ms and wait too long: when they are dropped, in ms.
    fn drops(codel: &mut Codel, from_ms: u64, to_ms: u64) -> Vec<f64> {
        let mut drops = Vec::new();
        let mut at = from_ms * 1000;
        while at < to_ms * 1000 {
            match leaves(codel, at, 20, 50, Ecn::NotEct) {
                // The next packet leaves at the same instant.
                Verdict::Drop => drops.push(f64::from(u32::try_from(at).expect("short")) / 1000.0),
                _ => at += 100,
            }
        }
        drops
    }

    /// Section 3.3: one after an interval, then at intervals of 100 ms / sqrt(count): 100, 70.7, 57.7, 50, 44.7, ...
    #[test]
    fn drops_come_at_the_interval_over_the_root_of_their_number() {
        let mut due = 100.0;
        let mut expected = vec![100.0];
        for count in 1..10 {
            due += 100.0 / f64::from(count).sqrt();
            expected.push(due);
        }
        let found = drops(&mut codel(false), 0, 602);
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(&expected) {
            // A packet leaves at most 0.1 ms after the time.
            assert!((0.0..=0.1001).contains(&(found - expected)), "{found} for {expected}");
        }
    }

    #[test]
    fn a_wait_below_the_target_ends_it_all() {
        let mut codel = codel(false);
        assert_eq!(leaves(&mut codel, 0, 20, 50, Ecn::NotEct), Verdict::Pass);
        assert_eq!(leaves(&mut codel, 99_999, 20, 50, Ecn::NotEct), Verdict::Pass);
        assert_eq!(leaves(&mut codel, 99_999, 4, 50, Ecn::NotEct), Verdict::Pass);
        // The interval begins anew.
        assert_eq!(leaves(&mut codel, 100_000, 5, 50, Ecn::NotEct), Verdict::Pass);
        assert_eq!(leaves(&mut codel, 199_999, 5, 50, Ecn::NotEct), Verdict::Pass);
        assert_eq!(leaves(&mut codel, 200_000, 5, 50, Ecn::NotEct), Verdict::Drop);
        assert_eq!(leaves(&mut codel, 200_000, 5, 49, Ecn::NotEct), Verdict::Pass);
        codel.rests();
        assert_eq!(leaves(&mut codel, 400_000, 20, 50, Ecn::NotEct), Verdict::Pass);
    }

    #[test]
    fn a_queue_of_one_packet_is_left_alone() {
        let mut codel = codel(false);
        for at in [0, 100_000, 500_000] {
            assert_eq!(leaves(&mut codel, at, 1000, 1, Ecn::NotEct), Verdict::Pass);
        }
        assert_eq!(leaves(&mut codel, 500_000, 1000, 2, Ecn::NotEct), Verdict::Pass);
        assert_eq!(leaves(&mut codel, 600_000, 1000, 2, Ecn::NotEct), Verdict::Drop);
    }

    /// Section 5.5: soon after a dropping state, a new one begins with what the last had come to, less what it began with.
    #[test]
    fn a_new_state_takes_up_the_rate_of_the_last() {
        let mut codel = codel(false);
        let first = drops(&mut codel, 0, 602);
        assert_eq!(first.len(), 10);
        assert_eq!(leaves(&mut codel, 602_000, 1, 50, Ecn::NotEct), Verdict::Pass);
        // Ten drops less the one it began with are nine: the second comes 100/3 ms after the first.
        let again = drops(&mut codel, 700, 850);
        assert!(
            (again[0] - 800.0).abs() < 1e-9 && (0.0..=0.1001).contains(&(again[1] - 833.333_333)),
            "{again:?}"
        );
        // Much later it begins at one.
        assert_eq!(leaves(&mut codel, 850_000, 1, 50, Ecn::NotEct), Verdict::Pass);
        let late = drops(&mut codel, 5_000, 5_205);
        assert!(
            (late[0] - 5_100.0).abs() < 1e-9 && (0.0..=0.1001).contains(&(late[1] - 5_200.0)),
            "{late:?}"
        );
    }

    #[test]
    fn capable_packets_are_marked_at_the_same_times() {
        let mut codel = codel(true);
        let mut marks = Vec::new();
        for at in (0..602_000).step_by(100) {
            match leaves(&mut codel, at, 20, 50, Ecn::Ect0) {
                Verdict::Mark => marks.push(at),
                verdict => assert_eq!(verdict, Verdict::Pass),
            }
        }
        assert_eq!(marks.len(), 10, "{marks:?}");
        assert_eq!(&marks[..2], [100_000, 200_000]);
        assert_eq!(leaves(&mut codel, 700_000, 20, 50, Ecn::NotEct), Verdict::Drop);
    }
}
