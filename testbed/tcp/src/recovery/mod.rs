//! Loss recovery: when a segment counts as lost, what is sent again, and what the window does meanwhile.

mod barrier;
pub(crate) mod fack;
mod interface;
pub(crate) mod newreno;
pub(crate) mod newreno_sack;
pub(crate) mod no_slow_start;
pub(crate) mod rack_tlp;
pub(crate) mod reno;
pub(crate) mod reno_sack;
pub(crate) mod sack;
pub(crate) mod tahoe;

use windlull_units::{Span, Time};

use crate::ranges::Range;

use crate::registry::{RateReduction, mechanisms};
use crate::sender::{Ack, View};
pub(crate) use interface::*;

mechanisms! {
    /// How lost segments are found and repaired, and how the window moves meanwhile.
    Recovery as RecoveryMechanism: LossRecovery(reduction: RateReduction) {
        /// Before 1988: no congestion window; the timer sends all that is outstanding again.
        NoSlowStart = "no-slow-start"
            => no_slow_start::NoSlowStart, no_slow_start::NoSlowStart;
        /// Fast retransmit, then slow start from the lost segment (jacobson1988, appendix B).
        Tahoe = "tahoe" => tahoe::Tahoe, tahoe::Tahoe::new();
        /// RFC 5681: fast recovery, which the first advance ends.
        Reno = "reno" => reno::Reno, reno::Reno::new();
        /// RFC 6582 on RFC 5681: one repair a round trip, by partial acknowledgements.
        NewReno = "newreno" => newreno::NewReno, newreno::NewReno::new();
        /// RFC 6675: repair by the scoreboard of selective acknowledgements.
        Sack = "sack" => sack::Sack, sack::Sack::new();
        /// RFC 6675, but segments reported missing count as outstanding (gurtov2003, III.A).
        RenoSack = "reno-sack" => reno_sack::RenoSack, reno_sack::RenoSack::new();
        /// Reno-SACK that sends at least one segment again on a partial acknowledgement (gurtov2003, III.A).
        NewRenoSack = "newreno-sack"
            => newreno_sack::NewRenoSack, newreno_sack::NewRenoSack::new();
        /// Forward acknowledgement: what is missing below the highest octet SACKed has left the network (gurtov2003, III.A).
        Fack = "fack" => fack::Fack, fack::Fack::new();
        /// By the time since each segment was sent, and a probe for the tail of a flight (RFC 8985).
        RackTlp = "rack-tlp" => rack_tlp::RackTlp, rack_tlp::RackTlp::new(reduction);
    }
}
