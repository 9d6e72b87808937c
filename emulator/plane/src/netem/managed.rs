//! Queues that do more than keep to a limit in packets or octets, by the kernel's disciplines.
//!
//! They stand below HTB, where the queue builds up, and see packets of the length that they have as IP packets. CAKE has the
//! rate itself and stands in HTB's place: its target and the time it gives each flow follow from the rate.

use windlull_link::model::{
    AdaptiveRedModel, CakeModel, CodelModel, DrrModel, DualPi2Model, FqCodelModel, PieModel, QueueLimit, QueueModel,
    QueueSize, RedAim, RedModel,
};
use windlull_units::{BitRate, Bytes, Span};

use super::delay::whole_us;
use super::refusal::Reason;

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

/// The burst allowance of the kernel's `pie` (include/net/pie.h, `pie_vars_init`), as RFC 8033 has it.
const PIE_BURST: Span = Span::from_ms(150);
/// `tc` finds a weight of RED's average for no lower threshold than so many packets.
const LEAST_MINIMUM: u64 = 2;
/// No burst of RED is longer, packets.
const LONGEST_BURST: u32 = 100_000;

/// `cake` takes no more octets that the framing adds (net/sched/sch_cake.c, `cake_policy`).
const MOST_OVERHEAD: Bytes = Bytes::new(256);

/// What the kernel's discipline of that name cannot be told of this queue, of packets to which the link adds `framing`.
pub(crate) fn misfits(queue: &QueueModel, framing: Bytes) -> Vec<Reason> {
    let mut misfits = Vec::new();
    let mut unless = |fits: bool, reason: Reason| misfits.extend((!fits).then_some(reason));
    match queue {
        QueueModel::DropTail(_) => {}
        QueueModel::Red(model) => {
            unless(model.spare.is_none(), Reason::Spare);
            let mean = model.mean_packet;
            unless(is_above_least(size(model.minimum, mean), mean), Reason::LowThreshold);
        }
        QueueModel::AdaptiveRed(model) => {
            unless(model.spare.is_none(), Reason::Spare);
            let mean = model.mean_packet;
            if let RedAim::Thresholds { minimum, .. } = model.aim {
                unless(is_above_least(size(minimum, mean), mean), Reason::LowThreshold);
            }
        }
        QueueModel::Codel(model) => unless(is_in_packets(model.limit), Reason::CountsPackets("codel")),
        QueueModel::FqCodel(model) => unless(is_in_packets(model.limit), Reason::CountsPackets("fq_codel")),
        QueueModel::Pie(model) => {
            unless(is_in_packets(model.limit), Reason::CountsPackets("pie"));
            unless(model.burst == PIE_BURST, Reason::PieBurst);
        }
        QueueModel::Drr(_) => unless(false, Reason::NoDrr),
        QueueModel::DualPi2(_) => unless(false, Reason::NoDualPi2),
        QueueModel::Cake(_) => unless(framing <= MOST_OVERHEAD, Reason::LongFraming(framing)),
    }
    misfits
}

/// Why the limit of this queue cannot become that one while packets wait.
pub(crate) fn cannot_become(queue: &QueueModel, limit: QueueLimit) -> Option<Reason> {
    match queue {
        QueueModel::Red(_) | QueueModel::AdaptiveRed(_) => Some(Reason::FixedQueue),
        QueueModel::Codel(_) | QueueModel::FqCodel(_) | QueueModel::Pie(_) if !is_in_packets(limit) => {
            Some(Reason::QueueUnit)
        }
        _ => None,
    }
}

/// The same discipline with another limit, as `tc ... change` is told; the rest stays as it is.
pub(crate) fn resized(queue: &QueueModel, limit: QueueLimit) -> String {
    let kind = match queue {
        QueueModel::Cake(_) => return format!("cake memlimit {}", octets(limit, Bytes::new(FULL_PACKET))),
        QueueModel::DropTail(_) => "bfifo",
        QueueModel::Red(_) | QueueModel::AdaptiveRed(_) => "red",
        QueueModel::Codel(_) => "codel",
        QueueModel::Pie(_) | QueueModel::DualPi2(_) => "pie",
        QueueModel::FqCodel(_) | QueueModel::Drr(_) => "fq_codel",
    };
    format!("{kind} limit {}", packets(limit))
}

const fn is_in_packets(limit: QueueLimit) -> bool {
    matches!(limit, QueueLimit::Packets(_) | QueueLimit::Unlimited)
}

const fn is_above_least(minimum: u64, mean: Bytes) -> bool {
    minimum >= LEAST_MINIMUM * mean.get()
}

/// A queue that can be stopped. Its limit is in octets, whatever it was in.
pub(crate) fn stoppable(before: QueueLimit, after: QueueLimit) -> String {
    let octets = match (before, after) {
        (_, QueueLimit::Packets(packets)) => u64::from(packets) * FRAME,
        (_, QueueLimit::Bytes(octets)) => octets.get() * FRAME / FULL_PACKET,
        (_, QueueLimit::Unlimited) => UNLIMITED_OCTETS,
    };
    format!("plug limit {octets}")
}

/// Whether it keeps to the rate by itself, and needs no other discipline to do so.
pub(crate) const fn is_shaper(queue: &QueueModel) -> bool {
    matches!(queue, QueueModel::Cake(_))
}

/// The discipline, as `tc` is told, for packets to which the link adds `framing`.
pub(crate) fn discipline(queue: &QueueModel, rate: Option<BitRate>, framing: Bytes) -> String {
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
        QueueModel::Cake(CakeModel { limit, round_trip }) => format!(
            "cake bandwidth {}bit overhead {} rtt {}us memlimit {}",
            rate.map_or(UNLIMITED_RATE_BPS, BitRate::as_bps),
            framing.get(),
            whole_us(*round_trip),
            octets(*limit, Bytes::new(FULL_PACKET))
        ),
    }
}

fn red(model: &RedModel, rate: Option<BitRate>) -> String {
    let mean = model.mean_packet;
    let (minimum, maximum) = (size(model.minimum, mean), size(model.maximum, mean));
    let rest = format!("probability {}{}", model.probability, ecn(model.ecn));
    let limit = octets(model.limit, mean);
    thresholds(limit, [minimum, maximum], mean, model.weight, rate, &rest)
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
    let weight = model.weight.unwrap_or_else(|| weight_of(mean, rate));
    let rest = format!("adaptive{}", ecn(model.ecn));
    thresholds(octets(model.limit, mean), [minimum, maximum], mean, weight, rate, &rest)
}

/// Floyd, Gummadi and Shenker 2001, section 4, C being the rate in packets of this size a second.
#[expect(clippy::cast_precision_loss, reason = "a weight is the nearest power of two of it")]
fn weight_of(mean: Bytes, rate: Option<BitRate>) -> f64 {
    let bps = rate.map_or(UNLIMITED_RATE_BPS, BitRate::as_bps);
    let packets_a_second = bps as f64 / (mean.bits().max(1)) as f64;
    -(-1.0 / packets_a_second).exp_m1()
}

fn thresholds(
    limit: u64,
    [minimum, maximum]: [u64; 2],
    mean: Bytes,
    weight: f64,
    rate: Option<BitRate>,
    rest: &str,
) -> String {
    let mean = mean.get().max(1);
    let burst = burst(weight, minimum, mean);
    let kbit = (rate.map_or(UNLIMITED_RATE_BPS, BitRate::as_bps) / 1_000).max(1);
    format!(
        "red limit {} min {minimum} max {maximum} avpkt {mean} burst {burst} bandwidth {kbit}kbit {rest}",
        limit.max(maximum)
    )
}

/// `tc` takes no weight of RED's average but works out a power of two from the burst that is to pass an empty queue: the
/// largest W with burst + 1 - minimum/mean <= (1 - (1 - W)^burst) / W (iproute2, tc/tc_red.c, after Floyd and Jacobson
/// 1993, section 6). This is the longest burst that gives the power of two nearest to `weight`.
#[expect(clippy::cast_precision_loss, reason = "thresholds are far below 2^53 octets")]
fn burst(weight: f64, minimum: u64, mean: u64) -> u32 {
    let power = (-weight.log2()).round().clamp(1.0, 31.0).exp2().recip();
    let packets = minimum as f64 / mean as f64;
    let passes = |burst: u32| {
        let burst = f64::from(burst);
        burst + 1.0 - packets <= (1.0 - (1.0 - power).powf(burst)) / power
    };
    // A burst up to the threshold passes whatever the weight.
    let mut bursts = (1..LONGEST_BURST).skip_while(|burst| f64::from(*burst) < packets);
    let too_long = bursts.find(|burst| !passes(*burst)).unwrap_or(LONGEST_BURST);
    (too_long - 1).max(1)
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
