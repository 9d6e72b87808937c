//! What a recovery mechanism is told, and what it says.

use ambassador::delegatable_trait;
use windlull_units::{Span, Time};
use windlull_wire::TransmitCause;

use crate::ranges::Range;
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
    /// A loss is repaired already: the window is reduced to the threshold as by a recovery, and nothing is sent again.
    Reduce { ssthresh: u64 },
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

/// How long segments took that were sent once and that an acknowledgement tells of.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trips {
    /// The first and the last one acknowledged cumulatively that was not SACKed before.
    pub(crate) acknowledged: Option<(Span, Span)>,
    /// The first and the last one newly SACKed.
    pub(crate) selected: Option<(Span, Span)>,
    /// Whether anything is acknowledged that was sent again.
    pub(crate) ambiguous: bool,
}

/// A segment that was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transmission {
    pub(crate) now: Time,
    /// What it takes of the stream, FIN included.
    pub(crate) octets: Range,
    /// Whether it had been sent before.
    pub(crate) again: bool,
}

/// What a mechanism makes of a timer of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expired {
    Nothing,
    /// One segment goes out beside the window: of new data, or else `tail` again. The retransmission timer starts anew.
    Probe {
        tail: Range,
    },
    /// The same as on an acknowledgement.
    Decided(Decision),
}

/// One way to recover from losses. Timeouts are common to all: the sender goes back in slow start, mostly over all that is
/// not SACKed.
#[delegatable_trait]
pub(crate) trait LossRecovery {
    /// The round trips that the acknowledgement at hand told; `None` where times of segments are not kept.
    fn trips(&self) -> Option<Trips> {
        None
    }

    /// How long ago the first segment outstanding was sent last, where that is kept.
    fn first_sent(&self) -> Option<Time> {
        None
    }

    /// Whether anything that was sent again may still be on its way.
    fn has_resent_outstanding(&self) -> bool {
        true
    }

    /// Whether the threshold of its recoveries holds for timeouts in them as well.
    fn has_reduced_for_timeouts(&self) -> bool {
        false
    }

    /// The handshake took so long, and nothing of it was sent again.
    fn on_handshake(&mut self, _trip: Span) {}

    /// What was sent again had only been overtaken.
    fn on_reordered(&mut self) {}

    /// A segment goes out.
    fn on_sent(&mut self, _sent: &Transmission) {}

    /// An acknowledgement arrived, whoever decides what follows from it.
    fn on_news(&mut self, _view: &View, _ack: &Ack) {}

    /// An acknowledgement arrived, and no detector holds the sender.
    fn on_ack(&mut self, view: &View, ack: &Ack) -> Decision;

    /// The retransmission timer fired: recovery is over, whatever it was.
    fn on_timeout(&mut self, view: &View, now: Time);

    /// The timeout was spurious: nothing but its first segment was sent again, so that duplicate acknowledgements may
    /// count as losses at once, unless the variant keeps the recovery point as a barrier.
    fn on_spurious(&mut self, view: &View);

    /// Recovery of whichever kind is over.
    fn on_open(&mut self, _view: &View) -> Decision {
        Decision::Nothing
    }

    /// In fast recovery: what the window has room for now.
    fn next(&mut self, view: &View) -> Option<Next>;

    /// What the fast retransmit sends: the first segment unacknowledged (RFC 5681, section 3.2, step 2).
    fn first_lost(&self, view: &View) -> Option<Range> {
        view.scoreboard.hole(view.stream.una, view.stream.max)
    }

    /// Tells each range that is lost and was not sent again, if it knows by more than a threshold's count.
    fn each_lost(&self, _tell: &mut dyn FnMut(Range)) {}

    /// While going back: what is to be sent again next.
    fn next_going_back(&self, view: &View) -> Option<Range> {
        view.scoreboard.hole(view.stream.nxt, view.stream.max)
    }

    /// In `Open`: whether limited transmit may send `octets` more beyond the congestion window (RFC 3042).
    fn may_exceed(&self, view: &View, octets: u64) -> bool;

    /// In fast recovery: the window that it would leave if it ended now. Mostly the threshold, above which it inflates.
    fn window_left(&self, view: &View) -> u64 {
        view.congestion.cwnd.min(view.congestion.ssthresh)
    }

    /// Octets counted as outstanding in fast recovery.
    fn outstanding(&self, view: &View) -> u64;

    /// Octets counted as outstanding while going back: sent since and not SACKed, for all else is taken for lost. The mark is
    /// `SND.NXT`.
    fn outstanding_going_back(&self, view: &View) -> u64 {
        view.scoreboard.unsacked_below_mark(view.stream.una)
    }

    /// When a timer of its own fires.
    fn due(&self) -> Option<Time> {
        None
    }

    /// It did.
    fn on_timer(&mut self, _view: &View, _now: Time) -> Expired {
        Expired::Nothing
    }

    /// Nothing more can be sent at `now`.
    fn settle(&mut self, _view: &View, _now: Time) {}

    /// Whether SACK blocks are of use to it.
    fn reads_sack(&self) -> bool;

    /// Whether a congestion window limits the sender, or the peer's window alone.
    fn has_congestion_window(&self) -> bool {
        true
    }
}
