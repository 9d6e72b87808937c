//! What `diff` answers.

use schemars::JsonSchema;
use serde::Serialize;
use windlull_analysis::Difference;
use windlull_capture::Provenance;
use windlull_units::Host;

use super::costs::CostDifference;
use super::run::Run;
use super::settings::SettingDifference;

/// Two runs, and where they part.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DifferenceOfRuns")]
pub(crate) struct Answer {
    pub(super) a: Compared,
    pub(super) b: Compared,
    /// The settings in which the two variants differ.
    pub(super) settings: Vec<SettingDifference>,
    #[serde(flatten)]
    pub(super) difference: Difference,
    /// What each had cost in the end.
    pub(super) costs: Vec<CostDifference>,
    /// What the reader should know of the comparison.
    pub(super) notes: Vec<String>,
}

/// A run that is compared.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ComparedRun")]
pub(super) struct Compared {
    /// Its directory, as it was given.
    directory: String,
    provenance: Provenance,
    data_sender: Host,
}

impl Compared {
    pub(super) fn of(run: &Run) -> Self {
        Self {
            directory: run.directory.display().to_string(),
            provenance: run.provenance.clone(),
            data_sender: run.data_sender,
        }
    }
}
