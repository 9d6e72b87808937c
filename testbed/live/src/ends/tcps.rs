//! A host's ends of TCP connections: our TCPs on one packet socket, the kernel's on ordinary ones, or some of either.
//!
//! Where a host has both, its kernel has an address, hears the segments that are for ours too, and would reset connections
//! that it does not know. It is kept silent at each of their ports by a socket that listens there and hears nothing.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use windlull_netns::{Node, Site};
use windlull_plane::Epoch;
use windlull_plane::model::Pace;
use windlull_stack::{Linux, Stack};
use windlull_units::Host;

use super::ended::{ConnectionEnded, Ended, failed, of_sockets};
use crate::endpoint::{self, EndpointSetup};
use crate::hosts::{self, Settings, SharedTriggers};
use crate::part::{EndTask, Progress};
use crate::{LiveError, Task};

/// A host's ends, whose sockets are open.
pub(crate) struct ReadyTcps {
    host: Host,
    ours: Option<Box<endpoint::Opened>>,
    /// The kernel's, with the number of its connection, from 0, and what each does.
    kernels: Vec<(usize, hosts::Opened, Task)>,
    /// What keeps the kernel silent at the ports of ours.
    silencers: Vec<OwnedFd>,
}

/// A host's ends at work.
pub(crate) struct Tcps {
    host: Host,
    ours: Option<endpoint::Running>,
    /// What ours left that were ended before the kernel's.
    left: Option<endpoint::Report>,
    kernels: Vec<(usize, KernelEnd)>,
    _silencers: Vec<OwnedFd>,
}

/// An end of the kernel's.
enum KernelEnd {
    Sends(hosts::Sending),
    Receives(hosts::Receiving),
}

/// Makes the kernel's settings, if an end is the kernel's, and opens the sockets of all.
pub(super) fn open(ends: &[EndTask], pace: Pace, site: &Site, settings: &mut Settings) -> Result<ReadyTcps, LiveError> {
    let host = site.host;
    let mut ours = Vec::new();
    let mut kernels: Vec<(u16, &Linux, Task)> = Vec::new();
    for (number, end) in (0_u16..).zip(ends) {
        match &end.stack {
            Stack::Windlull(variant) => ours.push(EndpointSetup {
                number,
                variant: variant.as_ref().clone(),
                isn: end.isn,
                task: end.task,
            }),
            Stack::Linux(linux) => kernels.push((number, linux, end.task)),
            Stack::Transport(_) => return Err(mixed(host, ends)),
        }
    }
    if let [(_, first, _), others @ ..] = kernels.as_slice() {
        if others.iter().any(|(_, other, _)| !other.shares_host_with(first)) {
            return Err(mixed(host, ends));
        }
        settings.extend(hosts::apply(first, site)?);
    }
    let is_one_of_several = kernels.len() > 1;
    let opened = kernels.iter().map(|&(number, linux, task)| {
        let mut opened = hosts::open(linux, site, number)?;
        if is_one_of_several {
            opened = opened.among_others();
        }
        if pace == Pace::Virtual {
            opened = opened.sampled_at_packets();
        }
        Ok((usize::from(number), opened, task))
    });
    let kernels = opened.collect::<Result<Vec<_>, LiveError>>()?;
    let mut silencers = Vec::new();
    if !kernels.is_empty() {
        for end in &ours {
            let silencer = hosts::silence_port(site, end.number);
            silencers.push(silencer.map_err(|source| failed(host, "keep its kernel silent", source))?);
        }
    }
    let ours = match ours.is_empty() {
        true => None,
        false => {
            let opened = endpoint::open(site, ours).map_err(|source| failed(host, "open a packet socket", source))?;
            Some(Box::new(opened))
        }
    };
    Ok(ReadyTcps {
        host,
        ours,
        kernels,
        silencers,
    })
}

impl ReadyTcps {
    /// Begins. Receivers listen at once, senders connect when their times come.
    pub(super) fn start(self, epoch: Epoch, triggers: Option<&Arc<SharedTriggers>>) -> Result<Tcps, LiveError> {
        let host = self.host;
        let begin = |(number, opened, task): (usize, hosts::Opened, Task)| -> Result<_, LiveError> {
            let end = if task.is_data_sender {
                let sending = opened.triggering(triggers).send(task, epoch);
                KernelEnd::Sends(sending.map_err(|source| failed(host, "connect", source))?)
            } else {
                let receiving = opened.receive(task, epoch);
                KernelEnd::Receives(receiving.map_err(|source| failed(host, "listen", source))?)
            };
            Ok((number, end))
        };
        let kernels = self.kernels.into_iter().map(begin).collect::<Result<_, _>>()?;
        let ours = self.ours.map(|opened| opened.start(epoch)).transpose();
        Ok(Tcps {
            host,
            ours: ours.map_err(|source| failed(host, "start a thread", source))?,
            left: None,
            kernels,
            _silencers: self.silencers,
        })
    }
}

impl Tcps {
    /// How far they are; of the kernel's, timers are its own.
    pub(super) fn progress(&self) -> Progress {
        let ours = self.ours.iter().map(|running| running.progress().into());
        Progress::of_all(ours.chain(self.kernels.iter().map(|(_, end)| end.progress())))
    }

    pub(super) fn has_kernels(&self) -> bool {
        !self.kernels.is_empty()
    }

    /// Ends ours, whatever they are doing. The kernel's stay as they are.
    pub(super) fn end_ours(&mut self) -> Result<(), LiveError> {
        if let Some(running) = self.ours.take() {
            self.left = Some(running.stop().map_err(|source| failed(self.host, "run", source))?);
        }
        Ok(())
    }

    /// Ends all, whatever they are doing.
    pub(super) fn stop(mut self) -> Result<Ended, LiveError> {
        self.end_ours()?;
        let mut ended = Ended::default();
        let mut connections: Vec<(usize, ConnectionEnded)> = Vec::new();
        if let Some(report) = self.left {
            ended.missed = report.missed + report.send_failures;
            ended.bad_checksums = report.bad_checksums;
            let ours = report.connections.into_iter();
            connections.extend(ours.map(|report| (usize::from(report.number), report.into())));
        }
        let mut of_each = Vec::new();
        for (number, end) in self.kernels {
            let (connection, settings) = end.stop().map_err(|source| failed(self.host, "run", source))?;
            of_each.push((number, settings));
            connections.push((number, connection));
        }
        ended.settings = of_sockets(of_each.iter().map(|(number, settings)| (*number, settings)));
        connections.sort_by_key(|(number, _)| *number);
        ended.connections = connections.into_iter().map(|(_, connection)| connection).collect();
        Ok(ended)
    }
}

impl KernelEnd {
    fn progress(&self) -> Progress {
        let (progress, received) = match self {
            Self::Sends(sending) => (sending.progress(), 0),
            Self::Receives(receiving) => (receiving.progress(), receiving.progress().received()),
        };
        Progress {
            closed_in_order: progress.closed(),
            closed: progress.over(),
            idle: progress.over(),
            received,
        }
    }

    /// Ends it. The options of its socket are beside what it leaves.
    fn stop(self) -> io::Result<(ConnectionEnded, Settings)> {
        let (report, sampled) = match self {
            Self::Sends(sending) => {
                let hosts::SenderReport { report, sampled } = sending.stop()?;
                (report, sampled)
            }
            Self::Receives(receiving) => (receiving.stop()?, hosts::Sampled::default()),
        };
        let ended = ConnectionEnded {
            events: sampled.events,
            seen: sampled.seen,
            received: report.received,
            tasks: report.tasks,
            failure: report.failure,
            ..ConnectionEnded::default()
        };
        Ok((ended, report.settings))
    }
}

/// Connections that cannot share a host.
fn mixed(host: Host, ends: &[EndTask]) -> LiveError {
    let name = Node::from(host).name();
    LiveError::Unsupported(if ends.iter().any(|end| end.stack.transport().is_some()) {
        format!("a transport from elsewhere has one connection, and the {name} has several; --testbed sim has them")
    } else {
        format!("the connections of the {name} need different settings of its kernel, which has one set for all")
    })
}
