//! A run of commands: what the hosts' programs did over the link, and what is written of it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write as _};
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use windlull_analysis::{
    AnalyzeError, Analyzer, CaptureAnalysis, CommandMetrics, ConnectionInfo, Files, Metrics, RunAnalysis, Selection,
    Traffic, TrafficCourse, analyze,
};
use windlull_capture::{CaptureWriter, Provenance, Tee};
use windlull_live::{CommandReport, LinkCaptureFile, Outcome, Received, Setup};
use windlull_record::{CountedFile, write_compressed};
use windlull_units::{Ending, Host, LinkCaptureCounts};

use crate::failure::Failure;
use crate::run::cell::Cell;
use crate::run::directory::Folder;
use crate::run::record::{CLIENT, EMULATOR, EVENTS, FATES, Keep, Live, SERIES, SERVER, close, files};

/// What is said of a run of commands.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) metrics: CommandMetrics,
    pub(crate) live: Live,
    pub(crate) ending: Ending,
}

/// `run.json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CommandRunFile")]
pub(crate) struct RunFile<'a> {
    provenance: &'a Provenance,
    #[serde(flatten)]
    live: &'a Live,
    ending: Ending,
    commands: Reports<'a>,
    /// What the capture at the emulator holds; absent where captures are not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    emulator_capture: Option<LinkCaptureCounts>,
    traffic: TrafficCourse,
    metrics: &'a CommandMetrics,
    /// The TCP connection that captures, diagram, timeouts and episodes are told of: that with the most data.
    #[serde(skip_serializing_if = "Option::is_none")]
    connection: Option<Shown>,
    #[serde(flatten)]
    #[schemars(with = "RunAnalysis")]
    analysis: serde_json::Map<String, serde_json::Value>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "CommandReports")]
struct Reports<'a> {
    server: Option<&'a CommandReport>,
    client: Option<&'a CommandReport>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "JudgedConnection")]
struct Shown {
    #[serde(flatten)]
    which: ConnectionInfo,
    metrics: Metrics,
}

/// What is added to the environment of the commands of a run.
pub(crate) fn environment(cell: &Cell<'_>) -> BTreeMap<String, String> {
    [
        ("WINDLULL_EXPERIMENT", cell.experiment.name.clone()),
        ("WINDLULL_LINK", cell.link.name.clone()),
        ("WINDLULL_VARIANT", cell.variant.name.clone()),
        ("WINDLULL_REPETITION", cell.repetition.to_string()),
        ("WINDLULL_SEED", cell.seed.to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into()
}

/// Makes the run of a setup, by `run`, and writes its files.
pub(crate) fn perform(
    folder: &Folder,
    provenance: &Provenance,
    keep: Keep,
    setup: &Setup<'_>,
    run: impl FnOnce(&mut Tee<'_, CaptureWriter<BufWriter<CountedFile>>, Traffic>) -> Result<Outcome, Failure>,
) -> Result<Done, Failure> {
    let mut writer = CaptureWriter::new(files(folder, false)?, provenance, setup.snaplen).over(setup.network);
    let mut traffic = Traffic::default();
    let outcome = run(&mut Tee(&mut writer, &mut traffic))?;
    let unwritable = |error: &io::Error| Failure::file("write into", folder.path(), error);
    writer.finish().and_then(close).map_err(|error| unwritable(&error))?;
    let shown = connection(folder.path())?;
    if let (true, Some(shown)) = (keep.series, &shown) {
        let mut file = folder.create(SERIES)?;
        write_compressed(&mut file, &shown.series).map_err(|error| unwritable(&error))?;
    }
    let Outcome {
        ending,
        certificate,
        settings,
        received: _,
        commands: [server, client],
        failures: _,
        link_capture,
    } = outcome;
    let emulator_capture = match link_capture {
        Some(LinkCaptureFile { mut file, counts }) => {
            let mut kept = folder.create(EMULATOR)?;
            io::copy(&mut file, &mut kept)
                .and_then(|_| kept.flush())
                .map_err(|error| unwritable(&error))?;
            Some(counts)
        }
        None => None,
    };
    let live = Live {
        certificate,
        settings,
        received: Received::default(),
    };
    let elapsed_s = client.as_ref().map_or(0.0, |client| client.elapsed_s);
    let metrics = traffic.metrics(elapsed_s, client.as_ref().and_then(|client| client.exit_code));
    let (which, analysis) = match shown {
        Some(CaptureAnalysis {
            connection, analysis, ..
        }) => (Some(connection), analysis),
        None => (None, without_connection()),
    };
    let record = RunFile {
        provenance,
        live: &live,
        ending,
        commands: Reports {
            server: server.as_ref(),
            client: client.as_ref(),
        },
        emulator_capture,
        traffic: traffic.course(),
        metrics: &metrics,
        connection: which.map(|which| Shown {
            which,
            metrics: analysis.metrics.clone(),
        }),
        analysis: but_metrics(&analysis),
    };
    let mut json = serde_json::to_vec_pretty(&record).expect("records have string keys and finite numbers");
    json.push(b'\n');
    folder.write("run.json", &json)?;
    if !keep.captures {
        for name in [SERVER, CLIENT, FATES, EVENTS] {
            folder.remove(name)?;
        }
    }
    Ok(Done { metrics, live, ending })
}

/// The TCP connection with the most data, judged by both captures and the fates; none if there is none.
fn connection(folder: &Path) -> Result<Option<CaptureAnalysis>, Failure> {
    let open = |name: &str| {
        let path = folder.join(name);
        File::open(&path)
            .map(BufReader::new)
            .map_err(|error| Failure::file("read", &path, &error))
    };
    let (mut server, mut client) = (open(SERVER)?, open(CLIENT)?);
    let (mut fates, mut events) = (open(FATES)?, open(EVENTS)?);
    let files = Files {
        first: &mut server,
        second: Some(&mut client),
        fates: Some(&mut fates),
        events: Some(&mut events),
    };
    match analyze(files, Selection::MostData) {
        Ok(analysis) => Ok(Some(analysis)),
        Err(AnalyzeError::NoConnection { .. } | AnalyzeError::NotThere { .. }) => Ok(None),
        Err(error) => Err(Failure::Machine(format!(
            "the run's captures cannot be judged: {error}"
        ))),
    }
}

/// What is said of a run without any connection of TCP.
fn without_connection() -> RunAnalysis {
    let mut analysis = Analyzer::new(Host::Server).finish();
    analysis.notes = vec!["The commands opened no TCP connection: there is none to judge.".to_owned()];
    analysis
}

/// All of an analysis but its metrics: those of the run are the commands'.
fn but_metrics(analysis: &RunAnalysis) -> serde_json::Map<String, serde_json::Value> {
    match serde_json::to_value(analysis).expect("analyses have string keys and finite numbers") {
        serde_json::Value::Object(mut keys) => {
            keys.remove("metrics");
            keys
        }
        _ => unreachable!("an analysis is an object"),
    }
}
