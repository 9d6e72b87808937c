//! The two ends of a run: our TCP on a packet socket, the kernel's on an ordinary one, or a transport from elsewhere on UDP.

use std::collections::BTreeMap;
use std::io;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlull_netns::{Namespace, Node, Site};
use windlull_plane::Epoch;
use windlull_plane::model::Pace;
use windlull_stack::Stack;
use windlull_tcp::CloseReason;
use windlull_transport::{Broken, Role as Side, Start};
use windlull_units::{Host, Span, Time};
use windlull_wire::SenderEvent;

use crate::assembly::Reason;
use crate::commands::{self, Command, Exit, Starter};
use crate::endpoint::{self, EndpointSetup};
use crate::hosts::{self, Seen, Settings};
use crate::part::{Does, HostTask, Progress};
use crate::transports::{self, Told, TransportSetup};
use crate::{LiveError, Received, Task};

/// An end whose settings are made.
pub(crate) enum Ready {
    Ours(Host, Box<endpoint::Opened>),
    /// One from elsewhere.
    Transport(Host, Box<transports::Opened>),
    /// The kernel's, and what it does.
    Kernel(Host, hosts::Opened, Task),
    /// A program that is to be started.
    Runs(Host, Starter, Command),
    /// A program that was started, or is there by itself.
    Serves(Host, Option<commands::Running>),
}

/// An end at work.
pub(crate) enum End {
    Ours(Host, endpoint::Running),
    /// One from elsewhere.
    Transport(Host, transports::Running),
    /// The kernel's, sending.
    Sends(Host, hosts::Sending),
    /// The kernel's, receiving.
    Receives(Host, hosts::Receiving),
    /// A program, which ends by itself.
    Runs(Host, commands::Running, bool),
    /// A program, which is ended with the run.
    Serves(Host, Option<commands::Running>),
}

/// What an end leaves.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ended {
    /// What its sender said of itself.
    pub(crate) events: Vec<(Time, SenderEvent)>,
    /// What a kernel's counters prove to have happened between two samples.
    pub(crate) seen: Vec<Seen>,
    /// What a transport from elsewhere said and sent.
    pub(crate) told: Vec<Told>,
    /// Why it sent what it sent.
    pub(crate) reasons: Vec<Reason>,
    /// What its application read.
    pub(crate) received: Received,
    /// When the responses were complete that it asked for, and how long each took; those of a transport from elsewhere are told.
    pub(crate) tasks: Vec<(Time, Span)>,
    /// Packets that it had no place for, or could not send.
    pub(crate) missed: u64,
    /// Packets with wrong checksums, which its TCP never saw; a kernel does not tell.
    pub(crate) bad_checksums: u64,
    /// Settings that are known once there is a connection.
    pub(crate) settings: BTreeMap<String, String>,
    /// What its program left, if it has run one.
    pub(crate) exit: Option<Exit>,
    /// What went wrong, if something did.
    pub(crate) failure: Option<String>,
}

/// Makes an end's settings, and says which. `starter` starts programs, where that is allowed.
pub(crate) fn prepare(task: &HostTask, site: &Site, starter: Option<&Starter>) -> Result<(Ready, Settings), LiveError> {
    let host = site.host;
    let mut settings = Settings::new();
    let name = Node::from(host).name();
    settings.insert(format!("{name}.stack"), task.stack.name().to_owned());
    settings.insert(format!("{name}.address"), site.address().to_string());
    let purpose = match &task.does {
        Does::Converses(purpose) => *purpose,
        Does::Runs(command) => {
            settings.extend(programs(task, site)?);
            let starter = starter.ok_or(LiveError::NoCommands { host })?;
            return Ok((Ready::Runs(host, starter.clone(), command.clone()), settings));
        }
        Does::Serves { command, port } => {
            settings.extend(programs(task, site)?);
            let start = |command| -> Result<commands::Running, LiveError> {
                let starter = starter.ok_or(LiveError::NoCommands { host })?;
                starter
                    .start(command)
                    .map_err(|source| failed(host, "start the command", source))
            };
            let mut running = command.as_ref().map(start).transpose()?;
            if let Some(port) = port {
                wait_for_server(&site.namespace, *port, &mut running)
                    .map_err(|source| failed(host, "wait for its server", source))?;
            }
            return Ok((Ready::Serves(host, running), settings));
        }
    };
    let ready = match &task.stack {
        Stack::Windlull(variant) => {
            let asked = EndpointSetup {
                host,
                variant: variant.as_ref().clone(),
                isn: task.isn,
                task: purpose,
            };
            endpoint::open(site, asked)
                .map(|opened| Ready::Ours(host, Box::new(opened)))
                .map_err(|source| failed(host, "open a packet socket", source))?
        }
        Stack::Linux(linux) => {
            settings.extend(hosts::apply(linux, site)?);
            let opened = hosts::open(linux, site)?;
            let opened = match task.pace {
                Pace::Precise | Pace::Frugal => opened,
                Pace::Virtual => opened.sampled_at_packets(),
            };
            Ready::Kernel(host, opened, purpose)
        }
        Stack::Transport(transport) => transport_end(transport, purpose, task, site, &mut settings)?,
    };
    Ok((ready, settings))
}

impl Ready {
    /// Begins. A receiver listens at once, a sender of ours connects when the epoch has come, one of the kernel's now.
    pub(crate) fn start(self, epoch: Epoch) -> Result<End, LiveError> {
        match self {
            Self::Ours(host, opened) => opened
                .start(epoch)
                .map(|running| End::Ours(host, running))
                .map_err(|source| failed(host, "start a thread", source)),
            Self::Transport(host, opened) => opened
                .start(epoch)
                .map(|running| End::Transport(host, running))
                .map_err(|source| failed(host, "start a thread", source)),
            Self::Kernel(host, opened, task) if task.is_data_sender => {
                thread::sleep(Duration::from_nanos(epoch.until_start().as_ns()));
                opened
                    .send(task, epoch)
                    .map(|sending| End::Sends(host, sending))
                    .map_err(|source| failed(host, "connect", source))
            }
            Self::Kernel(host, opened, task) => opened
                .receive(task, epoch)
                .map(|receiving| End::Receives(host, receiving))
                .map_err(|source| failed(host, "listen", source)),
            Self::Runs(host, starter, command) => {
                thread::sleep(Duration::from_nanos(epoch.until_start().as_ns()));
                starter
                    .start(&command)
                    .map(|running| End::Runs(host, running, false))
                    .map_err(|source| failed(host, "start the command", source))
            }
            Self::Serves(host, running) => Ok(End::Serves(host, running)),
        }
    }
}

impl End {
    /// How far it is.
    ///
    /// # Errors
    /// If its program is another process', and that is gone.
    pub(crate) fn progress(&mut self) -> Result<Progress, LiveError> {
        Ok(match self {
            Self::Ours(_, running) => running.progress().into(),
            Self::Transport(host, running) => match running.progress().fault() {
                None => running.progress().into(),
                Some(what) => {
                    return Err(LiveError::Stack {
                        host: *host,
                        what: what.to_owned(),
                    });
                }
            },
            Self::Sends(_, sending) => sending.progress().into(),
            Self::Receives(_, receiving) => receiving.progress().into(),
            Self::Runs(host, running, over) => {
                *over = *over
                    || running
                        .is_over()
                        .map_err(|source| failed(*host, "run the command", source))?;
                Progress::of_program(*over)
            }
            // It serves as long as the other host wants.
            Self::Serves(..) => Progress::of_program(true),
        })
    }

    /// Whether its connections are a kernel's, which resets one that it is made to leave.
    pub(crate) const fn is_kernels(&self) -> bool {
        !matches!(self, Self::Ours(..) | Self::Transport(..))
    }

    /// Ends it, whatever it is doing.
    pub(crate) fn stop(self) -> Result<Ended, LiveError> {
        match self {
            Self::Ours(host, running) => {
                let report = running.stop().map_err(|source| failed(host, "run", source))?;
                let failure = report.close_reason.filter(|&reason| reason != CloseReason::Finished);
                Ok(Ended {
                    events: report.events,
                    seen: Vec::new(),
                    told: Vec::new(),
                    reasons: report.sent,
                    received: report.received,
                    tasks: report.tasks,
                    missed: report.missed + report.send_failures,
                    bad_checksums: report.bad_checksums,
                    settings: BTreeMap::new(),
                    exit: None,
                    failure: failure.map(|reason| format!("closed: {reason:?}")),
                })
            }
            Self::Transport(host, running) => {
                let report = running.stop().map_err(|source| failed(host, "run", source))?;
                Ok(Ended {
                    told: report.told,
                    missed: report.missed + report.send_failures,
                    failure: report.failure,
                    ..Ended::of_kernel(hosts::Report {
                        received: Received {
                            octets: report.received,
                            ..Received::default()
                        },
                        ..hosts::Report::default()
                    })
                })
            }
            Self::Sends(host, sending) => {
                let hosts::SenderReport { report, sampled } =
                    sending.stop().map_err(|source| failed(host, "run", source))?;
                Ok(Ended {
                    events: sampled.events,
                    seen: sampled.seen,
                    ..Ended::of_kernel(report)
                })
            }
            Self::Receives(host, receiving) => {
                let report = receiving.stop().map_err(|source| failed(host, "run", source))?;
                Ok(Ended::of_kernel(report))
            }
            Self::Runs(host, running, _) | Self::Serves(host, Some(running)) => {
                let exit = running
                    .stop()
                    .map_err(|source| failed(host, "end the command", source))?;
                Ok(Ended::of_program(Some(exit)))
            }
            Self::Serves(_, None) => Ok(Ended::of_program(None)),
        }
    }
}

/// Of one of the kernel's, whose timers are its own.
impl From<&hosts::Progress> for Progress {
    fn from(progress: &hosts::Progress) -> Self {
        Self {
            closed_in_order: progress.closed(),
            closed: progress.over(),
            idle: progress.over(),
            received: progress.received(),
        }
    }
}

impl Progress {
    const fn of_program(over: bool) -> Self {
        Self {
            closed_in_order: over,
            closed: over,
            idle: over,
            received: 0,
        }
    }
}

/// Settings of a host whose programs make the sockets.
fn programs(task: &HostTask, site: &Site) -> Result<Settings, LiveError> {
    match &task.stack {
        Stack::Linux(linux) => Ok(hosts::apply_to_programs(linux, site)?),
        Stack::Windlull(_) | Stack::Transport(_) => Err(LiveError::Unsupported(
            "commands speak by the kernel's TCP; choose variants whose `stack` is \"linux\"".to_owned(),
        )),
    }
}

impl Ended {
    fn of_program(exit: Option<Exit>) -> Self {
        Self {
            exit,
            ..Self::of_kernel(hosts::Report::default())
        }
    }

    fn of_kernel(report: hosts::Report) -> Self {
        Self {
            events: Vec::new(),
            seen: Vec::new(),
            told: Vec::new(),
            reasons: Vec::new(),
            received: report.received,
            tasks: report.tasks,
            missed: 0,
            bad_checksums: 0,
            settings: report.settings,
            exit: None,
            failure: report.failure,
        }
    }
}

/// Begins an end of a transport from elsewhere, and opens its socket.
fn transport_end(
    transport: &windlull_stack::Transport,
    task: Task,
    of: &HostTask,
    site: &Site,
    settings: &mut Settings,
) -> Result<Ready, LiveError> {
    let host = site.host;
    let start = Start {
        is_data_sender: task.is_data_sender,
        ..Start::of_run(Side::at(host), of.seed, transport.options.clone())
    };
    let end = transports::begin(transport, &start).map_err(|Broken(what)| LiveError::Stack { host, what })?;
    let asked = TransportSetup {
        host,
        task,
        namespace: site.namespace.clone(),
    };
    let opened = transports::open(site, asked, end).map_err(|source| failed(host, "open a UDP socket", source))?;
    let buffer = opened
        .receive_buffer()
        .map_err(|source| failed(host, "ask for a socket's buffer", source))?;
    settings.insert(
        format!("{}.socket.SO_RCVBUF", Node::from(host).name()),
        buffer.to_string(),
    );
    Ok(Ready::Transport(host, Box::new(opened)))
}

/// Waits until something listens at a port; a program that ends before that is asked why.
fn wait_for_server(namespace: &Namespace, port: u16, running: &mut Option<commands::Running>) -> io::Result<()> {
    let is_over = || running.as_mut().map_or(Ok(false), commands::Running::is_over);
    if commands::wait_for(namespace, port, is_over)? {
        return Ok(());
    }
    let exit = running.take().map(commands::Running::stop).transpose()?;
    let how = exit.map_or_else(|| "early".to_owned(), |exit| exit.in_short());
    Err(io::Error::other(format!(
        "nothing listens at port {port} of TCP or UDP, and its command has ended {how}"
    )))
}

fn failed(host: Host, what: &'static str, source: io::Error) -> LiveError {
    LiveError::Host { host, what, source }
}
