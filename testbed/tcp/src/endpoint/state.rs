//! The connection's state (RFC 9293, section 3.3.2).

use windlull_units::{Ecn, Time};
use windlull_wire::Segment;

use crate::accurate::Offered;

/// RFC 9293, section 3.7.1: what a peer takes that does not say.
const DEFAULT_MSS: u16 = 536;

/// Where a connection stands, as RFC 9293 names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConnectionState {
    /// No connection.
    Closed,
    /// Waiting for a SYN.
    Listen,
    /// SYN sent.
    SynSent,
    /// SYN received and answered.
    SynReceived,
    /// Data flows.
    Established,
    /// FIN sent.
    FinWait1,
    /// FIN sent and acknowledged.
    FinWait2,
    /// The peer's FIN received.
    CloseWait,
    /// Both FINs under way, the peer's received.
    Closing,
    /// FIN sent after the peer's.
    LastAck,
    /// Both FINs acknowledged; waiting for what may still be in the network.
    TimeWait,
}

/// Why a connection is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CloseReason {
    /// It was never opened.
    Unused,
    /// Both sides closed it in order.
    Finished,
    /// The peer reset it.
    Reset,
    /// The application aborted it.
    Aborted,
    /// Nothing came back any more (RFC 9293, section 3.8.3, R2).
    TimedOut,
}

/// The state with what belongs to it.
///
/// ```text
///              listen                 connect: send SYN
///   Closed ------------> Listen    Closed ---------------> SynSent
///                          | SYN: send SYN-ACK               |   | SYN alone: send SYN-ACK (simultaneous open)
///                          v                                 |   v
///                      SynReceived <-------------------------|---+
///                          | ACK of SYN                      | SYN-ACK
///                          +------------> Established <------+
///              FIN sent    |                    |    FIN received
///        +-----------------+                    +-------------------+
///        v                                                          v
///     FinWait1 --- ACK of FIN ---> FinWait2                     CloseWait
///        | FIN received               | FIN received                | FIN sent
///        v                            v                             v
///     Closing ---- ACK of FIN ----> TimeWait -- 2 MSL --> Closed  LastAck -- ACK of FIN --> Closed
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Closed(CloseReason),
    Listen,
    /// A SYN, or in `SynReceived` a SYN-ACK, is to be sent if `send`; `repeated` once it was sent again.
    SynSent(Handshake),
    SynReceived(Handshake),
    Established,
    FinWait1,
    FinWait2,
    CloseWait,
    Closing,
    LastAck,
    TimeWait {
        until: Time,
    },
}

/// The handshake's own segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handshake {
    /// Whether it is to be sent now.
    pub(super) due: bool,
    /// Whether it had to be sent again.
    pub(super) repeated: bool,
}

impl Handshake {
    pub(super) const START: Self = Self {
        due: true,
        repeated: false,
    };
}

impl State {
    pub(super) const fn public(self) -> ConnectionState {
        match self {
            Self::Closed(_) => ConnectionState::Closed,
            Self::Listen => ConnectionState::Listen,
            Self::SynSent(_) => ConnectionState::SynSent,
            Self::SynReceived(_) => ConnectionState::SynReceived,
            Self::Established => ConnectionState::Established,
            Self::FinWait1 => ConnectionState::FinWait1,
            Self::FinWait2 => ConnectionState::FinWait2,
            Self::CloseWait => ConnectionState::CloseWait,
            Self::Closing => ConnectionState::Closing,
            Self::LastAck => ConnectionState::LastAck,
            Self::TimeWait { .. } => ConnectionState::TimeWait,
        }
    }

    /// Whether data and FIN may be on their way out.
    pub(super) const fn sends(self) -> bool {
        matches!(
            self,
            Self::Established | Self::FinWait1 | Self::CloseWait | Self::Closing | Self::LastAck
        )
    }

    /// Whether the peer's data is still taken.
    pub(super) const fn receives(self) -> bool {
        matches!(self, Self::Established | Self::FinWait1 | Self::FinWait2)
    }
}

/// What both ends agreed on.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Negotiated {
    pub(super) timestamps: bool,
    pub(super) sack: bool,
    /// The shift of the peer's window fields.
    pub(super) peer_shift: u8,
}

/// What the peer's SYN offered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    pub(super) mss: u16,
    pub(super) window_scale: Option<u8>,
    pub(super) sack: bool,
    pub(super) ecn: Offered,
    /// Of the SYN itself.
    pub(super) codepoint: Ecn,
    pub(super) stamp: Option<u32>,
    pub(super) window: u16,
}

impl Offer {
    /// `asked` tells whether our SYN, if it answers one, asks for accurate ECN.
    pub(super) fn of(syn: &Segment, asked: bool) -> Self {
        Self {
            mss: syn.options.mss.unwrap_or(DEFAULT_MSS),
            window_scale: syn.options.window_scale,
            sack: syn.options.sack_permitted,
            ecn: Offered::by(syn.flags, asked),
            codepoint: syn.ecn,
            stamp: syn.options.timestamps.map(|timestamps| timestamps.value),
            window: syn.window,
        }
    }
}
