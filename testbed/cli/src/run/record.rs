//! What is written of a run, the same for every testbed: captures, fates, events, series and `run.json`.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use windlull_analysis::{Analyzer, Metrics, Recorder, RunAnalysis, Series, SeriesBuilder};
use windlull_capture::{CaptureWriter, Provenance, Sinks, Snaplen};
use windlull_live::{Certificate, Received};
use windlull_units::{Ending, Host};

use crate::failure::Failure;
use crate::run::directory::Folder;

/// What is kept of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keep {
    /// Both captures, fates and events.
    pub(crate) captures: bool,
    /// The diagram's series.
    pub(crate) series: bool,
}

/// What only a live run has to tell.
#[derive(Debug, Serialize)]
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
    recorders: Vec<Recorder<BufWriter<File>>>,
    sets: Vec<usize>,
}

/// `run.json`.
#[derive(Debug, Serialize)]
struct RunFile<'a> {
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

impl<'a> Record<'a> {
    /// Begins the files of a run in `folder`.
    pub(crate) fn begin(
        folder: &'a Folder,
        provenance: Provenance,
        keep: Keep,
        snaplen: Snaplen,
        data_sender: Host,
    ) -> Result<Self, Failure> {
        let files = if keep.captures {
            let sinks = Sinks {
                server: folder.create("server.pcapng")?,
                client: folder.create("client.pcapng")?,
                fates: folder.create("fates.csv")?,
                events: folder.create("events.jsonl")?,
            };
            Some(CaptureWriter::new(sinks, &provenance, snaplen))
        } else {
            None
        };
        let series = keep.series.then(|| SeriesBuilder::new(data_sender, &provenance));
        let analyzer = Analyzer::new(data_sender).keeping_course();
        Ok(Self {
            folder,
            provenance,
            recorders: vec![Recorder::new(analyzer, files, series)],
            sets: Vec::new(),
        })
    }

    /// The run has more flows than the one that is shown: their data senders, set by set, the shown one's among them.
    pub(crate) fn beside(&mut self, sets: &[Vec<Host>]) {
        self.sets = sets.iter().map(Vec::len).collect();
        let others = sets.iter().flatten().skip(1);
        self.recorders
            .extend(others.map(|sender| Recorder::new(Analyzer::new(*sender).keeping_course(), None, None)));
    }

    /// Who is told what happens in the run, flow by flow.
    pub(crate) fn observers(&mut self) -> &mut [Recorder<BufWriter<File>>] {
        &mut self.recorders
    }

    /// The run is over: writes what is left to write.
    pub(crate) fn finish(mut self, ending: Ending, live: Option<&Live>) -> Result<RunAnalysis, Failure> {
        let others = self.recorders.split_off(1);
        let shown = self.recorders.pop().expect("one flow is always shown");
        let mut recorded = shown.finish();
        let flows = together(
            &mut recorded.analysis,
            others.into_iter().map(|one| one.finish().analysis),
            &self.sets,
        );
        let unwritable = |error: &io::Error| Failure::file("write into", self.folder.path(), error);
        if let Some(files) = recorded.capture {
            let files = files.map_err(|error| unwritable(&error))?;
            for file in [files.server, files.client, files.fates, files.events] {
                file.into_inner().map_err(|error| unwritable(error.error()))?;
            }
        }
        if let Some(series) = recorded.series {
            self.folder.write("series.json.gz", &compressed(&series))?;
        }
        let record = RunFile {
            provenance: &self.provenance,
            live,
            ending,
            analysis: &recorded.analysis,
            flows: &flows,
        };
        let mut json = serde_json::to_vec_pretty(&record).expect("records have string keys and finite numbers");
        json.push(b'\n');
        self.folder.write("run.json", &json)?;
        Ok(recorded.analysis)
    }
}

/// Makes of the shown flow's analysis that of the run, and returns the metrics of each flow; of none if it is the only one.
fn together(shown: &mut RunAnalysis, others: impl Iterator<Item = RunAnalysis>, sets: &[usize]) -> Vec<Metrics> {
    let mut others = others.peekable();
    if others.peek().is_none() {
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

/// Gzip without a time or a name in its header: the same series gives the same bytes.
fn compressed(series: &Series) -> Vec<u8> {
    let json = serde_json::to_vec(series).expect("series have string keys and finite numbers");
    let mut gzip = GzEncoder::new(Vec::new(), Compression::new(6));
    // At once: many small writes cost the encoder more than the compression.
    gzip.write_all(&json).expect("a vector takes all");
    gzip.finish().expect("a vector takes all")
}
