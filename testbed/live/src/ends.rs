//! The two ends of a run: our TCP on a packet socket, or the kernel's on an ordinary one.

use std::collections::BTreeMap;
use std::io;

use windlull_netns::Lab;
use windlull_plane::Epoch;
use windlull_stack::Stack;
use windlull_units::{Host, Time};
use windlull_wire::SenderEvent;

use crate::assembly::Reason;
use crate::endpoint;
use crate::run::{device_of, endpoint_setup};
use crate::{LiveError, Received, Setup};

/// An end whose settings are made.
pub(crate) enum Ready {
    /// Ours.
    Ours(Host, endpoint::Opened),
}

/// An end at work.
pub(crate) enum End {
    /// Ours.
    Ours(Host, endpoint::Running),
}

/// What an end leaves.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What its sender said of itself.
    pub(crate) events: Vec<(Time, SenderEvent)>,
    /// Why it sent what it sent.
    pub(crate) reasons: Vec<Reason>,
    /// What its application read.
    pub(crate) received: Received,
    /// Packets that it had no place for, or could not send.
    pub(crate) missed: u64,
}

/// Makes an end's settings and writes them down.
pub(crate) fn prepare(
    setup: &Setup<'_>,
    host: Host,
    lab: &Lab,
    settings: &mut BTreeMap<String, String>,
) -> Result<Ready, LiveError> {
    let name = match host {
        Host::Server => "server",
        Host::Client => "client",
    };
    match &setup.ends[host as usize] {
        Stack::Windlull(variant) => {
            settings.insert(format!("{name}.stack"), "windlull".to_owned());
            let opened = endpoint::open(
                lab.namespace(host.into()),
                device_of(host),
                endpoint_setup(setup, host, variant),
            );
            opened
                .map(|opened| Ready::Ours(host, opened))
                .map_err(|source| failed(host, "open a packet socket", source))
        }
        Stack::Linux(_) => Err(LiveError::Unsupported("the kernel's TCP is not built yet".to_owned())),
    }
}

impl Ready {
    /// Begins; a sender connects once the epoch has come.
    pub(crate) fn start(self, epoch: Epoch) -> Result<End, LiveError> {
        match self {
            Self::Ours(host, opened) => opened
                .start(epoch)
                .map(|running| End::Ours(host, running))
                .map_err(|source| failed(host, "start a thread", source)),
        }
    }
}

impl End {
    /// Whether all that it sent, its FIN too, was acknowledged.
    pub(crate) fn closed_in_order(&self) -> bool {
        match self {
            Self::Ours(_, running) => running.progress().fin_acknowledged(),
        }
    }

    /// Whether there is no connection any more.
    pub(crate) fn is_closed(&self) -> bool {
        match self {
            Self::Ours(_, running) => running.progress().closed(),
        }
    }

    /// Whether it waits for nothing but packets.
    pub(crate) fn is_idle(&self) -> bool {
        match self {
            Self::Ours(_, running) => running.progress().idle(),
        }
    }

    /// Ends it, whatever it is doing.
    pub(crate) fn stop(self) -> Result<Ended, LiveError> {
        match self {
            Self::Ours(host, running) => {
                let report = running.stop().map_err(|source| failed(host, "run", source))?;
                Ok(Ended {
                    events: report.events,
                    reasons: report.sent,
                    received: report.received,
                    missed: report.missed + report.send_failures,
                })
            }
        }
    }
}

fn failed(host: Host, what: &'static str, source: io::Error) -> LiveError {
    LiveError::Host { host, what, source }
}
