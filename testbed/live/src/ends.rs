//! A host's ends of a run's connections: TCPs, a transport from elsewhere on UDP, or programs.

mod ended;
mod tcps;

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use windlull_netns::{Node, Site};
use windlull_plane::Epoch;
use windlull_stack::Stack;
use windlull_transport::{Broken, Role as Side, Start};
use windlull_units::Host;

use crate::commands::{self, Command, Starter};
use crate::hosts::{self, Settings, SharedTriggers};
use crate::part::{Does, HostTask, Progress};
use crate::transports::{self, TransportSetup};
use crate::{LiveError, Received, Task};
use ended::failed;
pub(crate) use ended::{ConnectionEnded, Ended};
use tcps::{ReadyTcps, Tcps};

/// A host's ends, whose settings are made.
pub(crate) enum Ready {
    Tcps(Box<ReadyTcps>),
    /// One from elsewhere.
    Transport(Host, Box<transports::Opened>),
    /// A program that is to be started.
    Runs(Host, Starter, Command),
    /// A program that was started, or is there by itself.
    Serves(Host, Option<commands::Running>),
}

/// A host's ends at work.
pub(crate) enum End {
    Tcps(Box<Tcps>),
    /// One from elsewhere.
    Transport(Host, transports::Running),
    /// A program, which ends by itself.
    Runs(Host, commands::Running, bool),
    /// A program, which is ended with the run.
    Serves(Host, Option<commands::Running>),
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
                wait_for_server(site, *port, &mut running)
                    .map_err(|source| failed(host, "wait for its server", source))?;
            }
            return Ok((Ready::Serves(host, running), settings));
        }
    };
    let ready = match &task.stack {
        Stack::Windlull(_) | Stack::Linux(_) => {
            let names = (1..).zip(ends).map(|(number, end)| (number, end.stack.name()));
            let others = names.filter(|(_, stack)| *stack != task.stack.name());
            settings.extend(others.map(|(number, stack)| (format!("{name}.flow_{number}.stack"), stack.to_owned())));
            Ready::Tcps(Box::new(tcps::open(ends, task.pace, site, &mut settings)?))
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
    /// `triggers` tell the link the states of kernels' senders.
    pub(crate) fn start(self, epoch: Epoch, triggers: Option<&Arc<SharedTriggers>>) -> Result<End, LiveError> {
        match self {
            Self::Tcps(ready) => Ok(End::Tcps(Box::new(ready.start(epoch, triggers)?))),
            Self::Transport(host, opened) => opened
                .start(epoch)
                .map(|running| End::Transport(host, running))
                .map_err(|source| failed(host, "start a thread", source)),
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
            Self::Tcps(tcps) => tcps.progress(),
            Self::Transport(host, running) => match running.progress().fault() {
                None => running.progress().into(),
                Some(what) => {
                    return Err(LiveError::Stack {
                        host: *host,
                        what: what.to_owned(),
                    });
                }
            },
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

    /// Whether it has connections of a kernel, which resets one that it is made to leave.
    pub(crate) fn has_kernels(&self) -> bool {
        match self {
            Self::Tcps(tcps) => tcps.has_kernels(),
            Self::Transport(..) => false,
            Self::Runs(..) | Self::Serves(..) => true,
        }
    }

    /// Ends our TCPs beside a kernel's, whatever they are doing.
    pub(crate) fn end_ours(&mut self) -> Result<(), LiveError> {
        match self {
            Self::Tcps(tcps) => tcps.end_ours(),
            Self::Transport(..) | Self::Runs(..) | Self::Serves(..) => Ok(()),
        }
    }

    /// Ends it, whatever it is doing.
    pub(crate) fn stop(self) -> Result<Ended, LiveError> {
        match self {
            Self::Tcps(tcps) => tcps.stop(),
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
        network: site.network(),
        ..Start::of_run(Side::at(host), of.seed, transport.options.clone())
    };
    let end = transports::begin(transport, &start).map_err(|Broken(what)| LiveError::Stack { host, what })?;
    let asked = TransportSetup {
        host,
        task,
        namespace: site.namespace.clone(),
        network: site.network(),
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
fn wait_for_server(site: &Site, port: u16, running: &mut Option<commands::Running>) -> io::Result<()> {
    let is_over = || running.as_mut().map_or(Ok(false), commands::Running::is_over);
    if commands::wait_for(&site.namespace, site.network(), port, is_over)? {
        return Ok(());
    }
    let exit = running.take().map(commands::Running::stop).transpose()?;
    let how = exit.map_or_else(|| "early".to_owned(), |exit| exit.in_short());
    Err(io::Error::other(format!(
        "nothing listens at port {port} of {}, and its command has ended {how}",
        commands::transports_over(site.network())
    )))
}
