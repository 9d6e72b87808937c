//! One run: one variant on one link, once.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;
use windlull_analysis::{Analyzer, Metrics, Recorder, RunAnalysis, Series, SeriesBuilder};
use windlull_capture::{CaptureWriter, Provenance, Sinks, Snaplen};
use windlull_experiment::{Experiment, Link, Testbed, VariantProfile};
use windlull_sim::{Ending, Setup, Transfer};
use windlull_units::Seed;

use crate::failure::Failure;
use crate::run::directory::Draft;
use crate::{COMMIT, VERSION};

/// What is kept of a run, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keep<'a> {
    /// The output directory; `None`: nothing is kept.
    pub(crate) out: Option<&'a Path>,
    /// Both captures, fates and events.
    pub(crate) captures: bool,
    /// The diagram's series.
    pub(crate) series: bool,
}

/// A run to be.
#[derive(Debug)]
pub(crate) struct Cell<'a> {
    experiment: &'a Experiment,
    link: &'a Link,
    variant: &'a VariantProfile,
    repetition: u32,
    seed: Seed,
    /// Relative to the output directory.
    directory: String,
}

/// What the engine says of a finished run.
#[derive(Debug, Serialize)]
pub(crate) struct Finished {
    variant: String,
    link: String,
    repetition: u32,
    seed: Seed,
    pub(crate) directory: String,
    metrics: Metrics,
    /// How it ended, if not in order.
    #[serde(skip)]
    pub(crate) unfinished: Option<String>,
}

/// `run.json`.
#[derive(Debug, Serialize)]
struct Record<'a> {
    provenance: &'a Provenance,
    ending: Ending,
    #[serde(flatten)]
    analysis: &'a RunAnalysis,
}

impl<'a> Cell<'a> {
    /// All runs of an experiment, repetition by repetition: a sweep cut short compares all variants all the same.
    pub(crate) fn all(experiment: &'a Experiment) -> Vec<Self> {
        let mut cells = Vec::new();
        for repetition in 1..=experiment.repetitions {
            for link in &experiment.links {
                for variant in &experiment.variants {
                    let (link_name, variant_name) = (&link.name, &variant.name);
                    let place = match experiment.links.as_slice() {
                        [_] => format!("runs/{variant_name}/{repetition:03}"),
                        _ => format!("runs/{link_name}/{variant_name}/{repetition:03}"),
                    };
                    cells.push(Self {
                        experiment,
                        link,
                        variant,
                        repetition,
                        // Not of the variant: all of them meet the same link.
                        seed: experiment.seed.child(&format!("repetition/{repetition}")),
                        directory: place,
                    });
                }
            }
        }
        cells
    }

    /// Runs it and writes what is to be kept.
    pub(crate) fn run(&self, keep: &Keep<'_>) -> Result<Finished, Failure> {
        let draft = keep
            .out
            .map(|out| Draft::begin(out.join(&self.directory)))
            .transpose()?;
        let (ending, analysis) = match &draft {
            None => self.simulate_bare(),
            Some(draft) => self.simulate_into(draft, keep)?,
        };
        if let Some(draft) = draft {
            draft.publish()?;
        }
        Ok(Finished {
            variant: self.variant.name.clone(),
            link: self.link.name.clone(),
            repetition: self.repetition,
            seed: self.seed,
            directory: self.directory.clone(),
            unfinished: (!matches!(ending, Ending::Closed { .. })).then(|| ending.to_string()),
            metrics: analysis.metrics,
        })
    }

    fn simulate_bare(&self) -> (Ending, RunAnalysis) {
        let mut analyzer = Analyzer::new(self.experiment.workload.data_sender);
        let ending = windlull_sim::run(&self.setup(), &mut analyzer);
        (ending, analyzer.finish())
    }

    fn simulate_into(&self, draft: &Draft, keep: &Keep<'_>) -> Result<(Ending, RunAnalysis), Failure> {
        let provenance = self.provenance();
        let data_sender = self.experiment.workload.data_sender;
        let files = keep
            .captures
            .then(|| self.capture_writer(draft, &provenance))
            .transpose()?;
        let series = keep.series.then(|| SeriesBuilder::new(data_sender, &provenance));
        let mut recorder = Recorder::new(Analyzer::new(data_sender), files, series);
        let ending = windlull_sim::run(&self.setup(), &mut recorder);
        let recorded = recorder.finish();
        let unwritable = |error: &io::Error| Failure::file("write into", draft.path(), error);
        if let Some(files) = recorded.capture {
            let files = files.map_err(|error| unwritable(&error))?;
            for file in [files.server, files.client, files.fates, files.events] {
                file.into_inner().map_err(|error| unwritable(error.error()))?;
            }
        }
        if let Some(series) = recorded.series {
            draft.write("series.json.gz", &compressed(&series))?;
        }
        let record = Record {
            provenance: &provenance,
            ending,
            analysis: &recorded.analysis,
        };
        let mut json = serde_json::to_vec_pretty(&record).expect("records have string keys and finite numbers");
        json.push(b'\n');
        draft.write("run.json", &json)?;
        Ok((ending, recorded.analysis))
    }

    fn setup(&self) -> Setup<'_> {
        Setup {
            link: &self.link.model,
            variant: self
                .variant
                .stack
                .windlull()
                .expect("checked: a simulated variant is ours"),
            transfer: Transfer {
                size: self.experiment.workload.size,
                data_sender: self.experiment.workload.data_sender,
            },
            seed: self.seed,
            time_limit: self.experiment.time_limit,
        }
    }

    fn provenance(&self) -> Provenance {
        Provenance {
            version: VERSION.to_owned(),
            commit: COMMIT.to_owned(),
            testbed: Testbed::Sim.name().to_owned(),
            kernel: None,
            experiment: self.experiment.name.clone(),
            variant: self.variant.name.clone(),
            link: self.link.name.clone(),
            repetition: self.repetition,
            seed: self.seed,
        }
    }

    fn capture_writer(
        &self,
        draft: &Draft,
        provenance: &Provenance,
    ) -> Result<CaptureWriter<BufWriter<File>>, Failure> {
        let sinks = Sinks {
            server: draft.create("server.pcapng")?,
            client: draft.create("client.pcapng")?,
            fates: draft.create("fates.csv")?,
            events: draft.create("events.jsonl")?,
        };
        let snaplen = match self.experiment.capture.snaplen {
            windlull_experiment::Snaplen::Headers => Snaplen::Headers,
            windlull_experiment::Snaplen::Full => Snaplen::Full,
            windlull_experiment::Snaplen::Size(size) => Snaplen::Octets(u32::try_from(size.get()).unwrap_or(u32::MAX)),
        };
        Ok(CaptureWriter::new(sinks, provenance, snaplen))
    }
}

/// Gzip without a time or a name in its header: the same series gives the same bytes.
fn compressed(series: &Series) -> Vec<u8> {
    let json = serde_json::to_vec(series).expect("series have string keys and finite numbers");
    let mut gzip = GzEncoder::new(Vec::new(), Compression::new(6));
    // At once: many small writes cost the encoder more than the compression.
    gzip.write_all(&json).expect("a vector takes all");
    gzip.finish().expect("a vector takes all")
}
