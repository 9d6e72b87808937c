//! How an experiment runs on real kernels.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_stack::{Linux, Stack};
use windlull_tcp::{Era, Variant};
use windlull_units::{Carries, Pace, PlaneKind, Span};

use crate::error::SettingsError;
use crate::file::{Peer, SettingsFile};
use crate::variant::{VariantProfile, lay_over};

/// Where runs are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Testbed {
    /// Our TCP and our link, in virtual time.
    #[default]
    Sim,
    /// Network namespaces, in real time.
    Netns,
    /// Network namespaces in a Linux kernel of their own, in virtual time.
    Kernel,
    /// Processes that are there already, each with a network namespace of its own, as in containers; in real time.
    Compose,
}

impl Testbed {
    /// Every testbed, those with real kernels first.
    pub const ALL: &'static [Self] = &[Self::Netns, Self::Kernel, Self::Compose, Self::Sim];

    /// Its name in directories and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sim => "sim",
            Self::Netns => "netns",
            Self::Kernel => "kernel",
            Self::Compose => "compose",
        }
    }

    /// Whether its runs are made by real kernels, which nobody seeds to the last bit.
    pub const fn has_kernel(self) -> bool {
        match self {
            Self::Sim => false,
            Self::Netns | Self::Kernel | Self::Compose => true,
        }
    }

    /// Whether its runs are made in real time.
    pub const fn is_live(self) -> bool {
        match self {
            Self::Sim | Self::Kernel => false,
            Self::Netns | Self::Compose => true,
        }
    }

    /// Whether it can run this variant: a TCP that it has, on a kernel that it can choose.
    pub fn carries(self, variant: &VariantProfile) -> bool {
        // A live host has no socket for packets.
        let packets = variant
            .stack
            .transport()
            .is_some_and(|it| it.carries == Carries::Packets);
        match self {
            Self::Kernel => !packets,
            Self::Netns | Self::Compose => variant.kernel.is_none() && !packets,
            Self::Sim => variant.kernel.is_none() && !matches!(variant.stack, Stack::Linux(_)),
        }
    }
}

/// What an experiment says of runs on real kernels, wherever they are made.
#[derive(Clone, Debug)]
pub struct LiveSettings {
    /// The variants that join the experiment's, with its settings laid over them.
    pub variants: Vec<VariantProfile>,
    /// Runs of each variant on each link.
    pub repetitions: u32,
    /// When a run is ended.
    pub time_limit: Span,
    /// The TCP of the host that receives the data.
    pub peer: Peer,
    /// What carries the packets in the router.
    pub plane: PlaneKind,
    /// How the link waits.
    pub pace: Pace,
    /// What `peer` stands for, if it is not the variant that sends.
    pub(crate) peer_stack: Option<Stack>,
}

impl LiveSettings {
    /// What the host has that receives what `sender` sends: a transport from elsewhere speaks with its like.
    pub fn receiver<'a>(&'a self, sender: &'a VariantProfile) -> &'a Stack {
        match (&self.peer_stack, &sender.stack) {
            (Some(peer), Stack::Windlull(_) | Stack::Linux(_)) => peer,
            (None, _) | (_, Stack::Transport(_)) => &sender.stack,
        }
    }
}

/// What a peer stands for beside every sender, with the experiment's settings laid over it.
pub(crate) fn peer_stack(peer: Peer, settings: &SettingsFile) -> Result<Option<Stack>, SettingsError> {
    let mut stack = match peer {
        Peer::Same => return Ok(None),
        Peer::Linux => Stack::Linux(Linux::default()),
        // A receiver answers options that it is offered; it must know them all.
        Peer::Windlull => Stack::Windlull(Box::new(Variant {
            timestamps: true,
            sack: true,
            dsack: true,
            window_scale: true,
            ..settings.era.map_or_else(Era::default, |era| era.0).host()
        })),
    };
    // With SACK turned off for everybody there is nothing to report duplicates in.
    if let (Stack::Windlull(variant), Some(false)) = (&mut stack, settings.sack) {
        variant.dsack = false;
    }
    lay_over(&mut stack, settings)?;
    Ok(Some(stack))
}
