//! What is written of a run, the same for every testbed: captures, fates, events, series and `run.json`.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write as _};

use schemars::JsonSchema;
use serde::Serialize;
use windlull_analysis::{Analyzer, Metrics, Recorder, RunAnalysis, ScratchFile, SeriesBuilder};
use windlull_capture::{CaptureWriter, Provenance, Sinks, Snaplen};
use windlull_live::{Certificate, Received};
use windlull_record::{CountedFile, FileRecorder, write_compressed};
use windlull_units::{Ending, Host, Network};

use crate::failure::Failure;
use crate::run::directory::Folder;

/// What is kept of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keep {
    /// Both captures, fates and events.
    pub(crate) captures: bool,
    pub(crate) series: bool,
}

/// What only a live run has to tell.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Live {
    /// How exact it was.
    pub(crate) certificate: Certificate,
    /// Every setting of the hosts.
    pub(crate) settings: BTreeMap<String, String>,
    /// What arrived at the receiving application.
    pub(crate) received: Received,
}

/// The files of a run that is under way.
#[derive(Debug)]
pub(crate) struct Record<'a> {
    folder: &'a Folder,
    provenance: Provenance,
    /// Of the flow that is shown, then of those beside it.
    recorders: Vec<FileRecorder>,
    /// Whether the diagram's columns are kept.
    series: bool,
    sets: Vec<usize>,
}

/// `run.json`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RunFile")]
pub(crate) struct RunFile<'a> {
    provenance: &'a Provenance,
    #[serde(flatten)]
    live: Option<&'a Live>,
    ending: Ending,
    #[serde(flatten)]
    analysis: &'a RunAnalysis,
    /// Where there are several flows: the metrics of each.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    flows: &'a [Metrics],
}

/// The files of both captures, of fates and of events.
pub(crate) const SERVER: &str = "server.pcapng";
pub(crate) const CLIENT: &str = "client.pcapng";
/// Of a run of commands: what passed the link's devices.
pub(crate) const EMULATOR: &str = "emulator.pcapng";
pub(crate) const FATES: &str = "fates.csv";
pub(crate) const EVENTS: &str = "events.jsonl";
/// What transports from elsewhere said of themselves.
pub(crate) const SERVER_QLOG: &str = "server.sqlog";
pub(crate) const CLIENT_QLOG: &str = "client.sqlog";
/// The columns of the diagram.
pub(crate) const SERIES: &str = "series.json.gz";

/// The columns of another flow's diagram, of the flow with this number, from 2.
fn flow_series(number: u32) -> String {
    format!("flow-{number}.{SERIES}")
}

/// Gathers the columns of a flow's diagram; rows go to a nameless file of the run's folder.
fn series_of(folder: &Folder, data_sender: Host, provenance: &Provenance) -> SeriesBuilder {
    let folder = folder.clone();
    let rows = move || -> io::Result<Box<dyn ScratchFile>> { Ok(Box::new(folder.nameless()?)) };
    SeriesBuilder::new(data_sender, provenance).spilling_into(Box::new(rows))
}

/// Creates them in a run's folder.
pub(crate) fn files(folder: &Folder, has_qlogs: bool) -> Result<Sinks<BufWriter<CountedFile>>, Failure> {
    Ok(Sinks {
        server: folder.create(SERVER)?,
        client: folder.create(CLIENT)?,
        fates: folder.create(FATES)?,
        events: folder.create(EVENTS)?,
        qlogs: match has_qlogs {
            false => None,
            true => Some([folder.create(SERVER_QLOG)?, folder.create(CLIENT_QLOG)?]),
        },
    })
}

/// Writes what is left to write of them.
pub(crate) fn close(files: Sinks<BufWriter<CountedFile>>) -> io::Result<()> {
    let four = [files.server, files.client, files.fates, files.events];
    for file in four.into_iter().chain(files.qlogs.into_iter().flatten()) {
        file.into_inner().map_err(io::IntoInnerError::into_error)?;
    }
    Ok(())
}

impl<'a> Record<'a> {
    /// Begins the files of a run in `folder`.
    pub(crate) fn begin(
        folder: &'a Folder,
        provenance: Provenance,
        keep: Keep,
        snaplen: Snaplen,
        network: Network,
        data_sender: Host,
        has_qlogs: bool,
    ) -> Result<Self, Failure> {
        let files = if keep.captures {
            Some(CaptureWriter::new(files(folder, has_qlogs)?, &provenance, snaplen).over(network))
        } else {
            None
        };
        let series = keep.series.then(|| series_of(folder, data_sender, &provenance));
        let analyzer = Analyzer::new(data_sender).keeping_course();
        Ok(Self {
            folder,
            provenance,
            recorders: vec![Recorder::new(analyzer, files, series)],
            series: keep.series,
            sets: Vec::new(),
        })
    }

    /// The run has more flows than the one that is shown: their data senders, set by set, the shown one's among them.
    /// With `drawn`, the columns of their diagrams are kept where the shown one's are.
    pub(crate) fn beside(&mut self, sets: &[Vec<Host>], drawn: bool) {
        self.sets = sets.iter().map(Vec::len).collect();
        for &sender in sets.iter().flatten().skip(1) {
            let series = (drawn && self.series).then(|| series_of(self.folder, sender, &self.provenance));
            self.recorders
                .push(Recorder::new(Analyzer::new(sender).keeping_course(), None, series));
        }
    }

    /// Who is told what happens in the run, flow by flow.
    pub(crate) fn observers(&mut self) -> &mut [FileRecorder] {
        &mut self.recorders
    }

    /// The run is over: writes what is left to write.
    pub(crate) fn finish(mut self, ending: Ending, live: Option<&Live>) -> Result<RunAnalysis, Failure> {
        let unwritable = |error: &io::Error| Failure::file("write into", self.folder.path(), error);
        if let Some(error) = self.recorders.iter().find_map(Recorder::error) {
            return Err(unwritable(error));
        }
        let others = self.recorders.split_off(1);
        let shown = self.recorders.pop().expect("one flow is always shown");
        let mut recorded = shown.finish();
        let mut analyses = Vec::new();
        for (number, other) in (2..).zip(others) {
            let other = other.finish();
            if let Some(series) = other.series {
                let mut file = self.folder.create(&flow_series(number))?;
                write_compressed(&mut file, &series).map_err(|error| unwritable(&error))?;
            }
            analyses.push(other.analysis);
        }
        let flows = together(&mut recorded.analysis, analyses, &self.sets);
        if let Some(files) = recorded.capture {
            files.and_then(close).map_err(|error| unwritable(&error))?;
        }
        if let Some(series) = recorded.series {
            let mut file = self.folder.create(SERIES)?;
            write_compressed(&mut file, &series).map_err(|error| unwritable(&error))?;
        }
        let record = RunFile {
            provenance: &self.provenance,
            live,
            ending,
            analysis: &recorded.analysis,
            flows: &flows,
        };
        let mut file = self.folder.create("run.json")?;
        serde_json::to_writer_pretty(&mut file, &record)
            .map_err(io::Error::from)
            .and_then(|()| file.write_all(b"\n"))
            .and_then(|()| file.flush())
            .map_err(|error| unwritable(&error))?;
        Ok(recorded.analysis)
    }
}

/// Makes of the shown flow's analysis that of the run, and returns the metrics of each flow; of none if it is the only one.
fn together(shown: &mut RunAnalysis, others: Vec<RunAnalysis>, sets: &[usize]) -> Vec<Metrics> {
    if others.is_empty() {
        return Vec::new();
    }
    let mut flows = vec![shown.clone()];
    flows.extend(others);
    shown.metrics = windlull_analysis::together(&flows, sets);
    for other in &flows[1..] {
        if let (Some(course), Some(more)) = (&mut shown.course, &other.course) {
            course.add(more);
        }
    }
    let count = flows.len();
    shown.notes.push(format!(
        "The metrics and the course are of all {count} flows; captures, diagram, timeouts and episodes are of the first."
    ));
    flows.into_iter().map(|flow| flow.metrics).collect()
}
