//! `struct tcp_info` of linux/tcp.h, of which newer kernels have more than older ones.

use windlull_link::SenderView;
use windlull_units::Span;
use windlull_wire::{Phase, SenderEvent, SenderState};

/// `TCP_INFINITE_SSTHRESH`: it was never set.
const NO_SSTHRESH: u32 = 0x7FFF_FFFF;
/// `TCPI_OPT_TIMESTAMPS`: both ends send timestamps.
const TIMESTAMPS: u8 = 1;

/// What a kernel says of a connection. Fields that the kernel does not have are `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TcpInfo {
    pub(super) state: ConnectionState,
    congestion: CongestionState,
    pub(super) backoff: u32,
    /// Whether segments carry timestamps (RFC 7323).
    pub(super) timestamps: bool,
    pub(super) rto: Span,
    mss: u32,
    unacked: u32,
    sacked: u32,
    lost: u32,
    retrans: u32,
    srtt: Span,
    rttvar: Span,
    ssthresh: u32,
    cwnd: u32,
    /// Segments that were sent again, from the start.
    pub(super) retransmitted: u32,
    bytes_acked: u64,
    bytes_sent: Option<u64>,
    bytes_retrans: Option<u64>,
    /// Segments that D-SACK blocks reported to have arrived twice, from the start (Linux 4.19).
    pub(super) reported_twice: Option<u32>,
    /// How often the retransmission timer fired, from the start (Linux 6.6).
    pub(super) total_rto: Option<u32>,
    /// For how long it was limited (Linux 4.10).
    pub(super) limited: Option<LimitedFor>,
}

/// The kernel's own account (`tcp_chrono`) of the time since the connection began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LimitedFor {
    /// Data was waiting to be sent or acknowledged; zero before there was any.
    pub(super) busy: Span,
    receive_window: Span,
    send_buffer: Span,
}

impl From<LimitedFor> for SenderEvent {
    fn from(limited: LimitedFor) -> Self {
        Self::LimitedFor {
            busy: limited.busy,
            receive_window: limited.receive_window,
            send_buffer: limited.send_buffer,
        }
    }
}

/// States of a connection (linux/tcp_states.h) that matter to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectionState {
    /// SYN-SENT and SYN-RECEIVED.
    Opening,
    /// ESTABLISHED and CLOSE-WAIT.
    Open,
    /// FIN-WAIT-1, CLOSING and LAST-ACK: our FIN is not acknowledged.
    Closing,
    /// FIN-WAIT-2, TIME-WAIT and CLOSED: it is, or there is no connection.
    Closed,
}

/// `enum tcp_ca_state` of linux/tcp.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CongestionState {
    /// Open, Disorder and CWR: nothing is being recovered.
    Calm,
    /// Fast recovery.
    Recovery,
    /// After a timeout.
    Loss,
}

impl TcpInfo {
    /// Reads the structure; `None` if it is shorter than any kernel's since Linux 4.6.
    pub(super) fn read(octets: &[u8]) -> Option<Self> {
        let fields = Fields(octets);
        Some(Self {
            state: match fields.octet(0)? {
                1 | 8 => ConnectionState::Open,
                2 | 3 | 12 => ConnectionState::Opening,
                4 | 9 | 11 => ConnectionState::Closing,
                _ => ConnectionState::Closed,
            },
            congestion: match fields.octet(1)? {
                3 => CongestionState::Recovery,
                4 => CongestionState::Loss,
                _ => CongestionState::Calm,
            },
            backoff: u32::from(fields.octet(4)?),
            timestamps: fields.octet(5)? & TIMESTAMPS != 0,
            rto: fields.microseconds(8)?,
            mss: fields.word(16)?,
            unacked: fields.word(24)?,
            sacked: fields.word(28)?,
            lost: fields.word(32)?,
            retrans: fields.word(36)?,
            srtt: fields.microseconds(68)?,
            rttvar: fields.microseconds(72)?,
            ssthresh: fields.word(76)?,
            cwnd: fields.word(80)?,
            retransmitted: fields.word(100)?,
            bytes_acked: fields.long(120)?,
            bytes_sent: fields.long(200),
            bytes_retrans: fields.long(208),
            reported_twice: fields.word(216),
            total_rto: fields.half(240).map(u32::from),
            limited: fields.limited(168),
        })
    }

    /// With the timeouts that the connection's namespace counted since it had none, where the kernel does not count those of
    /// a connection. Both count SYNs and SYN-ACKs that were sent again, too.
    pub(super) fn or_timeouts_counted(self, timeouts: u64) -> Self {
        let counted = u32::try_from(timeouts).unwrap_or(u32::MAX);
        Self {
            total_rto: self.total_rto.or(Some(counted)),
            ..self
        }
    }

    /// The sender's variables.
    pub(super) fn sender_state(&self) -> SenderState {
        let octets = |segments: u32| u64::from(segments) * u64::from(self.mss);
        let sampled = |span: Span| (!self.srtt.is_zero()).then_some(span);
        SenderState {
            cwnd_bytes: octets(self.cwnd),
            ssthresh_bytes: (self.ssthresh < NO_SSTHRESH).then(|| octets(self.ssthresh)),
            // `tcp_packets_in_flight`: what left the network by SACK or by loss is not in it.
            flight_bytes: octets((self.unacked + self.retrans).saturating_sub(self.sacked + self.lost)),
            srtt: sampled(self.srtt),
            rttvar: sampled(self.rttvar),
            rto: self.rto,
            estimated_rto: None,
            minimum_rto: None,
            backoff: self.backoff,
            phase: match self.congestion {
                CongestionState::Recovery => Phase::FastRecovery,
                // That F-RTO still asks is not told.
                CongestionState::Loss => Phase::TimeoutRecovery,
                CongestionState::Calm if self.cwnd < self.ssthresh => Phase::SlowStart,
                CongestionState::Calm => Phase::CongestionAvoidance,
            },
        }
    }

    /// What triggers look at; `None` from a kernel that does not tell what it has sent (before Linux 4.19).
    pub(super) fn sender_view(&self) -> Option<SenderView> {
        Some(SenderView {
            cwnd: u64::from(self.cwnd) * u64::from(self.mss),
            segment: u64::from(self.mss),
            rto: self.rto,
            is_recovering: self.in_fast_recovery(),
            una: self.una(),
            max: self.max()?,
        })
    }

    /// Stream offset of the first unacknowledged octet. The kernel counts the SYN too.
    pub(super) const fn una(&self) -> u64 {
        self.bytes_acked.saturating_sub(1)
    }

    /// Stream offset behind the highest octet sent, if the kernel tells (Linux 4.19).
    pub(super) fn max(&self) -> Option<u64> {
        Some(self.bytes_sent?.saturating_sub(self.bytes_retrans?))
    }

    /// Whether the recovery after a timeout goes on.
    pub(super) fn in_loss(&self) -> bool {
        self.congestion == CongestionState::Loss
    }

    /// Whether a fast recovery goes on.
    pub(super) fn in_fast_recovery(&self) -> bool {
        self.congestion == CongestionState::Recovery
    }

    /// Whether anything is being recovered.
    pub(super) fn in_recovery(&self) -> bool {
        self.congestion != CongestionState::Calm
    }
}

/// Fields by their place, in the machine's byte order.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn octet(&self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    fn half(&self, at: usize) -> Option<u16> {
        Some(u16::from_ne_bytes(self.0.get(at..at + 2)?.try_into().ok()?))
    }

    fn word(&self, at: usize) -> Option<u32> {
        Some(u32::from_ne_bytes(self.0.get(at..at + 4)?.try_into().ok()?))
    }

    fn long(&self, at: usize) -> Option<u64> {
        Some(u64::from_ne_bytes(self.0.get(at..at + 8)?.try_into().ok()?))
    }

    /// Three times of 64 bits, microseconds.
    fn limited(&self, at: usize) -> Option<LimitedFor> {
        let microseconds = |at| self.long(at).map(Span::from_us);
        Some(LimitedFor {
            busy: microseconds(at)?,
            receive_window: microseconds(at + 8)?,
            send_buffer: microseconds(at + 16)?,
        })
    }

    fn microseconds(&self, at: usize) -> Option<Span> {
        self.word(at).map(|us| Span::from_us(us.into()))
    }
}

/// A kernel's structure for tests, field by field.
#[cfg(test)]
pub(super) mod structure {
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Fields {
        pub(crate) ca_state: u8,
        pub(crate) backoff: u8,
        pub(crate) options: u8,
        pub(crate) rto_us: u32,
        pub(crate) cwnd: u32,
        pub(crate) ssthresh: u32,
        pub(crate) total_retrans: u32,
        pub(crate) bytes_acked: u64,
        pub(crate) bytes_sent: u64,
        pub(crate) bytes_retrans: u64,
        pub(crate) dsack_dups: u32,
        pub(crate) total_rto: u16,
        /// Busy, limited by the peer's window, limited by the send buffer.
        pub(crate) limited_us: [u64; 3],
    }

    impl Fields {
        /// An open connection that has sent nothing.
        pub(crate) const fn open() -> Self {
            Self {
                ca_state: 0,
                backoff: 0,
                options: super::TIMESTAMPS,
                rto_us: 200_000,
                cwnd: 10,
                ssthresh: super::NO_SSTHRESH,
                total_retrans: 0,
                bytes_acked: 1,
                bytes_sent: 0,
                bytes_retrans: 0,
                dsack_dups: 0,
                total_rto: 0,
                limited_us: [0; 3],
            }
        }

        /// As a kernel lays them out.
        pub(crate) fn octets(&self) -> Vec<u8> {
            let mut octets = vec![0; 248];
            (octets[0], octets[1], octets[4], octets[5]) = (1, self.ca_state, self.backoff, self.options);
            let words = [
                (8, self.rto_us),
                (16, 1448),
                (24, 10),
                (28, 2),
                (32, 3),
                (36, 1),
                (68, 50_000),
                (76, self.ssthresh),
                (80, self.cwnd),
                (100, self.total_retrans),
                (216, self.dsack_dups),
            ];
            for (at, value) in words {
                octets[at..at + 4].copy_from_slice(&value.to_ne_bytes());
            }
            let [busy, receive_window, send_buffer] = self.limited_us;
            for (at, value) in [
                (168, busy),
                (176, receive_window),
                (184, send_buffer),
                (120, self.bytes_acked),
                (200, self.bytes_sent),
                (208, self.bytes_retrans),
            ] {
                octets[at..at + 8].copy_from_slice(&value.to_ne_bytes());
            }
            octets[240..242].copy_from_slice(&self.total_rto.to_ne_bytes());
            octets
        }
    }
}

#[cfg(test)]
mod tests {
    use super::structure::Fields;
    use super::*;

    fn in_loss() -> Fields {
        Fields {
            ca_state: 4,
            backoff: 2,
            options: TIMESTAMPS,
            rto_us: 816_000,
            cwnd: 7,
            ssthresh: 5,
            total_retrans: 1,
            bytes_acked: 1001,
            bytes_sent: 20_000,
            bytes_retrans: 1448,
            dsack_dups: 4,
            total_rto: 3,
            limited_us: [9_000_000, 8_000_000, 7],
        }
    }

    #[test]
    fn the_structure_of_a_new_kernel() {
        let info = TcpInfo::read(&in_loss().octets()).expect("it is whole");
        let state = info.sender_state();
        assert_eq!(state.cwnd_bytes, 7 * 1448);
        assert_eq!(state.ssthresh_bytes, Some(5 * 1448));
        assert_eq!(state.flight_bytes, (10 + 1 - 2 - 3) * 1448);
        assert_eq!((state.srtt, state.rto), (Some(Span::from_ms(50)), Span::from_ms(816)));
        assert_eq!((state.backoff, state.phase), (2, Phase::TimeoutRecovery));
        assert_eq!((info.una(), info.max()), (1000, Some(18_552)));
        let sender = SenderView {
            cwnd: 7 * 1448,
            segment: 1448,
            rto: Span::from_ms(816),
            is_recovering: false,
            una: 1000,
            max: 18_552,
        };
        assert_eq!(info.sender_view(), Some(sender));
        assert_eq!((info.total_rto, info.retransmitted), (Some(3), 1));
        assert_eq!((info.reported_twice, info.timestamps), (Some(4), true));
        let limited = SenderEvent::LimitedFor {
            busy: Span::from_secs(9),
            receive_window: Span::from_secs(8),
            send_buffer: Span::from_us(7),
        };
        assert_eq!(info.limited.map(SenderEvent::from), Some(limited));
    }

    #[test]
    fn an_older_kernel_tells_less() {
        let info = TcpInfo::read(&in_loss().octets()[..192]).expect("it is long enough");
        assert_eq!((info.max(), info.total_rto), (None, None));
        assert_eq!(info.or_timeouts_counted(2).total_rto, Some(2));
        let newer = TcpInfo::read(&in_loss().octets()).expect("it is whole");
        assert_eq!(newer.or_timeouts_counted(9), newer);
        let before_4_10 = TcpInfo::read(&in_loss().octets()[..160]).expect("it is long enough");
        assert_eq!(before_4_10.limited, None);
        assert_eq!(TcpInfo::read(&in_loss().octets()[..104]), None);
    }

    #[test]
    fn a_threshold_that_was_never_set_is_none() {
        let state = TcpInfo::read(&Fields::open().octets())
            .expect("it is whole")
            .sender_state();
        assert_eq!((state.ssthresh_bytes, state.phase), (None, Phase::SlowStart));
    }
}
