//! The JSON Schema of all that the engine says and writes, made of the types that say it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use windlull_analysis::{CaptureAnalysis, ConnectionList, Series, Transits};
use windlull_capture::EventLine;
use windlull_experiment::{Listed, Shown, schema_of_answers};
use windlull_live::Calibration;

use crate::built::{COMMIT, SOURCES, VERSION};
use crate::failure::BadInput;
use crate::run::{command, message, record};
use crate::{diff, doctor, plan, preview};

/// What `version` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Version {
    version: &'static str,
    /// The commit it was built from.
    commit: &'static str,
    /// SHA-256 over the sources it was built from, in hexadecimal.
    sources: &'static str,
}

impl Version {
    /// This engine's.
    pub(crate) const HERE: Self = Self {
        version: VERSION,
        commit: COMMIT,
        sources: SOURCES,
    };
}

/// A definition for each answer, message and file.
pub(crate) fn schema() -> Value {
    schema_of_answers("What the engine says and writes", |generator| {
        generator.subschema_for::<Version>();
        generator.subschema_for::<BadInput>();
        generator.subschema_for::<Listed>();
        generator.subschema_for::<Shown>();
        generator.subschema_for::<plan::Answer<'_>>();
        generator.subschema_for::<preview::Answer<'_>>();
        generator.subschema_for::<message::Message<'_>>();
        generator.subschema_for::<record::RunFile<'_>>();
        generator.subschema_for::<command::RunFile<'_>>();
        generator.subschema_for::<EventLine<'_>>();
        generator.subschema_for::<Series>();
        generator.subschema_for::<CaptureAnalysis>();
        generator.subschema_for::<ConnectionList>();
        generator.subschema_for::<Transits>();
        generator.subschema_for::<diff::Answer>();
        generator.subschema_for::<doctor::Answer>();
        generator.subschema_for::<Calibration>();
        windlull_agent::add_answers(generator);
    })
}
