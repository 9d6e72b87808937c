//! What runs are likely to need, worked out from the workload, the links' rates and delays, before anything runs.
//!
//! It is an estimate: of how often a sender times out, or how its window grows, nothing is known before. The constants are
//! of measured runs; the test of the shipped experiments says how far they are off (`tests/all/estimate.rs`).

use schemars::JsonSchema;
use serde::Serialize;
use windlull_experiment::{FlowSet, Testbed};
use windlull_link::model::{ImpairmentKind, LinkModel, PathModel, RateModel};
use windlull_stack::Stack;
use windlull_tcp::DelayedAck;
use windlull_units::{Direction, Host, Span, Work};

use crate::failure::Failure;
use crate::run::cell::{Cell, Cells};
use crate::run::limits::Limits;

/// Octets that fates and events take for each packet.
const FATES_AND_EVENTS: f64 = 180.0;
/// Octets that a capture takes for each packet beside the packet's own.
const CAPTURE_BLOCK: f64 = 60.0;
/// Octets of a full packet, and of a TCP header with timestamps.
const FULL_PACKET: f64 = 1500.0;
const TCP_HEADER: f64 = 32.0;
/// Octets of the diagram's series for each packet, compressed, and of its rows in the scratch file.
const SERIES: f64 = 5.0;
const ROWS: f64 = 40.0;
/// Octets of `run.json` and of what captures begin with.
const RECORD: f64 = 15_000.0;
/// Processor time of a simulated packet with all its files, and of a run.
const PACKET_S: f64 = 3e-6;
const RUN_S: f64 = 0.003;
/// Processor time of a kernel of its own: to boot, and for each second that its link has.
const KERNEL_S: f64 = 1.5;
const KERNEL_SECOND_S: f64 = 0.01;
/// Where nothing is known of a stack's settings, as of a kernel's.
const USUAL_WINDOW: f64 = 4e6;
/// More than any machine carries a second: the rate of a link without one.
const UNLIMITED_BPS: f64 = 1e13;
/// No round trip is shorter, so that a link without delay has a rate all the same.
const SHORTEST_S: f64 = 1e-6;

/// What all runs are likely to need together, and the largest of them.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Estimate")]
pub(crate) struct Estimate {
    /// Packets of all flows, acknowledgements and cross traffic included.
    packets: u64,
    /// Octets of all files that stay, with captures, and without.
    disk_bytes: u64,
    disk_bytes_without_captures: u64,
    /// How long all runs take one after the other: processor time of simulated ones, real time of live ones.
    seconds: f64,
    largest: Largest,
    /// What each run may use.
    limits: Limits,
}

/// The most that one run is likely to need.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "LargestRun")]
struct Largest {
    packets: u64,
    /// While it is made: with captures and scratch file.
    disk_bytes: u64,
    /// In its own time.
    virtual_s: f64,
}

impl Estimate {
    /// Of all runs of a plan, unless commands are the workload.
    pub(crate) fn of(cells: &Cells<'_>) -> Result<Option<Self>, Failure> {
        if cells.experiment().is_by_commands() {
            return Ok(None);
        }
        let mut all = Totals::default();
        let mut largest = Largest::default();
        // Repetitions are alike, and come last in the order of the plan.
        for (cell, repetitions) in cells.kinds() {
            let need = Need::of(&cell);
            largest.packets = largest.packets.max(whole(need.packets));
            largest.disk_bytes = largest.disk_bytes.max(whole(need.captures + need.series + need.rows));
            largest.virtual_s = largest.virtual_s.max(need.virtual_s);
            let times = f64::from(repetitions);
            all.packets += times * need.packets;
            all.captures += times * need.captures;
            all.series += times * need.series;
            all.seconds += times * need.seconds(cell.testbed);
        }
        Ok(Some(Self {
            packets: whole(all.packets),
            disk_bytes: whole(all.captures + all.series),
            disk_bytes_without_captures: whole(all.series),
            seconds: all.seconds,
            largest,
            limits: Limits::here()?,
        }))
    }
}

#[derive(Default)]
struct Totals {
    packets: f64,
    captures: f64,
    series: f64,
    seconds: f64,
}

/// What one run is likely to need.
struct Need {
    packets: f64,
    virtual_s: f64,
    /// Octets of its files.
    captures: f64,
    series: f64,
    rows: f64,
}

impl Need {
    fn of(cell: &Cell<'_>) -> Self {
        let sets = cell.experiment.sets_on(&cell.link.name);
        let access = cell.experiment.access.as_ref().map(|link| &link.model);
        let way = Route {
            links: [Some(&cell.link.model), access],
            headers: f64::from(cell.experiment.network.header_len()) + TCP_HEADER,
        };
        let headers = way.headers;
        let flows: Vec<Flows> = sets
            .iter()
            .map(|set| Flows::of(set, &cell.of_set(set).stack, &way, &sets))
            .collect();
        let ends = flows.iter().map(|set| set.ends_s).fold(0.0, f64::max);
        let limit = cell.experiment.time_limit.as_secs_f64();
        // What is given up is sent in part.
        let made = (limit / ends.max(SHORTEST_S)).min(1.0);
        let virtual_s = ends.min(limit);
        let crossing = cell.workload().crossing.iter().map(|stream| {
            let lasts = (virtual_s - stream.start.as_secs_f64()).max(0.0);
            lasts * number(stream.rate.as_bps()) / number(stream.packet.bits())
        });
        let packets = flows.iter().map(|set| set.flows * set.packets).sum::<f64>() * made + crossing.sum::<f64>();
        // Captures and diagram are of the first flow.
        let shown = flows.first().map_or(0.0, |set| set.packets) * made;
        let data_bytes = flows.first().map_or(FULL_PACKET, |set| set.mss + headers);
        let kept = match cell.experiment.capture.snaplen {
            windlull_experiment::Snaplen::Headers => headers,
            windlull_experiment::Snaplen::Full => (data_bytes + headers) / 2.0,
            windlull_experiment::Snaplen::Size(size) => (data_bytes.min(number(size.get())) + headers) / 2.0,
        };
        Self {
            packets,
            virtual_s,
            captures: shown * (2.0 * (CAPTURE_BLOCK + kept) + FATES_AND_EVENTS),
            series: shown * SERIES + RECORD,
            rows: shown * ROWS,
        }
    }

    fn seconds(&self, testbed: Testbed) -> f64 {
        match testbed {
            Testbed::Sim => self.packets * PACKET_S + RUN_S,
            Testbed::Kernel => self.virtual_s * KERNEL_SECOND_S + KERNEL_S,
            Testbed::Netns | Testbed::Compose => self.virtual_s,
        }
    }
}

/// Flows that do the same.
struct Flows {
    flows: f64,
    mss: f64,
    packets: f64,
    ends_s: f64,
}

impl Flows {
    fn of(set: &FlowSet, stack: &Stack, way: &Route<'_>, sets: &[FlowSet]) -> Self {
        let variant = stack.windlull();
        let mss = variant.map_or(FULL_PACKET - way.headers, |variant| f64::from(variant.mss));
        let window = variant.map_or(USUAL_WINDOW, |variant| number(variant.most_window().get()));
        let flows = f64::from(set.flows);
        let beside: f64 = (sets.iter())
            .filter(|other| other.data_sender == set.data_sender)
            .map(|other| f64::from(other.flows))
            .sum();
        let rate = way.bits_a_second(set.data_sender) * mss / (mss + way.headers);
        let round_trip = way.round_trip_s() + 8.0 * mss / rate;
        // A share of the link, or a window in each round trip.
        let octets_a_second = (rate / 8.0 / beside.max(1.0)).min(window / round_trip);
        let begins = set.start.as_secs_f64() + set.gap.as_secs_f64() * (flows - 1.0);
        let (octets, pieces, lasts) = match set.work {
            Work::Octets(size) => (number(size.get()), 1.0, number(size.get()) / octets_a_second),
            Work::Lasting(span) => (span.as_secs_f64() * octets_a_second, 1.0, span.as_secs_f64()),
            Work::Requests(requests) => {
                let (count, response) = (f64::from(requests.count), number(requests.response.get()));
                let each = response / octets_a_second + round_trip;
                let every = requests.every.map_or(each, Span::as_secs_f64);
                (response * count, count, count * every.max(response / octets_a_second))
            }
        };
        let segments = (octets / mss).max(pieces) * way.sent_again(set.data_sender);
        let acks = acks_of_a_segment(stack, mss, window, rate);
        Self {
            flows,
            mss,
            // Opening and closing take six.
            packets: segments * (1.0 + acks) + 6.0,
            // The window opens round trip by round trip.
            ends_s: begins + lasts + round_trip * (2.0 + (octets / mss + 1.0).log2().min(6.0)),
        }
    }
}

/// How many acknowledgements there are of a segment.
fn acks_of_a_segment(stack: &Stack, mss: f64, window: f64, rate: f64) -> f64 {
    let segment_s = 8.0 * mss / rate;
    let part =
        |timer: Span, segments: f64| (segment_s / timer.as_secs_f64().max(SHORTEST_S)).clamp(1.0 / segments, 1.0);
    match stack.windlull().map(|variant| variant.delayed_ack) {
        Some(DelayedAck::None) => 1.0,
        None => 0.5,
        Some(DelayedAck::EverySecond { timer } | DelayedAck::EverySecondSegment { timer }) => part(timer, 2.0),
        Some(DelayedAck::EverySecondWithin { latest, .. }) => part(latest, 2.0),
        // The segments that are acknowledged one by one are few.
        Some(DelayedAck::Linux) => part(Span::from_ms(40), 2.0),
        Some(DelayedAck::WindowPart { timer }) => part(timer, (0.35 * window / mss).max(1.0)),
        Some(DelayedAck::AtTicks { clock }) => part(clock, (window / mss).max(1.0)),
    }
}

/// The links on a flow's way.
struct Route<'a> {
    links: [Option<&'a LinkModel>; 2],
    /// Octets of a packet's headers.
    headers: f64,
}

impl Route<'_> {
    fn links(&self) -> impl Iterator<Item = &LinkModel> {
        self.links.iter().flatten().copied()
    }

    /// The rate of the slowest link, for what this host sends.
    fn bits_a_second(&self, sender: Host) -> f64 {
        let direction = sender.sends();
        let rates = self
            .links()
            .map(|link| bits_a_second(link.path(direction)).min(policed(link, direction)));
        rates.fold(UNLIMITED_BPS, f64::min)
    }

    fn round_trip_s(&self) -> f64 {
        let delays = self
            .links()
            .map(|link| link.down.delay.typical_secs() + link.up.delay.typical_secs());
        delays.sum::<f64>().max(SHORTEST_S)
    }

    /// How often a segment is sent, as those that are lost by chance are sent again.
    fn sent_again(&self, sender: Host) -> f64 {
        let direction = sender.sends();
        let impairments = self.links().flat_map(|link| &link.impairments);
        let arrives: f64 = impairments
            .filter(|impairment| impairment.scope.covers(direction))
            .map(|impairment| 1.0 - impairment.kind.share_lost(whole(8.0 * FULL_PACKET)).unwrap_or(0.0))
            .product();
        // Who loses nearly all gives up soon.
        1.0 / arrives.max(0.1)
    }
}

/// What the strictest policer of a direction lets through.
fn policed(link: &LinkModel, direction: Direction) -> f64 {
    let rates = link.impairments.iter().filter_map(|impairment| match &impairment.kind {
        ImpairmentKind::Policer { rate, .. } if impairment.scope.covers(direction) => Some(number(rate.as_bps())),
        _ => None,
    });
    rates.fold(UNLIMITED_BPS, f64::min)
}

fn bits_a_second(path: &PathModel) -> f64 {
    match &path.rate {
        None => UNLIMITED_BPS,
        Some(RateModel::Constant(rate)) => number(rate.as_bps()),
        Some(RateModel::Stepped { steps, .. }) => {
            let rates = steps.iter().map(|(_, rate)| number(rate.as_bps()));
            rates.sum::<f64>() / number(steps.len() as u64).max(1.0)
        }
        Some(RateModel::Trace { opportunities, period }) => {
            // Mahimahi's opportunities have 1504 octets each.
            number(opportunities.len() as u64) * 1504.0 * 8.0 / period.as_secs_f64().max(SHORTEST_S)
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "an estimate has few digits")]
const fn number(number: u64) -> f64 {
    number as f64
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it saturates, and is not below zero"
)]
fn whole(number: f64) -> u64 {
    number.round() as u64
}
