//! The names of what is measured of a run.

/// Every metric that a claim or a published column may name. The analysis measures them.
pub const METRICS: &[&str] = &[
    "elapsed_s",
    "throughput_bps",
    "goodput_bps",
    "segments_sent",
    "packets_lost",
    "congestion_losses",
    "retransmissions",
    "unnecessary_retransmissions",
    "spurious_timeouts",
    "genuine_timeouts",
    "fast_retransmits",
    "spurious_fast_retransmits",
    "detector_true_positives",
    "detector_false_positives",
    "detector_true_negatives",
    "detector_false_negatives",
    "detector_undecided",
    "detection_delay_s",
];
