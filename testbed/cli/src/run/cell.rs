//! One run: one variant on one link, once, in one testbed.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use schemars::JsonSchema;
use serde::Serialize;
use windlull_capture::{Provenance, Snaplen};
use windlull_experiment::{Experiment, FlowSet, Link, Testbed, VariantProfile, Workload};
use windlull_stack::Transport;
use windlull_units::{Host, Seed};

use crate::built::{COMMIT, VERSION};
use crate::failure::Failure;
use crate::run::places::RunRanges;

/// A run to be.
#[derive(Clone, Debug)]
pub(crate) struct Cell<'a> {
    /// Its place in the plan.
    pub(crate) place: u64,
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Which {
    place: u64,
    testbed: Testbed,
    variant: String,
    link: String,
    repetition: u32,
    seed: Seed,
    pub(crate) directory: String,
}

/// All runs of an experiment, in the order of the plan: the simulated ones first, beside live ones they would disturb;
/// within a testbed repetition by repetition, so that a sweep cut short compares all variants all the same.
#[derive(Debug)]
pub(crate) struct Cells<'a> {
    experiment: &'a Experiment,
    parts: Vec<TestbedRuns<'a>>,
}

#[derive(Debug)]
struct TestbedRuns<'a> {
    testbed: Testbed,
    variants: Vec<&'a VariantProfile>,
    /// The directory of its runs.
    root: String,
}

/// An experiment may have so many runs: one that has more by mistake would fill the disk.
const MOST_RUNS: u64 = 1_000_000;

impl<'a> Cells<'a> {
    /// The runs of an experiment that is run on `testbed`. On a live one, what the simulator can carry is also simulated.
    pub(crate) fn of(experiment: &'a Experiment, testbed: Testbed) -> Result<Self, Failure> {
        let by_commands = experiment.is_by_commands();
        // Live, what cannot be carried is refused; the simulations beside it are left out.
        let with_others = |testbed: Testbed| {
            testbed.has_kernel()
                || !by_commands
                    && experiment.others.iter().all(|other| testbed.carries(other))
                    && experiment.queues_of_kernels().is_empty()
        };
        let part = |testbed: Testbed, root: String| TestbedRuns {
            testbed,
            variants: (experiment.variants.iter())
                .filter(|variant| testbed.carries(variant) && with_others(testbed))
                .collect(),
            root,
        };
        let mut parts = match testbed {
            Testbed::Sim => vec![part(Testbed::Sim, "runs".to_owned())],
            live => [Testbed::Sim, live]
                .map(|testbed| part(testbed, format!("runs/{}", testbed.name())))
                .into(),
        };
        parts.retain(|part| !part.variants.is_empty());
        let cells = Self { experiment, parts };
        if cells.count() > MOST_RUNS {
            return Err(Failure::input(format!(
                "the experiment \"{}\" has {} runs, and the most are {MOST_RUNS}; take fewer repetitions (--reps), or make \
                 several experiments of it",
                experiment.name,
                cells.count()
            )));
        }
        Ok(cells)
    }

    pub(crate) fn experiment(&self) -> &'a Experiment {
        self.experiment
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u64 {
        self.parts.iter().map(|part| self.count_of(part)).sum()
    }

    /// Where they run, live ones first.
    pub(crate) fn testbeds(&self) -> Vec<Testbed> {
        let used = |testbed: &Testbed| self.parts.iter().any(|part| part.testbed == *testbed);
        Testbed::ALL.iter().copied().filter(used).collect()
    }

    /// The places among these of runs that are made in real time, or of those that are not.
    pub(crate) fn among(&self, places: &RunRanges, live: bool) -> Vec<u64> {
        let mut begin = 0;
        for part in &self.parts {
            let end = begin + self.count_of(part);
            if part.testbed.has_kernel() == live {
                return places.between(begin, end);
            }
            begin = end;
        }
        Vec::new()
    }

    /// The run at this place, which must be one.
    pub(crate) fn at(&self, place: u64) -> Cell<'a> {
        let mut rest = place;
        let part = (self.parts.iter())
            .find(|part| match rest.checked_sub(self.count_of(part)) {
                Some(beyond) => {
                    rest = beyond;
                    false
                }
                None => true,
            })
            .expect("asked for within the count");
        let (links, variants) = (&self.experiment.links, &part.variants);
        let (rest, variant) = divided(rest, variants.len());
        let (rest, link) = divided(rest, links.len());
        let repetition = u32::try_from(rest + 1).expect("no more than the experiment's repetitions");
        let (link, variant) = (&links[link], variants[variant]);
        let TestbedRuns { testbed, root, .. } = part;
        let (link_name, variant_name) = (&link.name, &variant.name);
        Cell {
            place,
            testbed: *testbed,
            experiment: self.experiment,
            link,
            variant,
            repetition,
            // Not of the variant: all of them meet the same link.
            seed: self.experiment.seed.of_repetition(repetition),
            directory: match links.as_slice() {
                [_] => format!("{root}/{variant_name}/{repetition:03}"),
                _ => format!("{root}/{link_name}/{variant_name}/{repetition:03}"),
            },
        }
    }

    /// The first repetition of each variant on each link, in each testbed, and how many there are of it.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (Cell<'a>, u32)> + '_ {
        let repetitions = self.experiment.repetitions;
        let begins = self.parts.iter().scan(0, move |begin, part| {
            let (first, runs) = (*begin, self.count_of(part));
            *begin += runs;
            Some(first..first + runs / u64::from(repetitions.max(1)))
        });
        begins.flatten().map(move |place| (self.at(place), repetitions))
    }

    fn count_of(&self, part: &TestbedRuns<'_>) -> u64 {
        u64::from(self.experiment.repetitions) * self.experiment.links.len() as u64 * part.variants.len() as u64
    }
}

/// Quotient and rest.
fn divided(number: u64, by: usize) -> (u64, usize) {
    let rest = usize::try_from(number % by as u64).expect("less than a length");
    (number / by as u64, rest)
}

impl<'a> Cell<'a> {
    /// What it is called in messages.
    pub(crate) fn which(&self) -> Which {
        Which {
            place: self.place,
            testbed: self.testbed,
            variant: self.variant.name.clone(),
            link: self.link.name.clone(),
            repetition: self.repetition,
            seed: self.seed,
            directory: self.directory.clone(),
        }
    }

    /// What is transferred.
    pub(crate) fn workload(&self) -> &'a Workload {
        self.experiment.workload_on(&self.link.name)
    }

    /// Who sends the data of the flow that captures and diagrams show.
    pub(crate) fn data_sender(&self) -> Host {
        self.workload().data_sender()
    }

    /// The TCP of a set of flows: its own, or the variant that is compared.
    pub(crate) fn of_set(&self, set: &FlowSet) -> &'a VariantProfile {
        self.experiment.variant_of(set, self.variant)
    }

    /// The transports from elsewhere that take part.
    pub(crate) fn transports(&self) -> impl Iterator<Item = &'a Transport> {
        let sets = self.experiment.sets_on(&self.link.name).into_iter();
        sets.filter_map(|set| self.of_set(&set).stack.transport())
    }

    /// Whether the flow that captures and diagrams show is of a stack from elsewhere.
    pub(crate) fn is_from_elsewhere(&self) -> bool {
        let first = self.workload().sets.first();
        first.is_some_and(|set| self.of_set(set).stack.transport().is_some())
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

/// A number that two processes of this engine compare, to know that they speak of the same experiment on the same testbed.
pub(crate) fn plan_hash(experiment: &Experiment, testbed: Testbed) -> u64 {
    let plan = experiment.plan(&[testbed]);
    let text = serde_json::to_string(&plan).expect("plans have string keys and finite numbers");
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
