//! One run: one variant on one link, once, in one testbed.

use serde::Serialize;
use windlull_capture::{Provenance, Snaplen};
use windlull_experiment::{Experiment, Link, Testbed, VariantProfile};
use windlull_units::{Seed, Transfer};

use crate::{COMMIT, VERSION};

/// A run to be.
#[derive(Clone, Debug)]
pub(crate) struct Cell<'a> {
    pub(crate) testbed: Testbed,
    pub(crate) experiment: &'a Experiment,
    pub(crate) link: &'a Link,
    pub(crate) variant: &'a VariantProfile,
    pub(crate) repetition: u32,
    /// The run's own seed.
    pub(crate) seed: Seed,
    /// Relative to the output directory.
    pub(crate) directory: String,
}

/// Which run something is said of.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Which {
    testbed: Testbed,
    variant: String,
    link: String,
    repetition: u32,
    seed: Seed,
    pub(crate) directory: String,
}

impl<'a> Cell<'a> {
    /// All runs of an experiment in a testbed that can carry their variants, repetition by repetition: a sweep cut short
    /// compares all variants all the same. With `beside_others` the directories say which testbed it is.
    pub(crate) fn all(experiment: &'a Experiment, testbed: Testbed, beside_others: bool) -> Vec<Self> {
        let mut cells = Vec::new();
        let mut root = "runs".to_owned();
        if beside_others {
            root = format!("{root}/{}", testbed.name());
        }
        for repetition in 1..=experiment.repetitions {
            for link in &experiment.links {
                let carried = |variant: &&VariantProfile| testbed.carries(&variant.stack);
                for variant in experiment.variants.iter().filter(carried) {
                    let (link_name, variant_name) = (&link.name, &variant.name);
                    let directory = match experiment.links.as_slice() {
                        [_] => format!("{root}/{variant_name}/{repetition:03}"),
                        _ => format!("{root}/{link_name}/{variant_name}/{repetition:03}"),
                    };
                    cells.push(Self {
                        testbed,
                        experiment,
                        link,
                        variant,
                        repetition,
                        // Not of the variant: all of them meet the same link.
                        seed: experiment.seed.child(&format!("repetition/{repetition}")),
                        directory,
                    });
                }
            }
        }
        cells
    }

    /// What it is called in messages.
    pub(crate) fn which(&self) -> Which {
        Which {
            testbed: self.testbed,
            variant: self.variant.name.clone(),
            link: self.link.name.clone(),
            repetition: self.repetition,
            seed: self.seed,
            directory: self.directory.clone(),
        }
    }

    /// What is transferred.
    pub(crate) fn transfer(&self) -> Transfer {
        Transfer {
            size: self.experiment.workload.size,
            data_sender: self.experiment.workload.data_sender,
        }
    }

    /// How much of each packet captures keep.
    pub(crate) fn snaplen(&self) -> Snaplen {
        match self.experiment.capture.snaplen {
            windlull_experiment::Snaplen::Headers => Snaplen::Headers,
            windlull_experiment::Snaplen::Full => Snaplen::Full,
            windlull_experiment::Snaplen::Size(size) => Snaplen::Octets(u32::try_from(size.get()).unwrap_or(u32::MAX)),
        }
    }

    /// Where what comes of it comes from; `kernel` is the release of the kernel that it runs on, if it runs on one.
    pub(crate) fn provenance(&self, kernel: Option<String>) -> Provenance {
        Provenance {
            version: VERSION.to_owned(),
            commit: COMMIT.to_owned(),
            testbed: self.testbed.name().to_owned(),
            kernel,
            experiment: self.experiment.name.clone(),
            variant: self.variant.name.clone(),
            link: self.link.name.clone(),
            repetition: self.repetition,
            seed: self.seed,
        }
    }
}
