//! What is drawn for a transfer: everything follows from the seed and the transfer's number.

use std::fmt;
use std::path::Path;

use rand_chacha::rand_core::Rng as _;
use windlull_capture::Snaplen;
use windlull_experiment::{Kind, Library, VariantProfile};
use windlull_link::model::{
    Distribution, Impairment, ImpairmentKind, InOrder, LinkModel, Onset, PathModel, QueueLimit, QueueModel, RateModel,
    Scope,
};
use windlull_live::hosts::{self, SettingError};
use windlull_live::{Connection, Pace, PlaneKind, ReadingPause, Setup, Transfer, Work};
use windlull_netns::{Addresses, Namespace, Site};
use windlull_stack::Stack;
use windlull_units::{BitRate, Bytes, Host, Network, Rng, Seed, Span};

const LEAST_SIZE: f64 = 1.0;
const MOST_SIZE: f64 = 10e6;
/// Losses in a transfer at most, on average: each may cost a timeout of a second.
const MOST_LOSSES: f64 = 40.0;
/// The most probable loss.
const MOST_LOSS: f64 = 0.1;
/// Holds in a transfer at most, on average.
const MOST_HOLDS: f64 = 3.0;
/// What a transfer may take at most.
const TIME_LIMIT: Span = Span::from_secs(300);
/// Overtakings in a transfer at most, on average: each may halve a window.
const MOST_OVERTAKINGS: f64 = 200.0;

/// All variants that are shipped, and the seed.
pub(crate) struct Cases {
    ours: Vec<(String, Stack)>,
    linux: Vec<(String, Stack)>,
    /// Variants whose settings this kernel does not have, and why.
    pub(crate) not_here: Vec<String>,
    seed: Seed,
    network: Network,
}

pub(crate) struct Case {
    names: [String; 2],
    connections: [Connection; 1],
    pub(crate) transfer: Transfer,
    link: LinkModel,
    seed: Seed,
    network: Network,
    pub(crate) isn: Option<u32>,
    pub(crate) pause: Option<ReadingPause>,
}

impl Cases {
    /// For transfers over this version of IP.
    pub(crate) fn load(seed: u64, network: Network) -> Self {
        let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles");
        let library = Library::open(profiles);
        let variants = library.names(Kind::Variant).into_iter().map(|name| {
            let variant = VariantProfile::load(&library, &name).expect("a shipped variant is right");
            (name, variant.stack)
        });
        let (ours, mut linux): (Vec<_>, Vec<_>) = variants.partition(|(_, stack)| matches!(stack, Stack::Windlull(_)));
        let mut not_here = Vec::new();
        linux.retain(|(name, stack)| match taken(stack) {
            Ok(()) => true,
            Err(why) => {
                not_here.push(format!("{name} cannot run here: {why}"));
                false
            }
        });
        Self {
            ours,
            linux,
            not_here,
            seed: Seed::new(seed),
            network,
        }
    }

    /// The transfer of this number: ours to Linux, Linux to ours, ours to ours, in turn; of each every variant in turn.
    pub(crate) fn case(&self, nth: usize) -> Case {
        let seed = self.seed.child(&format!("transfer/{nth}"));
        let mut draw = Draw(seed.stream("interop"));
        let ours = &self.ours[nth / 3 % self.ours.len()];
        let linux = &self.linux[nth / 3 % self.linux.len()];
        let (sender, receiver) = match nth % 3 {
            0 => (ours, linux),
            1 => (linux, ours),
            _ => (ours, &self.ours[draw.below(self.ours.len())]),
        };
        let mss = self.network.segment_size([256, 536, 1460][draw.below(3)]);
        let size = draw.log_uniform(LEAST_SIZE, MOST_SIZE).round();
        let data_sender = Host::ALL[draw.below(2)];
        let receiver = (receiver.0.clone(), draw.shaped(&receiver.1, mss));
        let sender = (sender.0.clone(), draw.shaped(&sender.1, mss));
        let [server, client] = match data_sender {
            Host::Server => [sender, receiver],
            Host::Client => [receiver, sender],
        };
        // Both oddities need something to happen on: data beyond the end of the numbers, a window to fill.
        let wraps = nth % 5 == 1 || nth % 5 == 3;
        let pauses = nth % 7 == 2;
        let transfer = Transfer {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "from 1 to ten million"
            )]
            size: Bytes::new(size as u64),
            data_sender,
        };
        Case {
            names: [server.0, client.0],
            connections: [Connection::of(transfer, [server.1, client.1])],
            transfer,
            link: draw.link(size, f64::from(mss)),
            seed,
            network: self.network,
            isn: wraps.then(|| u32::MAX - u32::try_from(draw.below(1_000)).expect("it is below a thousand")),
            pause: pauses.then(|| ReadingPause {
                after: Bytes::new(draw.below(20_000) as u64),
                lasts: draw.span(300.0, 4_000.0),
            }),
        }
    }
}

/// Whether this machine's kernel takes the settings. A machine without namespaces is asked nothing.
fn taken(stack: &Stack) -> Result<(), String> {
    let Stack::Linux(linux) = stack else { return Ok(()) };
    let Ok(namespace) = Namespace::create("trial") else {
        return Ok(());
    };
    let site = Site {
        host: Host::Server,
        namespace,
        device: "lo".to_owned(),
        addresses: Addresses::Lab(Network::Ipv4),
    };
    match hosts::apply(linux, &site) {
        Err(error @ SettingError::NotTaken { .. }) => Err(error.to_string()),
        _ => Ok(()),
    }
}

impl Case {
    pub(crate) fn setup(&self) -> Setup<'_> {
        Setup {
            link: &self.link,
            access: None,
            crossing: &[],
            network: self.network,
            work: Work::Connections(&self.connections),
            seed: self.seed,
            time_limit: TIME_LIMIT,
            plane: PlaneKind::Model,
            pace: Pace::Frugal,
            snaplen: Snaplen::Headers,
            isn: self.isn,
            pause: self.pause,
            link_capture: None,
        }
    }

    fn is_linux(&self, host: Host) -> bool {
        matches!(self.connections[0].ends[host as usize], Stack::Linux(_))
    }

    /// Whether ours sends to Linux.
    pub(crate) fn is_to_linux(&self) -> bool {
        self.is_linux(self.transfer.data_sender.peer())
    }

    /// Whether Linux sends to ours.
    pub(crate) fn is_from_linux(&self) -> bool {
        self.is_linux(self.transfer.data_sender)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Transfer { size, data_sender } = self.transfer;
        let [server, client] = &self.names;
        let (sender, receiver) = match data_sender {
            Host::Server => (server, client),
            Host::Client => (client, server),
        };
        write!(f, "{size} from {sender} to {receiver}")?;
        if let Some(isn) = self.isn {
            write!(f, ", isn {isn}")?;
        }
        if let Some(pause) = self.pause {
            write!(f, ", pause of {} after {}", pause.lasts, pause.after)?;
        }
        for impairment in &self.link.impairments {
            write!(f, ", {:?}", impairment.kind)?;
        }
        Ok(())
    }
}

struct Draw(Rng);

impl Draw {
    /// From 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a random number")]
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.0.next_u64() % end.max(1) as u64).expect("it is below a usize")
    }

    fn uniform(&mut self, min: f64, max: f64) -> f64 {
        min + (max - min) * self.unit()
    }

    fn log_uniform(&mut self, min: f64, max: f64) -> f64 {
        self.uniform(min.ln(), max.ln()).exp()
    }

    fn span(&mut self, min_ms: f64, max_ms: f64) -> Span {
        Span::from_secs_f64(self.uniform(min_ms, max_ms) / 1e3)
    }

    /// A TCP with this segment size; ours with a window of random size too.
    fn shaped(&mut self, stack: &Stack, mss: u16) -> Stack {
        match stack {
            Stack::Linux(linux) => {
                let mut linux = linux.clone();
                linux.mss = Some(mss);
                Stack::Linux(linux)
            }
            Stack::Transport(_) => unreachable!("no case has one"),
            Stack::Windlull(variant) => {
                let mut variant = variant.clone();
                variant.mss = mss;
                variant.window_scale = self.below(2) == 0;
                let most = if variant.window_scale { 1e6 } else { 65_535.0 };
                // Without scaling the field has no room for a window to grow into.
                variant.largest_receive_window = variant.largest_receive_window.filter(|_| variant.window_scale);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "from 8000 to a million"
                )]
                let window = self.log_uniform(8_000.0, most) as u64;
                variant.receive_window = Bytes::new(window);
                Stack::Windlull(variant)
            }
        }
    }

    /// A link on which so many octets take a few seconds.
    fn link(&mut self, size: f64, mss: f64) -> LinkModel {
        let segments = (size / mss).ceil();
        let seconds = self.uniform(0.2, 3.0);
        let rate = (size * 8.0 / seconds).clamp(100e3, 60e6);
        let path = |draw: &mut Self| PathModel {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped above")]
            rate: BitRate::from_bps(rate as u64).map(RateModel::Constant),
            delay: Distribution::Constant(draw.span(1.0, 60.0)),
            framing: Bytes::ZERO,
            queue: QueueModel::DropTail(QueueLimit::Packets(20 + u32::try_from(draw.below(180)).unwrap_or(0))),
            arq: None,
            allocation: None,
            light: None,
            service: None,
            in_order: InOrder::Always,
        };
        let (down, up) = (path(self), path(self));
        let most_loss = (MOST_LOSSES / segments).min(MOST_LOSS);
        let mut impairments = Vec::new();
        let mut add = |draw: &mut Self, name: &str, kind: ImpairmentKind| {
            // Three of four transfers meet each.
            if draw.below(4) > 0 {
                impairments.push(Impairment {
                    name: name.to_owned(),
                    scope: Scope::Each,
                    kind,
                });
            }
        };
        let probability = self.uniform(0.0, most_loss);
        add(self, "loss", ImpairmentKind::Loss { probability });
        let most = (MOST_OVERTAKINGS / segments).min(0.05);
        let (probability, by) = (self.uniform(0.0, most), self.span(1.0, 30.0));
        let by = Distribution::Uniform {
            min: Span::ZERO,
            max: by,
        };
        add(self, "reorder", ImpairmentKind::Reorder { probability, by });
        let probability = self.uniform(0.0, 0.05);
        add(self, "duplicate", ImpairmentKind::Duplicate { probability });
        let probability = self.uniform(0.0, most_loss / 4.0);
        add(self, "corrupt", ImpairmentKind::Corrupt { probability });
        let every = Onset::PacketWithProbability(self.uniform(0.0, (MOST_HOLDS / segments).min(0.05)));
        let length = Distribution::Exponential {
            mean: self.span(100.0, 800.0),
        };
        add(self, "hold", ImpairmentKind::Hold { every, length });
        LinkModel {
            up,
            impairments,
            ..LinkModel::symmetric(down)
        }
    }
}
