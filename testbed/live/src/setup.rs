//! What a live run is asked for and what it answers.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};
use thiserror::Error;
use windlull_capture::Snaplen;
use windlull_link::model::LinkModel;
use windlull_stack::Stack;
use windlull_units::{Bytes, Ending, Host, Seed, Span, Transfer};

use crate::hosts::SettingError;
use crate::orders::OrdersError;
use crate::{Certificate, Pace};

/// What carries the packets in the router.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlaneKind {
    /// The simulator's link model on packet sockets.
    #[default]
    Model,
    /// The kernel's own: tc, netem and nftables.
    Netem,
}

/// A receiver that does not always read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadingPause {
    /// After so many octets it stops to read.
    pub after: Bytes,
    /// For so long.
    pub lasts: Span,
}

/// All that a live run is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The link.
    pub link: &'a LinkModel,
    /// The TCP of the server, then of the client.
    pub ends: &'a [Stack; 2],
    /// The workload.
    pub transfer: Transfer,
    /// The run's seed.
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
    /// A pause of the receiving application.
    pub pause: Option<ReadingPause>,
}

/// What the receiving application got.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Received {
    /// Octets in order.
    pub octets: u64,
    /// Their SHA-256, hexadecimal.
    pub sha256: String,
    /// The offset of the first one that is not what was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_wrong: Option<u64>,
}

/// What became of a live run, beside what its observer was told.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// How exact it was.
    pub certificate: Certificate,
    /// Every setting of either host that matters, as it was during the run: `server.net.ipv4.tcp_frto` and so on.
    pub settings: BTreeMap<String, String>,
    /// What arrived at the receiving application.
    pub received: Received,
    /// What the ends say went wrong: `client: Connection reset by peer`.
    pub failures: Vec<String>,
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
        /// Which.
        host: Host,
        /// What was tried.
        what: &'static str,
        /// What the machine said.
        source: io::Error,
    },
    /// A kernel has not the setting that was asked for.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// A part of the run that is another process.
    #[error(transparent)]
    Orders(#[from] OrdersError),
    /// What was captured could not be put together.
    #[error("the captures: {0}")]
    Captures(#[from] io::Error),
}
