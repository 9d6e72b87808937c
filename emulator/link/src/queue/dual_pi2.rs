//! DualPI2 (RFC 9332, appendix A): a queue for senders that keep waits short by many marks, one for all others, and a
//! controller that couples what both are told, so that a flow of either kind has about the same rate.
//!
//! A packet belongs to the low-latency queue by its codepoint: ECT(1) or CE (RFC 9331, section 5.1). Decisions are made as
//! packets leave, and draw nothing: likelihoods add up, and each whole one is a mark or a drop (`recur`).

use std::cmp::Ordering;

use windlull_units::{Bytes, Ecn, Span, Time};

use super::flow_queue::{FlowQueue, Waits};
use super::red::real;
use super::verdict::{Departure, Verdict};
use crate::model::DualPi2Model;

/// Where packets of the low-latency queue wait, and where the others.
pub(super) const LOW: usize = 0;
pub(super) const CLASSIC: usize = 1;
/// `Th_len`, packets: with no more than this left, the low-latency queue is not marked for its own wait.
const SHORT: usize = 1;
/// The gains' numerators: `alpha` is 0.1 `Tupdate` / `RTT_max`^2, `beta` is 0.3 / `RTT_max`, both in Hz (appendix A.1).
const INTEGRAL: f64 = 0.1;
const PROPORTIONAL: f64 = 0.3;

#[derive(Clone, Debug)]
pub(super) struct DualPi2 {
    /// Seconds.
    target: f64,
    threshold: Span,
    range: Span,
    /// `k`.
    coupling: f64,
    /// Which part of the rate classic packets have while both kinds wait.
    share: f64,
    /// `Tupdate`.
    period: Span,
    /// `alpha`, Hz.
    integral: f64,
    /// `beta`, Hz.
    proportional: f64,
    /// `p'`: classic packets are told with its square, the others with `k` times it at least.
    base: f64,
    /// `prevq`.
    wait_before: Span,
    updates_at: Time,
    /// `count` of each queue: likelihoods that have added up to no whole yet.
    counts: [f64; 2],
    /// Where the packet waits that came last.
    last: usize,
    /// What classic packets have saved up while others went before them, octets.
    credit: f64,
}

impl DualPi2 {
    pub(super) fn new(model: &DualPi2Model) -> Self {
        let period = model.target.min(model.round_trip.div(3)).max(Span::from_us(1));
        let round_trip = model.round_trip.as_secs_f64();
        Self {
            target: model.target.as_secs_f64(),
            threshold: model.threshold,
            range: model.range,
            coupling: f64::from(model.coupling),
            share: model.classic_share,
            period,
            integral: INTEGRAL * period.as_secs_f64() / (round_trip * round_trip),
            proportional: PROPORTIONAL / round_trip,
            base: 0.0,
            wait_before: Span::ZERO,
            updates_at: Time::ZERO + period,
            counts: [0.0; 2],
            last: CLASSIC,
            credit: 0.0,
        }
    }

    /// Where a packet of this codepoint waits (RFC 9331, section 5.1).
    pub(super) const fn place(ecn: Ecn) -> usize {
        match ecn {
            Ecn::Ect1 | Ecn::Ce => LOW,
            Ecn::NotEct | Ecn::Ect0 => CLASSIC,
        }
    }

    /// A packet waits now in the queue at this place.
    pub(super) const fn arrives(&mut self, place: usize) {
        self.last = place;
    }

    /// Which queue has the packet that came last: it is what does not fit (appendix A.1, `dualpi2_enqueue`).
    pub(super) fn last<T: Waits>(&self, queues: &[FlowQueue<T>]) -> usize {
        let tail = |place: usize| queues[place].tail().map(Waits::queued);
        match tail(LOW).cmp(&tail(CLASSIC)) {
            Ordering::Less => CLASSIC,
            Ordering::Equal => self.last,
            Ordering::Greater => LOW,
        }
    }

    /// Whose packet is next; `None` if nothing waits. Weighted round robin: the low-latency queue, unless classic packets
    /// have saved up their share of the rate (the RFC leaves the scheduler open). Asked again, the answer is the same.
    pub(super) fn select<T: Waits>(&self, queues: &[FlowQueue<T>]) -> Option<usize> {
        match (queues[LOW].head(), queues[CLASSIC].head()) {
            (None, None) => None,
            (Some(_), None) => Some(LOW),
            (None, Some(_)) => Some(CLASSIC),
            (Some(_), Some(classic)) if self.credit >= self.price(classic.size()) => Some(CLASSIC),
            (Some(_), Some(_)) => Some(LOW),
        }
    }

    /// A packet has left the queue at this place: what it is told (appendix A.2, `dualpi2_dequeue` with overload protection).
    pub(super) fn leaves<T: Waits>(
        &mut self,
        place: usize,
        size: Bytes,
        departure: &Departure,
        queues: &[FlowQueue<T>],
    ) -> Verdict {
        let verdict = if place == LOW {
            self.low(departure.waited, queues[LOW].len())
        } else {
            self.classic(departure.ecn)
        };
        self.charge(place, size, verdict, queues);
        verdict
    }

    fn low(&mut self, waited: Span, left: usize) -> Verdict {
        if self.is_overloaded() {
            // Marks say all that they can: drops as if it were classic.
            if self.recurs(LOW, self.base * self.base) {
                return Verdict::Drop;
            }
            return self.marks_if(self.coupled());
        }
        let native = if left > SHORT { self.native(waited) } else { 0.0 };
        self.marks_if(native.max(self.coupled()))
    }

    fn marks_if(&mut self, likelihood: f64) -> Verdict {
        if self.recurs(LOW, likelihood) {
            Verdict::Mark
        } else {
            Verdict::Pass
        }
    }

    fn classic(&mut self, ecn: Ecn) -> Verdict {
        if self.recurs(CLASSIC, self.base * self.base) {
            // Overload disables ECN.
            Verdict::notify(!self.is_overloaded(), ecn)
        } else {
            Verdict::Pass
        }
    }

    /// `laqm`: none up to the threshold, all of them from the end of the ramp on. Without a ramp it is a step.
    fn native(&self, waited: Span) -> f64 {
        if waited >= self.threshold + self.range {
            1.0
        } else if waited > self.threshold {
            waited.saturating_sub(self.threshold).as_secs_f64() / self.range.as_secs_f64()
        } else {
            0.0
        }
    }

    /// `p_CL`.
    fn coupled(&self) -> f64 {
        (self.coupling * self.base).min(1.0)
    }

    /// Whether the coupled likelihood has reached its bound, `p_Lmax`; then the classic one has reached `p_Cmax`, 1/`k`^2.
    fn is_overloaded(&self) -> bool {
        self.coupled() >= 1.0
    }

    /// `recur`.
    fn recurs(&mut self, place: usize, likelihood: f64) -> bool {
        let count = &mut self.counts[place];
        *count += likelihood;
        let whole = *count > 1.0;
        if whole {
            *count -= 1.0;
        }
        whole
    }

    /// What a classic packet costs of what is saved, octets.
    fn price(&self, size: Bytes) -> f64 {
        (1.0 - self.share) * real(size)
    }

    /// Only what is sent while the other kind waits is charged; what is dropped costs nothing.
    fn charge<T>(&mut self, place: usize, size: Bytes, verdict: Verdict, queues: &[FlowQueue<T>])
    where
        T: Waits,
    {
        if verdict != Verdict::Drop {
            if place == LOW {
                self.credit += self.share * real(size);
            } else if !queues[LOW].is_empty() {
                self.credit = (self.credit - self.price(size)).max(0.0);
            }
        }
        if queues[CLASSIC].is_empty() {
            self.credit = 0.0;
        }
    }

    /// Updates as often as it was due, while the same packets stood at the heads of both queues: `dualpi2_update`
    /// (appendix A.2: by the longer of both waits).
    pub(super) fn catch_up<T: Waits>(&mut self, now: Time, queues: &[FlowQueue<T>]) {
        if self.updates_at > now {
            return;
        }
        let oldest = queues.iter().filter_map(FlowQueue::head).map(Waits::queued).min();
        let wait_at = |time: Time| oldest.map_or(Span::ZERO, |queued| time.since(queued));
        while self.updates_at <= now {
            let wait = wait_at(self.updates_at);
            self.update(wait);
            let settled = self.base <= 0.0 && oldest.is_none();
            // A wait only grows until something leaves.
            let full = self.base >= 1.0 && wait.as_secs_f64() >= self.target;
            let periods = if settled || full {
                now.since(self.updates_at).as_ns() / self.period.as_ns() + 1
            } else {
                1
            };
            self.wait_before = wait_at(self.updates_at + self.period.saturating_mul(periods - 1));
            self.updates_at += self.period.saturating_mul(periods);
        }
    }

    fn update(&mut self, wait: Span) {
        let wait = wait.as_secs_f64();
        let change = self.integral * (wait - self.target) + self.proportional * (wait - self.wait_before.as_secs_f64());
        self.base = (self.base + change).clamp(0.0, 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::flows::Flows;
    use super::super::flows::tests::{Stone, flows, stone};
    use super::*;
    use crate::model::{QueueLimit, QueueModel};

    const MODEL: DualPi2Model = DualPi2Model {
        limit: QueueLimit::Unlimited,
        target: Span::from_ms(15),
        round_trip: Span::from_ms(100),
        threshold: Span::from_us(800),
        range: Span::from_us(400),
        coupling: 2,
        classic_share: 0.0625,
    };

    fn us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    fn ms(ms: u64) -> Time {
        us(ms * 1000)
    }

    fn coming(at: Time, octets: u64, ecn: Ecn, name: u32) -> Stone {
        Stone {
            queued: at,
            ecn,
            ..stone(u64::from(name), octets, name)
        }
    }

    /// One packet, waiting since an instant, in its queue.
    fn holding(since: Option<Time>, ecn: Ecn) -> [FlowQueue<Stone>; 2] {
        let mut queues = [FlowQueue::new(), FlowQueue::new()];
        if let Some(since) = since {
            queues[DualPi2::place(ecn)].push(coming(since, 1000, ecn, 0));
        }
        queues
    }

    /// So many packets stand in the low-latency queue; one more leaves it after a wait.
    fn low(dual: &mut DualPi2, waited_us: u64, left: usize) -> Verdict {
        let mut queues = holding(None, Ecn::Ect1);
        for _ in 0..left {
            queues[LOW].push(coming(Time::ZERO, 1000, Ecn::Ect1, 0));
        }
        let departure = Departure {
            now: Time::ZERO,
            waited: Span::from_us(waited_us),
            ecn: Ecn::Ect1,
        };
        dual.leaves(LOW, Bytes::new(1000), &departure, &queues)
    }

    fn classic(dual: &mut DualPi2, ecn: Ecn) -> Verdict {
        let departure = Departure {
            now: Time::ZERO,
            waited: Span::ZERO,
            ecn,
        };
        let queues = holding(None, Ecn::NotEct);
        dual.leaves(CLASSIC, Bytes::new(1000), &departure, &queues)
    }

    fn with_base(base: f64) -> DualPi2 {
        DualPi2 {
            base,
            ..DualPi2::new(&MODEL)
        }
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    /// Appendix A.1: `Tupdate` is 15 ms, `alpha` 0.15 Hz and `beta` 3 Hz.
    #[test]
    fn the_base_follows_the_wait_of_the_head_and_its_trend() {
        for ecn in [Ecn::NotEct, Ecn::Ect1] {
            let mut dual = DualPi2::new(&MODEL);
            let queues = holding(Some(Time::ZERO), ecn);
            dual.catch_up(us(14_999), &queues);
            assert!(near(dual.base, 0.0));
            // 0.15 * 0 + 3 * 0.015
            dual.catch_up(us(15_000), &queues);
            assert!(near(dual.base, 0.045), "{}", dual.base);
            // 0.15 * 0.015 + 3 * 0.015
            dual.catch_up(us(30_000), &queues);
            assert!(near(dual.base, 0.092_25), "{}", dual.base);
            // Nothing waits: 0.15 * -0.015 + 3 * -0.030, and no less than zero.
            dual.catch_up(us(45_000), &holding(None, ecn));
            assert!(near(dual.base, 0.0), "{}", dual.base);
        }
    }

    /// The gains are for the longest round trip, and updates for the target or a third of that round trip.
    #[test]
    fn a_short_round_trip_makes_it_quick() {
        let dual = DualPi2::new(&DualPi2Model {
            round_trip: Span::from_ms(30),
            ..MODEL
        });
        assert_eq!(dual.period, Span::from_ms(10));
        assert!(near(dual.integral, 0.1 * 0.01 / 0.0009) && near(dual.proportional, 10.0));
    }

    #[test]
    fn updates_that_were_due_in_a_quiet_time_are_all_made() {
        for since in [None, Some(ms(7))] {
            let (mut often, mut late) = (with_base(0.3), with_base(0.3));
            let queues = holding(since, Ecn::NotEct);
            for at in 7..30_000 {
                often.catch_up(ms(at), &queues);
            }
            late.catch_up(ms(29_999), &queues);
            assert!(near(often.base, late.base), "{} {}", often.base, late.base);
            assert_eq!(
                (often.updates_at, often.wait_before),
                (late.updates_at, late.wait_before)
            );
        }
    }

    /// `recur`: likelihoods add up, and each time that they are more than one something happens.
    #[test]
    fn classic_packets_have_the_square_and_the_others_the_coupled_likelihood() {
        let mut dual = with_base(0.25);
        let dropped: Vec<usize> = (1..=50)
            .filter(|_| classic(&mut dual, Ecn::NotEct) == Verdict::Drop)
            .collect();
        assert_eq!(dropped, [17, 33, 49]);
        let mut dual = with_base(0.25);
        let marked: Vec<usize> = (1..=8).filter(|_| low(&mut dual, 0, 9) == Verdict::Mark).collect();
        assert_eq!(marked, [3, 5, 7]);
        let mut dual = with_base(0.25);
        let told = (1..=50).map(|_| classic(&mut dual, Ecn::Ect0));
        assert_eq!(told.filter(|&verdict| verdict == Verdict::Mark).count(), 3);
    }

    #[test]
    fn a_ramp_marks_by_the_own_wait() {
        let marks = |waited, left| {
            let mut dual = DualPi2::new(&MODEL);
            (0..100)
                .filter(|_| low(&mut dual, waited, left) == Verdict::Mark)
                .count()
        };
        // The first of those that are sure is not yet more than one.
        assert_eq!([800, 1000, 1200, 5000].map(|waited| marks(waited, 2)), [0, 49, 99, 99]);
        // With one packet left nothing is marked for its own wait.
        assert_eq!(marks(5000, 1), 0);
        let mut step = DualPi2::new(&DualPi2Model {
            threshold: Span::from_ms(1),
            range: Span::ZERO,
            ..MODEL
        });
        assert!((0..9).all(|_| low(&mut step, 999, 2) == Verdict::Pass));
        assert_eq!(low(&mut step, 1000, 2), Verdict::Pass);
        assert!((0..9).all(|_| low(&mut step, 1000, 2) == Verdict::Mark));
    }

    /// From the base at which all of the low-latency queue is marked, 1/`k`, both queues drop (appendix A.2).
    #[test]
    fn overload_drops_what_could_be_marked() {
        let mut dual = with_base(0.49);
        assert!((0..99).all(|_| classic(&mut dual, Ecn::Ect0) != Verdict::Drop));
        assert!((0..99).all(|_| low(&mut dual, 5000, 9) != Verdict::Drop));
        let mut dual = with_base(0.5);
        let told: Vec<Verdict> = (0..9).map(|_| classic(&mut dual, Ecn::Ect0)).collect();
        assert_eq!(told[4], Verdict::Drop);
        assert_eq!(told.iter().filter(|&&verdict| verdict != Verdict::Pass).count(), 2);
        let told: Vec<Verdict> = (0..100).map(|_| low(&mut dual, 0, 9)).collect();
        let count = |of| told.iter().filter(|&&verdict| verdict == of).count();
        // Drops and marks share one count, as in the figure: a quarter for a drop and then one for a mark.
        assert!(count(Verdict::Drop) >= 20 && count(Verdict::Mark) >= 60, "{told:?}");
    }

    fn dual(share: f64) -> Flows<Stone> {
        flows(&QueueModel::DualPi2(DualPi2Model {
            classic_share: share,
            ..MODEL
        }))
    }

    fn names(flows: &mut Flows<Stone>) -> Vec<u32> {
        std::iter::from_fn(|| flows.take(Time::ZERO))
            .map(|(stone, _)| stone.name)
            .collect()
    }

    #[test]
    fn codepoints_say_who_goes_first() {
        let mut flows = dual(0.0625);
        for (ecn, name) in [(Ecn::NotEct, 1), (Ecn::Ect0, 2), (Ecn::Ce, 3), (Ecn::Ect1, 4)] {
            flows.push(coming(Time::ZERO, 1000, ecn, name));
        }
        assert_eq!(flows.next_size(), Some(Bytes::new(1000)));
        assert_eq!(names(&mut flows), [3, 4, 1, 2]);
        assert!(flows.is_empty() && flows.next_size().is_none());
    }

    /// With a quarter, one octet in four: a classic packet of 500 octets for 1500 of the others.
    #[test]
    fn classic_packets_have_their_share_while_both_wait() {
        let mut flows = dual(0.25);
        for name in 0..9 {
            flows.push(coming(Time::ZERO, 500, Ecn::Ect1, name));
        }
        for name in 10..14 {
            flows.push(coming(Time::ZERO, 500, Ecn::NotEct, name));
        }
        assert_eq!(names(&mut flows), [0, 1, 2, 10, 3, 4, 5, 11, 6, 7, 8, 12, 13]);
        // Nothing is saved while no classic packet waits.
        for name in 0..9 {
            flows.push(coming(Time::ZERO, 500, Ecn::Ect1, name));
        }
        for _ in 0..6 {
            flows.take(Time::ZERO);
        }
        flows.push(coming(Time::ZERO, 500, Ecn::NotEct, 10));
        assert_eq!(names(&mut flows), [6, 7, 8, 10]);
    }

    #[test]
    fn what_came_last_has_no_room() {
        let mut flows = dual(0.0625);
        for (at, ecn, name) in [
            (0, Ecn::NotEct, 1),
            (1, Ecn::Ect1, 2),
            (1, Ecn::NotEct, 3),
            (1, Ecn::Ect1, 4),
        ] {
            flows.push(coming(ms(at), 1000, ecn, name));
        }
        let stolen: Vec<u32> = std::iter::from_fn(|| flows.steal().pop()).map(|it| it.name).collect();
        assert_eq!(stolen[0], 4);
        assert_eq!(stolen.last(), Some(&1));
        assert_eq!((stolen.len(), flows.packets()), (4, 0));
    }
}
