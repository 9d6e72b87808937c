//! In which settings two variants differ, and whether two workloads are the same, by what `windlull run` wrote of both.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A setting that is not the same in two variants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct SettingDifference {
    /// As in the variant's file, `table.key`.
    key: String,
    /// Its value in run A, as JSON; null where the variant leaves it to its default.
    a: Option<String>,
    b: Option<String>,
}

/// What only describes a variant, and sets nothing.
const WORDS: [&str; 4] = ["title", "description", "source", "extends"];

/// The settings that differ, by their keys; none if those of a run are not known.
pub(super) fn differences(a: Option<&Value>, b: Option<&Value>) -> Vec<SettingDifference> {
    let (Some(a), Some(b)) = (a, b) else {
        return Vec::new();
    };
    let [mut of_a, mut of_b] = [BTreeMap::new(), BTreeMap::new()];
    gather(String::new(), a, &mut of_a);
    gather(String::new(), b, &mut of_b);
    let keys: BTreeSet<&String> = of_a.keys().chain(of_b.keys()).collect();
    let differ = keys
        .into_iter()
        .filter(|key| !WORDS.contains(&key.as_str()) && of_a.get(*key) != of_b.get(*key));
    differ
        .map(|key| SettingDifference {
            key: key.clone(),
            a: of_a.get(key).cloned(),
            b: of_b.get(key).cloned(),
        })
        .collect()
}

/// The values of a file's tables by their keys; what is null is not set.
fn gather(key: String, value: &Value, into: &mut BTreeMap<String, String>) {
    match value {
        Value::Null => {}
        Value::Object(table) => {
            for (name, value) in table {
                let inner = if key.is_empty() {
                    name.clone()
                } else {
                    format!("{key}.{name}")
                };
                gather(inner, value, into);
            }
        }
        other => {
            into.insert(key, other.to_string());
        }
    }
}

/// Whether the data, the flows and what crosses them are the same, whatever the workloads are called.
pub(super) fn is_same_work(one: &Value, other: &Value) -> bool {
    ["sets", "crossing"].iter().all(|part| one[*part] == other[*part])
}
