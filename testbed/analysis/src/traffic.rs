//! What crossed the link in a run of commands, whatever its protocol: counted from the fates of packets.

use schemars::JsonSchema;
use serde::Serialize;
use windlull_capture::Observer;
use windlull_units::{Direction, Fate, Host, LinkEvent, Outcome, PacketId, Span, Time};
use windlull_wire::{Segment, SenderEvent, TransmitCause};

/// The shortest time that is told apart.
const FINEST: Span = Span::from_ms(100);
/// When there are so many, two become one: a day's run takes no more memory than an hour's.
const MOST_BINS: usize = 4_096;

/// Counts packets of both directions; it is an observer that looks at fates alone.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    ways: [DirectionTraffic; 2],
    marked: u64,
    congestion_losses: u64,
    course: Bins,
}

#[derive(Clone, Debug, Default)]
struct DirectionTraffic {
    packets: u64,
    lost: u64,
    delivered_bytes: u64,
    /// From coming to the link to leaving it, ns, of packets that arrived.
    delays_ns: Vec<u64>,
}

/// What is measured of a run of commands.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(with = "crate::result::MetricValues")]
pub struct CommandMetrics {
    /// From the client's command's start to its end, seconds.
    pub elapsed_s: f64,
    /// Its exit code; absent if a signal ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Packets that the server sent.
    pub packets_down: u64,
    /// Packets that the client sent.
    pub packets_up: u64,
    /// Octets of IP packets that arrived at the client, over the elapsed time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrived_down_bps: Option<f64>,
    /// Octets of IP packets that arrived at the server, over the elapsed time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrived_up_bps: Option<f64>,
    /// The mean time on the link of packets to the client, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_down_s: Option<f64>,
    /// The mean time on the link of packets to the server, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_up_s: Option<f64>,
    /// What 95 of 100 packets to the client took at most, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_down_p95_s: Option<f64>,
    /// What 95 of 100 packets to the server took at most, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay_up_p95_s: Option<f64>,
    /// Packets of both directions that the link dropped.
    pub packets_lost: u64,
    /// Of these, those that found a queue full or that its management dropped.
    pub congestion_losses: u64,
    /// Packets of both directions that a queue marked.
    pub packets_marked: u64,
}

/// What crossed the link over time, in equal bins from the run's start.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TrafficCourse {
    /// How long a bin is, seconds.
    pub bin_s: f64,
    /// To the client.
    pub down: WayCourse,
    /// To the server.
    pub up: WayCourse,
}

/// One direction over time; all columns have the same length.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct WayCourse {
    /// Octets of IP packets that arrived.
    pub arrived_bytes: Vec<u64>,
    /// Packets that were lost.
    pub lost: Vec<u64>,
    /// The mean time on the link of those that arrived, seconds; null where none did.
    pub delay_s: Vec<Option<f64>>,
}

impl Traffic {
    /// The metrics of a run whose command took so many seconds and ended so.
    pub fn metrics(&self, elapsed_s: f64, exit_code: Option<i32>) -> CommandMetrics {
        let [down, up] = &self.ways;
        CommandMetrics {
            elapsed_s,
            exit_code,
            packets_down: down.packets,
            packets_up: up.packets,
            arrived_down_bps: down.rate(elapsed_s),
            arrived_up_bps: up.rate(elapsed_s),
            delay_down_s: down.mean_delay_s(),
            delay_up_s: up.mean_delay_s(),
            delay_down_p95_s: down.p95_delay_s(),
            delay_up_p95_s: up.p95_delay_s(),
            packets_lost: down.lost + up.lost,
            congestion_losses: self.congestion_losses,
            packets_marked: self.marked,
        }
    }

    /// What crossed the link over time.
    pub fn course(&self) -> TrafficCourse {
        let way = |direction: Direction| {
            let bins = self.course.bins.iter().map(|bin| bin[direction as usize]);
            WayCourse {
                arrived_bytes: bins.clone().map(|bin| bin.bytes).collect(),
                lost: bins.clone().map(|bin| bin.lost).collect(),
                delay_s: bins.map(Bin::mean_delay_s).collect(),
            }
        };
        TrafficCourse {
            bin_s: self.course.length.as_secs_f64(),
            down: way(Direction::Down),
            up: way(Direction::Up),
        }
    }
}

impl Observer for Traffic {
    fn sent(&mut self, _: Time, _: Host, _: PacketId, _: &Segment, _: Option<TransmitCause>) {}

    fn arrived(&mut self, _: Time, _: Host, _: PacketId, _: &Segment) {}

    fn fate(&mut self, fate: &Fate) {
        let way = &mut self.ways[fate.direction as usize];
        way.packets += u64::from(fate.duplicate_of.is_none());
        self.marked += u64::from(fate.marked);
        match fate.outcome {
            Outcome::Delivered { at } => {
                let (bytes, delay_ns) = (fate.size.get(), at.since(fate.entered).as_ns());
                way.delivered_bytes += bytes;
                way.delays_ns.push(delay_ns);
                let bin = self.course.at(at, fate.direction);
                bin.bytes += bytes;
                bin.arrived += 1;
                bin.delay_ns += u128::from(delay_ns);
            }
            Outcome::Dropped { by, .. } if !by.is_loss() => {}
            Outcome::Dropped { at, by } => {
                way.lost += 1;
                self.congestion_losses += u64::from(by.is_congestion());
                self.course.at(at, fate.direction).lost += 1;
            }
        }
    }

    fn link(&mut self, _: Time, _: &LinkEvent) {}

    fn sender(&mut self, _: Time, _: Host, _: &SenderEvent) {}
}

#[expect(clippy::cast_precision_loss, reason = "reports show far fewer digits")]
impl DirectionTraffic {
    fn rate(&self, elapsed_s: f64) -> Option<f64> {
        (elapsed_s > 0.0).then(|| self.delivered_bytes as f64 * 8.0 / elapsed_s)
    }

    fn mean_delay_s(&self) -> Option<f64> {
        let sum: u128 = self.delays_ns.iter().copied().map(u128::from).sum();
        (!self.delays_ns.is_empty()).then(|| sum as f64 / self.delays_ns.len() as f64 / 1e9)
    }

    /// The least delay that 95 of 100 do not exceed.
    fn p95_delay_s(&self) -> Option<f64> {
        let mut delays = self.delays_ns.clone();
        let place = (delays.len() * 95).div_ceil(100).checked_sub(1)?;
        let (_, delay, _) = delays.select_nth_unstable(place);
        Some(*delay as f64 / 1e9)
    }
}

/// One bin of one direction.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    bytes: u64,
    arrived: u64,
    lost: u64,
    delay_ns: u128,
}

impl Bin {
    #[expect(clippy::cast_precision_loss, reason = "charts show far fewer digits")]
    fn mean_delay_s(self) -> Option<f64> {
        (self.arrived > 0).then(|| self.delay_ns as f64 / self.arrived as f64 / 1e9)
    }

    const fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes + other.bytes,
            arrived: self.arrived + other.arrived,
            lost: self.lost + other.lost,
            delay_ns: self.delay_ns + other.delay_ns,
        }
    }
}

/// Bins of both directions.
#[derive(Clone, Debug)]
struct Bins {
    length: Span,
    bins: Vec<[Bin; 2]>,
}

impl Default for Bins {
    fn default() -> Self {
        Self {
            length: FINEST,
            bins: Vec::new(),
        }
    }
}

impl Bins {
    fn at(&mut self, at: Time, direction: Direction) -> &mut Bin {
        let mut place = at.as_ns() / self.length.as_ns();
        while place >= MOST_BINS as u64 {
            self.halve();
            place = at.as_ns() / self.length.as_ns();
        }
        let place = usize::try_from(place).expect("below the most bins");
        if self.bins.len() <= place {
            self.bins.resize(place + 1, [Bin::default(); 2]);
        }
        &mut self.bins[place][direction as usize]
    }

    fn halve(&mut self) {
        self.length = self.length.saturating_mul(2);
        let pair = |pair: &[[Bin; 2]]| match pair {
            [a, b] => [a[0].and(b[0]), a[1].and(b[1])],
            one => one[0],
        };
        self.bins = self.bins.chunks(2).map(pair).collect();
    }
}

#[cfg(test)]
mod tests {
    use windlull_units::{Bytes, DropCause};

    use super::*;

    fn fate(number: u64, entered_ms: u64, outcome: Outcome) -> Fate {
        let entered = Time::ZERO + Span::from_ms(entered_ms);
        Fate::plain(PacketId(number), Direction::Down, Bytes::new(1_000), entered, outcome)
    }

    fn delivered(number: u64, entered_ms: u64, delay_ms: u64) -> Fate {
        let at = Time::ZERO + Span::from_ms(entered_ms + delay_ms);
        fate(number, entered_ms, Outcome::Delivered { at })
    }

    #[test]
    fn what_crosses_is_counted() {
        let mut traffic = Traffic::default();
        for number in 0..100 {
            traffic.fate(&delivered(number, number * 10, 1 + number));
        }
        let at = Time::ZERO + Span::from_ms(5);
        traffic.fate(&fate(
            100,
            5,
            Outcome::Dropped {
                at,
                by: DropCause::QueueOverflow,
            },
        ));
        traffic.fate(&fate(
            101,
            5,
            Outcome::Dropped {
                at,
                by: DropCause::AckThinned,
            },
        ));
        let metrics = traffic.metrics(2.0, Some(3));
        assert_eq!((metrics.packets_down, metrics.packets_up), (102, 0));
        assert_eq!((metrics.packets_lost, metrics.congestion_losses), (1, 1));
        assert_eq!(
            (metrics.exit_code, metrics.arrived_down_bps),
            (Some(3), Some(400_000.0))
        );
        assert_eq!(metrics.delay_down_p95_s, Some(0.095));
        assert_eq!(metrics.delay_up_s, None);
        let course = traffic.course();
        assert_eq!(course.down.arrived_bytes.iter().sum::<u64>(), 100_000);
        assert_eq!(course.down.lost[0], 1);
    }

    #[test]
    fn a_long_run_has_longer_bins_and_no_more() {
        let mut traffic = Traffic::default();
        for hour in 0..48 {
            traffic.fate(&delivered(hour, hour * 3_600_000, 7));
        }
        let course = traffic.course();
        assert!(course.down.delay_s.len() <= MOST_BINS, "{}", course.down.delay_s.len());
        assert_eq!(course.down.arrived_bytes.iter().sum::<u64>(), 48_000);
        assert_eq!(course.down.delay_s.iter().flatten().count(), 48);
    }
}
