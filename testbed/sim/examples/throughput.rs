//! How fast the simulator is on its own: packets a second over the links of the benchmarks, nobody watching.
//!
//! `cargo run --release -p windlull-sim --example throughput`

use std::time::Instant;

use windlull_capture::Observer;
use windlull_link::model::{LinkModel, PathModel, QueueLimit, QueueModel, RateModel};
use windlull_sim::{Flow, Setup, Transfer, run};
use windlull_tcp::{Recovery, Variant};
use windlull_units::{BitRate, Bytes, Fate, Host, LinkEvent, PacketId, Seed, Span, Time};
use windlull_wire::{Segment, SenderEvent, TransmitCause};

#[derive(Default)]
struct Count {
    sent: u64,
    lost: u64,
    timeouts: u64,
    last: Time,
}

impl Observer for Count {
    fn sent(&mut self, now: Time, _: Host, _: PacketId, _: &Segment, _: Option<TransmitCause>) {
        self.sent += 1;
        self.last = now;
    }
    fn arrived(&mut self, _: Time, _: Host, _: PacketId, _: &Segment) {}
    fn fate(&mut self, fate: &Fate) {
        self.lost += u64::from(!fate.arrived_intact());
    }
    fn link(&mut self, _: Time, _: &LinkEvent) {}
    fn sender(&mut self, _: Time, _: Host, event: &SenderEvent) {
        self.timeouts += u64::from(matches!(event, SenderEvent::Timeout { .. }));
    }
}

#[expect(clippy::print_stdout, reason = "an example talks to a person")]
fn main() {
    let cases = [
        ("S1", 28_800, 200, 7, 256, 102_400, 30),
        ("S2", 2_000_000, 150, 75, 1000, 5_000_000, 30),
        ("S3", 1_000_000_000, 10, 1000, 1448, 1_000_000_000, 1),
    ];
    for (name, rate, delay, queue, mss, size, runs) in cases {
        for recovery in [Recovery::NewReno, Recovery::Sack] {
            let rate = BitRate::from_bps(rate).map(RateModel::Constant);
            let path = PathModel {
                queue: QueueModel::DropTail(QueueLimit::Packets(queue)),
                ..PathModel::plain(rate, Span::from_ms(delay))
            };
            let link = LinkModel::symmetric(path);
            let variant = Variant {
                recovery,
                mss,
                sack: recovery == Recovery::Sack,
                window_scale: true,
                receive_window: Bytes::new(8_000_000),
                ..Variant::default()
            };
            let (began, mut count) = (Instant::now(), Count::default());
            for seed in 0..runs {
                let transfer = Transfer {
                    size: Bytes::new(size),
                    data_sender: Host::Server,
                };
                let setup = Setup {
                    link: &link,
                    access: None,
                    flows: &[Flow::of(&variant, transfer)],
                    crossing: &[],
                    network: windlull_units::Network::Ipv4,
                    seed: Seed::new(seed),
                    time_limit: Span::from_secs(36_000),
                };
                let ending = run(&setup, std::slice::from_mut(&mut count));
                assert!(matches!(ending, windlull_sim::Ending::Closed { .. }), "{ending:?}");
            }
            let took = began.elapsed().as_secs_f64();
            #[expect(clippy::cast_precision_loss, reason = "for people")]
            let rate = count.sent as f64 / took / 1e6;
            println!(
                "{name} {recovery}: {} packets, {} lost, {} timeouts, ends at {}, {took:.3} s, {rate:.2} million packets/s",
                count.sent, count.lost, count.timeouts, count.last
            );
        }
    }
}
