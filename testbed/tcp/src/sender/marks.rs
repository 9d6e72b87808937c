//! What a sender does about congestion marks: RFC 3168, section 6.1.2.

use windlull_units::Ecn;
use windlull_wire::TransmitCause;

/// Whether the connection has explicit congestion notification, and where its answers stand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Marks {
    /// It was not agreed on.
    Off,
    /// Its data may be marked.
    On {
        /// Whether what is sent again has another nonce than the original (wen2010, II.B).
        nonces: bool,
        /// What had been sent when the window was last reduced: an echo that acknowledges no more is of the same window.
        reduced_at: Option<u64>,
        /// Whether the peer is to be told of it, with the next new data (CWR).
        cwr_due: bool,
    },
}

impl Marks {
    /// The handshake has agreed on it.
    pub(super) const fn negotiated(nonces: bool) -> Self {
        Self::On {
            nonces,
            reduced_at: None,
            cwr_due: false,
        }
    }

    /// Whether an echo on an acknowledgement of `una` asks for a reduction: at most one a window of data.
    pub(super) fn asks(&self, una: u64) -> bool {
        matches!(self, Self::On { reduced_at, .. } if reduced_at.is_none_or(|max| una > max))
    }

    /// The window was reduced, for whatever reason, when so much had been sent.
    pub(super) const fn on_reduced(&mut self, max: u64) {
        if let Self::On {
            reduced_at, cwr_due, ..
        } = self
        {
            *reduced_at = Some(max);
            *cwr_due = true;
        }
    }

    /// The codepoint of a segment with payload, and whether it carries CWR. What is sent again must not be capable, nor a window
    /// probe (sections 6.1.5 and 6.1.6): a mark on it could be forged, or would say nothing of the path's load. Only with
    /// nonces is it capable all the same, to carry its zero.
    pub(super) const fn on_sent(&mut self, cause: TransmitCause, again: bool) -> (Ecn, bool) {
        match self {
            Self::On { nonces, cwr_due, .. } if !again => {
                let tells = std::mem::replace(cwr_due, false);
                let codepoint = match (cause, *nonces) {
                    (TransmitCause::WindowProbe, _) => Ecn::NotEct,
                    (_, true) => Ecn::Ect1,
                    (_, false) => Ecn::Ect0,
                };
                (codepoint, tells)
            }
            Self::On { nonces: true, .. } => (Ecn::Ect0, false),
            Self::On { nonces: false, .. } | Self::Off => (Ecn::NotEct, false),
        }
    }
}
