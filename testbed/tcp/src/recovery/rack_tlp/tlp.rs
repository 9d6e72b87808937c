//! The tail loss probe: RFC 8985, section 7.
//!
//! ```text
//!         new data sent, or acknowledged                  burst is out          PTO, no probe in flight
//!   Off ----------------------------------> ToSchedule ------------> Running ------------------------> Probing
//!    ^                                                                  |                                 |
//!    +------------ recovery, something SACKed, nothing outstanding -----+         the probe is sent       |
//!    +----------------------------------------------------------------------------------------------------+
//! ```

use windlull_units::{Span, Time};

use crate::recovery::Transmission;
use crate::sender::Ack;
use crate::timer::SendTimer;

use super::log::Log;

/// `TLP.max_ack_delay` (section 5.3): what a receiver may take to acknowledge a segment that comes alone. The RFC gives no
/// number; receivers wait 200 ms (psaras2007, table 1).
const MAX_ACK_DELAY: Span = Span::from_ms(200);
/// Section 7.2: the PTO before any measurement.
const UNMEASURED: Span = Span::from_secs(1);

/// The probe timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timer {
    Off,
    /// To be set once everything that may be sent now is.
    ToSchedule,
    Running {
        due: Time,
    },
    /// It fired: the next segment is the probe.
    Probing,
}

/// A probe in flight.
#[derive(Clone, Copy, Debug)]
struct Episode {
    /// `TLP.end_seq`: what had been sent then.
    end: u64,
    /// `TLP.is_retrans`.
    again: bool,
    /// Octets that were outstanding.
    flight: u64,
}

/// A probe that has repaired a loss.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repaired {
    /// Where the segment ends that was lost.
    pub(super) end: u64,
    /// Octets that were outstanding when it was sent.
    pub(super) flight: u64,
}

/// TLP's variables (section 5.3).
#[derive(Clone, Copy, Debug)]
pub(super) struct Tlp {
    timer: Timer,
    episode: Option<Episode>,
    /// When the last probe was sent.
    probed: Option<Time>,
}

impl Tlp {
    pub(super) const fn new() -> Self {
        Self {
            timer: Timer::Off,
            episode: None,
            probed: None,
        }
    }

    /// Section 7.1: a recovery begins.
    pub(super) const fn reset(&mut self) {
        self.timer = Timer::Off;
        self.episode = None;
    }

    pub(super) const fn due(&self) -> Option<Time> {
        match self.timer {
            Timer::Running { due } => Some(due),
            Timer::Off | Timer::ToSchedule | Timer::Probing => None,
        }
    }

    /// Sections 7.2 and 7.3, for a segment that `log` has taken in.
    pub(super) fn on_sent(&mut self, sent: &Transmission, log: &Log) {
        if self.timer == Timer::Probing {
            self.timer = Timer::Off;
            self.probed = Some(sent.now);
            self.episode = log.tail().map(|tail| Episode {
                end: tail.right,
                again: sent.again,
                flight: log.pipe(),
            });
        } else if !sent.again {
            self.timer = Timer::ToSchedule;
        }
    }

    /// Section 7.4.2: the probe that has repaired a loss, if this acknowledgement says so.
    pub(super) fn on_ack(&mut self, una: u64, ack: &Ack) -> Option<Repaired> {
        if ack.advanced > 0 {
            self.timer = Timer::ToSchedule;
        }
        let episode = self.episode.filter(|episode| una >= episode.end)?;
        let arrived_twice = ack.reported.is_some_and(|reported| reported.right == episode.end);
        if !episode.again || arrived_twice || ack.repeats {
            self.episode = None;
            return None;
        }
        if una == episode.end {
            // Whether the original arrived or the probe, a duplicate will tell, or more that is acknowledged without one.
            return None;
        }
        self.episode = None;
        Some(Repaired {
            end: episode.end,
            flight: episode.flight,
        })
    }

    /// Section 7.3: the timer fired; tells whether a probe is to be sent. If not, the retransmission timer is what remains.
    pub(super) fn expires(&mut self, now: Time, timer: &SendTimer) -> bool {
        if self.due().is_none_or(|due| due > now) {
            return false;
        }
        let measured_since = self.probed.is_none_or(|probed| timer.measured_at() > Some(probed));
        let sends = self.episode.is_none() && measured_since;
        self.timer = if sends { Timer::Probing } else { Timer::Off };
        sends
    }

    /// Section 7.2: nothing more is sent now.
    pub(super) fn settle(&mut self, log: &Log, timer: &SendTimer, now: Time, may_probe: bool) {
        if !may_probe || log.len() == 0 {
            self.timer = Timer::Off;
        } else if self.timer == Timer::ToSchedule {
            let timeout = timer.measured().map_or(UNMEASURED, |measured| {
                let alone = if log.len() == 1 { MAX_ACK_DELAY } else { Span::ZERO };
                measured.srtt.saturating_mul(2) + alone
            });
            let due = now + timeout;
            self.timer = Timer::Running {
                due: timer.due().map_or(due, |retransmission| due.min(retransmission)),
            };
        }
    }
}
