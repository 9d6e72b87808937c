//! Several flows of a run, told as one.

use std::collections::BTreeMap;

use crate::result::{Metrics, RunAnalysis};
use crate::summary::{detection_delay, rate};

/// Of more flows than these none is told by its number.
pub const PLENTY: usize = 16;

/// The metrics of a run of several flows; `sets` are their numbers in order of the flows, and sum up to how many there are.
///
/// Counts are sums. The run lasts from the first packet of any flow to the end of the last; its rates are all octets over that
/// time. `task_completion_s`, `queue_delay_s` and what is told of timers are means over the flows that know. Besides, in
/// `of_flows`:
///
/// | name | what |
/// |---|---|
/// | `flow_fairness` | Jain's index of the flows' goodputs: 1 if all are equal, 1/n if one has all |
/// | `flow_elapsed_mean_s`, `flow_goodput_mean_bps` | means over all flows |
/// | `flow_N_elapsed_s`, `flow_N_goodput_bps`, `flow_N_task_completion_s` | of flow N, from 1, where there are no more than [`PLENTY`] |
/// | `set_N_fastest_bps`, `set_N_slowest_bps` | the largest and the smallest goodput in set N, where there are several sets |
///
/// A flow's goodput is its octets over its own time.
pub fn together(flows: &[RunAnalysis], sets: &[usize]) -> Metrics {
    let mut all = Metrics {
        segments_sent: sum(flows, |metrics| metrics.segments_sent),
        retransmissions: sum(flows, |metrics| metrics.retransmissions),
        fast_retransmits: sum(flows, |metrics| metrics.fast_retransmits),
        packets_lost: known(flows, |metrics| metrics.packets_lost),
        congestion_losses: known(flows, |metrics| metrics.congestion_losses),
        packets_marked: known(flows, |metrics| metrics.packets_marked),
        queue_delay_s: mean(flows, |metrics| metrics.queue_delay_s),
        unnecessary_retransmissions: known(flows, |metrics| metrics.unnecessary_retransmissions),
        spurious_timeouts: known(flows, |metrics| metrics.spurious_timeouts),
        genuine_timeouts: known(flows, |metrics| metrics.genuine_timeouts),
        spurious_fast_retransmits: known(flows, |metrics| metrics.spurious_fast_retransmits),
        detector_true_positives: known(flows, |metrics| metrics.detector_true_positives),
        detector_false_positives: known(flows, |metrics| metrics.detector_false_positives),
        detector_true_negatives: known(flows, |metrics| metrics.detector_true_negatives),
        detector_false_negatives: known(flows, |metrics| metrics.detector_false_negatives),
        detector_undecided: known(flows, |metrics| metrics.detector_undecided),
        detection_delay_s: detection_delay(flows.iter().flat_map(|flow| &flow.timeouts)),
        task_completion_s: mean(flows, |metrics| metrics.task_completion_s),
        estimated_rto_s: mean(flows, |metrics| metrics.estimated_rto_s),
        minimum_rto_cost: mean(flows, |metrics| metrics.minimum_rto_cost),
        rto_at_spurious_s: mean(flows, |metrics| metrics.rto_at_spurious_s),
        rto_after_spurious_s: mean(flows, |metrics| metrics.rto_after_spurious_s),
        rto_peak_after_spurious_s: mean(flows, |metrics| metrics.rto_peak_after_spurious_s),
        rto_mean_after_spurious_s: mean(flows, |metrics| metrics.rto_mean_after_spurious_s),
        rto_settling_s: mean(flows, |metrics| metrics.rto_settling_s),
        flight_at_first_loss_bytes: mean(flows, |metrics| metrics.flight_at_first_loss_bytes),
        flight_at_loss_bytes: mean(flows, |metrics| metrics.flight_at_loss_bytes),
        ..Metrics::default()
    };
    let began = flows.iter().filter_map(|flow| flow.extent.began).min();
    let ended = flows.iter().map(|flow| flow.extent.ended).max();
    if let (Some(began), Some(ended)) = (began, ended) {
        let elapsed = ended.since(began);
        all.elapsed_s = Some(elapsed.as_secs_f64());
        all.sent_bps = rate(flows.iter().map(|flow| flow.extent.sent).sum(), elapsed);
        all.throughput_bps = rate(flows.iter().map(|flow| flow.extent.payload).sum(), elapsed);
        all.goodput_bps = rate(flows.iter().map(|flow| flow.extent.octets).sum(), elapsed);
    }
    all.of_flows = of_flows(flows, sets);
    all
}

fn of_flows(flows: &[RunAnalysis], sets: &[usize]) -> BTreeMap<String, f64> {
    let goodput = |flow: &RunAnalysis| flow.metrics.goodput_bps.unwrap_or(0.0);
    let mut named = vec![
        ("flow_fairness".to_owned(), fairness(flows.iter().map(goodput))),
        (
            "flow_elapsed_mean_s".to_owned(),
            mean(flows, |metrics| metrics.elapsed_s),
        ),
        (
            "flow_goodput_mean_bps".to_owned(),
            mean(flows, |metrics| metrics.goodput_bps),
        ),
    ];
    if flows.len() <= PLENTY {
        for (place, flow) in flows.iter().enumerate() {
            let number = place + 1;
            named.push((format!("flow_{number}_elapsed_s"), flow.metrics.elapsed_s));
            named.push((format!("flow_{number}_goodput_bps"), flow.metrics.goodput_bps));
            named.push((
                format!("flow_{number}_task_completion_s"),
                flow.metrics.task_completion_s,
            ));
        }
    }
    if sets.len() > 1 {
        let mut rest = flows;
        for (place, &count) in sets.iter().enumerate() {
            let (set, others) = rest.split_at(count.min(rest.len()));
            rest = others;
            let number = place + 1;
            named.push((
                format!("set_{number}_fastest_bps"),
                set.iter().map(goodput).reduce(f64::max),
            ));
            named.push((
                format!("set_{number}_slowest_bps"),
                set.iter().map(goodput).reduce(f64::min),
            ));
        }
    }
    named
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// The index of R. Jain, D. Chiu and W. Hawe, DEC-TR-301; `None` where nothing arrived.
fn fairness(rates: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut count, mut total, mut squares) = (0_u32, 0.0, 0.0);
    for rate in rates {
        count += 1;
        total += rate;
        squares += rate * rate;
    }
    (squares > 0.0).then(|| total * total / (f64::from(count) * squares))
}

fn sum(flows: &[RunAnalysis], of: impl Fn(&Metrics) -> u64) -> u64 {
    flows.iter().map(|flow| of(&flow.metrics)).sum()
}

/// The sum, where every flow knows.
fn known(flows: &[RunAnalysis], of: impl Fn(&Metrics) -> Option<u64>) -> Option<u64> {
    flows.iter().map(|flow| of(&flow.metrics)).sum()
}

/// The mean over the flows that know.
#[expect(clippy::cast_precision_loss, reason = "flows are few")]
fn mean(flows: &[RunAnalysis], of: impl Fn(&Metrics) -> Option<f64>) -> Option<f64> {
    let known: Vec<f64> = flows.iter().filter_map(|flow| of(&flow.metrics)).collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}
