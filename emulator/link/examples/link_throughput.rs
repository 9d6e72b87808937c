//! How many packets a second pass a plain link, and one with everything on it.
//!
//! `cargo run --release -p windlull-link --example link_throughput`

#![expect(clippy::print_stdout, reason = "a program that prints its measurement")]

use std::hint::black_box;
use std::time::Instant;

use windlull_link::model::{
    ArqModel, Distribution, Impairment, ImpairmentKind, LinkModel, Onset, PathModel, Persistence, QueueLimit,
    QueueModel, RateModel, Scope,
};
use windlull_link::{Link, Packet, TcpView};
use windlull_units::{BitRate, Bytes, Direction, Ecn, Seed, Span, Time};

/// As long as a TCP segment of the testbed is.
#[derive(Clone)]
struct Segment {
    size: Bytes,
    _header: [u64; 12],
}

impl Packet for Segment {
    fn size(&self) -> Bytes {
        self.size
    }

    fn tcp(&self) -> Option<TcpView> {
        None
    }

    fn flow(&self) -> u64 {
        0
    }

    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }

    fn mark(&mut self) {}
}

const PACKETS: u64 = 5_000_000;

fn path() -> PathModel {
    let rate = BitRate::from_bps(1_000_000_000).map(RateModel::Constant);
    PathModel {
        queue: QueueModel::DropTail(QueueLimit::Packets(1000)),
        ..PathModel::plain(rate, Span::from_ms(10))
    }
}

fn plain() -> LinkModel {
    LinkModel::symmetric(path())
}

fn lossy() -> LinkModel {
    let kinds = [
        ("loss", ImpairmentKind::Loss { probability: 0.01 }),
        (
            "holds",
            ImpairmentKind::Hold {
                every: Onset::PacketWithProbability(0.0001),
                length: Distribution::Exponential {
                    mean: Span::from_us(100),
                },
            },
        ),
        (
            "bursts",
            ImpairmentKind::TwoState {
                good: Distribution::Exponential {
                    mean: Span::from_ms(20),
                },
                bad: Distribution::Exponential {
                    mean: Span::from_us(100),
                },
                loss_good: 0.0,
                loss_bad: 1.0,
            },
        ),
    ];
    let impairment = |(name, kind): (&str, ImpairmentKind)| Impairment {
        name: name.to_owned(),
        scope: Scope::Each,
        kind,
    };
    LinkModel {
        impairments: kinds.map(impairment).to_vec(),
        ..plain()
    }
}

fn reliable() -> LinkModel {
    let arq = Some(ArqModel {
        send_buffer: Bytes::new(3_000_000),
        receive_buffer: Bytes::new(3_000_000),
        persistence: Persistence::Unlimited,
        retry_after: Span::from_ms(25),
    });
    let mut model = lossy();
    (model.down.arq, model.up.arq) = (arq, arq);
    model
}

/// Sends data at the link's rate, and an acknowledgement for each that arrives, until enough have passed.
fn measure(name: &str, model: &LinkModel) {
    let mut link = Link::new(model, Seed::new(1));
    let gap = Span::from_ns(12_000);
    let (data, ack) = (Bytes::new(1500), Bytes::new(52));
    let segment = |size| Segment { size, _header: [0; 12] };
    let (mut passed, mut next_send) = (0, Time::ZERO);
    let began = Instant::now();
    while passed < PACKETS {
        let now = link.poll_at().map_or(next_send, |at| at.min(next_send));
        link.advance(now, &mut ());
        while let Some(delivery) = link.pop_delivery() {
            passed += 1;
            if delivery.direction == Direction::Down {
                link.send(now, Direction::Up, segment(ack), &mut ());
            }
            black_box(&delivery.packet);
        }
        if now == next_send {
            link.send(now, Direction::Down, segment(data), &mut ());
            next_send += gap;
        }
    }
    let took = began.elapsed();
    #[expect(clippy::cast_precision_loss, reason = "a count")]
    let each = took.as_secs_f64() * 1e9 / PACKETS as f64;
    println!("{name:10} {each:6.1} ns a packet, {:.2} million a second", 1e3 / each);
}

fn main() {
    measure("plain", &plain());
    measure("impaired", &lossy());
    measure("arq", &reliable());
}
