//! A run's directory, read for its difference from another one.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use windlull_analysis::{Recorded, RecordedError};
use windlull_capture::{Provenance, QlogError, ReadError, SeenError};
use windlull_units::{Host, Span};

use crate::failure::Failure;
use crate::recorded::{Refusals, Resolved, capture_of, experiment_above, is_quic, qlog_of, read_record};
use crate::run::record::{EVENTS, FATES};

const REFUSALS: Refusals = Refusals {
    commands: "what its applications do is not known, so it cannot be compared with another",
    quic: None,
};
/// Kernels in virtual time: two of them send the same packet some nanoseconds apart, as they do not compute alike.
const OF_KERNELS: Span = Span::from_us(1);
/// Live runs are never alike to the nanosecond: of a valid one, 99 of 100 packets leave the link within 2 ms of their time
/// (docs/live-runs.md).
const OF_LIVE_RUNS: Span = Span::from_ms(2);

/// A run that is compared.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) directory: PathBuf,
    pub(super) provenance: Provenance,
    pub(super) data_sender: Host,
    /// Its metrics by their names; those that it does not have are absent.
    pub(super) metrics: BTreeMap<String, f64>,
    pub(super) recorded: Recorded,
    /// What is missing of it, in sentences.
    pub(super) lacks: Vec<&'static str>,
    /// The resolved experiment, if it stands above the run.
    experiment: Option<Resolved>,
}

/// What of `run.json` is of interest here.
#[derive(Deserialize)]
struct RunFile {
    provenance: Provenance,
    data_sender: Host,
    #[serde(default)]
    metrics: BTreeMap<String, Option<f64>>,
}

impl Run {
    /// Reads a run's directory. What cannot be compared is bad input: another directory, a run without captures, one of
    /// commands.
    pub(super) fn read(directory: &Path) -> Result<Self, Failure> {
        let RunFile {
            provenance,
            data_sender,
            metrics,
        } = read_record(directory, REFUSALS)?;
        let mut lacks = Vec::new();
        let mut events = open(directory, EVENTS)?.map(BufReader::new);
        if events.is_none() {
            lacks.push("no events.jsonl: what its sender decided shows in its packets alone.");
        }
        let mut fates = open(directory, FATES)?;
        if fates.is_none() {
            lacks.push("no fates.csv: what the link did to its packets is not known.");
        }
        let is_quic = is_quic(directory);
        let name = if is_quic {
            qlog_of(data_sender)
        } else {
            capture_of(data_sender)
        };
        let Some(mut file) = open(directory, name)? else {
            return Err(Failure::input(format!(
                "{}: no {name}; make the run again without --no-pcap",
                directory.display()
            )));
        };
        let events = events.as_mut().map(|file| file as &mut dyn BufRead);
        let fates = fates.as_mut().map(|file| file as &mut dyn Read);
        let recorded = if is_quic {
            Recorded::read_quic(data_sender, &mut BufReader::new(file), events, fates)
        } else {
            Recorded::read(data_sender, &mut file, events, fates)
        };
        let recorded = recorded.map_err(|error| unreadable(directory, name, &error))?;
        Ok(Self {
            directory: directory.to_owned(),
            provenance,
            data_sender,
            metrics: metrics
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)))
                .collect(),
            recorded,
            lacks,
            experiment: experiment_above(directory)
                .map(|file| Resolved::read(&file))
                .transpose()?,
        })
    }

    /// How far apart instants of it and of its like may be that count as the same.
    pub(super) fn tolerance(&self) -> Span {
        match self.provenance.testbed.as_str() {
            "sim" => Span::ZERO,
            "kernel" => OF_KERNELS,
            _ => OF_LIVE_RUNS,
        }
    }

    /// Its workload, as it was resolved: its link's own, or the experiment's.
    pub(super) fn workload(&self) -> Option<&Value> {
        self.experiment.as_ref()?.workload(&self.provenance)
    }

    /// Its variant's settings, as they were resolved.
    pub(super) fn variant(&self) -> Option<&Value> {
        self.experiment.as_ref()?.variant(&self.provenance)
    }
}

/// Opens a file of the run, if it was kept.
fn open(directory: &Path, name: &str) -> Result<Option<File>, Failure> {
    let file = directory.join(name);
    match File::open(&file) {
        Ok(opened) => Ok(Some(opened)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::file("read", &file, &error)),
    }
}

/// The error with the file's name; a disk that cannot be read is no bad input.
fn unreadable(directory: &Path, capture: &str, error: &RecordedError) -> Failure {
    let file = match error {
        RecordedError::Fates(_) => FATES,
        RecordedError::Events(_) => EVENTS,
        RecordedError::Capture(_) | RecordedError::Qlog(_) | RecordedError::NoStream => capture,
    };
    let message = format!("{}: {error}", directory.join(file).display());
    match error {
        RecordedError::Capture(SeenError::Capture(ReadError::Io(_))) | RecordedError::Qlog(QlogError::Io(_)) => {
            Failure::Machine(message)
        }
        _ => Failure::input(message),
    }
}
