//! What a live run is asked for and what it answers.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use windlull_capture::Snaplen;
use windlull_link::model::LinkModel;
use windlull_stack::Stack;
use windlull_units::{
    Bytes, Commands, ConstantRate, Ending, Host, LinkCaptureCounts, Network, Pace, PlaneKind, Seed, Span, Time,
    Transfer,
};

use crate::Certificate;
use crate::hosts::SettingError;
use crate::orders::OrdersError;

/// A receiver that does not always read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadingPause {
    /// After so many octets it stops to read.
    pub after: Bytes,
    pub lasts: Span,
}

/// What the hosts do.
#[derive(Clone, Copy, Debug)]
pub enum Work<'a> {
    /// Connections, of which captures show the first; there is at least one. Their order decides their ports.
    Connections(&'a [Connection]),
    /// Programs.
    Commands {
        /// The TCP of the server, then of the client.
        ends: &'a [Stack; 2],
        commands: &'a Commands,
        /// What is added to their environment.
        environment: &'a BTreeMap<String, String>,
    },
}

/// One connection between the hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    /// The transport of the server, then of the client. All of a host's are ours, or all are its kernel's.
    pub ends: [Stack; 2],
    /// What it is there for.
    pub purpose: windlull_units::Work,
    pub data_sender: Host,
    /// When it begins.
    pub start: Span,
}

impl Connection {
    /// A transfer that begins with the run.
    pub const fn of(transfer: Transfer, ends: [Stack; 2]) -> Self {
        Self {
            ends,
            purpose: windlull_units::Work::Octets(transfer.size),
            data_sender: transfer.data_sender,
            start: Span::ZERO,
        }
    }

    /// When a transfer by time is over, whatever is under way.
    pub(crate) fn elapses(&self) -> Option<Time> {
        match self.purpose {
            windlull_units::Work::Lasting(span) => Some(Time::ZERO + self.start + span),
            windlull_units::Work::Octets(_) | windlull_units::Work::Requests(_) => None,
        }
    }
}

impl<'a> Work<'a> {
    /// The connections; programs make their own.
    pub(crate) const fn connections(&self) -> &'a [Connection] {
        match self {
            Self::Connections(connections) => connections,
            Self::Commands { .. } => &[],
        }
    }

    /// When the last of several transfers by time is over, if all are.
    pub(crate) fn elapses(&self) -> Option<Time> {
        let ends = self.connections().iter().map(Connection::elapses);
        ends.collect::<Option<Vec<Time>>>()?.into_iter().max()
    }

    /// Who sends the data of the connection that is shown; of commands, the server is taken for it.
    pub(crate) fn data_sender(&self) -> Host {
        let first = self.connections().first();
        first.map_or(Host::Server, |connection| connection.data_sender)
    }

    /// What a host has for its programs, or for the connection that is shown.
    ///
    /// # Panics
    /// If there is neither.
    pub(crate) fn stack(&self, host: Host) -> &'a Stack {
        let ends = match self {
            Self::Connections(connections) => &connections.first().expect("a run has a connection").ends,
            Self::Commands { ends, .. } => ends,
        };
        &ends[host as usize]
    }
}

/// All that a live run is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    pub link: &'a LinkModel,
    /// What each flow has between it and the client, if there is anything. The model plane alone has it.
    pub access: Option<&'a LinkModel>,
    /// What crosses the link besides the hosts' packets. The model plane alone has it.
    pub crossing: &'a [ConstantRate],
    /// The version of IP that the hosts speak.
    pub network: Network,
    pub work: Work<'a>,
    pub seed: Seed,
    /// When to give up.
    pub time_limit: Span,
    /// What carries the packets.
    pub plane: PlaneKind,
    /// How the plane's threads and our endpoints wait.
    pub pace: Pace,
    /// How much of each packet the captures keep.
    pub snaplen: Snaplen,
    /// The initial sequence number of those ends that are ours, instead of one drawn from the seed.
    pub isn: Option<u32>,
    /// A pause of the receiving application, on every connection.
    pub pause: Option<ReadingPause>,
    /// A capture at the link's two devices, if one is wanted.
    pub link_capture: Option<LinkCaptureSetup<'a>>,
}

/// A capture at the link's devices that is part of a run.
#[derive(Clone, Copy, Debug)]
pub struct LinkCaptureSetup<'a> {
    /// Says in the file where it comes from.
    pub comment: &'a str,
    /// The version of who writes it.
    pub version: &'a str,
    /// Octets that the file may have; it ends there and is whole.
    pub limit_bytes: u64,
}

/// What was captured at the link's devices: pcapng with an interface for either, to the server and to the client.
#[derive(Debug)]
pub struct LinkCaptureFile {
    /// Opened for reading; it may have no name any more.
    pub file: File,
    /// What is in it, and what is not.
    pub counts: LinkCaptureCounts,
}

/// What the receiving application got.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Received {
    /// Octets in order.
    pub octets: u64,
    /// Their SHA-256, hexadecimal.
    pub sha256: String,
    /// The offset of the first one that is not what was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_wrong: Option<u64>,
}

/// What became of a command.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CommandReport {
    /// When it began, in the run's time, seconds; what was before the run's start is zero.
    pub began_s: f64,
    /// From its start to its end, seconds.
    pub elapsed_s: f64,
    /// Its exit code; none if a signal ended it.
    pub exit_code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// What it wrote to its standard output, at most the last 64 KiB.
    pub output: String,
    /// The same of its standard error.
    pub errors: String,
    /// Octets of either that were left out before these.
    pub left_out_bytes: u64,
}

/// What became of a live run, beside what its observer was told.
#[derive(Debug)]
pub struct Outcome {
    pub ending: Ending,
    /// How exact it was.
    pub certificate: Certificate,
    /// Every setting of either host that matters, as it was during the run: `server.net.ipv4.tcp_frto` and so on.
    pub settings: BTreeMap<String, String>,
    /// What arrived at the receiving application of each connection.
    pub received: Vec<Received>,
    /// What became of the commands: the server's, the client's.
    pub commands: [Option<CommandReport>; 2],
    /// What the ends say went wrong: `client: Connection reset by peer`.
    pub failures: Vec<String>,
    /// The capture at the link, if one was wanted.
    pub link_capture: Option<LinkCaptureFile>,
}

/// Why a run could not be made. Nothing of it is left on the machine.
#[derive(Debug, Error)]
pub enum LiveError {
    /// The namespaces could not be made.
    #[error("{0}")]
    Lab(String),
    /// The link could not be started.
    #[error("the link: {0}")]
    Plane(String),
    /// The link is more than the plane can do.
    #[error("{0}")]
    Unsupported(String),
    /// A host could not be set up.
    #[error("{host:?}: {what}: {source}")]
    Host {
        host: Host,
        what: &'static str,
        /// What the machine said.
        source: io::Error,
    },
    /// A stack from elsewhere hangs, dies or breaks its contract.
    #[error("the stack at the {} {what}", host.name())]
    Stack { host: Host, what: String },
    /// A host at which no commands are run.
    #[error(
        "the {} runs no commands: it is Windlull's own; put a container of yours in its place (docs/own-containers.md)",
        windlull_netns::Node::from(*host).name()
    )]
    NoCommands { host: Host },
    /// A kernel has not the setting that was asked for.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A part of the run that is another process.
    #[error(transparent)]
    Orders(#[from] OrdersError),
    /// The capture at the link's devices failed.
    #[error("the capture at the emulator: {0}")]
    LinkCapture(io::Error),
    /// What was captured could not be put together.
    #[error("the captures: {0}")]
    Captures(#[from] io::Error),
}
