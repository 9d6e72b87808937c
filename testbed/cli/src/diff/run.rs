//! A run's directory, read for its difference from another one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use windlull_analysis::{Recorded, RecordedError};
use windlull_capture::{Provenance, ReadError};
use windlull_units::Host;

use crate::failure::Failure;
use crate::run::record::{CLIENT, EVENTS, FATES, SERVER, SERVER_QLOG};

/// What `windlull run` wrote of an experiment.
const EXPERIMENT: &str = "experiment.json";
/// Testbeds whose time is virtual: the same run has the same instants there.
const VIRTUAL: [&str; 2] = ["sim", "kernel"];

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
    experiment: Option<Value>,
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
    /// Reads a run's directory. What cannot be compared is bad input: another directory, a run without captures, one of commands
    /// or of QUIC.
    pub(super) fn read(directory: &Path) -> Result<Self, Failure> {
        let RunFile {
            provenance,
            data_sender,
            metrics,
        } = read_record(directory)?;
        let mut lacks = Vec::new();
        let mut events = open(directory, EVENTS)?.map(BufReader::new);
        if events.is_none() {
            lacks.push("no events.jsonl: what its sender decided shows in its packets alone.");
        }
        let mut fates = open(directory, FATES)?;
        if fates.is_none() {
            lacks.push("no fates.csv: what the link did to its packets is not known.");
        }
        let name = match data_sender {
            Host::Server => SERVER,
            Host::Client => CLIENT,
        };
        let Some(mut capture) = open(directory, name)? else {
            return Err(Failure::input(format!(
                "{}: no {name}; make the run again without --no-pcap",
                directory.display()
            )));
        };
        let recorded = Recorded::read(
            data_sender,
            &mut capture,
            events.as_mut().map(|file| file as &mut dyn BufRead),
            fates.as_mut().map(|file| file as &mut dyn Read),
        );
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
            experiment: read_experiment(directory)?,
        })
    }

    /// Whether it was made in real time.
    pub(super) fn is_live(&self) -> bool {
        !VIRTUAL.contains(&self.provenance.testbed.as_str())
    }

    /// Its workload, as it was resolved: its link's own, or the experiment's.
    pub(super) fn workload(&self) -> Option<&Value> {
        let experiment = self.experiment.as_ref()?;
        let links = experiment["links"].as_array().into_iter().flatten();
        let own = links
            .filter(|link| link["name"] == self.provenance.link)
            .find_map(|link| link.get("workload").filter(|workload| !workload.is_null()));
        own.or_else(|| experiment.get("workload"))
    }

    /// Its variant's settings, as they were resolved.
    pub(super) fn variant(&self) -> Option<&Value> {
        let experiment = self.experiment.as_ref()?;
        let lists = ["variants", "others"].map(|key| experiment[key].as_array());
        let mut variants = lists.into_iter().flatten().flatten();
        let found = variants.find(|variant| variant["name"] == self.provenance.variant);
        found.and_then(|variant| variant.get("resolved"))
    }
}

fn read_record(directory: &Path) -> Result<RunFile, Failure> {
    let file = directory.join("run.json");
    let text = fs::read(&file).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Failure::input(format!(
            "{}: no run.json in it; give the directory of a run, as out/EXPERIMENT/runs/VARIANT/001",
            directory.display()
        )),
        _ => Failure::file("read", &file, &error),
    })?;
    let wrong = |why: &dyn std::fmt::Display| Failure::input(format!("{}: {why}", file.display()));
    let value: Value = serde_json::from_slice(&text).map_err(|error| wrong(&error))?;
    if value.get("commands").is_some() {
        return Err(wrong(
            &"a run of commands; what its applications do is not known, so it cannot be compared with another",
        ));
    }
    if directory.join(SERVER_QLOG).exists() {
        return Err(wrong(&"a run of QUIC; only runs of TCP can be compared"));
    }
    serde_json::from_value(value).map_err(|error| wrong(&format!("not a record of a run: {error}")))
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

/// The resolved experiment in the nearest directory above the run that has one.
fn read_experiment(directory: &Path) -> Result<Option<Value>, Failure> {
    let Ok(whole) = directory.canonicalize() else {
        return Ok(None);
    };
    let mut above = whole.ancestors().map(|place| place.join(EXPERIMENT));
    let Some(file) = above.find(|file| file.is_file()) else {
        return Ok(None);
    };
    let text = fs::read(&file).map_err(|error| Failure::file("read", &file, &error))?;
    let mut written: Value =
        serde_json::from_slice(&text).map_err(|error| Failure::input(format!("{}: {error}", file.display())))?;
    Ok(written.get_mut("experiment").map(Value::take))
}

/// The error with the file's name; a disk that cannot be read is no bad input.
fn unreadable(directory: &Path, capture: &str, error: &RecordedError) -> Failure {
    let file = match error {
        RecordedError::Fates(_) => FATES,
        RecordedError::Events(_) => EVENTS,
        RecordedError::Capture(_)
        | RecordedError::Packet { .. }
        | RecordedError::NoDirection { .. }
        | RecordedError::NoTcp => capture,
    };
    let message = format!("{}: {error}", directory.join(file).display());
    match error {
        RecordedError::Capture(ReadError::Io(_)) => Failure::Machine(message),
        _ => Failure::input(message),
    }
}
