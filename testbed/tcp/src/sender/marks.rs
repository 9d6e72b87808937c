//! What a sender does about congestion marks: RFC 3168, section 6.1.2.
//!
//! A window of data asks for one reduction, however many of its segments are marked or lost. What losses alone ask for is the
//! recovery's own business, as it is without marks; here stands what a reduction for a mark spares them.

use windlull_units::Ecn;
use windlull_wire::TransmitCause;

use crate::accurate::Known;
use crate::ranges::{Range, RangeSet};

/// Whether the connection has explicit congestion notification, and where its answers stand.
#[derive(Clone, Debug)]
pub(crate) enum Marks {
    /// It was not agreed on.
    Off,
    /// Its data may be marked.
    On {
        /// Whether what is sent again has another nonce than the original (wen2010, II.B).
        nonces: bool,
        /// The peer's count of marked packets, where it tells that instead of echoes (RFC 9768).
        known: Option<Known>,
        answer: Answer,
        scale: Scale,
        /// What was sent again and is not acknowledged: its loss is congestion of its own.
        again: RangeSet,
    },
}

/// By how much a mark reduces the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// As a loss does (RFC 3168).
    AsLoss,
    /// By the share that was marked: that spares a loss nothing (RFC 8257, section 3.5), and what is sent again is capable too.
    ByShare,
    /// The same, and data has ECT(1), for queues of low latency (RFC 9331, section 4.1). Its receiver has to count marks: one that echoes
    /// them leaves it `ByShare`.
    LowLatency,
}

/// The last reduction, and whom it was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    to: Reduction,
    /// Whether the peer is to be told of it, with the next new data (CWR).
    cwr_due: bool,
}

/// What the window was last reduced for. All that had been sent `until` then is the window of data that it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reduction {
    Never,
    ForLoss { until: u64 },
    ForMark { until: u64 },
}

impl Answer {
    /// Whether an echo on an acknowledgement of `una` asks for another reduction.
    pub(super) const fn leaves_open(self, una: u64) -> bool {
        match self.to {
            Reduction::Never => true,
            Reduction::ForLoss { until } | Reduction::ForMark { until } => una > until,
        }
    }
}

impl Marks {
    /// The handshake has agreed on it.
    pub(super) const fn negotiated(nonces: bool, scale: Scale) -> Self {
        Self::agreed(nonces, None, scale)
    }

    /// The handshake has agreed on accurate ECN.
    pub(super) const fn counted(known: Known, scale: Scale) -> Self {
        Self::agreed(false, Some(known), scale)
    }

    const fn agreed(nonces: bool, known: Option<Known>, scale: Scale) -> Self {
        Self::On {
            nonces,
            known,
            answer: Answer {
                to: Reduction::Never,
                cwr_due: false,
            },
            scale,
            again: RangeSet::new(),
        }
    }

    pub(super) const fn are_counted(&self) -> bool {
        matches!(self, Self::On { known: Some(_), .. })
    }

    /// A count came with an acknowledgement of so many packets: how many more of them were marked.
    pub(super) fn on_field(&mut self, field: u8, packets: u64) -> u64 {
        match self {
            Self::On { known: Some(known), .. } => known.on_field(field, packets),
            Self::On { known: None, .. } | Self::Off => 0,
        }
    }

    /// Whether a mark reduces the window by how much was marked.
    pub(super) const fn are_answered_by_share(&self) -> bool {
        matches!(
            self,
            Self::On {
                scale: Scale::ByShare | Scale::LowLatency,
                ..
            }
        )
    }

    pub(super) const fn are_expected(&self) -> bool {
        matches!(self, Self::On { .. })
    }

    /// Where its answers stand.
    pub(super) const fn answer(&self) -> Option<Answer> {
        match self {
            Self::Off => None,
            Self::On { answer, .. } => Some(*answer),
        }
    }

    /// Whether an echo on an acknowledgement of `una` asks for a reduction: at most one a window of data.
    pub(super) fn asks(&self, una: u64) -> bool {
        self.answer().is_some_and(|answer| answer.leaves_open(una))
    }

    /// Whether the window was last reduced for a mark, and not for a loss.
    pub(super) const fn answered_a_mark(&self) -> bool {
        matches!(self, Self::On { answer, .. } if matches!(answer.to, Reduction::ForMark { .. }))
    }

    /// Whether all below `end` belongs to a window that was reduced for a mark.
    pub(crate) const fn answered(&self, end: u64) -> bool {
        matches!(
            self,
            Self::On { answer, scale: Scale::AsLoss, .. }
                if matches!(answer.to, Reduction::ForMark { until } if end <= until)
        )
    }

    /// Whether the loss of a segment is spared a reduction: it belongs to a window that was reduced for a mark, and was not sent
    /// again since ("if any retransmitted packets are dropped, then this is interpreted as a new instance of congestion").
    pub(crate) fn spares(&self, lost: Range) -> bool {
        let again = match self {
            Self::Off => 0,
            Self::On { again, .. } => again.covered(lost),
        };
        again == 0 && self.answered(lost.right)
    }

    /// The window was reduced for a loss, when so much had been sent.
    pub(super) const fn on_loss(&mut self, max: u64) {
        self.on_reduced(Reduction::ForLoss { until: max });
    }

    /// The window was reduced for a mark.
    pub(super) const fn on_mark(&mut self, max: u64) {
        self.on_reduced(Reduction::ForMark { until: max });
    }

    const fn on_reduced(&mut self, to: Reduction) {
        if let Self::On { answer, .. } = self {
            *answer = Answer { to, cwr_due: true };
        }
    }

    /// The last reduction was taken back: nothing is answered but what was `before`, nor is there anything else to tell.
    pub(super) const fn on_restored(&mut self, before: Answer) {
        if let Self::On { answer, .. } = self {
            *answer = Answer {
                to: before.to,
                cwr_due: before.cwr_due && answer.cwr_due,
            };
        }
    }

    /// Octets were sent again.
    pub(super) fn on_sent_again(&mut self, octets: Range) {
        if let Self::On { again, .. } = self {
            again.insert(octets);
        }
    }

    /// All below `una` is acknowledged.
    #[inline]
    pub(super) fn on_acknowledged(&mut self, una: u64) {
        if let Self::On { again, .. } = self {
            again.remove_below(una);
        }
    }

    /// The codepoint of a segment with payload, and whether it carries CWR. What is sent again must not be capable, nor a window
    /// probe (sections 6.1.5 and 6.1.6): a mark on it could be forged, or would say nothing of the path's load. Only with
    /// nonces is it capable all the same, to carry its zero, and where marks are answered by their share, as all of Linux's `dctcp` is.
    pub(super) const fn on_sent(&mut self, cause: TransmitCause, again: bool) -> (Ecn, bool) {
        match self {
            Self::On {
                nonces,
                known,
                answer,
                scale,
                ..
            } if !again => {
                // Where marks are counted, the flag is a part of the count.
                let tells = std::mem::replace(&mut answer.cwr_due, false) && known.is_none();
                let codepoint = match (cause, *nonces || matches!(scale, Scale::LowLatency)) {
                    (TransmitCause::WindowProbe, _) => Ecn::NotEct,
                    (_, true) => Ecn::Ect1,
                    (_, false) => Ecn::Ect0,
                };
                (codepoint, tells)
            }
            Self::On { nonces: true, .. }
            | Self::On {
                scale: Scale::ByShare, ..
            } => (Ecn::Ect0, false),
            Self::On {
                scale: Scale::LowLatency,
                ..
            } => (Ecn::Ect1, false),
            Self::On { nonces: false, .. } | Self::Off => (Ecn::NotEct, false),
        }
    }
}
