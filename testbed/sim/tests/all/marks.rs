//! Congestion that queues tell by marks and early drops: what senders make of it.

use windlull_capture::Observer;
use windlull_link::model::{
    AdaptiveRedModel, CodelModel, LinkModel, PathModel, PieModel, QueueLimit, QueueModel, QueueSize, RateModel, RedAim,
    RedModel,
};
use windlull_sim::{Ending, Ends, Flow, Setup, Variant, Work, run};
use windlull_tcp::{CongestionControl, CongestionMarks};
use windlull_units::{BitRate, Bytes, DropCause, Ecn, Fate, Host, LinkEvent, Outcome, PacketId, Seed, Span, Time};
use windlull_wire::{Flags, Segment, SenderEvent, TransmitCause};

#[derive(Clone, Debug, Default, PartialEq)]
struct Observed {
    fates: Vec<Fate>,
    again: usize,
    timeouts: usize,
    /// The window after each of the sender's events.
    windows: Vec<(Time, u64)>,
    /// When a packet arrived with a mark, and when the sender said that it had answered one.
    marked: Vec<Time>,
    answered: Vec<Time>,
    /// AE, CWR and ECE of the last segment of the client, and of all segments of the server behind the handshake.
    told: u16,
    told_back: Vec<u16>,
}

impl Observer for Observed {
    fn sent(&mut self, now: Time, host: Host, _: PacketId, segment: &Segment, cause: Option<TransmitCause>) {
        let field = segment.flags.0 & Flags::AE.with(Flags::CWR).with(Flags::ECE).0;
        if host == Host::Client {
            self.told = field;
        } else if !segment.flags.has(Flags::SYN) && !self.told_back.contains(&field) {
            self.told_back.push(field);
        }
        if host == Host::Server {
            let first = [
                TransmitCause::Handshake,
                TransmitCause::NewData,
                TransmitCause::Fin,
                TransmitCause::Ack,
            ];
            let again = cause.is_some_and(|cause| !first.contains(&cause));
            self.again += usize::from(again);
            if segment.flags.has(Flags::CWR) && !segment.flags.has(Flags::SYN) {
                self.answered.push(now);
            }
        }
    }

    fn arrived(&mut self, now: Time, host: Host, _: PacketId, segment: &Segment) {
        if host == Host::Client && segment.ecn == Ecn::Ce {
            self.marked.push(now);
        }
    }

    fn fate(&mut self, fate: &Fate) {
        self.fates.push(*fate);
    }

    fn link(&mut self, _: Time, _: &LinkEvent) {}

    fn sender(&mut self, now: Time, _: Host, event: &SenderEvent) {
        match event {
            SenderEvent::State(state) => self.windows.push((now, state.cwnd_bytes)),
            SenderEvent::Timeout { .. } => self.timeouts += 1,
            _ => {}
        }
    }
}

impl Observed {
    fn lost(&self) -> usize {
        let lost = |fate: &&Fate| matches!(fate.outcome, Outcome::Dropped { .. });
        self.fates.iter().filter(lost).count()
    }

    fn lost_early(&self) -> usize {
        let early = |fate: &&Fate| {
            matches!(
                fate.outcome,
                Outcome::Dropped {
                    by: DropCause::QueueEarly,
                    ..
                }
            )
        };
        self.fates.iter().filter(early).count()
    }

    fn marks(&self) -> usize {
        self.fates.iter().filter(|fate| fate.marked).count()
    }

    /// The mean wait of packets to the client, in milliseconds.
    fn wait_ms(&self) -> u64 {
        let to_client = self
            .fates
            .iter()
            .filter(|fate| fate.direction.reaches() == Host::Client);
        let waits: Vec<u64> = to_client
            .filter_map(|fate| Some(fate.started?.since(fate.entered).as_ns()))
            .collect();
        waits.iter().sum::<u64>() / waits.len() as u64 / 1_000_000
    }
}

/// 5 Mbit/s, 20 ms each way: the pipe holds 17 packets of 1500 octets, and the queue 100 more.
fn play(queue: QueueModel, ecn: CongestionMarks) -> Observed {
    play_with(queue, ecn, CongestionControl::Reno)
}

fn play_with(queue: QueueModel, ecn: CongestionMarks, congestion: CongestionControl) -> Observed {
    let path = PathModel {
        queue,
        ..PathModel::plain(BitRate::from_bps(5_000_000).map(RateModel::Constant), Span::from_ms(20))
    };
    let link = LinkModel::symmetric(path);
    let variant = Variant {
        ecn,
        congestion,
        window_scale: true,
        receive_window: Bytes::new(1_000_000),
        ..Variant::default()
    };
    let flow = Flow {
        ends: Ends::Tcp(&variant),
        work: Work::Octets(Bytes::new(12_000_000)),
        data_sender: Host::Server,
        start: Span::ZERO,
    };
    let setup = Setup {
        link: &link,
        access: None,
        flows: &[flow],
        crossing: &[],
        network: windlull_units::Network::Ipv4,
        seed: Seed::new(7),
        time_limit: Span::from_secs(100),
    };
    let mut observed = vec![Observed::default()];
    let ending = run(&setup, &mut observed);
    assert!(matches!(ending, Ending::Closed { .. }), "{ending}");
    observed.remove(0)
}

const LIMIT: QueueLimit = QueueLimit::Packets(100);

const fn codel(ecn: bool) -> QueueModel {
    QueueModel::Codel(CodelModel {
        limit: LIMIT,
        target: Span::from_ms(5),
        interval: Span::from_ms(100),
        ecn,
    })
}

const fn queues(ecn: bool) -> [QueueModel; 4] {
    let mean_packet = Bytes::new(1500);
    [
        QueueModel::Red(RedModel {
            limit: LIMIT,
            minimum: QueueSize::Packets(5),
            maximum: QueueSize::Packets(15),
            probability: 0.1,
            weight: 0.002,
            gentle: true,
            mean_packet,
            spare: None,
            ecn,
        }),
        QueueModel::AdaptiveRed(AdaptiveRedModel {
            limit: LIMIT,
            aim: RedAim::Delay(Span::from_ms(20)),
            weight: None,
            mean_packet,
            spare: None,
            ecn,
        }),
        codel(ecn),
        QueueModel::Pie(PieModel {
            limit: LIMIT,
            target: Span::from_ms(15),
            burst: Span::from_ms(150),
            mean_packet,
            ecn,
        }),
    ]
}

/// The whole chain: the queue marks, the receiver echoes, the sender halves its window and says so, and nothing is lost.
#[test]
fn a_mark_halves_the_window_and_loses_nothing() {
    let observed = play(codel(true), CongestionMarks::On);
    assert_eq!((observed.lost(), observed.again, observed.timeouts), (0, 0, 0));
    assert!(observed.marks() > 0);
    assert_eq!(observed.marked.len(), observed.marks());
    let (marked, answered) = (observed.marked[0], observed.answered[0]);
    // A mark is answered when the next acknowledgement has come back, not within the way back.
    assert!(answered >= marked + Span::from_ms(20), "{marked} {answered}");
    let windows = |from: Time, to: Time| {
        let inside = observed.windows.iter().filter(move |(at, _)| (from..=to).contains(at));
        inside.map(|&(_, window)| window)
    };
    // It tells so on the first new data that the smaller window lets go.
    let before = windows(marked, answered).max().expect("acknowledgements came");
    let after = windows(marked, answered).next_back().expect("acknowledgements came");
    assert!(after.abs_diff(before / 2) <= 1500, "{before} to {after}");
    // Once in a round trip at most, which is 40 ms or more.
    let gaps = observed.answered.windows(2).map(|pair| pair[1].since(pair[0]));
    assert!(gaps.min() >= Some(Span::from_ms(40)));
}

/// With accurate ECN the receiver counts, from five on and modulo eight, what the queue marked, and is told nothing
/// (RFC 9768, section 3.2).
#[test]
fn the_receiver_counts_what_the_queue_marks() {
    for queue in queues(true) {
        let observed = play(queue, CongestionMarks::Accurate);
        let marks = observed.marks();
        assert!(marks > 8, "{marks} {queue:?}");
        assert_eq!(observed.marked.len(), marks);
        let count = |field: u16| usize::from(field >> 6);
        assert_eq!(count(observed.told), (5 + marks) % 8, "{marks} {queue:?}");
        assert_eq!(observed.told_back, [Flags::AE.with(Flags::ECE).0]);
        // A mark asks for the same as by RFC 3168: half a window, once a round trip.
        let classic = play(queue, CongestionMarks::On);
        assert!(
            observed.wait_ms().abs_diff(classic.wait_ms()) <= classic.wait_ms() / 2,
            "{queue:?}"
        );
    }
}

#[test]
fn each_discipline_keeps_the_wait_shorter_than_a_full_queue_does() {
    let full = play(QueueModel::DropTail(LIMIT), CongestionMarks::Off);
    assert!(full.lost() > 0 && full.lost_early() == 0 && full.marks() == 0);
    for (dropping, marking) in queues(false).into_iter().zip(queues(true)) {
        let dropped = play(dropping, CongestionMarks::On);
        assert!(dropped.lost_early() > 0 && dropped.marks() == 0, "{dropping:?}");
        assert!(
            dropped.wait_ms() < full.wait_ms() * 2 / 3,
            "{} {dropping:?}",
            dropped.wait_ms()
        );
        let marked = play(marking, CongestionMarks::On);
        assert!(marked.marks() > 0, "{marking:?}");
        assert!(
            marked.lost() < dropped.lost(),
            "{} {} {marking:?}",
            marked.lost(),
            dropped.lost()
        );
        assert!(
            marked.wait_ms() < full.wait_ms() * 2 / 3,
            "{} {marking:?}",
            marked.wait_ms()
        );
        // A sender that is not capable meets the same drops whether the queue would mark or not.
        let off = CongestionMarks::Off;
        assert_eq!(play(marking, off), play(dropping, off), "{marking:?}");
    }
}

/// A ramp over the queue's length at the instant, as RFC 8257, section 4.1, wants marks: from 3 packets on some, from 9 on all.
fn ramp() -> QueueModel {
    QueueModel::Red(RedModel {
        limit: LIMIT,
        minimum: QueueSize::Packets(3),
        maximum: QueueSize::Packets(9),
        probability: 1.0,
        weight: 1.0,
        gentle: true,
        mean_packet: Bytes::new(1500),
        spare: None,
        ecn: true,
    })
}

/// Where marks begin at three packets, half a window a mark leaves the link idle, and half the share of marks does not: DCTCP is done
/// sooner with a short queue, whether marks are echoed or counted.
#[test]
fn a_sender_by_the_share_of_marks_keeps_a_short_queue_and_a_busy_link() {
    let done = |observed: &Observed| observed.windows.last().expect("acknowledgements came").0;
    let reno = play_with(ramp(), CongestionMarks::On, CongestionControl::Reno);
    for ecn in [CongestionMarks::On, CongestionMarks::Accurate] {
        let dctcp = play_with(ramp(), ecn, CongestionControl::Dctcp);
        assert_eq!((dctcp.lost(), dctcp.again, dctcp.timeouts), (0, 0, 0));
        // 12 MB of 1460 octets a packet of 1500 take 19.7 s at least.
        assert!(done(&dctcp) < Time::ZERO + Span::from_ms(20_500), "{}", done(&dctcp));
        assert!(
            done(&dctcp) + Span::from_secs(1) < done(&reno),
            "{} {}",
            done(&dctcp),
            done(&reno)
        );
        // Nine packets take 22 ms.
        assert!(dctcp.wait_ms() < 22, "{}", dctcp.wait_ms());
        assert_eq!(dctcp.marked.len(), dctcp.marks());
    }
}

#[test]
fn the_same_seed_makes_the_same_marks() {
    for queue in queues(true) {
        assert_eq!(play(queue, CongestionMarks::On), play(queue, CongestionMarks::On));
    }
}
