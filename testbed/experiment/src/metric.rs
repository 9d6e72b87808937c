//! The names of what is measured of a run.

/// Every metric that a claim or a published column may name. The analysis measures them.
pub const METRICS: &[&str] = &[
    "elapsed_s",
    "throughput_bps",
    "goodput_bps",
    "sent_bps",
    "segments_sent",
    "packets_lost",
    "congestion_losses",
    "packets_marked",
    "queue_delay_s",
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
    "task_completion_s",
    "estimated_rto_s",
    "minimum_rto_cost",
    "rto_at_spurious_s",
    "rto_after_spurious_s",
    "rto_peak_after_spurious_s",
    "rto_mean_after_spurious_s",
    "rto_settling_s",
    "flight_at_first_loss_bytes",
    "flight_at_loss_bytes",
    "flow_fairness",
    "flow_elapsed_mean_s",
    "flow_goodput_mean_bps",
    "exit_code",
    "packets_down",
    "packets_up",
    "arrived_down_bps",
    "arrived_up_bps",
    "delay_down_s",
    "delay_up_s",
    "delay_down_p95_s",
    "delay_up_p95_s",
];

/// What is measured of each flow by its number, as in `flow_2_elapsed_s`, and of each set of flows.
const NUMBERED: &[(&str, &[&str])] = &[
    ("flow", &["elapsed_s", "goodput_bps", "task_completion_s"]),
    ("set", &["fastest_bps", "slowest_bps"]),
];

/// Whether this is the name of something that is measured.
pub fn is_metric(name: &str) -> bool {
    METRICS.contains(&name) || NUMBERED.iter().any(|(of, metrics)| is_numbered(name, of, metrics))
}

fn is_numbered(name: &str, of: &str, metrics: &[&str]) -> bool {
    let rest = name.strip_prefix(of).and_then(|rest| rest.strip_prefix('_'));
    rest.and_then(|rest| rest.split_once('_'))
        .is_some_and(|(number, metric)| {
            number.parse::<u32>().is_ok_and(|number| number > 0) && metrics.contains(&metric)
        })
}
