//! BBR over links of its draft's test cases (draft-ietf-ccwg-bbr-06, appendix A), each beside what a link can carry at most.

use windlull_capture::Observer;
use windlull_link::model::{
    Action, LinkModel, PathModel, QueueLimit, QueueModel, RateModel, Scope, ScriptEntry, Selector, Trigger,
};
use windlull_sim::{Ends, Flow, Requests, Setup, Variant, Work, run};
use windlull_tcp::{CongestionControl, DelayedAck, Detection, Recovery, Response};
use windlull_units::{BitRate, Bytes, Direction, Fate, Host, LinkEvent, Outcome, PacketId, Seed, Span, Time};
use windlull_wire::{Segment, SenderEvent, TransmitCause};

/// Octets of payload in a segment, and of its packet.
const PAYLOAD: u64 = 1448;
const PACKET: u64 = 1500;

#[derive(Clone, Debug, Default, PartialEq)]
struct Observed {
    /// Octets of payload that arrived, by when.
    arrived: Vec<(Time, u64)>,
    /// How long each packet of the data's direction waited in the queue, by when it was sent.
    waited: Vec<(Time, Span)>,
    lost: Vec<Time>,
    timeouts: usize,
    recoveries: usize,
    spurious: usize,
    windows: Vec<(Time, u64)>,
}

impl Observer for Observed {
    fn sent(&mut self, _: Time, _: Host, _: PacketId, _: &Segment, _: Option<TransmitCause>) {}

    fn arrived(&mut self, now: Time, host: Host, _: PacketId, segment: &Segment) {
        if host == Host::Client {
            self.arrived.push((now, u64::from(segment.payload_len)));
        }
    }

    fn fate(&mut self, fate: &Fate) {
        if fate.direction == Direction::Down {
            if let Some(started) = fate.started {
                self.waited.push((started, started.since(fate.entered)));
            }
            if let Outcome::Dropped { at, .. } = fate.outcome {
                self.lost.push(at);
            }
        }
    }

    fn link(&mut self, _: Time, _: &LinkEvent) {}

    fn sender(&mut self, now: Time, host: Host, event: &SenderEvent) {
        if host != Host::Server {
            return;
        }
        match event {
            SenderEvent::State(state) => self.windows.push((now, state.cwnd_bytes)),
            SenderEvent::Timeout { .. } => self.timeouts += 1,
            SenderEvent::FastRetransmit { .. } => self.recoveries += 1,
            SenderEvent::Response { .. } => self.spurious += 1,
            _ => {}
        }
    }
}

impl Observed {
    /// Payload in bits a second between two instants, in seconds.
    fn rate(&self, from: u64, to: u64) -> u64 {
        let inside = |at: &Time| (secs(from)..secs(to)).contains(at);
        let octets: u64 = (self.arrived.iter().filter(|(at, _)| inside(at)))
            .map(|(_, octets)| octets)
            .sum();
        octets * 8 / (to - from)
    }

    /// The median time in the queue between two instants.
    fn median_wait(&self, from: u64, to: u64) -> Span {
        let inside = |at: &Time| (secs(from)..secs(to)).contains(at);
        let mut waits: Vec<Span> = (self.waited.iter().filter(|(at, _)| inside(at)))
            .map(|(_, wait)| *wait)
            .collect();
        waits.sort_unstable();
        waits[waits.len() / 2]
    }
}

const fn secs(n: u64) -> Time {
    Time::from_ns(n * 1_000_000_000)
}

fn bbr() -> Variant {
    Variant {
        recovery: Recovery::RackTlp,
        congestion: CongestionControl::Bbr,
        detection: Detection::EifelOrDsack,
        response: Response::Eifel1,
        mss: 1460,
        timestamps: true,
        sack: true,
        dsack: true,
        window_scale: true,
        receive_window: Bytes::new(6_291_456),
        initial_window: Some(10),
        delayed_ack: DelayedAck::EverySecond {
            timer: Span::from_ms(40),
        },
        ..Variant::default()
    }
}

fn rate(mbit: u64) -> BitRate {
    BitRate::from_bps(mbit * 1_000_000).expect("above zero")
}

/// A link of so many Mbit/s with 40 ms of round trip and a queue of so many packets.
fn link(mbit: u64, packets: u32) -> LinkModel {
    let limit = QueueLimit::Packets(packets);
    let path = PathModel {
        queue: QueueModel::DropTail(limit),
        ..PathModel::plain(Some(RateModel::Constant(rate(mbit))), Span::from_ms(20))
    };
    LinkModel {
        down: path.clone(),
        up: PathModel::plain(None, Span::from_ms(20)),
        impairments: Vec::new(),
        script: Vec::new(),
        recording: None,
        replay: None,
        rebinding: None,
        start: windlull_link::model::Start::Beginning,
    }
}

fn step(at: u64, mbit: u64) -> ScriptEntry {
    ScriptEntry {
        scope: Scope::One(Direction::Down),
        trigger: Trigger::At {
            at: secs(at),
            lasts: None,
        },
        action: Action::SetRate(rate(mbit)),
    }
}

fn play(link: &LinkModel, work: Work) -> Observed {
    let variant = bbr();
    let mut observed = vec![Observed::default()];
    let setup = Setup {
        link,
        access: None,
        flows: &[Flow {
            ends: Ends::Tcp(&variant),
            work,
            data_sender: Host::Server,
            start: Span::ZERO,
        }],
        crossing: &[],
        network: windlull_units::Network::Ipv4,
        seed: Seed::new(3),
        time_limit: Span::from_secs(300),
    };
    let ending = run(&setup, &mut observed);
    assert!(ending.is_as_meant(), "{ending}");
    observed.remove(0)
}

fn lasting(secs: u64) -> Work {
    Work::Lasting(Span::from_secs(secs))
}

/// Nine tenths of the payload that so many Mbit/s can carry.
fn nine_tenths(mbit: u64) -> u64 {
    mbit * 1_000_000 * PAYLOAD / PACKET * 9 / 10
}

/// What so many Mbit/s can carry at most.
fn most(mbit: u64) -> u64 {
    mbit * 1_000_000 * PAYLOAD / PACKET
}

#[test]
fn it_fills_a_link_and_leaves_a_short_queue() {
    let seen = play(&link(10, 1000), lasting(20));
    let carried = seen.rate(1, 20);
    assert!((nine_tenths(10)..=most(10)).contains(&carried), "{carried} bit/s");
    // Two round trips' worth would be 80 ms.
    assert!(
        seen.median_wait(2, 20) < Span::from_ms(80),
        "{}",
        seen.median_wait(2, 20)
    );
    assert_eq!((seen.lost.len(), seen.timeouts, seen.recoveries), (0, 0, 0));
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let link = link(10, 30);
    assert_eq!(play(&link, lasting(10)), play(&link, lasting(10)));
}

/// A queue of half a round trip's worth: losses bound what is outstanding.
#[test]
fn a_shallow_queue_costs_few_losses() {
    let seen = play(&link(10, 16), lasting(20));
    let carried = seen.rate(2, 20);
    assert!(carried >= nine_tenths(10), "{carried} bit/s");
    let packets = seen.arrived.len();
    assert!(seen.lost.len() * 50 < packets, "{} of {packets} lost", seen.lost.len());
}

/// A.15: ten times the bandwidth is found within some seconds.
#[test]
fn ten_times_the_rate_is_found() {
    let mut link = link(10, 2000);
    link.script = vec![step(10, 100)];
    let seen = play(&link, lasting(20));
    assert!(seen.rate(2, 10) >= nine_tenths(10));
    let carried = seen.rate(15, 20);
    assert!(carried >= nine_tenths(100), "{carried} bit/s");
}

/// A.16: a tenth of the bandwidth is adapted to, here within two cycles of some seconds; little is lost then. The queue of before
/// goes slowly (docs/variants.md).
#[test]
fn a_tenth_of_the_rate_is_adapted_to() {
    let mut link = link(100, 333);
    link.script = vec![step(10, 10)];
    let seen = play(&link, lasting(40));
    let carried = seen.rate(15, 40);
    assert!((nine_tenths(10)..=most(10)).contains(&carried), "{carried} bit/s");
    assert!(seen.lost.iter().any(|at| *at > secs(10)), "nothing was lost");
    let late = seen.lost.iter().filter(|at| **at > secs(22)).count();
    let arrived = seen.arrived.iter().filter(|(at, _)| *at > secs(22)).count();
    assert!(
        late * 50 < arrived,
        "{late} lost and {arrived} arrived after two cycles"
    );
    let (before, after) = (seen.median_wait(22, 30), seen.median_wait(32, 40));
    assert!(after < before, "{before}, then {after}");
}

/// A.18: a segment that comes late starts a fast recovery, which proves spurious. What it lets the model forget comes back.
#[test]
fn a_spurious_fast_recovery_costs_nothing() {
    let mut late = link(10, 1000);
    late.script = (0..20)
        .map(|n| ScriptEntry {
            scope: Scope::One(Direction::Down),
            trigger: Trigger::Packets {
                which: Selector::Packet(2000 + 300 * n),
                lasts: None,
            },
            action: Action::Delay(Span::from_ms(30)),
        })
        .collect();
    let seen = play(&late, lasting(20));
    assert!(seen.recoveries > 0, "nothing was reordered far enough");
    assert!(seen.lost.is_empty());
    let carried = seen.rate(1, 20);
    assert!(carried >= nine_tenths(10), "{carried} bit/s");
}

/// A.19: a hold makes the timer fire for nothing. The window is soon what it was.
#[test]
fn a_spurious_timeout_costs_little() {
    let mut held = link(10, 1000);
    held.script = vec![ScriptEntry {
        scope: Scope::One(Direction::Down),
        trigger: Trigger::At {
            at: secs(5),
            lasts: Some(Span::from_ms(2500)),
        },
        action: Action::Hold,
    }];
    let seen = play(&held, lasting(20));
    assert!(seen.timeouts > 0 && seen.spurious > 0, "{} timeouts", seen.timeouts);
    let carried = seen.rate(9, 20);
    assert!(carried >= nine_tenths(10), "{carried} bit/s");
}

/// A.7 and section 5.5.4: what an application sends slowly does not make the bandwidth small.
#[test]
fn an_application_that_sends_little_at_a_time_is_served_fast() {
    let work = Work::Requests(Requests {
        request: Bytes::new(100),
        response: Bytes::new(100_000),
        every: Some(Span::from_ms(500)),
        count: 40,
    });
    let seen = play(&link(10, 1000), work);
    assert_eq!((seen.lost.len(), seen.timeouts), (0, 0));
    // 100,000 octets each half second, 1.6 Mbit/s, go out as they come.
    let carried = seen.rate(1, 20);
    assert!((1_590_000..=1_640_000).contains(&carried), "{carried} bit/s");
    // In the end a response takes little more than its 83 ms on the link and a round trip.
    let bursts: Vec<Time> = seen
        .arrived
        .iter()
        .map(|(at, _)| *at)
        .filter(|at| *at >= secs(15))
        .collect();
    let gaps = bursts
        .windows(2)
        .filter(|pair| pair[1].since(pair[0]) > Span::from_ms(100))
        .count();
    assert!(gaps <= 11, "{gaps} pauses in five seconds");
}

/// A.14: less than a packet fits in a round trip, and the window is four segments.
#[test]
fn a_path_that_holds_less_than_a_packet_is_filled() {
    let mut slow = link(1, 100);
    slow.down.rate = BitRate::from_bps(128_000).map(RateModel::Constant);
    let seen = play(&slow, lasting(60));
    let most = 128_000 * PAYLOAD / PACKET;
    let carried = seen.rate(5, 60);
    // One segment more or less falls into the time.
    assert!(
        (most * 9 / 10..=most + PAYLOAD * 8 / 55).contains(&carried),
        "{carried} bit/s"
    );
    let late = seen.windows.iter().filter(|(at, _)| *at > secs(20));
    assert!(late.clone().all(|(_, window)| *window >= 4 * PAYLOAD));
}
