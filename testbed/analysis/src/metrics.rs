//! Every metric: one row has all that is known of it, and every language reads it from here. `make generate` writes
//! `controller/windlull/metrics.json` and the table of `docs/results.md` anew.
//!
//! A new metric is a row; and, unless [`summarize`](crate::summary) can tell it from what is counted anyway, a meter: a
//! file in `metrics/`, and its line under `meters!`.

#[macro_use]
mod meter;
#[macro_use]
mod table;

mod burst;
mod limits;
mod queueing;
mod timer;

use table::{Known, apart, largest, sum};

pub(crate) use meter::{Meter, Run};
pub(crate) use table::mean;
pub use table::{Better, Metric, Remark, Together};

meters! {
    burst: burst::BurstMeter,
    limits: limits::LimitMeter,
    queueing: queueing::Queueing,
    timer: timer::TimerMeter,
}

// Each row: name and type, label, unit, decimals, which way is better, what several flows have of it, definition.
metrics! {
    connection: {
        elapsed_s: Option<f64> = "elapsed time", "s", 2, lower, apart,
            "From the first SYN sent to the acknowledgement of the last FIN arriving at the data sender; if that never arrives, to the last packet. Of a command at the client: from its start to its end.";
        throughput_bps: Option<f64> = "throughput", "bit/s", 0, higher, apart,
            "Payload that arrived intact at the data receiver, duplicates included, over the elapsed time.";
        goodput_bps: Option<f64> = "goodput", "bit/s", 0, higher, apart,
            "Payload that arrived intact at the data receiver, each octet counted once, over the elapsed time.";
        sent_bps: Option<f64> = "sending rate", "bit/s", 0, neither, apart,
            "Payload that the data sender sent, retransmissions included, over the elapsed time.";
        segments_sent: u64 = "segments sent", "segments", 0, lower, sum,
            "Data segments the data sender sent, retransmissions included.";
        packets_lost: Option<u64> = "packets lost", "packets", 0, lower, sum,
            "Packets of both directions that the link dropped, whatever the cause.";
        congestion_losses: Option<u64> = "lost to congestion", "packets", 0, lower, sum,
            "Of the packets lost, those that found a queue full, or that its management dropped.";
        packets_marked: Option<u64> = "packets marked", "packets", 0, neither, sum,
            "Packets of both directions that a queue marked instead of dropping them (ECN).";
        queue_delay_s: Option<f64> = "wait in the queue", "s", 4, lower, mean,
            "From a packet's arrival at the link to its first bit's departure: the mean over packets of the data's \
             direction.";
        retransmissions: u64 = "retransmissions", "segments", 0, lower, sum,
            "Segments sent of which an octet had been sent before, SYN and FIN counted as octets: what tcptrace counts.";
        unnecessary_retransmissions: Option<u64> = "unnecessary retransmissions", "segments", 0, lower, sum,
            "Retransmissions of which every octet was in an earlier copy that the link delivered intact.";
        spurious_timeouts: Option<u64> = "spurious timeouts", "timeouts", 0, lower, sum,
            "Retransmission timeouts that would not have happened, had the sender waited longer.";
        genuine_timeouts: Option<u64> = "genuine timeouts", "timeouts", 0, lower, sum,
            "Retransmission timeouts that had to happen: data, or all acknowledgements that would have arrived in time, were lost.";
        fast_retransmits: u64 = "fast retransmits", "retransmits", 0, neither, sum,
            "Entries into fast retransmit.";
        spurious_fast_retransmits: Option<u64> = "spurious fast retransmits", "retransmits", 0, lower, sum,
            "Fast retransmits whose segment was retransmitted unnecessarily.";
        spurious_fast_retransmit_share: Option<f64> = "spurious share of fast retransmits", "", 3, lower, mean,
            "Of the fast retransmits, the share that was spurious; a run without any has none.";
        detector_true_positives: Option<u64> = "detector: true positives", "timeouts", 0, higher, sum,
            "Spurious timeouts that the variant's detector called spurious.";
        detector_false_positives: Option<u64> = "detector: false positives", "timeouts", 0, lower, sum,
            "Genuine timeouts that the variant's detector called spurious.";
        // Fewer may only mean that fewer timeouts were genuine; what a detector gets wrong, false positives say.
        detector_true_negatives: Option<u64> = "detector: true negatives", "timeouts", 0, neither, sum,
            "Genuine timeouts not called spurious; a timeout repeated before any answer counts once.";
        detector_false_negatives: Option<u64> = "detector: false negatives", "timeouts", 0, lower, sum,
            "Spurious timeouts not called spurious; a timeout repeated before any answer counts once.";
        detector_undecided: Option<u64> = "detector: undecided", "timeouts", 0, lower, sum,
            "Timeouts that the variant's detector left undecided; they also count as not called spurious.";
        detection_delay_s: Option<f64> = "detection delay", "s", 3, lower, apart,
            "From a timeout to the detector's answer, the median over a run; a run without an answer has none.";
        task_completion_s: Option<f64> = "task completion", "s", 3, lower, mean,
            "From a request to the last octet of its response: the mean over a flow's requests, and then over the flows.";
        task_completion_p95_s: Option<f64> = "task completion, 95th percentile", "s", 3, lower, mean,
            "The time from a request to the last octet of its response that 95 % of a flow's requests do not exceed: the mean over the flows.";
        task_completion_max_s: Option<f64> = "task completion, slowest", "s", 3, lower, largest,
            "From a request to the last octet of its response: the slowest of all flows.";
        estimated_rto_s: Option<f64> = "estimated timeout", "s", 3, neither, mean,
            "The retransmission timeout as it is estimated, before its minimum and back-off: the mean over time.";
        minimum_rto_cost: Option<f64> = "cost of the minimum timeout", "", 2, lower, mean,
            "The minimum of the timeout over the estimated one, the mean over time: C(f) in psaras2007, equation 2. Above 1, only the minimum delays the repair of a loss.";
        rto_at_spurious_s: Option<f64> = "timeout that was spurious", "s", 3, neither, mean,
            "The timeout that ran out when the timer first fired spuriously.";
        rto_after_spurious_s: Option<f64> = "timeout after a spurious one", "s", 3, neither, mean,
            "The timeout in force once a round trip was measured after the first spurious timeout.";
        rto_peak_after_spurious_s: Option<f64> = "longest timeout after a spurious one", "s", 3, neither, mean,
            "The longest timeout in force from then on, until 30 s after the spurious one.";
        rto_mean_after_spurious_s: Option<f64> = "mean timeout after a spurious one", "s", 3, neither, mean,
            "The timeout in force from then on, until 30 s after the spurious one: the mean over time.";
        rto_settling_s: Option<f64> = "settling time of the timeout", "s", 2, neither, mean,
            "From the first spurious timeout until the timeout in force was lowest after its longest, within 30 s.";
        flight_at_first_loss_bytes: Option<f64> = "outstanding at the first loss", "B", 0, neither, mean,
            "Octets outstanding at the sender's first timeout or fast retransmit.";
        flight_at_loss_bytes: Option<f64> = "outstanding at losses", "B", 1, neither, mean,
            "Octets outstanding at a timeout or fast retransmit: the mean over a flow's; a timeout that is repeated \
             counts once.";
        packets_declared_lost: Option<u64> = "packets declared lost", "packets", 0, lower, sum,
            "Of QUIC: packets that the data sender's loss detection declared lost (RFC 9002, section 6).";
        spurious_losses: Option<u64> = "spurious losses", "packets", 0, lower, sum,
            "Of these, packets that the link delivered intact.";
        spurious_losses_by_packets: Option<u64> = "spurious by the packet threshold", "packets", 0, lower, sum,
            "Of the spurious losses, those declared because later packets had been acknowledged (RFC 9002, section 6.1.1), as \
             the stack says; where it says nothing, if one three or more later had been.";
        spurious_losses_by_time: Option<u64> = "spurious by the time threshold", "packets", 0, lower, sum,
            "Of the spurious losses, those declared for the time since they were sent (RFC 9002, section 6.1.2).";
        spurious_losses_by_timeout: Option<u64> = "spurious by a probe timeout", "packets", 0, lower, sum,
            "Of the spurious losses, those that the stack declared for a probe timeout, which RFC 9002 does not (section 6.2).";
        loss_detection_s: Option<f64> = "time to detect a loss", "s", 3, lower, apart,
            "Of QUIC: from the drop of a packet to the declaration that it is lost, the median over a run.";
        spurious_window_loss_bytes: Option<u64> = "window lost to spurious losses", "B", 0, lower, sum,
            "By how much the congestion window fell at declarations of which all were spurious, restored or not.";
        windows_restored: Option<u64> = "windows restored", "times", 0, neither, sum,
            "How often the congestion window returned in one step to where it was before losses, or the stack said that it \
             had undone them.";
        longest_burst: Option<u64> = "longest burst", "segments", 0, lower, largest,
            "The most data segments that the data sender sent at once: less than 0.1 ms apart, and without a packet arriving \
             in between. It is what one acknowledgement released, or the start.";
        limited_by_congestion_window: Option<f64> = "limited by the congestion window", "", 3, neither, mean,
            "Of the time from the first data sent to the last acknowledged, the share in which the congestion window had no \
             room for what the data sender would send next, and it did not recover.";
        limited_by_receive_window: Option<f64> = "limited by the receive window", "", 3, neither, mean,
            "The same of the window that the data receiver offers, whether or not the congestion window was full too. A kernel \
             tells it (rwnd_limited) of recoveries too, and with the congestion window first.";
        limited_by_send_buffer: Option<f64> = "limited by the send buffer", "", 3, neither, mean,
            "The same of a kernel's send buffer, as it tells (sndbuf_limited). Senders of ours have none.";
        limited_by_application: Option<f64> = "limited by the application", "", 3, neither, mean,
            "The same of the application: all that it had written was sent. Kernels do not tell it, nor what follows.";
        limited_by_pacing: Option<f64> = "limited by pacing", "", 3, neither, mean,
            "The share in which both windows had room, and the next segment waited for its time.";
        limited_by_recovery: Option<f64> = "limited by recovery", "", 3, neither, mean,
            "The share in which the data sender recovered from a loss, went back after a timeout, or asked whether a timeout \
             was spurious.";
        replayed_packets: Option<u64> = "packets on a replayed link", "packets", 0, neither, sum,
            "Packets of both directions that came to a link which replays a recording.";
        unrecorded_packets: Option<u64> = "packets without a recorded one", "packets", 0, neither, sum,
            "Of these, those that had no recorded one: they were not lost, and as long on their way as the fastest recorded one. \
             By time also those after the last recorded one, which met what that one had met.";
        unrecorded_from_s: Option<f64> = "left the recording", "s", 2, neither, apart,
            "When the first of these came.";
        resized_packets: Option<u64> = "packets of another size than recorded", "packets", 0, neither, sum,
            "Of the packets on a replayed link, those that had another size than the recorded one whose fate they were given.";
        unmet_entries: Option<u64> = "script entries that never began", "", 0, neither, largest,
            "Of a link whose script waits for the transport, the entries whose conditions were never met.";
    }
    // Of several flows (`together`), and of commands (`traffic`).
    others: {
        flow_fairness = "fairness", "", 3, higher,
            "Of several flows, Jain's index of their goodputs: 1 if all have the same, 1/n if one of n has all.";
        flow_elapsed_mean_s = "elapsed time of a flow", "s", 2, lower,
            "Of several flows, the mean of their elapsed times.";
        flow_goodput_mean_bps = "goodput of a flow", "bit/s", 0, higher,
            "Of several flows, the mean of their goodputs, each over the flow's own time.";
        exit_code = "exit code", "", 0, neither,
            "Of a command at the client: its exit code; a run with any other than 0 counts as failed.";
        packets_down = "packets to the client", "packets", 0, neither,
            "Of commands: packets of any protocol that the server sent over the link.";
        packets_up = "packets to the server", "packets", 0, neither,
            "Of commands: packets of any protocol that the client sent over the link.";
        arrived_down_bps = "rate to the client", "bit/s", 0, higher,
            "Of commands: octets of IP packets that arrived at the client, over the elapsed time.";
        arrived_up_bps = "rate to the server", "bit/s", 0, higher,
            "Of commands: octets of IP packets that arrived at the server, over the elapsed time.";
        delay_down_s = "delay to the client", "s", 4, lower,
            "Of commands: from a packet's arrival at the link to its delivery at the client, the mean.";
        delay_up_s = "delay to the server", "s", 4, lower,
            "Of commands: from a packet's arrival at the link to its delivery at the server, the mean.";
        delay_down_p95_s = "delay to the client, 95 %", "s", 4, lower,
            "Of commands: the delay that 95 of 100 packets to the client did not exceed.";
        delay_up_p95_s = "delay to the server, 95 %", "s", 4, lower,
            "Of commands: the delay that 95 of 100 packets to the server did not exceed.";
    }
    sets: {
        fastest_bps = "goodput of the fastest", "bit/s", 0, higher,
            "The largest goodput of a flow.";
        slowest_bps = "goodput of the slowest", "bit/s", 0, higher,
            "The smallest goodput of a flow.";
    }
}

/// What tables, reports and pages say in words beside the numbers.
pub const REMARKS: &[Remark] = &[
    Remark {
        metric: "limited_by_receive_window",
        above: 0.5,
        words: "limited by the receive window for {percent} % of the time",
    },
    Remark {
        metric: "limited_by_send_buffer",
        above: 0.5,
        words: "limited by the send buffer for {percent} % of the time",
    },
    Remark {
        metric: "unrecorded_packets",
        above: 0.0,
        words: "left the recording: {unrecorded_packets} of {replayed_packets} packets had no recorded one, from \
                {unrecorded_from_s} s on",
    },
    Remark {
        metric: "resized_packets",
        above: 0.0,
        words: "{resized_packets} of {replayed_packets} packets had another size than the recorded one",
    },
    Remark {
        metric: "unmet_entries",
        above: 0.0,
        words: "entries of the link's script that never began, as their conditions were never met: {unmet_entries}",
    },
];

/// What is measured of each flow by its number, as in `flow_2_elapsed_s`.
pub(crate) const OF_FLOWS: &[&str] = &["elapsed_s", "goodput_bps", "task_completion_s"];

/// Whether this is the name of something that is measured.
pub fn is_metric(name: &str) -> bool {
    METRICS.iter().any(|metric| metric.name == name)
        || numbered(name, "flow_").is_some_and(|metric| OF_FLOWS.contains(&metric))
        || numbered(name, "set_").is_some_and(|metric| OF_SETS.iter().any(|of_set| of_set.name == metric))
}

/// What stands behind the number.
fn numbered<'a>(name: &'a str, of: &str) -> Option<&'a str> {
    let (number, metric) = name.strip_prefix(of)?.split_once('_')?;
    (number.parse::<u32>().ok()? > 0).then_some(metric)
}
