//! A host's ends of a run's connections: our TCPs on one packet socket, the kernel's on ordinary ones, or a transport from
//! elsewhere on UDP.

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

/// A host's ends, whose settings are made.
pub(crate) enum Ready {
    Ours(Host, Box<endpoint::Opened>),
    /// One from elsewhere.
    Transport(Host, Box<transports::Opened>),
    /// The kernel's, and what each does.
    Kernel(Host, Vec<(hosts::Opened, Task)>),
    /// A program that is to be started.
    Runs(Host, Starter, Command),
    /// A program that was started, or is there by itself.
    Serves(Host, Option<commands::Running>),
}

/// A host's ends at work.
pub(crate) enum End {
    Ours(Host, endpoint::Running),
    /// One from elsewhere.
    Transport(Host, transports::Running),
    /// The kernel's.
    Kernel(Host, Vec<KernelEnd>),
    /// A program, which ends by itself.
    Runs(Host, commands::Running, bool),
    /// A program, which is ended with the run.
    Serves(Host, Option<commands::Running>),
}

/// An end of the kernel's.
pub(crate) enum KernelEnd {
    Sends(hosts::Sending),
    Receives(hosts::Receiving),
}

/// What a host's ends leave.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ended {
    /// Of each connection, in their order; programs leave none.
    pub(crate) connections: Vec<ConnectionEnded>,
    /// Packets that there was no place for, or that could not be sent.
    pub(crate) missed: u64,
    /// Packets with wrong checksums, which no TCP saw; a kernel does not tell.
    pub(crate) bad_checksums: u64,
    /// Settings that are known once there is a connection.
    pub(crate) settings: BTreeMap<String, String>,
    /// What its program left, if it has run one.
    pub(crate) exit: Option<Exit>,
}

/// What an end of a connection leaves.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConnectionEnded {
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
    /// What went wrong, if something did.
    pub(crate) failure: Option<String>,
}

/// Makes a host's settings, and says which. `starter` starts programs, where that is allowed.
pub(crate) fn prepare(task: &HostTask, site: &Site, starter: Option<&Starter>) -> Result<(Ready, Settings), LiveError> {
    let host = site.host;
    let mut settings = Settings::new();
    let name = Node::from(host).name();
    settings.insert(format!("{name}.stack"), task.stack.name().to_owned());
    settings.insert(format!("{name}.address"), site.address().to_string());
    let ends = match &task.does {
        Does::Converses(ends) => ends,
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
        Stack::Windlull(_) => {
            let asked = ends.iter().map(|end| match &end.stack {
                Stack::Windlull(variant) => Ok(EndpointSetup {
                    variant: variant.as_ref().clone(),
                    isn: end.isn,
                    task: end.task,
                }),
                other => Err(mixed(host, &task.stack, other)),
            });
            endpoint::open(site, asked.collect::<Result<_, _>>()?)
                .map(|opened| Ready::Ours(host, Box::new(opened)))
                .map_err(|source| failed(host, "open a packet socket", source))?
        }
        Stack::Linux(linux) => {
            settings.extend(hosts::apply(linux, site)?);
            let opened = (0..).zip(ends).map(|(number, end)| match &end.stack {
                Stack::Linux(other) if other.shares_host_with(linux) => {
                    let mut opened = hosts::open(other, site, number)?;
                    if ends.len() > 1 {
                        opened = opened.among_others();
                    }
                    Ok(match task.pace {
                        Pace::Precise | Pace::Frugal => (opened, end.task),
                        Pace::Virtual => (opened.sampled_at_packets(), end.task),
                    })
                }
                other => Err(mixed(host, &task.stack, other)),
            });
            Ready::Kernel(host, opened.collect::<Result<_, _>>()?)
        }
        Stack::Transport(transport) => match ends.as_slice() {
            [end] => transport_end(transport, end.task, task, site, &mut settings)?,
            _ => {
                return Err(LiveError::Unsupported(
                    "several connections of a transport from elsewhere are simulated only (--testbed sim)".to_owned(),
                ));
            }
        },
    };
    Ok((ready, settings))
}

impl Ready {
    /// Begins. Receivers listen at once, senders connect when their times come.
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
            Self::Kernel(host, ends) => {
                let begin = |(opened, task): (hosts::Opened, Task)| -> Result<KernelEnd, LiveError> {
                    if task.is_data_sender {
                        let sending = opened.send(task, epoch);
                        sending
                            .map(KernelEnd::Sends)
                            .map_err(|source| failed(host, "connect", source))
                    } else {
                        let receiving = opened.receive(task, epoch);
                        receiving
                            .map(KernelEnd::Receives)
                            .map_err(|source| failed(host, "listen", source))
                    }
                };
                let begun = ends.into_iter().map(begin);
                Ok(End::Kernel(host, begun.collect::<Result<_, _>>()?))
            }
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
            Self::Kernel(_, ends) => Progress::of_all(ends.iter().map(KernelEnd::progress)),
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
                Ok(Ended {
                    connections: report.connections.into_iter().map(ConnectionEnded::from).collect(),
                    missed: report.missed + report.send_failures,
                    bad_checksums: report.bad_checksums,
                    ..Ended::default()
                })
            }
            Self::Transport(host, running) => {
                let report = running.stop().map_err(|source| failed(host, "run", source))?;
                let received = Received {
                    octets: report.received,
                    ..Received::default()
                };
                Ok(Ended {
                    connections: vec![ConnectionEnded {
                        told: report.told,
                        received,
                        failure: report.failure,
                        ..ConnectionEnded::default()
                    }],
                    missed: report.missed + report.send_failures,
                    ..Ended::default()
                })
            }
            Self::Kernel(host, ends) => {
                let ended = ends.into_iter().map(KernelEnd::stop);
                let ended: Vec<_> = ended
                    .collect::<io::Result<_>>()
                    .map_err(|source| failed(host, "run", source))?;
                Ok(Ended {
                    settings: of_sockets(ended.iter().map(|(_, settings)| settings)),
                    connections: ended.into_iter().map(|(connection, _)| connection).collect(),
                    ..Ended::default()
                })
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

impl KernelEnd {
    /// How far it is; its timers are the kernel's own.
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

/// The options of a host's sockets: those of the first connection's, and of the others what differs from it, as in
/// `server.flow_2.socket.TCP_CONGESTION`.
fn of_sockets<'a>(each: impl Iterator<Item = &'a Settings>) -> Settings {
    let mut all = Settings::new();
    let mut first: Option<&Settings> = None;
    for (number, settings) in (1..).zip(each) {
        let Some(first) = first else {
            all.extend(settings.clone());
            first = Some(settings);
            continue;
        };
        let differs = |(name, value): &(&String, &String)| first.get(*name) != Some(*value);
        all.extend(settings.iter().filter(differs).map(|(name, value)| {
            let name = name.replacen(".socket.", &format!(".flow_{number}.socket."), 1);
            (name, value.clone())
        }));
    }
    all
}

impl From<endpoint::ConnectionReport> for ConnectionEnded {
    fn from(report: endpoint::ConnectionReport) -> Self {
        let failure = report.close_reason.filter(|&reason| reason != CloseReason::Finished);
        Self {
            events: report.events,
            reasons: report.sent,
            received: report.received,
            tasks: report.tasks,
            failure: failure.map(|reason| format!("closed: {reason:?}")),
            ..Self::default()
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
            ..Self::default()
        }
    }
}

/// Two connections that cannot share a host.
fn mixed(host: Host, first: &Stack, other: &Stack) -> LiveError {
    let name = Node::from(host).name();
    LiveError::Unsupported(if first.name() == other.name() {
        format!("the connections of the {name} need different settings of its kernel, which has one set for all")
    } else {
        let (first, other) = (first.name(), other.name());
        format!("connections of stacks {first:?} and {other:?} cannot share a host, and the {name} has both")
    })
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
