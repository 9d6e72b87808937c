//! What the kernel takes back of its recoveries, and by which of its rules: its word on whether a timeout or a fast retransmit
//! was spurious.
//!
//! Functions are those of Linux 6.12, net/ipv4/tcp_input.c. A recovery is taken back once, or never:
//!
//! ```text
//!   timeout (tcp_enter_loss) -> Loss
//!       data that was sent once is acknowledged: F-RTO     tcp_try_undo_loss      TCPSpuriousRTOs, TCPLossUndo
//!       an acknowledgement echoes an older timestamp, or   tcp_try_undo_loss,     TCPLossUndo
//!       all that was sent again was reported by D-SACK     tcp_try_undo_recovery
//!   Loss is over, nothing undone
//!       all that was sent again is reported by D-SACK      tcp_try_undo_dsack     TCPDSACKUndo
//!
//!   fast retransmit (tcp_enter_recovery) -> Recovery
//!       a partial acknowledgement echoes an older one      tcp_try_undo_partial   TCPPartialUndo
//!       the last one does, or all is reported              tcp_try_undo_recovery  TCPFullUndo
//!       all is reported, before or after the end           tcp_try_undo_dsack     TCPDSACKUndo
//! ```

use std::borrow::Cow;

use windlull_wire::{DetectorAnswer, SenderEvent};

use super::netstat::Counters;
use super::tcp_info::{ConnectionState, TcpInfo};

/// The kernel's answers to timeouts, sample by sample.
#[derive(Debug, Default)]
pub(super) struct Undo {
    /// The recovery that an undo would take back, if there is one.
    last: Option<Recovery>,
}

/// What a recovery began with. It ends by being taken back, or when another one begins.
#[derive(Clone, Copy, Debug)]
struct Recovery {
    kind: Kind,
    /// The first unacknowledged octet.
    una: u64,
    /// Segments sent again before it.
    retransmitted: u32,
    /// Segments that D-SACK blocks had reported before it.
    reported_twice: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Timeout { ordinal: u32 },
    Fast,
}

impl Undo {
    /// What two samples in a row, the first of them before, tell of it.
    pub(super) fn note(&mut self, before: (&TcpInfo, Counters), now: (&TcpInfo, Counters)) -> Vec<SenderEvent> {
        let mut events = Vec::new();
        let ((info_before, counted), (info, counters)) = (before, now);
        self.timed_out(info_before, info);
        let timeout = info.total_rto.filter(|&total| total > 0);
        if let Some(ordinal) = timeout.filter(|_| counters.loss_undo > counted.loss_undo) {
            let rule = if counters.spurious_rtos > counted.spurious_rtos {
                "F-RTO (RFC 5682), by the kernel's counter TCPSpuriousRTOs".to_owned()
            } else {
                self.rule(info_before, info, "TCPLossUndo")
            };
            events.extend(spurious(ordinal, rule, info_before, info));
            self.last = None;
        }
        if counters.full_undo > counted.full_undo {
            events.push(undone(self.rule(info_before, info, "TCPFullUndo"), info_before, info));
            self.last = None;
        }
        if counters.partial_undo > counted.partial_undo {
            let rule = "timestamps (RFC 3522), by the kernel's counter TCPPartialUndo";
            events.push(undone(rule.to_owned(), info_before, info));
            self.last = None;
        }
        // The kernel asks for it before it begins another recovery on the same acknowledgement.
        if counters.dsack_undo > counted.dsack_undo {
            let rule = "D-SACK (RFC 3708), by the kernel's counter TCPDSACKUndo".to_owned();
            match self.last.take().map(|recovery| recovery.kind) {
                Some(Kind::Timeout { ordinal }) => events.extend(spurious(ordinal, rule, info_before, info)),
                Some(Kind::Fast) => events.push(undone(rule, info_before, info)),
                None => {}
            }
        }
        let is_over = info_before.in_loss() && !info.in_loss() && info_before.state != ConnectionState::Opening;
        if let (true, Some(Kind::Timeout { ordinal })) = (is_over, self.last.map(|recovery| recovery.kind)) {
            events.push(SenderEvent::Detector {
                ordinal,
                rule: Cow::Borrowed("the recovery is over, and the kernel took nothing back"),
                answer: None,
            });
        }
        if info.in_fast_recovery() && !info_before.in_fast_recovery() {
            self.last = Some(Recovery::began(Kind::Fast, info_before));
        }
        events
    }

    /// Whether a timeout was counted, and what an undo of it would take back: `tcp_enter_loss` goes on with what it finds in
    /// a fast recovery, and when the timer fires again for the same octet.
    fn timed_out(&mut self, before: &TcpInfo, now: &TcpInfo) {
        let Some(ordinal) = now.total_rto.filter(|&total| total > before.total_rto.unwrap_or(0)) else {
            return;
        };
        let kind = Kind::Timeout { ordinal };
        let goes_on = |last: &Recovery| {
            before.in_fast_recovery() || before.in_loss() && last.kind != Kind::Fast && last.una == before.una()
        };
        self.last = match self.last.filter(goes_on) {
            Some(last) => Some(Recovery { kind, ..last }),
            None => Some(Recovery::began(kind, before)),
        };
    }

    /// `tcp_may_undo` asks for either. D-SACK does not suffice until it has reported all that was sent again before: what
    /// the acknowledgement that has the recovery taken back lets the kernel send is counted with it, and comes after it.
    fn rule(&self, before: &TcpInfo, now: &TcpInfo, counter: &str) -> String {
        let all_reported = self.last.and_then(|last| {
            let reported = now.reported_twice?.saturating_sub(last.reported_twice?);
            Some(reported >= before.retransmitted.saturating_sub(last.retransmitted))
        });
        let which = match (now.timestamps, all_reported) {
            (false, _) => "D-SACK (RFC 3708)",
            (true, Some(false)) => "timestamps (RFC 3522)",
            (true, _) => "timestamps (RFC 3522) or D-SACK (RFC 3708)",
        };
        format!("{which}, by the kernel's counter {counter}")
    }
}

impl Recovery {
    const fn began(kind: Kind, before: &TcpInfo) -> Self {
        Self {
            kind,
            una: before.una(),
            retransmitted: before.retransmitted,
            reported_twice: before.reported_twice,
        }
    }
}

/// The kernel's answer to a timeout, and its response to it.
fn spurious(ordinal: u32, rule: String, before: &TcpInfo, after: &TcpInfo) -> [SenderEvent; 2] {
    let (before, after) = (before.sender_state(), after.sender_state());
    [
        SenderEvent::Detector {
            ordinal,
            rule: Cow::Owned(rule),
            answer: Some(DetectorAnswer::Spurious),
        },
        SenderEvent::Response {
            ordinal,
            name: Cow::Borrowed("undo"),
            cwnd_before: before.cwnd_bytes,
            cwnd_after: after.cwnd_bytes,
            ssthresh_after: after.ssthresh_bytes.unwrap_or(u64::MAX),
        },
    ]
}

/// The kernel's answer to a fast retransmit, with its response.
fn undone(rule: String, before: &TcpInfo, after: &TcpInfo) -> SenderEvent {
    SenderEvent::RecoveryUndone {
        rule: Cow::Owned(rule),
        cwnd_before: before.sender_state().cwnd_bytes,
        cwnd_after: after.sender_state().cwnd_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hosts::tcp_info::structure::Fields;

    /// `TCP_CA_Open`, `TCP_CA_Recovery` and `TCP_CA_Loss` of linux/tcp.h.
    const OPEN: u8 = 0;
    const RECOVERY: u8 = 3;
    const LOSS: u8 = 4;

    /// A connection of which a test changes what it is about.
    #[derive(Debug)]
    struct Scene {
        undo: Undo,
        fields: Fields,
        counters: Counters,
    }

    impl Scene {
        fn begin() -> Self {
            Self {
                undo: Undo::default(),
                fields: Fields::open(),
                counters: Counters::default(),
            }
        }

        /// The next sample: what the kernel said with it, as ordinal, rule and answer.
        fn sample(
            &mut self,
            change: impl FnOnce(&mut Fields, &mut Counters),
        ) -> Vec<(u32, String, Option<DetectorAnswer>)> {
            let (before, counted) = (self.info(), self.counters);
            change(&mut self.fields, &mut self.counters);
            let events = self.undo.note((&before, counted), (&self.info(), self.counters));
            let answers = events.into_iter().filter_map(|event| match event {
                SenderEvent::Detector { ordinal, rule, answer } => Some((ordinal, rule.into_owned(), answer)),
                // Of no timeout.
                SenderEvent::RecoveryUndone { rule, .. } => {
                    Some((0, rule.into_owned(), Some(DetectorAnswer::Spurious)))
                }
                _ => None,
            });
            answers.collect()
        }

        fn info(&self) -> TcpInfo {
            TcpInfo::read(&self.fields.octets()).expect("it is whole")
        }

        fn times_out(&mut self) {
            let said = self.sample(|fields, _| {
                (fields.ca_state, fields.cwnd) = (LOSS, 1);
                fields.total_rto += 1;
                fields.total_retrans += 1;
            });
            assert_eq!(said, [], "the kernel has no answer yet");
        }
    }

    /// Asserts that one answer was given, "spurious", to this timeout and by this rule.
    fn assert_spurious(said: &[(u32, String, Option<DetectorAnswer>)], ordinal: u32, rule: &str) {
        let [(of, named, Some(DetectorAnswer::Spurious))] = said else {
            panic!("one answer was to be given: {said:?}");
        };
        assert_eq!(*of, ordinal);
        assert!(named.starts_with(rule), "{named}");
    }

    #[test]
    fn f_rto_has_a_counter_of_its_own() {
        let mut scene = Scene::begin();
        scene.times_out();
        let said = scene.sample(|fields, counters| {
            (fields.ca_state, fields.cwnd) = (OPEN, 10);
            (counters.loss_undo, counters.spurious_rtos) = (1, 1);
        });
        assert_spurious(&said, 1, "F-RTO (RFC 5682),");
    }

    #[test]
    fn what_no_d_sack_reported_the_timestamps_told() {
        let mut scene = Scene::begin();
        scene.times_out();
        let said = scene.sample(|fields, counters| (fields.ca_state, counters.loss_undo) = (OPEN, 1));
        assert_spurious(&said, 1, "timestamps (RFC 3522),");
    }

    #[test]
    fn when_all_was_reported_either_may_have_told() {
        let mut scene = Scene::begin();
        scene.times_out();
        let said = scene.sample(|fields, counters| {
            (fields.ca_state, fields.dsack_dups, counters.loss_undo) = (OPEN, 1, 1);
        });
        assert_spurious(&said, 1, "timestamps (RFC 3522) or D-SACK (RFC 3708),");
    }

    #[test]
    fn what_is_sent_again_on_the_undo_was_no_part_of_the_question() {
        let mut scene = Scene::begin();
        scene.times_out();
        let said = scene.sample(|fields, counters| {
            fields.total_retrans += 2;
            (fields.ca_state, fields.dsack_dups, counters.loss_undo) = (OPEN, 1, 1);
        });
        assert_spurious(&said, 1, "timestamps (RFC 3522) or D-SACK (RFC 3708),");
    }

    #[test]
    fn reports_before_the_timeout_are_of_something_else() {
        let mut scene = Scene::begin();
        scene.sample(|fields, _| fields.dsack_dups = 9);
        scene.times_out();
        let said = scene.sample(|fields, counters| (fields.ca_state, counters.loss_undo) = (OPEN, 1));
        assert_spurious(&said, 1, "timestamps (RFC 3522),");
    }

    #[test]
    fn without_timestamps_it_was_d_sack() {
        let mut scene = Scene::begin();
        scene.fields.options = 0;
        scene.times_out();
        let said = scene.sample(|fields, counters| (fields.ca_state, counters.loss_undo) = (OPEN, 1));
        assert_spurious(&said, 1, "D-SACK (RFC 3708),");
    }

    #[test]
    fn a_report_after_the_recovery_is_of_its_timeout() {
        let mut scene = Scene::begin();
        scene.times_out();
        let over = scene.sample(|fields, _| fields.ca_state = OPEN);
        assert!(
            matches!(over.as_slice(), [(1, rule, None)] if rule.contains("took nothing back")),
            "{over:?}"
        );
        let said = scene.sample(|fields, counters| (fields.dsack_dups, counters.dsack_undo) = (1, 1));
        assert_spurious(&said, 1, "D-SACK (RFC 3708), by the kernel's counter TCPDSACKUndo");
        // What is taken back is taken back once.
        assert_eq!(scene.sample(|_, counters| counters.dsack_undo = 2), []);
    }

    #[test]
    fn a_fast_recovery_is_taken_back_by_three_counters() {
        for (undo, rule) in [
            ((1, 0, 0), "timestamps (RFC 3522), by the kernel's counter TCPFullUndo"),
            (
                (0, 1, 0),
                "timestamps (RFC 3522), by the kernel's counter TCPPartialUndo",
            ),
            ((0, 0, 1), "D-SACK (RFC 3708), by the kernel's counter TCPDSACKUndo"),
        ] {
            let mut scene = Scene::begin();
            scene.times_out();
            scene.sample(|fields, _| fields.ca_state = OPEN);
            scene.sample(|fields, _| (fields.ca_state, fields.total_retrans) = (RECOVERY, 3));
            let said = scene.sample(|fields, counters| {
                fields.ca_state = OPEN;
                (counters.full_undo, counters.partial_undo, counters.dsack_undo) = undo;
            });
            assert_spurious(&said, 0, rule);
        }
    }

    #[test]
    fn an_acknowledgement_may_undo_one_recovery_and_begin_another() {
        let mut scene = Scene::begin();
        scene.times_out();
        scene.sample(|fields, _| fields.ca_state = OPEN);
        let said = scene.sample(|fields, counters| (fields.ca_state, counters.dsack_undo) = (RECOVERY, 1));
        assert_spurious(&said, 1, "D-SACK");
    }

    #[test]
    fn what_stays_in_the_recovery_after_an_undo_is_not_said_to_be_kept() {
        // Without SACK an undo does not end it (`tcp_is_non_sack_preventing_reopen`).
        let mut scene = Scene::begin();
        scene.times_out();
        let said = scene.sample(|_, counters| counters.loss_undo = 1);
        assert_spurious(&said, 1, "timestamps");
        assert_eq!(scene.sample(|fields, _| fields.ca_state = OPEN), []);
    }

    #[test]
    fn the_timer_may_fire_again_for_the_same_octet() {
        let mut scene = Scene::begin();
        scene.times_out();
        scene.times_out();
        // One of two retransmissions was reported: D-SACK does not suffice.
        let said = scene.sample(|fields, counters| {
            (fields.ca_state, fields.dsack_dups, counters.loss_undo) = (OPEN, 1, 1);
        });
        assert_spurious(&said, 2, "timestamps (RFC 3522),");
    }

    #[test]
    fn a_timeout_further_on_is_another_question() {
        let mut scene = Scene::begin();
        scene.times_out();
        scene.sample(|fields, _| fields.bytes_acked += 1_448);
        scene.times_out();
        let said = scene.sample(|fields, counters| {
            (fields.ca_state, fields.dsack_dups, counters.loss_undo) = (OPEN, 1, 1);
        });
        assert_spurious(&said, 2, "timestamps (RFC 3522) or D-SACK (RFC 3708),");
    }

    #[test]
    fn a_timeout_in_a_fast_recovery_is_taken_back_with_all_of_it() {
        let mut scene = Scene::begin();
        scene.sample(|fields, _| (fields.ca_state, fields.total_retrans) = (RECOVERY, 3));
        scene.times_out();
        let said = scene.sample(|fields, counters| {
            (fields.ca_state, fields.dsack_dups, counters.loss_undo) = (OPEN, 1, 1);
        });
        assert_spurious(&said, 1, "timestamps (RFC 3522),");
    }

    #[test]
    fn nothing_is_said_of_the_handshake() {
        let mut scene = Scene::begin();
        scene.times_out();
        let mut opening = scene.fields.octets();
        // TCP_SYN_SENT.
        opening[0] = 2;
        let opening = TcpInfo::read(&opening).expect("it is whole");
        scene.fields.ca_state = OPEN;
        let events = scene
            .undo
            .note((&opening, scene.counters), (&scene.info(), scene.counters));
        assert_eq!(events, []);
    }
}
