//! The key of a simulated run: the hash of all that its files depend on. Equal keys, equal files, to the byte.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use windlull_experiment::{Experiment, PlannedLink, PlannedVariant, PlannedWorkload, Testbed};
use windlull_units::Network;

use crate::built::{COMMIT, SOURCES, VERSION};
use crate::run::cell::Cell;

/// To be counted up when equal settings shall not give equal keys any more. The engine's sources are in the key already.
const EDITION: u32 = 1;

/// What the runs of an experiment have in common, hashed once.
#[derive(Debug)]
pub(crate) struct Keys {
    /// With their workloads.
    links: HashMap<String, String>,
    variants: HashMap<String, String>,
    common: String,
}

impl Keys {
    /// For the runs of this experiment.
    pub(crate) fn of(experiment: &Experiment) -> Self {
        let link = |link| resolved(&PlannedLink::of(link));
        let variant = |variant| resolved(&PlannedVariant::of(variant, &[Testbed::Sim]));
        Self {
            links: (experiment.links.iter())
                .map(|each| {
                    let (workload, flows) = (experiment.workload_on(&each.name), experiment.flows_on(&each.name));
                    let workload = without_words(value(&PlannedWorkload::of(workload)));
                    (each.name.clone(), digest(&json!([link(each), workload, flows])))
                })
                .collect(),
            variants: (experiment.variants.iter())
                .map(|each| (each.name.clone(), digest(&variant(each))))
                .collect(),
            common: digest(&with_network(
                experiment.network,
                json!({
                    "edition": EDITION,
                    "version": VERSION,
                    // Files of a run name the commit; the sources decide what is in them.
                    "commit": COMMIT,
                    "sources": SOURCES,
                    "experiment": experiment.name,
                    "others": (experiment.others.iter())
                        .map(|each| json!([each.name, variant(each)]))
                        .collect::<Vec<_>>(),
                    "access": experiment.access.as_ref().map(link),
                    "time_limit_ns": experiment.time_limit.as_ns(),
                    "snaplen": experiment.capture.snaplen,
                }),
            )),
        }
    }

    /// The key of a run of the experiment; none for a live one, which is never the same twice.
    ///
    /// Names and repetition are in it as they are in the files: where they come from.
    pub(crate) fn key(&self, cell: &Cell<'_>) -> Option<String> {
        if cell.testbed != Testbed::Sim {
            return None;
        }
        Some(digest(&json!({
            "common": self.common,
            "link": [cell.link.name, self.links[&cell.link.name]],
            "variant": [cell.variant.name, self.variants[&cell.variant.name]],
            "repetition": cell.repetition,
            "seed": cell.seed,
        })))
    }
}

/// What runs over IPv4 is hashed without a word of it.
fn with_network(network: Network, mut common: Value) -> Value {
    if !network.is_default() {
        common["network"] = json!(network);
    }
    common
}

fn value(of: &impl Serialize) -> Value {
    serde_json::to_value(of).expect("plans have string keys and finite numbers")
}

/// What a link or a variant does, whatever is written about it.
fn resolved(planned: &impl Serialize) -> Value {
    match value(planned) {
        Value::Object(mut fields) => without_words(fields.remove("resolved").expect("plans say what names stand for")),
        _ => unreachable!("a planned thing is an object"),
    }
}

/// A table without what people read in it.
fn without_words(mut table: Value) -> Value {
    if let Value::Object(fields) = &mut table {
        for words in ["title", "description", "source", "summary", "name"] {
            fields.remove(words);
        }
    }
    table
}

/// SHA-256 of the canonical JSON, in hexadecimal. Objects of `serde_json` are in order of their keys.
fn digest(value: &Value) -> String {
    use std::fmt::Write as _;
    Sha256::digest(value.to_string())
        .iter()
        .fold(String::with_capacity(64), |mut hex, octet| {
            write!(hex, "{octet:02x}").expect("a text takes all");
            hex
        })
}
