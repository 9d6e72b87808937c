//! What the captures at both ends take without a drop: one transfer between two kernels as fast as they go, or slowed by
//! a token bucket. `cargo run --release --example taps -- OCTETS [tc RATE]`

use std::time::{Duration, Instant};

use windlull_capture::Snaplen;
use windlull_live::Task;
use windlull_live::capture::Tap;
use windlull_live::hosts::open;
use windlull_netns::{Lab, LabSpec, Node, RouterKind};
use windlull_plane::Epoch;
use windlull_stack::Linux;
use windlull_units::{Bytes, Host, Network, Work};

#[expect(
    clippy::print_stdout,
    clippy::cast_precision_loss,
    reason = "it is what the example is for"
)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let octets: u64 = arguments.next().map_or(Ok(200_000_000), |octets| octets.parse())?;
    let lab = Lab::build(&LabSpec {
        kernel_answers: [true, true],
        network: Network::Ipv4,
        router: RouterKind::Forwarding,
    })?;
    if let Some(rate) = arguments.next() {
        let bucket = [
            "qdisc",
            "add",
            "dev",
            "to-client",
            "root",
            "tbf",
            "rate",
            &rate,
            "burst",
            "100kb",
            "limit",
            "1mb",
        ];
        lab.namespace(Node::Router).command("tc", &bucket)?;
    }
    let scratch = std::env::temp_dir().join(format!("windlull-taps-{}", std::process::id()));
    std::fs::create_dir(&scratch)?;
    let epoch = Epoch::begin();
    let (server, client) = (lab.namespace(Node::Server), lab.namespace(Node::Client));
    let taps = [
        Tap::start(server, "server0", epoch, Snaplen::Headers, &scratch.join("server"))?,
        Tap::start(client, "client0", epoch, Snaplen::Headers, &scratch.join("client"))?,
    ];
    let linux = Linux::default();
    let work = Work::Octets(Bytes::new(octets));
    let receiving = open(&linux, &lab.site(Host::Client), 0)?.receive(Task::receives(work, None), epoch)?;
    let sending = open(&linux, &lab.site(Host::Server), 0)?.send(Task::sends(work), epoch)?;
    let begun = Instant::now();
    while !(sending.progress().over() && receiving.progress().over()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    let took = begun.elapsed().as_secs_f64();
    for tap in taps {
        let spool = tap.stop()?;
        println!("{:?}, clock drift {} ns", spool.counts, spool.clock_drift_ns);
    }
    let (sender, receiver) = (sending.stop()?, receiving.stop()?);
    let sampled = sender.sampled;
    println!(
        "{octets} octets in {took:.3} s: {:.1} Mbit/s; intact: {}; samples {}, late {}, longest gap {}, longest sample {}",
        octets as f64 * 8.0 / took / 1e6,
        receiver.received.first_wrong.is_none() && receiver.received.octets == octets,
        sampled.samples,
        sampled.late,
        sampled.longest_gap,
        sampled.longest_sample,
    );
    std::fs::remove_dir_all(&scratch)?;
    Ok(())
}
