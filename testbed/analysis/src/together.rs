//! Several flows of a run, told as one.

use std::collections::BTreeMap;

use crate::metrics::{Metrics, OF_FLOWS, add_up, mean};
use crate::result::RunAnalysis;
use crate::summary::{detection_delay, rate};

/// Of more flows than these none is told by its number.
pub const PLENTY: usize = 16;

/// The metrics of a run of several flows; `sets` are their numbers in order of the flows, and sum up to how many there are.
///
/// Each metric's row says what several flows have of it. The run lasts from the first packet of any flow to the end of the last;
/// its rates are all octets over that time. Besides, in `of_flows`:
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
    let mut all = add_up(flows);
    all.detection_delay_s = detection_delay(flows.iter().flat_map(|flow| &flow.timeouts));
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
            let metrics = &flow.metrics;
            let values = [metrics.elapsed_s, metrics.goodput_bps, metrics.task_completion_s];
            let rows = OF_FLOWS.iter().zip(values);
            named.extend(rows.map(|(metric, value)| (format!("flow_{number}_{metric}"), value)));
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
