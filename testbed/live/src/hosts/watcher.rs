//! What happened between two samples of the kernel's state.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use windlull_units::Time;
use windlull_wire::{SenderEvent, SenderState};

use super::netstat::Counters;
use super::tcp_info::TcpInfo;
use super::undo::Undo;

/// Something that the kernel's counters prove, and that sent a packet: a capture knows exactly when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// It happened after the sample before.
    pub after: Time,
    /// It had happened when this sample was taken.
    pub by: Time,
    /// The first unacknowledged octet at one moment in between.
    pub una: RangeInclusive<u64>,
    /// What happened: a timeout or a fast retransmit.
    pub event: SenderEvent,
}

/// Compares samples. It reads no clock and asks nobody.
#[derive(Debug, Default)]
pub(super) struct Watcher {
    before: Option<(Time, TcpInfo, Counters)>,
    reported: Option<SenderState>,
    undo: Undo,
    events: Vec<(Time, SenderEvent)>,
    seen: Vec<Seen>,
    /// Whether it was told for how long the sender was limited.
    limited: bool,
    /// Whether the counters are of other connections too, and so tell nothing of this one.
    shares_counters: bool,
}

impl Watcher {
    /// Of one of several connections, whose kernel counts for all together.
    pub(super) fn among_others() -> Self {
        Self {
            shares_counters: true,
            ..Self::default()
        }
    }

    pub(super) fn note(&mut self, at: Time, info: TcpInfo, counters: Counters) {
        self.timeouts(at, &info);
        if let Some((after, before, counted)) = self.before {
            self.fast_retransmit(after, at, &before, &info);
            if !self.shares_counters {
                let said = self.undo.note((&before, counted), (&info, counters));
                self.events.extend(said.into_iter().map(|event| (at, event)));
            }
            let probed = (counted.loss_probes..counters.loss_probes).map(|_| SenderEvent::LossProbe);
            let repaired =
                (counted.loss_probe_recovery..counters.loss_probe_recovery).map(|_| SenderEvent::LossProbeRepaired);
            self.events.extend(probed.chain(repaired).map(|event| (at, event)));
            if before.in_recovery() && !info.in_recovery() {
                self.events.push((at, SenderEvent::RecoveryEnded { una: info.una() }));
            }
        }
        if let Some(limited) = info.limited.filter(|limited| !self.limited && !limited.busy.is_zero()) {
            self.limited = true;
            self.events.push((at, limited.into()));
        }
        let state = info.sender_state();
        if self.reported != Some(state) {
            self.events.push((at, SenderEvent::State(state)));
            self.reported = Some(state);
        }
        self.before = Some((at, info, counters));
    }

    /// There is no connection any more: what its last acknowledgement made the kernel count. How its window was then,
    /// nobody can ask.
    pub(super) fn gone(&mut self, at: Time, counters: Counters) {
        if let Some((_, info, counted)) = self.before.filter(|_| !self.shares_counters) {
            let said = self.undo.note((&info, counted), (&info, counters)).into_iter();
            let answers = said.filter(|event| matches!(event, SenderEvent::Detector { .. }));
            self.events.extend(answers.map(|event| (at, event)));
        }
    }

    /// What was told, and what a capture can date.
    pub(super) fn finish(mut self) -> (Vec<(Time, SenderEvent)>, Vec<Seen>) {
        if let Some((at, info, _)) = self.before.filter(|_| self.limited) {
            self.events.extend(info.limited.map(|limited| (at, limited.into())));
        }
        (self.events, self.seen)
    }

    /// The kernel counts how often its timer fired.
    fn timeouts(&mut self, at: Time, info: &TcpInfo) {
        let before = self.before.map(|(_, before, _)| before);
        let counted = before.and_then(|before| before.total_rto).unwrap_or(0);
        let (Some(total), Some(max)) = (info.total_rto, info.max()) else {
            return;
        };
        let first = before.unwrap_or(*info);
        for nth in 0..total.saturating_sub(counted) {
            self.seen.push(Seen {
                after: self.before.map_or(Time::ZERO, |(after, _, _)| after),
                by: at,
                una: first.una()..=info.una(),
                event: SenderEvent::Timeout {
                    ordinal: counted + nth + 1,
                    una: first.una(),
                    max,
                    // It is doubled by each (RFC 6298, section 5.5).
                    rto: first.rto.saturating_mul(1 << nth.min(16)),
                    backoff: first.backoff + nth,
                    rule: None,
                },
            });
        }
    }

    fn fast_retransmit(&mut self, after: Time, by: Time, before: &TcpInfo, info: &TcpInfo) {
        if before.in_fast_recovery() || !info.in_fast_recovery() {
            return;
        }
        if let Some(recovery_point) = info.max() {
            self.seen.push(Seen {
                after,
                by,
                una: before.una()..=info.una(),
                event: SenderEvent::FastRetransmit {
                    una: info.una(),
                    recovery_point,
                },
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use windlull_units::Span;
    use windlull_wire::DetectorAnswer;

    use super::*;
    use crate::hosts::tcp_info::structure;

    const MS: u64 = 1_000_000;

    fn info(change: impl FnOnce(&mut structure::Fields)) -> TcpInfo {
        let mut fields = structure::Fields::open();
        change(&mut fields);
        TcpInfo::read(&fields.octets()).expect("it is whole")
    }

    #[test]
    fn a_timeout_is_what_the_kernel_counts_as_one() {
        let mut watcher = Watcher::default();
        let calm = info(|fields| (fields.bytes_acked, fields.bytes_sent, fields.rto_us) = (1_001, 9_000, 400_000));
        let lost = info(|fields| {
            (fields.bytes_acked, fields.bytes_sent, fields.bytes_retrans) = (1_001, 10_448, 1_448);
            (fields.rto_us, fields.backoff, fields.total_rto, fields.ca_state) = (800_000, 1, 1, 4);
        });
        watcher.note(Time::from_ns(5 * MS), calm, Counters::default());
        watcher.note(Time::from_ns(10 * MS), lost, Counters::default());
        watcher.note(Time::from_ns(15 * MS), lost, Counters::default());
        let (events, seen) = watcher.finish();
        assert_eq!(
            seen,
            [Seen {
                after: Time::from_ns(5 * MS),
                by: Time::from_ns(10 * MS),
                una: 1_000..=1_000,
                event: SenderEvent::Timeout {
                    ordinal: 1,
                    una: 1_000,
                    max: 9_000,
                    rto: Span::from_ms(400),
                    backoff: 0,
                    rule: None,
                },
            }]
        );
        let states = events
            .iter()
            .filter(|(_, event)| matches!(event, SenderEvent::State(_)));
        assert_eq!(states.count(), 2, "a state is told when it changes");
    }

    #[test]
    fn timeouts_between_two_samples_double_the_timer() {
        let mut watcher = Watcher::default();
        watcher.note(Time::ZERO, info(|fields| fields.rto_us = 1_000), Counters::default());
        watcher.note(
            Time::from_ns(5 * MS),
            info(|fields| fields.total_rto = 2),
            Counters::default(),
        );
        let (_, seen) = watcher.finish();
        let timers: Vec<_> = seen
            .iter()
            .map(|seen| match seen.event {
                SenderEvent::Timeout {
                    ordinal, rto, backoff, ..
                } => (ordinal, rto, backoff),
                _ => panic!("only timeouts were counted"),
            })
            .collect();
        assert_eq!(timers, [(1, Span::from_ms(1), 0), (2, Span::from_ms(2), 1)]);
    }

    #[test]
    fn an_undo_is_told_with_its_response_and_the_end_of_the_recovery() {
        let mut watcher = Watcher::default();
        let lost = info(|fields| (fields.total_rto, fields.ca_state, fields.cwnd) = (1, 4, 1));
        let calm = info(|fields| (fields.total_rto, fields.cwnd) = (1, 8));
        let undone = Counters {
            spurious_rtos: 1,
            loss_undo: 1,
            ..Counters::default()
        };
        watcher.note(Time::ZERO, lost, Counters::default());
        watcher.note(Time::from_ns(5 * MS), calm, undone);
        let (events, _) = watcher.finish();
        let at_5_ms = events.iter().filter(|(at, _)| at.as_ns() == 5 * MS);
        let told: Vec<_> = at_5_ms.map(|(_, event)| event).collect();
        assert!(
            matches!(
                told.as_slice(),
                [
                    SenderEvent::Detector { ordinal: 1, answer: Some(DetectorAnswer::Spurious), .. },
                    SenderEvent::Response { cwnd_before, cwnd_after, .. },
                    SenderEvent::RecoveryEnded { .. },
                    SenderEvent::State(_),
                ] if cwnd_before < cwnd_after
            ),
            "{told:?}"
        );
    }

    #[test]
    fn the_last_acknowledgement_may_leave_counters_only() {
        let mut watcher = Watcher::default();
        let lost = info(|fields| (fields.total_rto, fields.ca_state, fields.cwnd) = (1, 4, 1));
        watcher.note(Time::ZERO, lost, Counters::default());
        let undone = Counters {
            loss_undo: 1,
            ..Counters::default()
        };
        watcher.gone(Time::from_ns(5 * MS), undone);
        let (events, _) = watcher.finish();
        let last: Vec<_> = events.iter().filter(|(at, _)| *at > Time::ZERO).collect();
        assert!(
            matches!(
                last.as_slice(),
                [(
                    _,
                    SenderEvent::Detector {
                        ordinal: 1,
                        answer: Some(_),
                        ..
                    }
                )]
            ),
            "a window that nobody saw is not told: {last:?}"
        );
    }

    #[test]
    fn counters_of_several_connections_answer_for_none() {
        let mut watcher = Watcher::among_others();
        let lost = info(|fields| (fields.total_rto, fields.ca_state, fields.cwnd) = (1, 4, 1));
        let calm = info(|fields| (fields.total_rto, fields.cwnd) = (1, 8));
        watcher.note(Time::ZERO, lost, Counters::default());
        watcher.note(Time::from_ns(5 * MS), calm, Counters::default());
        watcher.gone(Time::from_ns(6 * MS), Counters::default());
        let (events, seen) = watcher.finish();
        assert_eq!(seen.len(), 1, "its timeouts are its own");
        assert!(
            events
                .iter()
                .all(|(_, event)| !matches!(event, SenderEvent::Detector { .. })),
            "{events:?}"
        );
    }

    #[test]
    fn probes_are_counted() {
        let mut watcher = Watcher::default();
        let counted = |loss_probes, loss_probe_recovery| Counters {
            loss_probes,
            loss_probe_recovery,
            ..Counters::default()
        };
        watcher.note(Time::ZERO, info(|_| ()), counted(7, 2));
        watcher.note(Time::from_ns(5 * MS), info(|_| ()), counted(8, 2));
        watcher.note(Time::from_ns(10 * MS), info(|_| ()), counted(8, 3));
        let (events, _) = watcher.finish();
        let told = events
            .iter()
            .filter(|(_, event)| !matches!(event, SenderEvent::State(_)));
        assert_eq!(
            told.map(|(at, event)| (at.as_ns() / MS, event)).collect::<Vec<_>>(),
            [(5, &SenderEvent::LossProbe), (10, &SenderEvent::LossProbeRepaired)]
        );
    }

    #[test]
    fn a_kernel_that_does_not_count_timeouts_proves_none() {
        let mut watcher = Watcher::default();
        let old = |backoff| {
            let mut fields = structure::Fields::open();
            fields.backoff = backoff;
            TcpInfo::read(&fields.octets()[..192]).expect("it is long enough")
        };
        watcher.note(Time::ZERO, old(0), Counters::default());
        watcher.note(Time::from_ns(5 * MS), old(1), Counters::default());
        assert!(watcher.finish().1.is_empty());
    }
}
