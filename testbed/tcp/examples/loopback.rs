//! Two endpoints back to back over a channel of fixed delay: how long one packet takes them together.
//!
//! ```text
//! cargo run --release -p windlull-tcp --example loopback
//! ```
#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use std::collections::VecDeque;
use std::time::Instant;

use windlull_tcp::{Endpoint, Recovery, Variant};
use windlull_units::{Bytes, Span, Time};
use windlull_wire::{Segment, SeqNumber};

const DELAY: Span = Span::from_ms(5);
const SERIALISATION: Span = Span::from_us(12);

/// One direction: packets one after another, each for its serialisation time, then the delay. Every `loss`th is lost.
struct Wire {
    packets: VecDeque<(Time, Segment)>,
    free: Time,
    carried: u64,
    loss: Option<u64>,
}

impl Wire {
    fn new(loss: Option<u64>) -> Self {
        Self {
            packets: VecDeque::new(),
            free: Time::ZERO,
            carried: 0,
            loss,
        }
    }

    fn arrived(&mut self, now: Time) -> Option<(Time, Segment)> {
        let due = self.packets.front().is_some_and(|(at, _)| *at <= now);
        if due { self.packets.pop_front() } else { None }
    }

    fn send(&mut self, now: Time, segment: Segment) {
        self.carried += 1;
        self.free = self.free.max(now) + SERIALISATION;
        if self.loss.is_none_or(|every| self.carried % every != 0) {
            self.packets.push_back((self.free + DELAY, segment));
        }
    }
}

fn transfer(variant: &Variant, octets: u64, loss: Option<u64>) -> (u64, Time) {
    let mut ends = [
        Endpoint::new(variant, SeqNumber(7)),
        Endpoint::new(variant, SeqNumber(9)),
    ];
    let mut wires = [Wire::new(loss), Wire::new(None)];
    let mut now = Time::ZERO;
    ends[1].listen();
    ends[0].connect(now);
    ends[0].write(now, octets);
    ends[0].close(now);
    while let Some((segment, _)) = ends[0].poll_transmit(now, &mut ()) {
        wires[0].send(now, segment);
    }
    while !ends[0].fin_acknowledged() {
        let arrival = |wire: &Wire| wire.packets.front().map_or(Time::NEVER, |(at, _)| *at);
        let timer = |end: &Endpoint| end.poll_at().unwrap_or(Time::NEVER);
        let next = [arrival(&wires[0]), arrival(&wires[1]), timer(&ends[0]), timer(&ends[1])];
        now = next.into_iter().min().expect("four candidates");
        assert!(now < Time::NEVER, "the transfer stalled");
        for from in [0, 1] {
            let to = 1 - from;
            if let Some((_, segment)) = wires[from].arrived(now) {
                ends[to].on_segment(now, &segment, &mut ());
                let readable = ends[to].readable();
                ends[to].read(now, readable);
                if ends[to].peer_closed() {
                    ends[to].close(now);
                }
                while let Some((segment, _)) = ends[to].poll_transmit(now, &mut ()) {
                    wires[to].send(now, segment);
                }
            }
            if timer(&ends[from]) <= now {
                ends[from].on_timer(now, &mut ());
                while let Some((segment, _)) = ends[from].poll_transmit(now, &mut ()) {
                    wires[from].send(now, segment);
                }
            }
        }
    }
    (wires[0].carried + wires[1].carried, now)
}

fn main() {
    let sack = Variant {
        recovery: Recovery::Sack,
        sack: true,
        window_scale: true,
        receive_window: Bytes::new(4_000_000),
        ..Variant::default()
    };
    let stamped = Variant {
        timestamps: true,
        ..sack.clone()
    };
    let newreno = Variant {
        window_scale: true,
        receive_window: Bytes::new(4_000_000),
        ..Variant::default()
    };
    for (name, variant, loss) in [
        ("newreno", &newreno, None),
        ("sack", &sack, None),
        ("sack, timestamps", &stamped, None),
        ("sack, every 1000th packet lost", &sack, Some(1000)),
        ("newreno, every 1000th packet lost", &newreno, Some(1000)),
    ] {
        let start = Instant::now();
        let (packets, end) = transfer(variant, 1_000_000_000, loss);
        let wall = start.elapsed();
        println!(
            "{name:36} {packets:8} packets, {:6.1} ns a packet, {:5.2} s of link time",
            wall.as_secs_f64() * 1e9 / f64::from(u32::try_from(packets).expect("few packets")),
            end.as_secs_f64(),
        );
    }
}
