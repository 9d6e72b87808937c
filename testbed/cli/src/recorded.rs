//! The directory of a run that was made before, and the experiment above it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde_json::Value;
use windlull_capture::Provenance;
use windlull_units::Host;

use crate::failure::Failure;
use crate::run::record::{CLIENT, CLIENT_QLOG, SERVER, SERVER_QLOG};

/// What `windlull run` wrote of an experiment.
pub(crate) const EXPERIMENT: &str = "experiment.json";

/// Why runs of other kinds than TCP's are refused, each as the end of a sentence; `None` where those of QUIC are not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusals {
    pub(crate) commands: &'static str,
    pub(crate) quic: Option<&'static str>,
}

/// Reads what is of interest of a run's `run.json`. Another directory, and a run that is refused, is bad input.
pub(crate) fn read_record<T: DeserializeOwned>(directory: &Path, refusals: Refusals) -> Result<T, Failure> {
    let file = directory.join("run.json");
    let text = fs::read(&file).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Failure::input(format!(
            "{}: no run.json in it; give the directory of a run, as out/EXPERIMENT/runs/VARIANT/001",
            directory.display()
        )),
        _ => Failure::file("read", &file, &error),
    })?;
    let wrong = |why: String| Failure::input(format!("{}: {why}", file.display()));
    let value: Value = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
    if value.get("commands").is_some() {
        return Err(wrong(format!("a run of commands; {}", refusals.commands)));
    }
    if let Some(why) = refusals.quic.filter(|_| is_quic(directory)) {
        return Err(wrong(format!("a run of QUIC; {why}")));
    }
    serde_json::from_value(value).map_err(|error| wrong(format!("not a record of a run: {error}")))
}

/// Whether a run is of QUIC: its ends say what is in its packets, which are encrypted in the captures.
pub(crate) fn is_quic(directory: &Path) -> bool {
    directory.join(SERVER_QLOG).exists()
}

/// What a host's end said of itself in a run of QUIC.
pub(crate) const fn qlog_of(host: Host) -> &'static str {
    match host {
        Host::Server => SERVER_QLOG,
        Host::Client => CLIENT_QLOG,
    }
}

/// The capture of a host's end.
pub(crate) const fn capture_of(host: Host) -> &'static str {
    match host {
        Host::Server => SERVER,
        Host::Client => CLIENT,
    }
}

/// The file of the resolved experiment in the nearest directory above a run that has one.
pub(crate) fn experiment_above(directory: &Path) -> Option<PathBuf> {
    let whole = directory.canonicalize().ok()?;
    let mut above = whole.ancestors().map(|place| place.join(EXPERIMENT));
    above.find(|file| file.is_file())
}

/// An experiment as it was resolved.
#[derive(Debug)]
pub(crate) struct Resolved(Value);

impl Resolved {
    /// Reads what `windlull run` wrote.
    pub(crate) fn read(file: &Path) -> Result<Self, Failure> {
        let text = fs::read(file).map_err(|error| Failure::file("read", file, &error))?;
        let mut written: Value =
            serde_json::from_slice(&text).map_err(|error| Failure::input(format!("{}: {error}", file.display())))?;
        Ok(Self(written.get_mut("experiment").map_or(Value::Null, Value::take)))
    }

    /// The workload of a run: its link's own, or the experiment's.
    pub(crate) fn workload(&self, run: &Provenance) -> Option<&Value> {
        let links = self.0["links"].as_array().into_iter().flatten();
        let own = links
            .filter(|link| link["name"] == run.link)
            .find_map(|link| link.get("workload").filter(|workload| !workload.is_null()));
        own.or_else(|| self.0.get("workload"))
    }

    /// The settings of a run's variant.
    pub(crate) fn variant(&self, run: &Provenance) -> Option<&Value> {
        let lists = ["variants", "others"].map(|key| self.0[key].as_array());
        let mut variants = lists.into_iter().flatten().flatten();
        let found = variants.find(|variant| variant["name"] == run.variant);
        found.and_then(|variant| variant.get("resolved"))
    }
}
