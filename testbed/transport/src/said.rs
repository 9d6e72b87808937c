//! What a transport says of itself: the events of qlog (draft-ietf-quic-qlog-quic-events) that are of use here, in types.

use serde::{Deserialize, Deserializer, Serialize};
use windlull_units::Span;

windlull_units::named! {
    /// A packet number space (RFC 9000, section 12.3).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum Space {
        Initial = "initial",
        Handshake = "handshake",
        /// Of application data: 0-RTT and 1-RTT packets.
        Data = "application_data",
    }
}

/// Packets from the first to the last of these numbers, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AckRange {
    pub first: u64,
    pub last: u64,
}

/// What a packet holds, as far as it matters for recovery; everything else is its name alone (RFC 9000, section 19).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    Other(#[serde(deserialize_with = "frame_name")] FrameName),
}

/// Frames that say nothing of recovery, and their types (RFC 9000, section 19; RFC 9221, section 4;
/// draft-ietf-quic-ack-frequency, sections 4 and 5).
pub(crate) const OTHERS: [(&str, u64); 18] = [
    ("reset_stream", 0x04),
    ("stop_sending", 0x05),
    ("new_token", 0x07),
    ("max_data", 0x10),
    ("max_stream_data", 0x11),
    ("max_streams", 0x12),
    ("data_blocked", 0x14),
    ("stream_data_blocked", 0x15),
    ("streams_blocked", 0x16),
    ("new_connection_id", 0x18),
    ("retire_connection_id", 0x19),
    ("path_challenge", 0x1a),
    ("path_response", 0x1b),
    ("handshake_done", 0x1e),
    ("immediate_ack", 0x1f),
    ("datagram", 0x30),
    ("reset_stream_at", 0x24),
    ("ack_frequency", 0xaf),
];

/// The name of a frame of which this holds, or `other`.
pub(crate) fn other_frame(is_it: impl Fn(&str, u64) -> bool) -> &'static str {
    let known = OTHERS.iter().find(|&&(name, kind)| is_it(name, kind));
    known.map_or("other", |&(name, _)| name)
}

/// A type of its own for serde, which would otherwise borrow it from what it reads.
type FrameName = &'static str;

/// A name that was written is one that there is.
fn frame_name<'de, D: Deserializer<'de>>(reader: D) -> Result<FrameName, D::Error> {
    let name = String::deserialize(reader)?;
    Ok(other_frame(|known, _| known == name))
}

impl Frame {
    /// Whether a packet with this frame asks to be acknowledged (RFC 9002, section 2).
    pub const fn is_ack_eliciting(&self) -> bool {
        !matches!(self, Self::Padding | Self::Ack { .. } | Self::ConnectionClose { .. })
    }
}

/// A packet was made; the datagram that holds it follows, with no other packet but those told before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PacketSent {
    pub space: Space,
    pub number: u64,
    /// Octets that it takes of its datagram, if it is known.
    pub length: Option<u16>,
    pub frames: Vec<Frame>,
}

/// A packet was decrypted and taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PacketReceived {
    pub space: Space,
    pub number: u64,
    pub length: Option<u16>,
    pub frames: Vec<Frame>,
}

windlull_units::named! {
    /// Why a packet was declared lost, as the stack says (RFC 9002, section 6).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PacketLost {
    pub space: Space,
    pub number: u64,
    /// If the stack says it.
    pub trigger: Option<LossTrigger>,
    /// Whether it probed for a larger packet size: its loss says nothing of congestion, and nothing is sent again.
    pub is_mtu_probe: bool,
}

/// The variables of recovery that changed; what is `None` is as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum CongestionState {
        SlowStart = "slow_start",
        CongestionAvoidance = "congestion_avoidance",
        ApplicationLimited = "application_limited",
        Recovery = "recovery",
    }
}

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
