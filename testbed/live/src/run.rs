//! One live run, from the namespaces to the certificate.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use windlull_capture::Observer;
use windlull_netns::{Lab, LabSpec, Node};
use windlull_plane::Epoch;
use windlull_plane::model::{Pace, PortKind};
use windlull_plane::netem::{Carriage, Devices};
use windlull_units::{Ending, Host, Span, Time};

use crate::assembly::{self, Capture, ConnectionPieces, Pieces};
use crate::capture::Spool;
use crate::certificate::Measured;
use crate::commands::Starter;
use crate::ends::ConnectionEnded;
use crate::hosts::{self, Settings, SharedTriggers};
use crate::part::{
    HostHere, HostLeft, HostPart, HostTask, LinkCaptured, LinkHere, LinkLeft, LinkPart, LinkTask, Progress,
};
use crate::plane::{self, LinkSite, Played};
use crate::{Certificate, Connection, LinkCaptureFile, LiveError, Outcome, Setup, Work};

/// From the start of the run's clock to its time zero: captures, link and ends are made ready meanwhile.
const PREPARATION: Span = Span::from_ms(250);
/// The kernel's timers are kept in a wheel, the coarser the longer they are; those of up to two minutes on a grid of 512 ticks
/// of 4 ms at most (Linux, kernel/time/timer.c), of which this is a multiple. In virtual time a run waits for the grid, which costs
/// nothing, so that what it measures does not depend on when it begins.
const WHEEL: Span = Span::from_ms(8 * 512 * 4);
/// How often is looked whether the run is over.
const LOOK: Span = Span::from_ms(2);
/// The same in virtual time, where looking is what costs most.
const SELDOM_LOOK: Span = Span::from_ms(100);
/// For so long must there be nothing left to do: a packet may be on its way between a host and the link.
const QUIET: Span = Span::from_ms(20);
/// The same where the link does not tell whether it is empty.
const QUIET_UNKNOWN: Span = Span::from_secs(1);

/// For so long at most is what is in the link waited for after a command's end.
const DRAIN: Span = Span::from_secs(5);

/// How often a run says how far it is.
const SAY: Span = Span::from_secs(1);

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HowFar {
    /// In its own time.
    pub at: Time,
    /// Octets that the receiving application has.
    pub received: u64,
}

/// Runs all connections in real time and tells what happened, afterwards and in order of time: each to the observer of its
/// place, or programs to the one observer.
/// `scratch` is a directory of this run alone for what the captures spool.
///
/// To be called while the process has one thread: namespaces are entered.
///
/// # Errors
/// [`LiveError`]: the machine would not.
///
/// # Panics
/// If there are not as many observers as connections.
pub fn run<O: Observer>(setup: &Setup<'_>, scratch: &Path, observers: &mut [O]) -> Result<Outcome, LiveError> {
    run_watched(setup, scratch, observers, &mut |_| {})
}

/// As [`run`]; `watch` is told about once a second how far it is.
///
/// # Errors
/// As [`run`].
///
/// # Panics
/// As [`run`].
pub fn run_watched<O: Observer>(
    setup: &Setup<'_>,
    scratch: &Path,
    observers: &mut [O],
    watch: &mut dyn FnMut(HowFar),
) -> Result<Outcome, LiveError> {
    let spec = LabSpec {
        kernel_answers: Host::ALL.map(|host| HostTask::of(setup, host).has_sockets()),
        network: setup.network,
        router: plane::router(setup.plane),
    };
    let lab = Lab::build(&spec).map_err(|error| LiveError::Lab(error.to_string()))?;
    let parts = in_namespaces(setup, &lab, scratch)?;
    carry_out(setup, parts, observers, watch)
}

/// All that a run needs, made ready.
pub(crate) struct ReadyParts {
    /// The server, then the client.
    pub(crate) hosts: [Box<dyn HostPart>; 2],
    pub(crate) link: Box<dyn LinkPart>,
    /// How the hosts are set up.
    pub(crate) settings: Settings,
}

/// What a run left.
struct Finished {
    epoch: Epoch,
    ending: Stop,
    /// When it was stopped.
    ended: Time,
    left: [HostLeft; 2],
    played: Played,
    link_capture: Option<LinkCaptureFile>,
    settings: Settings,
}

/// Why the run was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    InOrder,
    Closed,
    Stalled,
    /// The time of a transfer by time was up.
    Elapsed,
    TimeLimit,
}

/// The parts of a run in namespaces of this process.
fn in_namespaces(setup: &Setup<'_>, lab: &Lab, scratch: &Path) -> Result<ReadyParts, LiveError> {
    let mut settings = Settings::new();
    let flows = setup.work.connections().len();
    let triggers = SharedTriggers::of(setup.link, flows).map(Arc::new);
    let mut host = |host: Host| -> Result<Box<dyn HostPart>, LiveError> {
        let site = lab.site(host);
        let starter = Starter::Here(site.namespace.clone());
        let mut task = HostTask::of(setup, host);
        task.knows(&settings);
        let (mut part, made) = HostHere::prepare(task, site, scratch, Some(&starter))?;
        part.trigger_by(triggers.as_ref());
        settings.extend(made);
        Ok(Box::new(part))
    };
    let hosts = [host(Host::Server)?, host(Host::Client)?];
    let router = lab.namespace(Node::Router);
    let site = LinkSite {
        router,
        devices: &Devices::default(),
        carriage: Carriage::Forwarding,
        kind: PortKind::Wire,
        visible: Arc::default(),
    };
    let mut link = LinkHere::prepare(LinkTask::of(setup), &site, scratch, None)?;
    link.trigger_by(triggers.as_ref());
    Ok(ReadyParts {
        hosts,
        link: Box::new(link),
        settings,
    })
}

/// Makes a run of its parts, wherever they are, and tells the observers.
pub(crate) fn carry_out<O: Observer>(
    setup: &Setup<'_>,
    mut parts: ReadyParts,
    observers: &mut [O],
    watch: &mut dyn FnMut(HowFar),
) -> Result<Outcome, LiveError> {
    let told = setup.work.connections().len().max(1);
    assert_eq!(told, observers.len(), "every connection has its observer");
    let epoch = match setup.pace {
        Pace::Precise | Pace::Frugal => Epoch::begin_in(PREPARATION),
        Pace::Virtual => {
            let epoch = Epoch::begin_on(WHEEL, PREPARATION);
            sleep(epoch.until_start().saturating_sub(PREPARATION));
            epoch
        }
    };
    for host in &mut parts.hosts {
        host.capture(epoch)?;
    }
    parts.link.start(epoch)?;
    // Senders wait for the epoch, receivers listen at once: when the first packet comes, both hosts must have begun.
    let sender = setup.work.data_sender();
    parts.hosts[sender.peer() as usize].start()?;
    parts.hosts[sender as usize].start()?;
    sleep(epoch.until_start());
    let ending = wait(setup, epoch, &mut parts, watch)?;
    let ended = epoch.now();
    // Ours fall silent. A kernel that has to leave a connection resets it: nobody must see that any more.
    for host in &mut parts.hosts {
        host.fall_silent()?;
    }
    parts.link.stop()?;
    for host in &mut parts.hosts {
        host.stop_capture()?;
    }
    let LinkLeft { played, capture } = parts.link.finish()?;
    let opened = |captured: LinkCaptured| -> io::Result<LinkCaptureFile> {
        let file = File::open(&captured.path)?;
        let counts = captured.counts;
        Ok(LinkCaptureFile { file, counts })
    };
    let [server, client] = &mut parts.hosts;
    let finished = Finished {
        epoch,
        ending,
        ended,
        left: [server.finish()?, client.finish()?],
        played,
        link_capture: capture.map(opened).transpose().map_err(LiveError::LinkCapture)?,
        settings: parts.settings,
    };
    finished.tell(setup, observers)
}

/// Waits until nobody has anything left to do, or the time is over.
fn wait(
    setup: &Setup<'_>,
    epoch: Epoch,
    parts: &mut ReadyParts,
    watch: &mut dyn FnMut(HowFar),
) -> Result<Stop, LiveError> {
    let is_commands = matches!(setup.work, Work::Commands { .. });
    let mut say_at = Time::ZERO + SAY;
    let deadline = Time::ZERO + setup.time_limit;
    let elapsed = setup.work.elapses();
    let look = match setup.pace {
        Pace::Precise | Pace::Frugal => LOOK,
        Pace::Virtual => SELDOM_LOOK,
    };
    // Since when the client's command has ended.
    let mut ended: Option<Time> = None;
    // Since when there is nothing left to do, and why.
    let mut quiet: Option<(Time, Stop)> = None;
    loop {
        let [server, client] = &mut parts.hosts;
        let ends = [server.progress()?, client.progress()?];
        let link = parts.link.state()?;
        let at = epoch.now();
        if !link.alive {
            return Ok(Stop::TimeLimit);
        }
        if elapsed.is_some_and(|elapsed| at >= elapsed) {
            return Ok(Stop::Elapsed);
        }
        if at >= deadline {
            return Ok(Stop::TimeLimit);
        }
        if at >= say_at {
            let received = ends.iter().map(|end| end.received).sum();
            watch(HowFar { at, received });
            say_at = at + SAY;
        }
        if is_commands && over(&ends).is_some() {
            // A server may go on to send; nobody waits for that.
            let since = *ended.get_or_insert(at);
            if at.since(since) >= DRAIN {
                return Ok(Stop::InOrder);
            }
        }
        let (found, long_enough) = match link.empty {
            Some(true) => (over(&ends), QUIET),
            Some(false) => (None, QUIET),
            None => (over(&ends), QUIET_UNKNOWN),
        };
        quiet = match (found, quiet) {
            (Some(stop), Some((since, before))) if stop == before => Some((since, stop)),
            (Some(stop), _) => Some((at, stop)),
            (None, _) => None,
        };
        if let Some((since, stop)) = quiet {
            if at.since(since) >= long_enough {
                return Ok(stop);
            }
        }
        sleep(look);
    }
}

fn sleep(span: Span) {
    thread::sleep(Duration::from_nanos(span.as_ns()));
}

fn over(ends: &[Progress; 2]) -> Option<Stop> {
    if ends.iter().all(|end| end.closed_in_order) {
        Some(Stop::InOrder)
    } else if ends.iter().all(|end| end.closed) {
        Some(Stop::Closed)
    } else if ends.iter().all(|end| end.idle) {
        Some(Stop::Stalled)
    } else {
        None
    }
}

impl Finished {
    fn tell<O: Observer>(self, setup: &Setup<'_>, observers: &mut [O]) -> Result<Outcome, LiveError> {
        let Self {
            epoch: _,
            ending,
            ended,
            left: [server, client],
            played,
            link_capture,
            mut settings,
        } = self;
        let spools = [server.spool, client.spool];
        let [server, client] = [server.ended, client.ended];
        settings.extend(server.settings);
        settings.extend(client.settings);
        let is_commands = matches!(setup.work, Work::Commands { .. });
        let capture = |host: Host| {
            let empty = match setup.work.connections() {
                [] => Capture::of_every_packet(host, setup.network),
                [connection] if connection.ends[host as usize].transport().is_some() => {
                    Capture::of_datagrams(host, setup.network)
                }
                connections => Capture::of_segments(host, setup.network, connections.len()),
            };
            captured(empty, &spools[host as usize])
        };
        let captures = [capture(Host::Server)?, capture(Host::Client)?];
        let exits = [server.exit, client.exit];
        let reset = captures.iter().any(Capture::has_reset);
        let last = captures.iter().map(Capture::last).max().unwrap_or(Time::ZERO);
        let (mut connections, mut received, mut failures) = (Vec::new(), Vec::new(), Vec::new());
        let both = server.connections.into_iter().zip(client.connections);
        for (place, (connection, ends)) in setup.work.connections().iter().zip(both).enumerate() {
            let ends = <[ConnectionEnded; 2]>::from(ends);
            failures.extend(failed(place, &ends));
            received.push(ends[connection.data_sender.peer() as usize].received.clone());
            let elapsed = connection.elapses().filter(|at| *at <= ended);
            connections.push(pieces_of(connection, ends, elapsed, |sender| {
                captures[sender as usize].resent(place)
            }));
        }
        if is_commands {
            connections.push(ConnectionPieces::of_programs());
        }
        let pieces = Pieces {
            link: match &played {
                Played::Model(log) => assembly::LinkLog::of_model(log),
                Played::Netem(netem) => {
                    assembly::LinkLog::of_captures(&captures, assembly::causes(setup.link, &netem.queues))
                }
            },
            captures,
            connections,
        };
        let findings = assembly::tell(&pieces, observers);
        let certificate = Certificate::of(&Measured {
            plane: setup.plane,
            findings: &findings,
            played: &played,
            counts: [spools[0].counts, spools[1].counts],
            drift_ns: [spools[0].clock_drift_ns, spools[1].clock_drift_ns],
            host_drops: server.missed + client.missed,
            bad_checksums: server.bad_checksums + client.bad_checksums,
        });
        let code = exits[Host::Client as usize].as_ref().and_then(|exit| exit.code);
        let ending = match ending {
            Stop::InOrder if is_commands && code != Some(0) => Ending::CommandFailed { at: last, code },
            Stop::InOrder => Ending::Closed { at: last },
            Stop::Elapsed => Ending::Elapsed {
                at: setup.work.elapses().unwrap_or(last),
            },
            _ if reset => Ending::Reset { at: last },
            Stop::TimeLimit => Ending::TimeLimit,
            Stop::Closed | Stop::Stalled => Ending::Stalled { at: last },
        };
        Ok(Outcome {
            ending,
            certificate,
            settings,
            received,
            commands: exits.map(|exit| exit.map(|exit| exit.report(self.epoch))),
            // What ended in order may hear of a stray packet's reset all the same.
            failures: if matches!(ending, Ending::Closed { .. }) {
                Vec::new()
            } else {
                failures
            },
            link_capture,
        })
    }
}

/// What the ends of a connection say went wrong; of which connection, beyond the first.
fn failed(place: usize, ends: &[ConnectionEnded; 2]) -> impl Iterator<Item = String> {
    let named = Host::ALL.into_iter().zip(ends);
    named.filter_map(move |(host, end)| {
        let (name, failure) = (Node::from(host).name(), end.failure.as_ref()?);
        Some(match place {
            0 => format!("{name}: {failure}"),
            place => format!("{name}, flow {}: {failure}", place + 1),
        })
    })
}

/// What both ends of a connection leave; `resent` tells what an end's capture shows sent again.
fn pieces_of(
    connection: &Connection,
    [server, client]: [ConnectionEnded; 2],
    elapsed: Option<Time>,
    resent: impl FnOnce(Host) -> Vec<(Time, u64)>,
) -> ConnectionPieces {
    let data_sender = connection.data_sender;
    let (mut said, seen) = match data_sender {
        Host::Server => (server.events, server.seen),
        Host::Client => (client.events, client.seen),
    };
    said.extend(hosts::date(&seen, &resent(data_sender)));
    said.sort_by_key(|(at, _)| *at);
    let mut tasks = [server.tasks, client.tasks].concat();
    tasks.sort_unstable();
    ConnectionPieces {
        data_sender,
        sender: said,
        reasons: [server.reasons, client.reasons],
        tasks,
        elapsed,
        told: [server.told, client.told],
    }
}

fn captured(mut capture: Capture, spool: &Spool) -> Result<Capture, LiveError> {
    for packet in spool.packets()? {
        let packet = packet?;
        capture.push(packet.at, packet.way, packet.len, &packet.octets);
    }
    Ok(capture)
}
