//! What is counted of a run.

use windlull_units::{Span, Time};

use crate::records::{FastRetransmitRecord, TimeoutRecord};
use crate::result::RetransmissionCounts;

/// What is counted.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) began: Option<Time>,
    pub(crate) last: Time,
    pub(crate) closed: Option<Time>,
    /// When the connection's time was up, if it was to last so long.
    pub(crate) time_up: Option<Time>,
    /// How long requests took that were answered to the last octet.
    pub(crate) tasks_took: Vec<Span>,
    pub(crate) segments_sent: u64,
    pub(crate) retransmissions: u64,
    pub(crate) control_retransmissions: u64,
    pub(crate) window_probes: u64,
    pub(crate) payload_sent: u64,
    pub(crate) payload_arrived: u64,
    pub(crate) octets_arrived: u64,
    pub(crate) packets_lost: u64,
    pub(crate) congestion_losses: u64,
    pub(crate) by_verdict: RetransmissionCounts,
    pub(crate) timeouts: Vec<TimeoutRecord>,
    pub(crate) fast_retransmits: Vec<FastRetransmitRecord>,
    pub(crate) notes: Vec<String>,
}
