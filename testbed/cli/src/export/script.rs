//! An episode as a script of packetdrill.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Deserialize;
use windlull_capture::{Event, Provenance, ReadError, Seen, SeenError, read_events, seen};
use windlull_experiment::file::VariantFile;
use windlull_experiment::{Experiment, Library, VariantProfile};
use windlull_packetdrill::{Remark, Request, Side, export, preamble};
use windlull_stack::Stack;
use windlull_units::{Host, Span, Time, Work, parse_span};
use windlull_wire::{Flags, SenderEvent};

use crate::answer;
use crate::failure::Failure;
use crate::packetdrill::VARIANT;
use crate::recorded::{EXPERIMENT, Refusals, Resolved, capture_of, experiment_above, read_record};
use crate::run::record::EVENTS;

/// How an episode is exported.
#[derive(Debug, Args)]
pub(super) struct OfEpisode {
    /// The episode's number, from 1.
    #[arg(long, value_name = "N")]
    pub(super) episode: Option<u64>,
    /// The end that is the host under test.  [default: sender]
    #[arg(long, value_enum)]
    pub(super) side: Option<AskedSide>,
    /// How far a segment may be from its time.  [default: 4 ms, as packetdrill's own]
    #[arg(long, value_name = "SPAN", value_parser = parse_span)]
    pub(super) tolerance: Option<Span>,
    /// What `windlull run` wrote of the run's experiment; searched for above the run if not given.
    #[arg(long, value_name = "FILE")]
    pub(super) experiment: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum AskedSide {
    Sender,
    Receiver,
}

/// What packetdrill tolerates by itself.
const TOLERANCE: Span = Span::from_us(4_000);
/// So much of what follows the recovery is in the script: what the sender does next shows in which state it was left.
const MARGIN: Span = Span::from_ms(250);
const REFUSALS: Refusals = Refusals {
    commands: "its applications are not known, so no script can be made of it",
    quic: Some("packetdrill speaks TCP"),
};

/// What of `run.json` is of interest here.
#[derive(Deserialize)]
struct Run {
    provenance: Provenance,
    data_sender: Host,
    #[serde(default)]
    episodes: Vec<Episode>,
    #[serde(default)]
    timeouts: Vec<Timeout>,
}

#[derive(Deserialize)]
struct Episode {
    number: u64,
    cause: String,
    onset_ns: u64,
    ended_ns: Option<u64>,
    recovered_ns: Option<u64>,
}

#[derive(Deserialize)]
struct Timeout {
    ordinal: u32,
    verdict: String,
}

/// Prints the script of an episode of the run in this directory.
pub(super) fn episode(library: &Library, directory: &str, asked: &OfEpisode) -> Result<(), Failure> {
    let directory = Path::new(directory);
    let run: Run = read_record(directory, REFUSALS)?;
    let episode = chosen(&run, asked.episode)?;
    let side = match asked.side {
        Some(AskedSide::Receiver) => Side::Receiver,
        Some(AskedSide::Sender) | None => Side::Sender,
    };
    let host = match side {
        Side::Sender => run.data_sender,
        Side::Receiver => run.data_sender.peer(),
    };
    let all = segments(directory, host)?;
    let (stack, written) = variant(library, directory, &run.provenance, asked.experiment.as_deref())?;
    let events = decisions(directory)?;
    let ours = stack.as_ref().and_then(Stack::windlull);
    let request = Request {
        seen: &all,
        side,
        until: until(episode, side, &all),
        tolerance: asked.tolerance.unwrap_or(TOLERANCE),
        head: head(&run, episode, side, written.as_ref().filter(|_| ours.is_some())),
        remarks: &remarks(&run, episode, &events),
        first_command: preamble(stack.as_ref()),
        variant: ours,
    };
    let script = export(&request).map_err(|error| Failure::input(format!("{}: {error}", directory.display())))?;
    answer::text(&script.to_string())
}

fn chosen(run: &Run, number: Option<u64>) -> Result<&Episode, Failure> {
    let count = run.episodes.len();
    if count == 0 {
        return Err(Failure::input("the run has no episode: nothing went wrong in it"));
    }
    let range = format!("the run has {count}; `windlull explain` tells them");
    let number = match number {
        Some(number) => number,
        None if count == 1 => 1,
        None => return Err(Failure::input(format!("give an episode with --episode N: {range}"))),
    };
    let found = run.episodes.iter().find(|episode| episode.number == number);
    found.ok_or_else(|| Failure::input(format!("there is no episode {number}: {range}")))
}

fn segments(directory: &Path, host: Host) -> Result<Vec<Seen>, Failure> {
    let file = directory.join(capture_of(host));
    let capture = File::open(&file).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Failure::input(format!(
            "{}: not there; make the run again without --no-pcap",
            file.display()
        )),
        _ => Failure::file("read", &file, &error),
    })?;
    seen(BufReader::new(capture)).map_err(|error| {
        let message = format!("{}: {error}", file.display());
        match error {
            SeenError::Capture(ReadError::Io(_)) => Failure::Machine(message),
            _ => Failure::input(message),
        }
    })
}

/// Where the script ends.
fn until(episode: &Episode, side: Side, seen: &[Seen]) -> Time {
    let over = episode.recovered_ns.or(episode.ended_ns);
    let Some(over) = over.map(Time::from_ns) else {
        // It was not over when the run was.
        return Time::NEVER;
    };
    let until = over + MARGIN;
    // A kernel acknowledges its peer's FIN before the application closes, a TCP of ours with its own FIN.
    let fin = seen
        .iter()
        .find(|seen| !seen.is_outbound && seen.segment.flags.has(Flags::FIN));
    match fin {
        Some(fin) if side == Side::Receiver && fin.at > over => until.min(Time::from_ns(fin.at.as_ns() - 1)),
        _ => until,
    }
}

/// The TCP of the run and its settings as they were resolved. Of an experiment that is not above the run, the one of its name
/// is taken from the library.
fn variant(
    library: &Library,
    directory: &Path,
    provenance: &Provenance,
    given: Option<&Path>,
) -> Result<(Option<Stack>, Option<VariantFile>), Failure> {
    let resolved = match given.map(Path::to_owned).or_else(|| experiment_above(directory)) {
        Some(file) => from_record(&file, provenance)?,
        None => {
            let experiment = Experiment::load(library, &provenance.experiment).map_err(|_| {
                Failure::input(format!(
                    "{}: no {EXPERIMENT} above it, and no experiment {} among the profiles; its TCP is not known: give \
                     the file with --experiment",
                    directory.display(),
                    provenance.experiment
                ))
            })?;
            let is_known = experiment.links.iter().any(|link| link.name == provenance.link);
            let sets = is_known.then(|| &experiment.workload_on(&provenance.link).sets);
            let first = sets.and_then(|sets| sets.first());
            refuse_requests(first.is_some_and(|set| matches!(set.work, Work::Requests(_))))?;
            let all = experiment.variants.iter().chain(&experiment.live.variants);
            let found = all.into_iter().find(|variant| variant.name == provenance.variant);
            found.map(VariantProfile::resolved)
        }
    };
    let Some(resolved) = resolved else {
        return Err(Failure::input(format!(
            "the experiment {} has no variant {}",
            provenance.experiment, provenance.variant
        )));
    };
    let stack = VariantProfile::tcp_of(&resolved).map_err(Failure::input)?;
    Ok((stack, Some(resolved)))
}

/// When an application answers is not in the captures.
fn refuse_requests(has_requests: bool) -> Result<(), Failure> {
    match has_requests {
        false => Ok(()),
        true => Err(Failure::input(
            "a run of requests and responses; scripts are made of transfers one way, as when an application writes is not \
             in its captures",
        )),
    }
}

fn from_record(file: &Path, provenance: &Provenance) -> Result<Option<VariantFile>, Failure> {
    let experiment = Resolved::read(file)?;
    let requests = experiment
        .workload(provenance)
        .and_then(|workload| workload["sets"][0].get("requests"));
    refuse_requests(requests.is_some_and(|requests| !requests.is_null()))?;
    let found = experiment.variant(provenance);
    found
        .map(|variant| {
            serde_json::from_value(variant.clone())
                .map_err(|error| Failure::input(format!("{}: {error}", file.display())))
        })
        .transpose()
}

/// What the sender decided, if the run kept it.
fn decisions(directory: &Path) -> Result<Vec<(Time, SenderEvent)>, Failure> {
    let file = directory.join(EVENTS);
    let Ok(text) = File::open(&file) else {
        return Ok(Vec::new());
    };
    let mut decisions = Vec::new();
    for event in read_events(BufReader::new(text)) {
        let (at, event) = event.map_err(|error| Failure::input(format!("{}: {error}", file.display())))?;
        if let Event::Sender(_, event) = event {
            decisions.push((at, event));
        }
    }
    Ok(decisions)
}

fn head(run: &Run, episode: &Episode, side: Side, written: Option<&VariantFile>) -> Vec<String> {
    let host = match side {
        Side::Sender => "the data sender",
        Side::Receiver => "the data receiver",
    };
    let seconds = |ns: u64| format!("{} s", Time::from_ns(ns).as_secs_f64());
    let over = episode
        .recovered_ns
        .map_or("not over when the run was".to_owned(), |ns| {
            format!("recovered from at {}", seconds(ns))
        });
    let mut head = vec![format!(
        "Episode {} of a run of Windlull, with {host} as the host under test.",
        episode.number
    )];
    head.extend(run.provenance.to_string().lines().map(str::to_owned));
    head.push(format!(
        "episode {}: {}, begun at {}, {over}",
        episode.number,
        episode.cause,
        seconds(episode.onset_ns)
    ));
    head.push("The script begins with the connection: in no other way does a host come to the same state.".to_owned());
    if let Some(written) = written {
        let json = serde_json::to_string(written).unwrap_or_default();
        head.push(format!("{VARIANT}{json}"));
    }
    head
}

/// What the sender decided, and where the episode begins and ends.
fn remarks(run: &Run, episode: &Episode, events: &[(Time, SenderEvent)]) -> Vec<Remark> {
    let mut remarks: Vec<Remark> = events
        .iter()
        .filter_map(|(at, event)| {
            let text = words(event, &run.timeouts)?;
            Some(Remark { at: *at, text })
        })
        .collect();
    let mut mark = |ns: u64, text: String| {
        let at = Time::from_ns(ns);
        let place = remarks.partition_point(|remark| remark.at < at);
        remarks.insert(place, Remark { at, text });
    };
    mark(
        episode.onset_ns,
        format!("--- Episode {} begins: {}.", episode.number, episode.cause),
    );
    if let Some(ns) = episode.recovered_ns {
        mark(ns, format!("--- Episode {}: recovered.", episode.number));
    }
    remarks
}

fn words(event: &SenderEvent, timeouts: &[Timeout]) -> Option<String> {
    let octet = |offset: &u64| offset + 1;
    Some(match event {
        SenderEvent::Timeout { ordinal, una, rto, .. } => {
            let judged = timeouts.iter().find(|timeout| timeout.ordinal == *ordinal);
            let verdict = judged.map_or("not judged", |timeout| timeout.verdict.as_str());
            format!(
                "Timeout {ordinal} after {} s: {verdict}; {} is not acknowledged.",
                rto.as_secs_f64(),
                octet(una)
            )
        }
        SenderEvent::FastRetransmit { una, recovery_point } => {
            format!(
                "Fast retransmit of {}, recovery up to {}.",
                octet(una),
                octet(recovery_point)
            )
        }
        SenderEvent::RecoveryEnded { una } => format!("The recovery ends: all before {} is acknowledged.", octet(una)),
        SenderEvent::Detector { ordinal, rule, answer } => {
            let answer = answer.map_or("no answer yet", windlull_wire::DetectorAnswer::name);
            format!("Detector, timeout {ordinal}: {rule}: {answer}.")
        }
        SenderEvent::Response {
            name,
            cwnd_before,
            cwnd_after,
            ..
        } => format!("Response {name}: the congestion window goes from {cwnd_before} to {cwnd_after} octets."),
        SenderEvent::RecoveryUndone {
            rule,
            cwnd_before,
            cwnd_after,
        } => format!("Recovery undone, {rule}: the congestion window goes from {cwnd_before} to {cwnd_after} octets."),
        SenderEvent::LossProbe => "A tail loss probe.".to_owned(),
        SenderEvent::LossProbeRepaired => "A tail loss probe had repaired a loss.".to_owned(),
        SenderEvent::State(_)
        | SenderEvent::RttSample { .. }
        | SenderEvent::Limited { .. }
        | SenderEvent::LimitedFor { .. } => return None,
    })
}
