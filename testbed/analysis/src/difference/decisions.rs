//! What two senders decided, by their own events, and what only one of them had decided.

use windlull_transport::PacketLost;
use windlull_units::{Span, Time};
use windlull_wire::{SenderEvent, SenderState};

use super::instants::are_close;

windlull_units::named! {
    /// What a decision is about.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(super) enum Kind {
        Timeout = "timeout",
        /// QUIC declared a packet lost.
        Lost = "declared-lost",
        FastRetransmit = "fast-retransmit",
        LossProbe = "loss-probe",
        Detector = "detector",
        Undone = "recovery-undone",
        Response = "response",
        RecoveryEnded = "recovery-ended",
        LossProbeRepaired = "loss-probe-repaired",
        /// Congestion window, threshold or phase changed.
        Window = "window",
        /// The retransmission timeout changed.
        Timer = "timer",
    }
}

/// A decision of a sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decided {
    pub(super) at: Time,
    pub(super) kind: Kind,
    pub(super) what: What,
}

/// What it said of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    Event(SenderEvent),
    Lost(PacketLost),
    /// Variables of it changed, from these if it told of any before.
    State {
        before: Option<SenderState>,
        now: SenderState,
    },
}

/// The decisions in a sender's events, in their order, and what it declared lost, before events of the same instant.
pub(super) fn decisions(events: &[(Time, SenderEvent)], losses: Option<&[(Time, PacketLost)]>) -> Vec<Decided> {
    let declared = losses.unwrap_or_default().iter().map(|(at, lost)| Decided {
        at: *at,
        kind: Kind::Lost,
        what: What::Lost(*lost),
    });
    let mut all: Vec<Decided> = declared.collect();
    let mut before: Option<SenderState> = None;
    for (at, event) in events {
        let kind = match event {
            SenderEvent::State(now) => {
                for kind in [Kind::Window, Kind::Timer] {
                    if before.is_none_or(|before| !is_same_state(kind, &before, now)) {
                        let what = What::State { before, now: *now };
                        all.push(Decided { at: *at, kind, what });
                    }
                }
                before = Some(*now);
                continue;
            }
            SenderEvent::Timeout { .. } => Kind::Timeout,
            SenderEvent::FastRetransmit { .. } => Kind::FastRetransmit,
            SenderEvent::RecoveryEnded { .. } => Kind::RecoveryEnded,
            SenderEvent::Detector { .. } => Kind::Detector,
            SenderEvent::Response { .. } => Kind::Response,
            SenderEvent::RecoveryUndone { .. } => Kind::Undone,
            SenderEvent::LossProbe => Kind::LossProbe,
            SenderEvent::LossProbeRepaired => Kind::LossProbeRepaired,
            SenderEvent::RttSample { .. } | SenderEvent::Limited { .. } | SenderEvent::LimitedFor { .. } => continue,
        };
        let what = What::Event(event.clone());
        all.push(Decided { at: *at, kind, what });
    }
    // Of one instant they stay in this order.
    all.sort_by_key(|one| one.at);
    all
}

/// What each had decided by `until` and the other had not, in its order: of each kind the decisions after those that both took
/// alike. Kinds are compared by themselves, so that windows that differ hide no timeout that both had.
pub(super) fn apart(a: &[Decided], b: &[Decided], until: Time, tolerance: Span) -> [Vec<Decided>; 2] {
    let mut own = [a, b].map(|all| -> Vec<Decided> { all.iter().filter(|one| one.at <= until).cloned().collect() });
    for kind in Kind::ALL {
        let [of_a, of_b] = own.each_ref().map(|row| row.iter().filter(|one| one.kind == kind));
        let alike = of_a
            .zip(of_b)
            .take_while(|(one, other)| are_close(one.at, other.at, tolerance) && is_same(one, other))
            .count();
        for row in &mut own {
            let mut passed = 0;
            row.retain(|one| {
                passed += usize::from(one.kind == kind);
                one.kind != kind || passed > alike
            });
        }
    }
    own
}

/// Whether two decisions come to the same. What one sender tells of it and another does not is no difference.
fn is_same(one: &Decided, other: &Decided) -> bool {
    use SenderEvent::{Detector, FastRetransmit, RecoveryEnded, RecoveryUndone, Response, Timeout};
    match (&one.what, &other.what) {
        (What::State { now, .. }, What::State { now: then, .. }) => is_same_state(one.kind, now, then),
        (What::Lost(one), What::Lost(other)) => one == other,
        (What::Event(one), What::Event(other)) => match (one, other) {
            (Timeout { una, .. }, Timeout { una: second, .. })
            | (FastRetransmit { una, .. }, FastRetransmit { una: second, .. })
            | (RecoveryEnded { una }, RecoveryEnded { una: second }) => una == second,
            (
                Detector { rule, answer, .. },
                Detector {
                    rule: second,
                    answer: said,
                    ..
                },
            ) => rule == second && answer == said,
            (
                Response { name, cwnd_after, .. },
                Response {
                    name: second,
                    cwnd_after: after,
                    ..
                },
            ) => name == second && cwnd_after == after,
            (
                RecoveryUndone { rule, cwnd_after, .. },
                RecoveryUndone {
                    rule: second,
                    cwnd_after: after,
                    ..
                },
            ) => rule == second && cwnd_after == after,
            (one, other) => one == other,
        },
        _ => false,
    }
}

/// Whether the variables that a kind is about are the same.
fn is_same_state(kind: Kind, one: &SenderState, other: &SenderState) -> bool {
    match kind {
        Kind::Timer => (one.rto, one.backoff) == (other.rto, other.backoff),
        _ => (one.cwnd_bytes, one.ssthresh_bytes, one.phase) == (other.cwnd_bytes, other.ssthresh_bytes, other.phase),
    }
}

#[cfg(test)]
mod tests {
    use windlull_transport::Space;
    use windlull_wire::{DetectorAnswer, Phase};

    use super::*;

    fn state(cwnd_bytes: u64, rto_ms: u64) -> SenderEvent {
        SenderEvent::State(SenderState {
            cwnd_bytes,
            ssthresh_bytes: None,
            flight_bytes: 0,
            srtt: None,
            rttvar: None,
            rto: Span::from_ms(rto_ms),
            estimated_rto: None,
            minimum_rto: None,
            backoff: 0,
            phase: Phase::SlowStart,
        })
    }

    fn timeout(una: u64) -> SenderEvent {
        SenderEvent::Timeout {
            ordinal: 1,
            una,
            max: una + 10,
            rto: Span::from_ms(200),
            backoff: 0,
            rule: None,
        }
    }

    fn detector(answer: Option<DetectorAnswer>) -> SenderEvent {
        SenderEvent::Detector {
            ordinal: 1,
            rule: "F-RTO 1: a timeout".into(),
            answer,
        }
    }

    fn run(events: &[(u64, SenderEvent)]) -> Vec<Decided> {
        let at = |(ns, event): &(u64, SenderEvent)| (Time::from_ns(*ns), event.clone());
        decisions(&events.iter().map(at).collect::<Vec<_>>(), None)
    }

    fn kinds(all: &[Decided]) -> Vec<(u64, Kind)> {
        all.iter().map(|one| (one.at.as_ns(), one.kind)).collect()
    }

    #[test]
    fn a_state_is_a_decision_only_where_a_variable_changed() {
        let all = run(&[
            (1, state(10, 1)),
            (2, state(10, 1)),
            (3, state(10, 2)),
            (4, state(20, 2)),
        ]);
        let expected = [(1, Kind::Window), (1, Kind::Timer), (3, Kind::Timer), (4, Kind::Window)];
        assert_eq!(kinds(&all), expected);
    }

    #[test]
    fn what_was_declared_lost_stands_before_what_follows_from_it() {
        let lost = |number| PacketLost {
            space: Space::Data,
            number,
            trigger: None,
            is_mtu_probe: false,
        };
        let at = Time::from_ns;
        let all = decisions(&[(at(3), timeout(0)), (at(5), timeout(10))], Some(&[(at(5), lost(7))]));
        assert_eq!(kinds(&all), [(3, Kind::Timeout), (5, Kind::Lost), (5, Kind::Timeout)]);
        let other = decisions(&[], Some(&[(at(5), lost(8))]));
        let [of_all, of_other] = apart(&all, &other, at(9), Span::ZERO);
        assert_eq!((of_all.len(), of_other.len()), (3, 1));
    }

    #[test]
    fn what_both_decided_alike_is_left_out_kind_by_kind() {
        let a = run(&[
            (1, state(10, 1)),
            (5, timeout(0)),
            (5, detector(None)),
            (9, timeout(10)),
        ]);
        let b = run(&[(1, state(20, 1)), (5, timeout(0)), (9, timeout(10))]);
        let [of_a, of_b] = apart(&a, &b, Time::from_ns(9), Span::ZERO);
        assert_eq!(kinds(&of_a), [(1, Kind::Window), (5, Kind::Detector)]);
        assert_eq!(kinds(&of_b), [(1, Kind::Window)]);
        let [earlier, _] = apart(&a, &b, Time::from_ns(4), Span::ZERO);
        assert_eq!(kinds(&earlier), [(1, Kind::Window)]);
    }

    #[test]
    fn another_answer_another_octet_or_another_time_is_another_decision() {
        let differ = |one: (u64, SenderEvent), other: (u64, SenderEvent), tolerance| {
            let [a, b] = apart(&run(&[one]), &run(&[other]), Time::NEVER, Span::from_ns(tolerance));
            assert_eq!(a.len(), b.len());
            !a.is_empty()
        };
        assert!(!differ((5, timeout(0)), (5, timeout(0)), 0));
        assert!(differ((5, timeout(0)), (5, timeout(10)), 0));
        assert!(differ((5, timeout(0)), (6, timeout(0)), 0));
        assert!(!differ((5, timeout(0)), (6, timeout(0)), 1));
        let spurious = detector(Some(DetectorAnswer::Spurious));
        assert!(differ((5, spurious.clone()), (5, detector(None)), 0));
        assert!(!differ((5, spurious.clone()), (5, spurious), 0));
    }
}
