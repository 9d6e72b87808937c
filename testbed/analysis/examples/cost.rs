//! What watching a run costs: nanoseconds a packet of the analyser, of the diagram, and of the files.
//!
//! `cargo run --release -p windlull-analysis --example cost [PACKETS]`; a packet is a data segment or an
//! acknowledgement that passes the link. The files go nowhere.
#![expect(clippy::print_stdout, reason = "it is a program that prints")]
#![expect(clippy::cast_precision_loss, reason = "a few digits are shown")]

use std::collections::VecDeque;
use std::hint::black_box;
use std::io::{self, Sink};
use std::time::Instant;

use windlull_analysis::{Analyzer, Recorder, SeriesBuilder};
use windlull_capture::{CaptureWriter, Observer, Provenance, Sinks, Snaplen};
use windlull_units::{Bytes, Direction, DropCause, Fate, Host, Outcome, PacketId, Seed, Span, Time};
use windlull_wire::{Flags, Options, Phase, Segment, SenderEvent, SenderState, SeqNumber, Timestamps, TransmitCause};

const MSS: u32 = 1448;
const WINDOW: usize = 1000;
const ISN: SeqNumber = SeqNumber(1 << 31);

fn main() {
    let packets: u64 = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(3_000_000);
    report("nothing (the script alone)", packets, 0, &mut Nobody);
    for lost_every in [0, 50] {
        report("analyser", packets, lost_every, &mut Analyzer::new(Host::Server));
        let series = SeriesBuilder::new(Host::Server, &provenance());
        let mut series = Recorder::<Sink>::new(Analyzer::new(Host::Server), None, Some(series));
        report("analyser, diagram", packets, lost_every, &mut series);
        for (name, snaplen) in [("96 B", Snaplen::Octets(96)), ("full", Snaplen::Full)] {
            let sinks = Sinks {
                server: io::sink(),
                client: io::sink(),
                fates: io::sink(),
                events: io::sink(),
                qlogs: None,
            };
            let files = CaptureWriter::new(sinks, &provenance(), snaplen);
            let mut recorder = Recorder::new(Analyzer::new(Host::Server), Some(files), None);
            report(&format!("analyser, files ({name})"), packets, lost_every, &mut recorder);
            let recording = recorder.finish();
            black_box(recording.analysis.metrics);
        }
    }
}

fn report(what: &str, packets: u64, lost_every: u64, observer: &mut impl Observer) {
    let began = Instant::now();
    let count = tell(observer, packets, lost_every);
    let ns = began.elapsed().as_nanos() as f64 / count as f64;
    let losses = if lost_every == 0 {
        "no losses".to_owned()
    } else {
        format!("1 of {lost_every} lost")
    };
    println!("{what:32} {losses:14} {ns:7.1} ns/packet");
}

/// A bulk transfer with a window of 1000 segments; lost ones are sent again a window later.
fn tell(observer: &mut impl Observer, packets: u64, lost_every: u64) -> u64 {
    let mut now = Time::ZERO;
    let (mut id, mut next, mut acknowledged) = (0, 0_u32, 0_u32);
    let syn = Segment {
        seq: ISN,
        flags: Flags::SYN,
        ..Segment::default()
    };
    send(observer, now, &mut id, Host::Server, &syn, TransmitCause::Handshake);
    let mut flying: VecDeque<(PacketId, Segment, bool)> = VecDeque::new();
    let mut lost: VecDeque<u32> = VecDeque::new();
    while id < packets {
        while flying.len() < WINDOW {
            let (number, cause) = match lost.pop_front() {
                Some(number) => (number, TransmitCause::SackHole),
                None => {
                    next += 1;
                    (next - 1, TransmitCause::NewData)
                }
            };
            let segment = data(number);
            let drop = cause == TransmitCause::NewData && lost_every > 0 && u64::from(number) % lost_every == 7;
            let id = send(observer, now, &mut id, Host::Server, &segment, cause);
            flying.push_back((id, segment, drop));
        }
        now += Span::from_us(12);
        let Some((data_id, segment, drop)) = flying.pop_front() else {
            break;
        };
        if drop {
            observer.fate(&fate(
                data_id,
                Direction::Down,
                Outcome::Dropped {
                    at: now,
                    by: DropCause::RandomLoss,
                },
            ));
            lost.push_back(segment.seq.offset_from(ISN.add(1)).unsigned_abs() / MSS);
            continue;
        }
        observer.fate(&fate(data_id, Direction::Down, Outcome::Delivered { at: now }));
        observer.arrived(now, Host::Client, data_id, &segment);
        acknowledged += 1;
        if acknowledged % 2 == 0 {
            let in_order = lost.front().copied().unwrap_or(acknowledged.min(next));
            let ack = Segment {
                seq: SeqNumber(1),
                ack: ISN.add(1).add(in_order.saturating_sub(1).wrapping_mul(MSS)),
                flags: Flags::ACK,
                options: Options {
                    timestamps: Some(Timestamps { value: 1, echo: 2 }),
                    ..Options::default()
                },
                ..Segment::default()
            };
            let ack_id = send(observer, now, &mut id, Host::Client, &ack, TransmitCause::Ack);
            observer.fate(&fate(ack_id, Direction::Up, Outcome::Delivered { at: now }));
            observer.arrived(now, Host::Server, ack_id, &ack);
            let state = SenderState {
                cwnd_bytes: 1_448_000,
                ssthresh_bytes: Some(724_000),
                flight_bytes: 1_446_552,
                srtt: Some(Span::from_us(12_345)),
                rttvar: Some(Span::from_us(345)),
                rto: Span::from_ms(1000),
                estimated_rto: Some(Span::from_us(13_725)),
                minimum_rto: Some(Span::from_ms(1000)),
                backoff: 0,
                phase: Phase::CongestionAvoidance,
            };
            observer.sender(now, Host::Server, &SenderEvent::State(state));
            observer.sender(
                now,
                Host::Server,
                &SenderEvent::RttSample {
                    rtt: Span::from_us(12_000),
                },
            );
        }
    }
    id
}

fn send(
    observer: &mut impl Observer,
    now: Time,
    id: &mut u64,
    host: Host,
    segment: &Segment,
    cause: TransmitCause,
) -> PacketId {
    let this = PacketId(*id);
    *id += 1;
    observer.sent(now, host, this, segment, Some(cause));
    this
}

fn data(number: u32) -> Segment {
    Segment {
        seq: ISN.add(1).add(number.wrapping_mul(MSS)),
        ack: SeqNumber(1),
        flags: Flags::ACK,
        window: 8000,
        options: Options {
            timestamps: Some(Timestamps { value: 1, echo: 2 }),
            ..Options::default()
        },
        payload_len: MSS,
        ..Segment::default()
    }
}

fn fate(id: PacketId, direction: Direction, outcome: Outcome) -> Fate {
    Fate {
        id,
        direction,
        size: Bytes::new(1500),
        entered: Time::from_ns(1_000_000),
        started: Some(Time::from_ns(2_000_000)),
        sent: Some(Time::from_ns(3_000_000)),
        held: Span::ZERO,
        queue_packets: 12,
        marked: false,
        corrupted: false,
        reordered: false,
        duplicate_of: None,
        outcome,
    }
}

fn provenance() -> Provenance {
    Provenance {
        version: "0".into(),
        commit: "0".into(),
        testbed: "sim".to_owned(),
        kernel: None,
        experiment: "cost".into(),
        variant: "none".into(),
        link: "none".into(),
        repetition: 1,
        seed: Seed::new(1),
    }
}

/// Watches nothing.
struct Nobody;

impl Observer for Nobody {
    fn sent(&mut self, now: Time, _: Host, _: PacketId, segment: &Segment, _: Option<TransmitCause>) {
        black_box((now, segment));
    }
    fn arrived(&mut self, now: Time, _: Host, _: PacketId, segment: &Segment) {
        black_box((now, segment));
    }
    fn fate(&mut self, fate: &Fate) {
        black_box(fate);
    }
    fn link(&mut self, _: Time, _: &windlull_units::LinkEvent) {}
    fn sender(&mut self, _: Time, _: Host, event: &SenderEvent) {
        black_box(event);
    }
}
