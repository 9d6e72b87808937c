//! Forward RTO-recovery, the basic algorithm: sarolahti2003, section 3; RFC 5682, section 2. It needs no option. One new segment is
//! enough for it, where the window or the data end; wen2010, II.E gives up unless both can go. Where none can go, section 6 of
//! sarolahti2003 would send something else.
//!
//! In the recovery from an earlier timeout RFC 5682 does not ask (`recover` in step 1): segments were sent again, and their
//! acknowledgements would advance as if originals had arrived. That the same segment times out again changes nothing.
//!
//! ```text
//!            timer (1)                  advances, new data to send (2a)
//!   Idle ------------> AwaitingFirst ----------------------------------> AwaitingSecond
//!    ^                    |  ^  ^                                          |        |
//!    |   duplicate (2b),  |  |  |  timer (1), by sarolahti2003             |        | advances (3a): spurious
//!    +-- whole window,   -+  |  +------------------------------------------+        | duplicate (3b): genuine
//!    |   nothing new         +-- timer again for the same segment          |        |
//!    |                                                                     |        |
//!    +------------------- timer (1), by RFC 5682: conventional ------------+        |
//!    +------------------------------------------------------------------------------+
//! ```

use windlull_wire::DetectorAnswer;

use crate::registry::FrtoTimeouts;
use crate::sender::{Ack, Mode, Setback, View};

use super::{Detector, Expiry, Finding, Stance, Step, Substitute};

/// Step 2a: new segments that the first acknowledgement releases.
const PROBES: u32 = 2;

/// Which acknowledgement it waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaiting {
    Idle,
    First,
    Second,
}

/// Where it stands, and with how few new segments it goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frto {
    awaiting: Awaiting,
    fewest: u32,
    /// What it sends where nothing new can be sent.
    substitute: Option<Substitute>,
    timeouts: FrtoTimeouts,
    /// RFC 5682's `recover`: what had been sent when the last recovery's first acknowledgement came.
    recover: u64,
}

impl Frto {
    pub(crate) const fn new(timeouts: FrtoTimeouts) -> Self {
        Self {
            awaiting: Awaiting::Idle,
            fewest: 1,
            substitute: None,
            timeouts,
            recover: 0,
        }
    }

    /// wen2010, II.E: both new segments or none.
    pub(crate) const fn with_both(timeouts: FrtoTimeouts) -> Self {
        Self {
            fewest: PROBES,
            ..Self::new(timeouts)
        }
    }

    /// sarolahti2003, section 6: it sends something else where nothing new can be sent.
    pub(crate) const fn with(substitute: Substitute, timeouts: FrtoTimeouts) -> Self {
        Self {
            substitute: Some(substitute),
            ..Self::new(timeouts)
        }
    }

    /// What it can send though nothing new may be sent, and by which rule.
    const fn possible(&self, view: &View) -> Option<(Substitute, &'static str)> {
        match self.substitute {
            Some(Substitute::Tail) => Some((
                Substitute::Tail,
                "F-RTO (section 6): first ACK advances SND.UNA but nothing new can be sent, send the last segment again",
            )),
            Some(Substitute::BeyondWindow) if view.stream.written > view.stream.max => Some((
                Substitute::BeyondWindow,
                "F-RTO (section 6): first ACK advances SND.UNA but the window is full, send an octet beyond it",
            )),
            _ => None,
        }
    }

    /// RFC 5682, section 2.1, step 1: the sender recovers from a timeout already, and `recover` is not acknowledged.
    const fn is_recovering(&self, view: &View) -> bool {
        let after_timeout = matches!(
            view.mode,
            Mode::Detecting { .. }
                | Mode::GoingBack {
                    after: Setback::Timeout,
                    ..
                }
        );
        after_timeout && self.recover > view.stream.una
    }

    fn on_first(&mut self, view: &View, ack: &Ack) -> Step<Finding> {
        self.recover = view.stream.max;
        if ack.advanced == 0 {
            self.awaiting = Awaiting::Idle;
            return Step::by(
                "F-RTO 2b: first ACK is a duplicate, go back N from one segment",
                Finding::GoBack {
                    segments: 1,
                    answer: DetectorAnswer::Genuine,
                },
            );
        }
        let undecided = Finding::GoBack {
            segments: 1,
            answer: DetectorAnswer::Undecided,
        };
        // The last paragraphs of section 3: then the timeout usually followed a lost retransmission.
        if !view.stream.is_outstanding() {
            self.awaiting = Awaiting::Idle;
            return Step::by(
                "F-RTO 2a: first ACK covers the whole window, cannot tell, slow start",
                undecided,
            );
        }
        let (rule, segments) = match view.stream.count_unsent(PROBES) {
            0 => {
                if let Some((substitute, rule)) = self.possible(view) {
                    self.awaiting = Awaiting::Second;
                    return Step::by(rule, Finding::ProbeWith(substitute));
                }
                self.awaiting = Awaiting::Idle;
                return Step::by(
                    "F-RTO 2a: first ACK advances SND.UNA but nothing new can be sent, go back N",
                    undecided,
                );
            }
            count if count < self.fewest => {
                self.awaiting = Awaiting::Idle;
                return Step::by(
                    "F-RTO (wen2010): first ACK advances SND.UNA but two new segments cannot be sent, go back N",
                    undecided,
                );
            }
            1 => (
                "F-RTO 2a: first ACK advances SND.UNA, send the one new segment there is",
                1,
            ),
            _ => ("F-RTO 2a: first ACK advances SND.UNA, send two new segments", PROBES),
        };
        self.awaiting = Awaiting::Second;
        Step::by(rule, Finding::Probe { segments })
    }

    fn on_second(&mut self, ack: &Ack) -> Step<Finding> {
        self.awaiting = Awaiting::Idle;
        if ack.advanced > 0 {
            // The recovery is over.
            self.recover = 0;
            Step::by(
                "F-RTO 3a: second ACK advances SND.UNA, the timeout was spurious",
                Finding::Spurious,
            )
        } else {
            Step::by(
                "F-RTO 3b: second ACK is a duplicate, go back N from three segments",
                Finding::GoBack {
                    segments: 3,
                    answer: DetectorAnswer::Genuine,
                },
            )
        }
    }
}

impl Detector for Frto {
    fn on_timeout(&mut self, view: &View, _: &Expiry) -> Step<Stance> {
        if self.timeouts == FrtoTimeouts::Rfc5682 && self.is_recovering(view) {
            self.awaiting = Awaiting::Idle;
            self.recover = view.stream.max;
            return Step::by(
                "F-RTO 1: timeout in the recovery from an earlier one, conventional recovery",
                Stance::GoBack,
            );
        }
        self.awaiting = Awaiting::First;
        Step::by(
            "F-RTO 1: timeout, retransmit the first segment and wait for two ACKs",
            Stance::Hold,
        )
    }

    fn on_ack(&mut self, view: &View, ack: &Ack) -> Step<Finding> {
        // What neither advances nor is a duplicate (a window update) says nothing.
        if ack.advanced == 0 && !ack.duplicate {
            return Step::silent(Finding::Nothing);
        }
        match self.awaiting {
            Awaiting::Idle => Step::silent(Finding::Nothing),
            Awaiting::First => self.on_first(view, ack),
            Awaiting::Second => self.on_second(ack),
        }
    }

    fn is_asking(&self) -> bool {
        self.awaiting != Awaiting::Idle
    }

    fn reads_sack(&self) -> bool {
        false
    }
}
