//! Queues that do more than keep to a limit in packets or octets, by the kernel's disciplines.

use windlull_link::model::{
    AdaptiveRedModel, CodelModel, DrrModel, DualPi2Model, FqCodelModel, PieModel, QueueLimit, QueueModel, QueueSize,
    RedAim, RedModel,
};
use windlull_units::{BitRate, Bytes, Span};

use super::delay::whole_us;

/// An unlimited queue.
const UNLIMITED_PACKETS: u64 = 1_000_000;
const UNLIMITED_OCTETS: u64 = 1_000_000_000;
/// A packet as a queue in packets counts it, octets.
const FULL_PACKET: u64 = 1_500;
/// A plug counts Ethernet's header as well: as much as that is of a full packet.
const FRAME: u64 = 1_514;
/// A wait that no packet has, so that CoDel never drops: 10 min.
const NEVER_US: u64 = 600_000_000;
/// RED has to be told a rate to age its average by while the queue is empty.
const UNLIMITED_RATE_BPS: u64 = 100_000_000_000;

/// A queue that can be stopped. Its limit is in octets, whatever it was in.
pub(crate) fn stoppable(before: QueueLimit, after: QueueLimit) -> String {
    let octets = match (before, after) {
        (_, QueueLimit::Packets(packets)) => u64::from(packets) * FRAME,
        (_, QueueLimit::Bytes(octets)) => octets.get() * FRAME / FULL_PACKET,
        (_, QueueLimit::Unlimited) => UNLIMITED_OCTETS,
    };
    format!("plug limit {octets}")
}

/// The discipline, as `tc` is told.
pub(crate) fn discipline(queue: &QueueModel, rate: Option<BitRate>) -> String {
    match queue {
        QueueModel::DropTail(limit) => format!("bfifo limit {}", octets(*limit, Bytes::new(FULL_PACKET))),
        QueueModel::Red(model) => red(model, rate),
        QueueModel::AdaptiveRed(model) => adaptive_red(model, rate),
        QueueModel::Codel(CodelModel {
            limit,
            target,
            interval,
            ecn,
        }) => format!(
            "codel limit {} target {}us interval {}us {}",
            packets(*limit),
            whole_us(*target),
            whole_us(*interval),
            if *ecn { "ecn" } else { "noecn" }
        ),
        QueueModel::Drr(DrrModel { limit, quantum, flows }) => format!(
            "fq_codel limit {} flows {flows} quantum {} target {NEVER_US}us interval {NEVER_US}us noecn",
            packets(*limit),
            quantum.get()
        ),
        QueueModel::FqCodel(FqCodelModel {
            limit,
            quantum,
            flows,
            target,
            interval,
            ecn,
        }) => format!(
            "fq_codel limit {} flows {flows} quantum {} target {}us interval {}us {}",
            packets(*limit),
            quantum.get(),
            whole_us(*target),
            whole_us(*interval),
            if *ecn { "ecn" } else { "noecn" }
        ),
        QueueModel::Pie(PieModel { limit, target, ecn, .. }) => format!(
            "pie limit {} target {}us {}",
            packets(*limit),
            whole_us(*target),
            if *ecn { "ecn" } else { "noecn" }
        ),
        // Kernels before 6.17 have no `dualpi2`: the controller alone, without a queue for ECT(1).
        QueueModel::DualPi2(DualPi2Model { limit, target, .. }) => {
            format!("pie limit {} target {}us ecn", packets(*limit), whole_us(*target))
        }
    }
}

fn red(model: &RedModel, rate: Option<BitRate>) -> String {
    let mean = model.mean_packet;
    let (minimum, maximum) = (size(model.minimum, mean), size(model.maximum, mean));
    thresholds(
        octets(model.limit, mean),
        [minimum, maximum],
        mean,
        rate,
        &format!("probability {}{}", model.probability, ecn(model.ecn)),
    )
}

fn adaptive_red(model: &AdaptiveRedModel, rate: Option<BitRate>) -> String {
    let mean = model.mean_packet;
    let [minimum, maximum] = match model.aim {
        RedAim::Thresholds { minimum, maximum } => [size(minimum, mean), size(maximum, mean)],
        // Floyd, Gummadi and Shenker 2001, section 4: half of the wait, three times that, and five packets at least.
        RedAim::Delay(wait) => {
            let least = (bits_in(wait, rate) / 16).max(5 * mean.get());
            [least, 3 * least]
        }
    };
    thresholds(
        octets(model.limit, mean),
        [minimum, maximum],
        mean,
        rate,
        &format!("adaptive{}", ecn(model.ecn)),
    )
}

fn thresholds(limit: u64, [minimum, maximum]: [u64; 2], mean: Bytes, rate: Option<BitRate>, rest: &str) -> String {
    let mean = mean.get().max(1);
    // tc-red(8): what it advises; it makes the average's weight of it.
    let burst = ((2 * minimum + maximum) / (3 * mean)).max(minimum / mean + 1);
    let kbit = (rate.map_or(UNLIMITED_RATE_BPS, BitRate::as_bps) / 1_000).max(1);
    format!(
        "red limit {} min {minimum} max {maximum} avpkt {mean} burst {burst} bandwidth {kbit}kbit {rest}",
        limit.max(maximum)
    )
}

const fn ecn(marks: bool) -> &'static str {
    if marks { " ecn" } else { "" }
}

fn bits_in(span: Span, rate: Option<BitRate>) -> u64 {
    let bits = u128::from(rate.map_or(0, BitRate::as_bps)) * u128::from(span.as_ns()) / 1_000_000_000;
    u64::try_from(bits).unwrap_or(u64::MAX)
}

fn size(size: QueueSize, mean: Bytes) -> u64 {
    match size {
        QueueSize::Packets(packets) => u64::from(packets) * mean.get(),
        QueueSize::Bytes(octets) => octets.get(),
    }
}

fn octets(limit: QueueLimit, mean: Bytes) -> u64 {
    match limit {
        QueueLimit::Unlimited => UNLIMITED_OCTETS,
        QueueLimit::Packets(packets) => u64::from(packets) * mean.get(),
        QueueLimit::Bytes(octets) => octets.get(),
    }
}

fn packets(limit: QueueLimit) -> u64 {
    match limit {
        QueueLimit::Unlimited => UNLIMITED_PACKETS,
        QueueLimit::Packets(packets) => u64::from(packets),
        QueueLimit::Bytes(octets) => (octets.get() / FULL_PACKET).max(1),
    }
}
