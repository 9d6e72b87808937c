//! The diagram's rows in a scratch file: the same series, in memory that does not grow with the transfer.

use std::collections::VecDeque;
use std::io::{self, Cursor};

use windlull_analysis::{Analyzer, Recorder, SeriesBuilder};
use windlull_capture::{Observer, Provenance};
use windlull_units::{Bytes, Direction, DropCause, Fate, Host, LinkEvent, Outcome, PacketId, Seed, Span, Time};
use windlull_wire::{
    DetectorAnswer, Flags, Phase, SackBlock, Segment, SenderEvent, SenderState, SeqNumber, TransmitCause,
};

const MSS: u32 = 1000;
const WINDOW: usize = 300;
const ISN: SeqNumber = SeqNumber(7);

fn builder() -> SeriesBuilder {
    let provenance = Provenance {
        version: "0".into(),
        commit: "0".into(),
        testbed: "sim".to_owned(),
        kernel: None,
        experiment: "long".into(),
        variant: "sack".into(),
        link: "endless".into(),
        repetition: 1,
        seed: Seed::new(1),
    };
    SeriesBuilder::new(Host::Server, &provenance)
}

fn recorder(series: SeriesBuilder) -> Recorder<Vec<u8>> {
    Recorder::new(Analyzer::new(Host::Server), None, Some(series))
}

fn in_file() -> Recorder<Vec<u8>> {
    recorder(builder().spilling_into(Box::new(|| Ok(Box::new(Cursor::new(Vec::new()))))))
}

/// A transfer of so many segments, told to an observer; every so often what it takes is asked for.
struct Transfer<'a> {
    observer: &'a mut Recorder<Vec<u8>>,
    now: Time,
    next_id: u64,
    random: u64,
    flying: VecDeque<(PacketId, Segment)>,
    resend: VecDeque<Segment>,
    /// Delivered, and not acknowledged yet because one before them is missing.
    beyond: Vec<u32>,
    acknowledged: u32,
    most_bytes: usize,
}

impl<'a> Transfer<'a> {
    fn tell(observer: &'a mut Recorder<Vec<u8>>, segments: u32) -> usize {
        let mut transfer = Self {
            observer,
            now: Time::ZERO,
            next_id: 0,
            random: 1,
            flying: VecDeque::new(),
            resend: VecDeque::new(),
            beyond: Vec::new(),
            acknowledged: 0,
            most_bytes: 0,
        };
        let syn = Segment {
            seq: ISN,
            flags: Flags::SYN,
            ..Segment::default()
        };
        transfer.send(Host::Server, syn, TransmitCause::Handshake);
        let mut next = 0;
        while transfer.acknowledged < segments {
            while transfer.flying.len() < WINDOW && (next < segments || !transfer.resend.is_empty()) {
                match transfer.resend.pop_front() {
                    Some(segment) => transfer.send_data(segment, TransmitCause::SackHole),
                    None => {
                        transfer.send_data(data(next), TransmitCause::NewData);
                        next += 1;
                    }
                }
            }
            transfer.step();
        }
        transfer.most_bytes
    }

    /// A number below this one.
    fn below(&mut self, limit: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.random >> 33) % limit
    }

    fn send(&mut self, host: Host, segment: Segment, cause: TransmitCause) -> PacketId {
        let id = PacketId(self.next_id);
        self.next_id += 1;
        self.observer.sent(self.now, host, id, &segment, Some(cause));
        id
    }

    fn send_data(&mut self, segment: Segment, cause: TransmitCause) {
        let id = self.send(Host::Server, segment, cause);
        self.flying.push_back((id, segment));
    }

    fn fate(&mut self, id: PacketId, direction: Direction, outcome: Outcome, duplicate_of: Option<PacketId>) {
        let waited = Span::from_us(self.below(3));
        let entered = Time::ZERO + self.now.since(Time::ZERO + Span::from_us(40));
        let marked = self.below(4) == 0;
        self.observer.fate(&Fate {
            id,
            direction,
            size: Bytes::new(1040),
            entered,
            started: Some(entered + waited),
            sent: Some(self.now),
            held: waited,
            queue_packets: 1,
            marked,
            corrupted: false,
            reordered: false,
            duplicate_of,
            outcome,
        });
    }

    /// One packet's way ends, most often the oldest one's.
    fn step(&mut self) {
        self.now += Span::from_us(10);
        if self.next_id % 5000 == 0 {
            self.most_bytes = self.most_bytes.max(self.observer.rows_bytes());
        }
        let reach = if self.below(50) == 0 { 40 } else { 1 };
        let place = usize::try_from(self.below(reach))
            .expect("small")
            .min(self.flying.len() - 1);
        let (id, segment) = self.flying.remove(place).expect("it is there");
        let at = self.now;
        match self.below(100) {
            0 => {
                let by = DropCause::QueueOverflow;
                self.fate(id, Direction::Down, Outcome::Dropped { at, by }, None);
                self.resend.push_back(segment);
                return;
            }
            1 => {
                let copy = PacketId(self.next_id);
                self.next_id += 1;
                self.fate(copy, Direction::Down, Outcome::Delivered { at }, Some(id));
                self.fate(id, Direction::Down, Outcome::Delivered { at }, None);
            }
            2 => self.spell(),
            _ => self.fate(id, Direction::Down, Outcome::Delivered { at }, None),
        }
        if self.below(100) == 2 {
            // The spell began before this packet's fate was told.
            self.spell();
        }
        self.observer.arrived(self.now, Host::Client, id, &segment);
        self.acknowledge(segment);
    }

    fn spell(&mut self) {
        let (direction, name) = (Direction::Down, "wireless".to_owned());
        let bad = self.below(2) == 0;
        let event = LinkEvent::LossState { direction, name, bad };
        self.observer.link(self.now, &event);
    }

    fn acknowledge(&mut self, segment: Segment) {
        let number = segment.seq.offset_from(ISN.add(1)).unsigned_abs() / MSS;
        if number >= self.acknowledged && !self.beyond.contains(&number) {
            self.beyond.push(number);
        }
        while let Some(place) = self.beyond.iter().position(|number| *number == self.acknowledged) {
            self.beyond.swap_remove(place);
            self.acknowledged += 1;
        }
        let mut ack = Segment {
            seq: SeqNumber(1),
            ack: ISN.add(1).add(self.acknowledged * MSS),
            flags: Flags::ACK,
            window: 60_000,
            ..Segment::default()
        };
        if number > self.acknowledged {
            let left = segment.seq;
            let right = left.add(MSS);
            ack.options.sack.push(SackBlock { left, right });
        }
        let id = self.send(Host::Client, ack, TransmitCause::Ack);
        let at = self.now;
        self.fate(id, Direction::Up, Outcome::Delivered { at }, None);
        self.observer.arrived(self.now, Host::Server, id, &ack);
        let state = SenderState {
            cwnd_bytes: 300_000 + self.below(1000),
            ssthresh_bytes: None,
            flight_bytes: 300_000,
            srtt: Some(Span::from_us(3000)),
            rttvar: None,
            rto: Span::from_ms(1000),
            estimated_rto: None,
            minimum_rto: None,
            backoff: 0,
            phase: Phase::CongestionAvoidance,
        };
        self.observer.sender(self.now, Host::Server, &SenderEvent::State(state));
        let step = SenderEvent::Detector {
            ordinal: 1,
            rule: "echo".into(),
            answer: Some(DetectorAnswer::Genuine),
        };
        self.observer.sender(self.now, Host::Server, &step);
    }
}

fn data(number: u32) -> Segment {
    Segment {
        seq: ISN.add(1).add(number * MSS),
        ack: SeqNumber(1),
        flags: Flags::ACK,
        payload_len: MSS,
        ..Segment::default()
    }
}

#[test]
fn a_scratch_file_changes_nothing_of_the_series() {
    let (mut kept, mut spilled) = (recorder(builder()), in_file());
    Transfer::tell(&mut kept, 120_000);
    Transfer::tell(&mut spilled, 120_000);
    let [kept, spilled] = [kept, spilled].map(|recorder| {
        let series = recorder.finish().series.expect("asked for");
        serde_json::to_string(&series).expect("memory does not fail")
    });
    // Not with `assert_eq`: it would print them.
    assert!(kept.len() > 10_000_000, "{}", kept.len());
    assert!(kept == spilled, "the series differ");
}

/// The negative control is the same transfer without a file.
#[test]
fn memory_does_not_grow_with_the_transfer() {
    let most = |mut recorder: Recorder<Vec<u8>>, segments: u32| Transfer::tell(&mut recorder, segments);
    let (short, long) = (most(in_file(), 100_000), most(in_file(), 400_000));
    assert!(long < 16_000_000, "{long}");
    assert!(long < short + short / 10, "{short}, then {long}");
    assert!(most(recorder(builder()), 400_000) > 4 * long);
}

#[test]
fn a_file_that_cannot_be_written_is_told() {
    let full = || -> io::Result<Box<dyn windlull_analysis::ScratchFile>> { Err(io::ErrorKind::StorageFull.into()) };
    let mut recorder = recorder(builder().spilling_into(Box::new(full)));
    assert!(!recorder.has_failed());
    Transfer::tell(&mut recorder, 50_000);
    assert!(recorder.has_failed());
    assert_eq!(recorder.error().map(io::Error::kind), Some(io::ErrorKind::StorageFull));
}
