//! All that a run depends on.

use std::collections::BTreeMap;
use std::fmt;

use windlull_link::model::LinkModel;
use windlull_tcp::Variant;
use windlull_transport::Stack;
use windlull_units::{ConstantRate, Host, Network, Seed, Span, Transfer, Work};

/// All that a run depends on.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The link that all flows share.
    pub link: &'a LinkModel,
    /// The link between it and the client of each flow, one for each; without, clients stand at the shared link's end.
    pub access: Option<&'a LinkModel>,
    /// The flows. Their number and order decide what happens at the same instant.
    pub flows: &'a [Flow<'a>],
    /// What crosses the shared link besides.
    pub crossing: &'a [ConstantRate],
    /// The version of IP of the flows' packets. What crosses has the sizes that it says.
    pub network: Network,
    pub seed: Seed,
    /// When to give up, in virtual time.
    pub time_limit: Span,
}

/// What speaks at both ends of a connection.
#[derive(Clone, Copy)]
pub enum Ends<'a> {
    /// A TCP of ours.
    Tcp(&'a Variant),
    /// A transport from elsewhere, with what its variant's file sets. The client opens the connection.
    Foreign(&'a dyn Stack, &'a BTreeMap<String, String>),
}

impl fmt::Debug for Ends<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(variant) => variant.fmt(f),
            Self::Foreign(stack, options) => f.debug_tuple(stack.name()).field(options).finish(),
        }
    }
}

/// One connection.
#[derive(Clone, Copy, Debug)]
pub struct Flow<'a> {
    pub ends: Ends<'a>,
    /// What it is there for.
    pub work: Work,
    /// Who sends the data, and with a TCP of ours opens the connection.
    pub data_sender: Host,
    pub start: Span,
}

impl Setup<'_> {
    /// Whether nothing but TCPs of ours speaks.
    pub(crate) fn is_tcp_alone(&self) -> bool {
        self.flows.iter().all(|flow| matches!(flow.ends, Ends::Tcp(_)))
    }
}

impl<'a> Flow<'a> {
    /// A transfer that begins with the run.
    pub const fn of(variant: &'a Variant, transfer: Transfer) -> Self {
        Self {
            ends: Ends::Tcp(variant),
            work: Work::Octets(transfer.size),
            data_sender: transfer.data_sender,
            start: Span::ZERO,
        }
    }
}
