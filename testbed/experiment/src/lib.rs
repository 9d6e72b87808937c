//! Experiment, variant and workload files: TOML to valid types.
//!
//! [`Experiment::load`] resolves every name an experiment gives and lays its `[tcp]` settings over each variant, or says
//! all that is wrong, with file, line and key. [`list`], [`show`] and [`check`] answer questions about a library.

#![forbid(unsafe_code)]

mod ask;
mod bundle;
mod error;
mod evidence;
mod experiment;
pub mod file;
mod kinds;
mod linux;
mod live;
mod plan;
mod reference;
mod settings;
mod variant;
mod workload;

pub use ask::{Listed, Resolved, Shown, check, list, show};
pub use bundle::{Bundle, BundleError, bundle};
pub use error::SettingsError;
pub use evidence::{Claim, Published, PublishedRow};
pub use experiment::{Capture, Experiment, Snaplen, WaitingEntry};
pub use live::{LiveSettings, Testbed};
pub use plan::{Plan, PlannedLink, PlannedLive, PlannedVariant, PlannedWorkload};
pub use reference::{metrics_for_programs, reference, with_metrics};
pub use variant::VariantProfile;
pub use windlull_profile::{
    Columns, Complaint, Defect, Disk, Fact, Files, Kind, Library, Link, Problem, Problems, asked, nearest,
    schema_of_answers,
};
pub use workload::{FlowSet, Workload};

use serde_json::{Value, json};
use windlull_profile::{file::LinkFile, schema_of, structure_of};

/// The JSON Schema of the files of a kind.
pub fn schema(kind: Kind) -> schemars::Schema {
    match kind {
        Kind::Link => schema_of::<LinkFile>(),
        Kind::Variant => schema_of::<file::VariantFile>(),
        Kind::Workload => schema_of::<file::WorkloadFile>(),
        Kind::Experiment => needed_on_the_whole(schema_of::<file::ExperimentFile>()),
    }
}

/// Where the structure of the files of a kind is kept, below the repository's root, and what it is.
pub fn structure(kind: Kind) -> (&'static str, String) {
    match kind {
        Kind::Link => ("emulator/profile/src/structure/link.lines", structure_of::<LinkFile>()),
        Kind::Variant => (
            "testbed/experiment/src/structure/variant.lines",
            structure_of::<file::VariantFile>(),
        ),
        Kind::Workload => (
            "testbed/experiment/src/structure/workload.lines",
            structure_of::<file::WorkloadFile>(),
        ),
        Kind::Experiment => (
            "testbed/experiment/src/structure/experiment.lines",
            structure_of::<file::ExperimentFile>(),
        ),
    }
}

/// The schema of files that may leave out all but their title, and what claims need, if they extend one that has it or are
/// a base. What claims need may also stand in their `each`.
fn needed_on_the_whole(mut schema: schemars::Schema) -> schemars::Schema {
    let required = schema.insert("required".to_owned(), json!(["title"]));
    let mut required: Vec<String> = required
        .map(|names| serde_json::from_value(names).expect("names"))
        .unwrap_or_default();
    required.retain(|key| key != "title");
    let claim = schema.pointer_mut("/$defs/ClaimFile").and_then(Value::as_object_mut);
    let of_claims = claim.and_then(|claim| claim.remove("required"));
    let claim = json!({"if": {"not": {"required": ["each"]}}, "then": {"required": of_claims}});
    let in_parts = json!({"anyOf": [{"required": ["extends"]}, {"required": ["base"]}]});
    schema.insert("if".to_owned(), json!({"not": in_parts}));
    let whole = json!({"required": required, "properties": {"claim": {"items": claim}}});
    schema.insert("then".to_owned(), whole);
    schema
}
