//! Loss recovery: when a segment counts as lost, what is sent again, and what the window does meanwhile.

mod barrier;
pub(crate) mod fack;
pub(crate) mod newreno;
pub(crate) mod newreno_sack;
pub(crate) mod no_slow_start;
pub(crate) mod reno;
pub(crate) mod reno_sack;
pub(crate) mod sack;
pub(crate) mod tahoe;

use windlull_wire::TransmitCause;

use crate::ranges::Range;
use crate::registry::{RecoveryMechanism, dispatch_recovery};
use crate::sender::{Ack, View};

/// What a recovery mechanism makes of an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Nothing follows from it.
    Nothing,
    /// It is congestion control's: the window may grow.
    Grow,
    /// A segment is lost: retransmit the first one, recover until `point` is acknowledged.
    Enter { point: u64, ssthresh: u64, cwnd: u64 },
    /// A segment is lost: retransmit it and go back N in slow start, as after a timeout.
    Restart { ssthresh: u64 },
    /// The window changes and that is all.
    Resize { cwnd: u64 },
    /// Part of what was outstanding is acknowledged: retransmit the first segment that is not.
    Partial { cwnd: u64 },
    /// All that was outstanding at the loss is acknowledged.
    Leave { cwnd: u64 },
}

/// What is to be sent next during fast recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// This range again, or as much of it as a segment holds.
    Again { range: Range, cause: TransmitCause },
    /// Octets never sent before, if the peer's window allows.
    New,
}

/// One way to recover from losses. Timeouts are common to all: the sender goes back N, skipping what is SACKed.
pub(crate) trait LossRecovery {
    /// An acknowledgement arrived, and no detector holds the sender.
    fn on_ack(&mut self, view: &View<'_>, ack: &Ack) -> Decision;

    /// The retransmission timer fired: recovery is over, whatever it was.
    fn on_timeout(&mut self, view: &View<'_>);

    /// The timeout was spurious: nothing but its first segment was sent again, so that duplicate acknowledgements may
    /// count as losses at once, unless the variant keeps the recovery point as a barrier.
    fn on_spurious(&mut self, view: &View<'_>);

    /// In fast recovery: what the window has room for now.
    fn next(&mut self, view: &View<'_>) -> Option<Next>;

    /// In `Open`: whether limited transmit may send `octets` more beyond the congestion window (RFC 3042).
    fn may_exceed(&self, view: &View<'_>, octets: u64) -> bool;

    /// Octets counted as outstanding in fast recovery.
    fn outstanding(&self, view: &View<'_>) -> u64;

    /// Whether SACK blocks are of use to it.
    fn reads_sack(&self) -> bool;

    /// Whether a congestion window limits the sender, or the peer's window alone.
    fn has_congestion_window(&self) -> bool {
        true
    }
}

impl RecoveryMechanism {
    #[inline]
    pub(crate) fn on_ack(&mut self, view: &View<'_>, ack: &Ack) -> Decision {
        dispatch_recovery!(self, mechanism => mechanism.on_ack(view, ack))
    }

    pub(crate) fn on_timeout(&mut self, view: &View<'_>) {
        dispatch_recovery!(self, mechanism => mechanism.on_timeout(view));
    }

    pub(crate) fn on_spurious(&mut self, view: &View<'_>) {
        dispatch_recovery!(self, mechanism => mechanism.on_spurious(view));
    }

    #[inline]
    pub(crate) fn next(&mut self, view: &View<'_>) -> Option<Next> {
        dispatch_recovery!(self, mechanism => mechanism.next(view))
    }

    #[inline]
    pub(crate) fn may_exceed(&self, view: &View<'_>, octets: u64) -> bool {
        dispatch_recovery!(self, mechanism => mechanism.may_exceed(view, octets))
    }

    pub(crate) fn outstanding(&self, view: &View<'_>) -> u64 {
        dispatch_recovery!(self, mechanism => mechanism.outstanding(view))
    }

    pub(crate) fn reads_sack(&self) -> bool {
        dispatch_recovery!(self, mechanism => mechanism.reads_sack())
    }

    pub(crate) fn has_congestion_window(&self) -> bool {
        dispatch_recovery!(self, mechanism => mechanism.has_congestion_window())
    }
}
