//! What a transport says of itself: the events of qlog (draft-ietf-quic-qlog-quic-events) that are of use here, in types.

use windlull_units::Span;

windlull_units::named! {
    /// A packet number space (RFC 9000, section 12.3).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Space {
        Initial = "initial",
        Handshake = "handshake",
        /// Of application data: 0-RTT and 1-RTT packets.
        Data = "application_data",
    }
}

/// Packets from the first to the last of these numbers, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckRange {
    pub first: u64,
    pub last: u64,
}

/// What a packet holds, as far as it matters for recovery; everything else is its name alone (RFC 9000, section 19).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    Padding,
    Ping,
    /// Which packets it acknowledges, the highest range first.
    Ack {
        ranges: Vec<AckRange>,
        /// The delay as it stands in the frame: microseconds, shifted by the sender's `ack_delay_exponent`.
        delay_encoded: u64,
    },
    Crypto {
        offset: u64,
        length: u64,
    },
    Stream {
        id: u64,
        offset: u64,
        length: u64,
        ends: bool,
    },
    /// An error code, and whether it is the application's.
    ConnectionClose {
        is_application: bool,
        code: u64,
    },
    /// By its name in qlog, as in `max_data`.
    Other(&'static str),
}

impl Frame {
    /// Whether a packet with this frame asks to be acknowledged (RFC 9002, section 2).
    pub const fn is_ack_eliciting(&self) -> bool {
        !matches!(self, Self::Padding | Self::Ack { .. } | Self::ConnectionClose { .. })
    }
}

/// A packet was made; the datagram that holds it follows, with no other packet but those told before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketSent {
    pub space: Space,
    pub number: u64,
    /// Octets that it takes of its datagram, if it is known.
    pub length: Option<u16>,
    pub frames: Vec<Frame>,
}

/// A packet was decrypted and taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacketReceived {
    pub space: Space,
    pub number: u64,
    pub length: Option<u16>,
    pub frames: Vec<Frame>,
}

windlull_units::named! {
    /// Why a packet was declared lost, as the stack says (RFC 9002, section 6).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum LossTrigger {
        /// Enough packets after it were acknowledged (section 6.1.1).
        PacketThreshold = "reordering_threshold",
        /// It was sent long enough before one that was acknowledged (section 6.1.2).
        TimeThreshold = "time_threshold",
        /// A probe timeout took it for lost.
        ProbeTimeout = "pto_expired",
    }
}

/// A packet was declared lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketLost {
    pub space: Space,
    pub number: u64,
    /// If the stack says it.
    pub trigger: Option<LossTrigger>,
    /// Whether it probed for a larger packet size: its loss says nothing of congestion, and nothing is sent again.
    pub is_mtu_probe: bool,
}

/// The variables of recovery that changed; what is `None` is as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Metrics {
    /// Octets.
    pub congestion_window: Option<u64>,
    /// Octets.
    pub ssthresh: Option<u64>,
    /// Octets.
    pub bytes_in_flight: Option<u64>,
    pub smoothed_rtt: Option<Span>,
    pub latest_rtt: Option<Span>,
    pub min_rtt: Option<Span>,
    pub rtt_variance: Option<Span>,
    /// Probe timeouts since the last acknowledgement.
    pub pto_count: Option<u32>,
    /// Bits per second.
    pub pacing_rate: Option<u64>,
}

windlull_units::named! {
    /// Where congestion control stands (RFC 9002, section 7.3).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum CongestionState {
        SlowStart = "slow_start",
        CongestionAvoidance = "congestion_avoidance",
        ApplicationLimited = "application_limited",
        Recovery = "recovery",
    }
}

/// One event.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    PacketSent(PacketSent),
    PacketReceived(PacketReceived),
    PacketLost(PacketLost),
    Metrics(Metrics),
    /// The probe timeout fired (RFC 9002, section 6.2).
    ProbeTimeout {
        /// If the stack says it.
        space: Option<Space>,
    },
    CongestionState(CongestionState),
    /// The stack found that losses which it had declared were none, and restored what it had taken from its window.
    SpuriousLoss,
    /// Anything else that qlog names, as its event's name and data stand there.
    Other {
        name: String,
        data: serde_json::Value,
    },
}
