//! `windlull-probe LINK --plane PLANE`: numbered packets one way over a link; when each left, and when it arrived.
//!
//! What a plane does to packets is seen from outside, by two sockets, alike for every plane. Meant for virtual time
//! (`windlull-kernel run`), in which reading the clock and waking up take no time: what is measured is the plane's alone.

mod link;
mod receiver;
mod sender;
mod traffic;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use serde::Serialize;
use windlull_netns::{Lab, LabError, LabSpec, Node, RouterKind};
use windlull_plane::Epoch;
use windlull_plane::netem::{Carriage, Fidelity};
use windlull_profile::{Library, Link, Problems};
use windlull_units::{Bytes, Network, PlaneKind, Seed, Span};

use crate::link::{PlaneFailed, Played, Prepared};
use crate::receiver::{RECEIVE_BUFFER, Receiver, ReceiverError};
use crate::traffic::Probe;

#[derive(Debug, Parser)]
#[command(name = "windlull-probe", version)]
struct Arguments {
    /// The link: a name in the library of profiles, or a path. Only its way down is used.
    link: String,
    /// Who plays it.
    #[arg(long)]
    plane: PlaneKind,
    /// The netem plane is a wire between its devices, as between containers; the router's kernel does not forward.
    #[arg(long)]
    wire: bool,
    /// What netem cannot express is replaced by the nearest that there is, for packets of the mean size.
    #[arg(long)]
    nearest: bool,
    /// The directory with links/.
    #[arg(long, default_value = "profiles")]
    profiles: PathBuf,
    /// Of the link's random processes.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Of sizes and gaps.
    #[arg(long, default_value_t = 1)]
    traffic_seed: u64,
    /// How many packets.
    #[arg(long)]
    packets: u32,
    /// Mean gaps between packets, us, exponential; one after another for equal shares of the packets.
    #[arg(long, value_delimiter = ',', required = true)]
    gaps: Vec<f64>,
    /// Smallest and largest IPv4 packet, octets; all sizes between are alike.
    #[arg(long, value_delimiter = ',', num_args = 1, default_values_t = [100_u16, 1500])]
    sizes: Vec<u16>,
    /// For how long to wait for late packets, s.
    #[arg(long, default_value_t = 60)]
    settle: u64,
    /// Where to write a row a packet.
    #[arg(long)]
    out: PathBuf,
}

/// A row of the output.
#[derive(Debug, Serialize)]
struct Row {
    number: u32,
    size_bytes: u16,
    sent_ns: u64,
    /// Empty: lost.
    received_ns: Option<u64>,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("--sizes takes two numbers, {} to 1500, the smaller one first", traffic::SMALLEST)]
    Sizes,
    #[error("--gaps takes numbers above zero")]
    Gaps,
    #[error("{0}")]
    Link(#[from] Problems),
    #[error(transparent)]
    Lab(#[from] LabError),
    #[error(transparent)]
    Plane(#[from] PlaneFailed),
    #[error(transparent)]
    Receiver(#[from] ReceiverError),
    #[error("cannot send: {0}")]
    Sending(std::io::Error),
    #[error("cannot write {}: {source}", path.display())]
    Output { path: PathBuf, source: csv::Error },
}

impl Failure {
    const fn exit_code(&self) -> u8 {
        match self {
            Self::Sizes | Self::Gaps | Self::Link(_) | Self::Plane(PlaneFailed::Unsupported(_)) => 2,
            _ => 1,
        }
    }
}

fn main() -> ExitCode {
    match probe(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            complain(&failure);
            ExitCode::from(failure.exit_code())
        }
    }
}

#[expect(clippy::print_stderr, reason = "what a command says when it fails")]
fn complain(failure: &Failure) {
    eprintln!("error: {failure}");
}

fn probe(arguments: &Arguments) -> Result<(), Failure> {
    let sizes = match arguments.sizes[..] {
        [least, most] if (traffic::SMALLEST..=most).contains(&least) && most <= 1500 => least..=most,
        _ => return Err(Failure::Sizes),
    };
    if !arguments.gaps.iter().all(|gap| gap.is_finite() && *gap > 0.0) {
        return Err(Failure::Gaps);
    }
    let seed = Seed::new(arguments.traffic_seed);
    let mean_size = u64::from(*sizes.start()).midpoint(u64::from(*sizes.end()));
    let probes = traffic::plan(seed, arguments.packets, &arguments.gaps, sizes);
    let link = Link::load(&Library::open(&arguments.profiles), &arguments.link)?;
    // Root of a kernel of its own may; elsewhere the receiver finds out whether there is room.
    let _ = std::fs::write("/proc/sys/net/core/rmem_max", RECEIVE_BUFFER.to_string());
    let lab = Lab::build(&LabSpec {
        kernel_answers: [true, true],
        network: Network::Ipv4,
        router: match arguments.plane {
            PlaneKind::Netem if !arguments.wire => RouterKind::Forwarding,
            PlaneKind::Model | PlaneKind::Netem => RouterKind::Userspace,
        },
    })?;
    let router = lab.namespace(Node::Router);
    let settle = Span::from_secs(arguments.settle);
    let horizon = probes.last().map_or(Span::ZERO, |probe| probe.after) + settle;
    let played = Played {
        link: &link.model,
        seed: Seed::new(arguments.seed),
        carriage: if arguments.wire {
            Carriage::Wire
        } else {
            Carriage::Forwarding
        },
        fidelity: if arguments.nearest {
            Fidelity::Nearest {
                packet: Bytes::new(mean_size),
            }
        } else {
            Fidelity::Exact
        },
    };
    let prepared = Prepared::new(arguments.plane, played, horizon, router)?;

    let epoch = Epoch::begin();
    let plane = prepared.start(played, epoch, router)?;
    let receiver = Receiver::start(lab.namespace(Node::Client), epoch, probes.len(), settle)?;
    let sent = sender::send(lab.namespace(Node::Server), epoch, &probes).map_err(Failure::Sending)?;
    let received = receiver.finish()?;
    plane.stop()?;
    write(&arguments.out, &probes, &sent, &received).map_err(|source| Failure::Output {
        path: arguments.out.clone(),
        source,
    })
}

fn write(path: &PathBuf, probes: &[Probe], sent_ns: &[u64], received_ns: &[Option<u64>]) -> Result<(), csv::Error> {
    let mut rows = csv::Writer::from_path(path)?;
    for ((number, probe), (&sent_ns, &received_ns)) in (0..).zip(probes).zip(sent_ns.iter().zip(received_ns)) {
        rows.serialize(Row {
            number,
            size_bytes: probe.size_bytes,
            sent_ns,
            received_ns,
        })?;
    }
    Ok(rows.flush()?)
}
