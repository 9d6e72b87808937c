//! One live run, from the namespaces to the certificate.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::Duration;

use rand_chacha::rand_core::Rng as _;
use windlull_capture::{Observer, Snaplen};
use windlull_link::model::{ImpairmentKind, LinkModel};
use windlull_netns::{Lab, LabSpec, Towards, device};
use windlull_plane::Epoch;
use windlull_stack::Stack;
use windlull_units::{Ending, Host, Span, Time};
use windlull_wire::SeqNumber;

use crate::assembly::{self, Capture, Pieces};
use crate::capture::{Spool, Tap};
use crate::certificate::Measured;
use crate::endpoint::{EndpointSetup, Role};
use crate::ends::{self, End, Ended};
use crate::hosts;
use crate::plane::{self, Plane, Played};
use crate::{Certificate, LiveError, Outcome, Setup};

/// From the start of the run's clock to its time zero: captures, link and ends are made ready meanwhile.
const PREPARATION: Span = Span::from_ms(250);
/// How often is looked whether the run is over.
const LOOK: Duration = Duration::from_millis(2);
/// Looks in a row that must find nothing left to do: a packet may be on its way between a host and the link.
const QUIET_LOOKS: u32 = 10;

/// The same where the link does not tell whether it is empty: a second.
const QUIET_LOOKS_UNTOLD: u32 = 500;

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

/// Runs one connection in real time and tells the observer what happened, afterwards and in order of time.
/// `scratch` is a directory of this run alone for what the captures spool.
///
/// To be called while the process has one thread: namespaces are entered.
///
/// # Errors
/// [`LiveError`]: the machine would not.
pub fn run(setup: &Setup<'_>, scratch: &Path, observer: &mut impl Observer) -> Result<Outcome, LiveError> {
    run_watched(setup, scratch, observer, &mut |_| {})
}

/// As [`run`]; `watch` is told about once a second how far it is.
///
/// # Errors
/// As [`run`].
pub fn run_watched(
    setup: &Setup<'_>,
    scratch: &Path,
    observer: &mut impl Observer,
    watch: &mut dyn FnMut(HowFar),
) -> Result<Outcome, LiveError> {
    let finished = Bench::build(setup, scratch)?.run(watch)?;
    finished.tell(setup, observer)
}

/// All that a run needs, made ready.
struct Bench<'a> {
    setup: &'a Setup<'a>,
    epoch: Epoch,
    taps: [Tap; 2],
    plane: Plane,
    ends: [ends::Ready; 2],
    settings: BTreeMap<String, String>,
    // The namespaces last as long as what is in them.
    _lab: Lab,
}

/// What a run left.
struct Finished {
    ending: Stop,
    spools: [Spool; 2],
    played: Played,
    ended: [Ended; 2],
    settings: BTreeMap<String, String>,
}

/// Why the run was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    InOrder,
    Closed,
    Stalled,
    TimeLimit,
}

impl<'a> Bench<'a> {
    fn build(setup: &'a Setup<'a>, scratch: &Path) -> Result<Self, LiveError> {
        let spec = LabSpec {
            kernel_answers: [0, 1].map(|host| matches!(setup.ends[host], Stack::Linux(_))),
            router: plane::router(setup.plane),
        };
        let lab = Lab::build(&spec).map_err(|error| LiveError::Lab(error.to_string()))?;
        let mut settings = BTreeMap::new();
        let mut ready = Vec::new();
        for host in [Host::Server, Host::Client] {
            ready.push(ends::prepare(setup, host, &lab, &mut settings)?);
        }
        let plane = plane::prepare(setup, &lab, scratch)?;
        let epoch = Epoch::begin_in(PREPARATION);
        let tap = |host: Host| {
            let namespace = lab.namespace(host.into());
            let device = device_of(host);
            let spool = scratch.join(format!("{device}.spool"));
            Tap::start(namespace, device, epoch, spooled(setup), &spool).map_err(|source| LiveError::Host {
                host,
                what: "capture",
                source,
            })
        };
        let taps = [tap(Host::Server)?, tap(Host::Client)?];
        let plane = plane.start(setup, epoch)?;
        let ends = <[ends::Ready; 2]>::try_from(ready).unwrap_or_else(|_| unreachable!("there are two hosts"));
        Ok(Self {
            setup,
            epoch,
            taps,
            plane,
            ends,
            settings,
            _lab: lab,
        })
    }

    fn run(self, watch: &mut dyn FnMut(HowFar)) -> Result<Finished, LiveError> {
        let Self {
            setup,
            epoch,
            taps,
            plane,
            ends,
            settings,
            _lab,
        } = self;
        let [server, client] = ends;
        // The receiver first: it must listen when the first packet comes.
        let (server, client) = match setup.transfer.data_sender {
            Host::Server => {
                let client = client.start(setup, epoch)?;
                (server.start(setup, epoch)?, client)
            }
            Host::Client => (server.start(setup, epoch)?, client.start(setup, epoch)?),
        };
        thread::sleep(Duration::from_nanos(epoch.until_start().as_ns()));
        let ending = wait(setup, epoch, &plane, [&server, &client], watch);
        // Ours fall silent. A kernel that has to leave a connection resets it: nobody must see that any more.
        let (mut ended, mut kernels) = ([None, None], Vec::new());
        for (place, end) in [server, client].into_iter().enumerate() {
            if end.is_kernels() {
                kernels.push((place, end));
            } else {
                ended[place] = Some(end.stop()?);
            }
        }
        let played = plane.stop()?;
        let [server_tap, client_tap] = taps;
        let spools = [server_tap.stop()?, client_tap.stop()?];
        for (place, end) in kernels {
            ended[place] = Some(end.stop()?);
        }
        Ok(Finished {
            ending,
            spools,
            played,
            ended: ended.map(|ended| ended.expect("both were stopped")),
            settings,
        })
    }
}

/// Waits until nobody has anything left to do, or the time is over.
fn wait(setup: &Setup<'_>, epoch: Epoch, plane: &Plane, ends: [&End; 2], watch: &mut dyn FnMut(HowFar)) -> Stop {
    let receiver = ends[setup.transfer.data_sender.peer() as usize];
    let mut say_at = Time::ZERO + SAY;
    let deadline = Time::ZERO + setup.time_limit;
    let mut quiet = (0, Stop::TimeLimit);
    loop {
        if epoch.now() >= deadline || !plane.is_alive() {
            return Stop::TimeLimit;
        }
        let at = epoch.now();
        if at >= say_at {
            let received = receiver.received();
            watch(HowFar { at, received });
            say_at = at + SAY;
        }
        let (found, looks) = match plane.is_empty() {
            Some(true) => (over(ends), QUIET_LOOKS),
            Some(false) => (None, QUIET_LOOKS),
            None => (over(ends), QUIET_LOOKS_UNTOLD),
        };
        quiet = match found {
            Some(stop) if stop == quiet.1 => (quiet.0 + 1, stop),
            Some(stop) => (1, stop),
            None => (0, Stop::TimeLimit),
        };
        if quiet.0 >= looks {
            return quiet.1;
        }
        thread::sleep(LOOK);
    }
}

fn over(ends: [&End; 2]) -> Option<Stop> {
    if ends.iter().all(|end| end.closed_in_order()) {
        Some(Stop::InOrder)
    } else if ends.iter().all(|end| end.is_closed()) {
        Some(Stop::Closed)
    } else if ends.iter().all(|end| end.is_idle()) {
        Some(Stop::Stalled)
    } else {
        None
    }
}

impl Finished {
    fn tell(self, setup: &Setup<'_>, observer: &mut impl Observer) -> Result<Outcome, LiveError> {
        let Self {
            ending,
            spools,
            played,
            ended: [server, client],
            mut settings,
        } = self;
        settings.extend(server.settings);
        settings.extend(client.settings);
        let sender = setup.transfer.data_sender;
        let captures = [captured(Host::Server, &spools[0])?, captured(Host::Client, &spools[1])?];
        let reset = captures.iter().any(Capture::has_reset);
        let last = captures.iter().map(Capture::last).max().unwrap_or(Time::ZERO);
        let (mut said, seen, received) = match sender {
            Host::Server => (server.events, server.seen, client.received),
            Host::Client => (client.events, client.seen, server.received),
        };
        said.extend(hosts::date(&seen, &captures[sender as usize].resent()));
        said.sort_by_key(|(at, _)| *at);
        let pieces = Pieces {
            link: match &played {
                Played::Model(log) => assembly::LinkLog::of_model(log),
                Played::Netem(_) => assembly::LinkLog::of_captures(&captures),
            },
            captures,
            data_sender: sender,
            sender: said,
            reasons: [server.reasons, client.reasons],
        };
        let findings = assembly::tell(&pieces, observer);
        let certificate = Certificate::of(&Measured {
            plane: setup.plane,
            findings: &findings,
            played: &played,
            counts: [spools[0].counts, spools[1].counts],
            drift_ns: [spools[0].clock_drift_ns, spools[1].clock_drift_ns],
            host_drops: server.missed + client.missed,
            bad_checksums: server.bad_checksums + client.bad_checksums,
        });
        let ending = match ending {
            Stop::InOrder => Ending::Closed { at: last },
            _ if reset => Ending::Reset { at: last },
            Stop::TimeLimit => Ending::TimeLimit,
            Stop::Closed | Stop::Stalled => Ending::Stalled { at: last },
        };
        Ok(Outcome {
            ending,
            certificate,
            settings,
            received,
            // What ended in order may hear of a stray packet's reset all the same.
            failures: [("server", server.failure), ("client", client.failure)]
                .into_iter()
                .filter(|_| !matches!(ending, Ending::Closed { .. }))
                .filter_map(|(name, failure)| Some(format!("{name}: {}", failure?)))
                .collect(),
        })
    }
}

/// The device of a host.
pub(crate) fn device_of(host: Host) -> &'static str {
    device(host.into(), Towards::Router).expect("every host has a device towards the router")
}

/// What the run asks of an end that is ours.
pub(crate) fn endpoint_setup(setup: &Setup<'_>, host: Host, variant: &windlull_tcp::Variant) -> EndpointSetup {
    let stream = match host {
        Host::Server => "server/isn",
        Host::Client => "client/isn",
    };
    let isn = setup.isn.unwrap_or_else(|| setup.seed.stream(stream).next_u32());
    EndpointSetup {
        host,
        variant: variant.clone(),
        isn: SeqNumber(isn),
        role: role_of(setup, host),
    }
}

/// What an end does.
pub(crate) fn role_of(setup: &Setup<'_>, host: Host) -> Role {
    if host == setup.transfer.data_sender {
        Role::Sends(setup.transfer.size)
    } else {
        Role::Receives(setup.pause)
    }
}

/// What is spooled of each packet: all of it where the link corrupts some, since their checksums are to show it.
fn spooled(setup: &Setup<'_>) -> Snaplen {
    if corrupts(setup.link) {
        Snaplen::Full
    } else {
        setup.snaplen
    }
}

fn corrupts(link: &LinkModel) -> bool {
    link.impairments
        .iter()
        .any(|impairment| matches!(impairment.kind, ImpairmentKind::Corrupt { .. }))
}

fn captured(host: Host, spool: &Spool) -> Result<Capture, LiveError> {
    let mut capture = Capture::new(host);
    for packet in spool.packets()? {
        let packet = packet?;
        capture.push(packet.at, packet.way, packet.len, &packet.octets);
    }
    Ok(capture)
}
