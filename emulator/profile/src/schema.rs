//! JSON Schemas of file types, as a person with an editor needs them.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use toml::de::DeValue;

use crate::kept::Structure;
use crate::problem::Defect;
use crate::structure;

/// A type of files.
pub trait FileType: DeserializeOwned + JsonSchema + 'static {
    /// [`structure_of`] the type, as `make generate` wrote it: reading that takes a tenth of the time that making the
    /// schema takes, which is half of what the engine's start takes.
    const STRUCTURE: &'static str;
}

/// Keywords of our schemas by which files are checked and laid over each other. All others are for people.
const CHECKED: [&str; 18] = [
    "$ref",
    "type",
    "properties",
    "required",
    "items",
    "oneOf",
    "anyOf",
    "const",
    "enum",
    "format",
    "minimum",
    "maximum",
    "minItems",
    "maxItems",
    "minLength",
    "atLeast",
    "atMost",
    "extending",
];

/// The JSON Schema (draft 2020-12) of a file type.
///
/// TOML has no null, so nothing is nullable; every table is closed.
pub fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12()
        .with_transform(AsToml)
        .into_generator()
        .into_root_schema_for::<T>()
}

/// What of a type's schema a right file is checked by, as lines.
pub fn structure_of<T: JsonSchema>() -> String {
    let mut schema = schema_of::<T>();
    strip(schema.as_object_mut().expect("a file's schema is an object"));
    Structure::lines(schema.into())
}

fn strip(schema: &mut Map<String, Value>) {
    schema.retain(|keyword, _| keyword == "$defs" || CHECKED.contains(&keyword.as_str()));
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            ("properties" | "$defs", Value::Object(named)) => {
                named.values_mut().filter_map(Value::as_object_mut).for_each(strip);
            }
            ("items", Value::Object(items)) => strip(items),
            ("oneOf" | "anyOf", Value::Array(branches)) => {
                branches.iter_mut().filter_map(Value::as_object_mut).for_each(strip);
            }
            _ => {}
        }
    }
}

/// The structure of a type's files, read once.
pub(crate) fn kept_structure_of<T: FileType>() -> Arc<Structure> {
    static KEPT: Kept = Mutex::new(BTreeMap::new());
    kept::<T>(&KEPT, || Structure::read(T::STRUCTURE))
}

/// Reports every defect of a file of this type with the path of its key: by the schema itself, whose words messages
/// have, and which has what was not generated yet.
pub(crate) fn check<T: FileType>(value: &DeValue<'_>, report: impl FnMut(&str, Defect)) {
    static KEPT: Kept = Mutex::new(BTreeMap::new());
    let mut fits = true;
    structure::check(&kept_structure_of::<T>(), value, |_, _| fits = false);
    if !fits {
        let schema = kept::<T>(&KEPT, || Structure::of(schema_of::<T>().into()));
        structure::check(&schema, value, report);
    }
}

type Kept = Mutex<BTreeMap<TypeId, Arc<Structure>>>;

fn kept<T: 'static>(kept: &Kept, make: impl FnOnce() -> Structure) -> Arc<Structure> {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    Arc::clone(kept.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(make())))
}

/// The JSON Schema (draft 2020-12) of what programs are answered: a definition for each type, those that `add` names and
/// those that they are made of.
///
/// Every object is closed. The variants of a tagged enum are definitions of their own, so that a program's types can be
/// made of them.
pub fn schema_of_answers(title: &str, add: impl FnOnce(&mut SchemaGenerator)) -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    add(&mut generator);
    let definitions = generator.take_definitions(true);
    let mut done = Map::new();
    for (name, schema) in &definitions {
        let mut schema = schema.clone();
        close(&mut schema);
        name_variants(name, &mut schema, &definitions, &mut done);
        done.insert(name.clone(), schema);
    }
    done.sort_keys();
    json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "title": title, "$defs": done })
}

/// Closes objects, and makes a plain list of words of an enum whose words have descriptions.
fn close(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(close),
        Value::Object(object) => {
            object.values_mut().for_each(close);
            if object.contains_key("properties") {
                object.entry("additionalProperties").or_insert(Value::Bool(false));
            }
            // A key that a flattened part has as well.
            if let Some(Value::Array(required)) = object.get_mut("required") {
                let mut seen = Vec::new();
                required.retain(|key| !seen.contains(key) && (seen.push(key.clone()), true).1);
            }
            let words = object.get("oneOf").and_then(Value::as_array).and_then(|all| {
                let word = |branch: &Value| match (branch.get("const"), branch.get("enum")) {
                    (Some(Value::String(word)), None) => Some(vec![json!(word)]),
                    (None, Some(Value::Array(words))) => Some(words.clone()),
                    _ => None,
                };
                Some(all.iter().map(word).collect::<Option<Vec<_>>>()?.concat())
            });
            if let Some(words) = words {
                object.remove("oneOf");
                object.insert("type".to_owned(), json!("string"));
                object.insert("enum".to_owned(), Value::Array(words));
            }
        }
        _ => {}
    }
}

/// Makes definitions of the variants of an enum that a key tells apart.
fn name_variants(name: &str, schema: &mut Value, all: &Map<String, Value>, done: &mut Map<String, Value>) {
    let Some(object) = schema.as_object_mut() else { return };
    let common: Map<String, Value> = if object.contains_key("oneOf") && object.contains_key("properties") {
        object.remove("additionalProperties");
        object.remove("type");
        let keys = ["properties", "required"];
        keys.into_iter()
            .filter_map(|key| Some((key.to_owned(), object.remove(key)?)))
            .collect()
    } else {
        Map::new()
    };
    let Some(Value::Array(branches)) = object.get_mut("oneOf") else {
        return;
    };
    for branch in branches.iter_mut() {
        join(branch, Value::Object(common.clone()));
    }
    let tag_of = |branch: &Value| {
        let (key, value) = (branch.get("properties")?.as_object()?.iter())
            .find_map(|(key, value)| Some((key, value.get("const")?.as_str()?)))?;
        Some((key.clone(), value.to_owned()))
    };
    let Some(tags) = branches.iter().map(tag_of).collect::<Option<Vec<_>>>() else {
        return;
    };
    for (branch, (_, value)) in branches.iter_mut().zip(&tags) {
        if let Some(Value::String(inner)) = branch.as_object_mut().and_then(|branch| branch.remove("$ref")) {
            let mut inner = all[inner.trim_start_matches("#/$defs/")].clone();
            close(&mut inner);
            join(branch, inner);
        }
        let words = value.split('-').map(|word| word[..1].to_uppercase() + &word[1..]);
        let variant = words.fold(name.to_owned(), |name, word| name + &word);
        let made = std::mem::replace(branch, json!({ "$ref": format!("#/$defs/{variant}") }));
        done.insert(variant, made);
    }
    let property = tags[0].0.clone();
    schema["discriminator"] = json!({ "propertyName": property });
}

/// Adds the keys of another object's schema.
fn join(schema: &mut Value, other: Value) {
    match (schema, other) {
        (Value::Object(schema), Value::Object(other)) => {
            for (key, value) in other {
                match schema.get_mut(&key) {
                    Some(known) => join(known, value),
                    None => drop(schema.insert(key, value)),
                }
            }
        }
        (Value::Array(schema), Value::Array(other)) => schema.extend(other),
        _ => {}
    }
}

/// Takes away what TOML does not have.
#[derive(Clone, Debug)]
struct AsToml;

impl Transform for AsToml {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else { return };
        object.remove("default");
        if let Some(Value::Array(types)) = object.get_mut("type") {
            types.retain(|name| name != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                object.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(branches)) = object.get_mut("anyOf") {
            branches.retain(|branch| !is_null(branch));
            if let [Value::Object(only)] = branches.as_mut_slice() {
                let only = std::mem::take(only);
                object.remove("anyOf");
                for (key, value) in only {
                    // The key's own description is nearer than its type's.
                    object.entry(key).or_insert(value);
                }
            }
        }
        if !object.contains_key("properties") {
            return;
        }
        match object.get_mut("oneOf") {
            None => {
                object.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            // Keys of its own and keys of one alternative: only both together are all the keys there are.
            Some(branches) => {
                for branch in branches
                    .as_array_mut()
                    .into_iter()
                    .flatten()
                    .filter_map(Value::as_object_mut)
                {
                    branch.remove("additionalProperties");
                }
                object.insert("unevaluatedProperties".to_owned(), Value::Bool(false));
            }
        }
    }
}

/// Whether a schema is that of null, and of nothing else.
fn is_null(schema: &Value) -> bool {
    schema.as_object().is_some_and(|schema| schema.len() == 1)
        && schema.get("type").and_then(Value::as_str) == Some("null")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::document::Document;

    #[derive(Debug, Deserialize, JsonSchema)]
    struct Edited {
        #[schemars(range(max = 5))]
        number: u32,
        /// Was not there when the structure was generated.
        #[serde(default)]
        fresh: Option<bool>,
    }

    impl FileType for Edited {
        const STRUCTURE: &'static str = r##"{"type":"object","properties":{"number":{"$ref":"#/$defs/N"}},"required":["number"]}
N {"type":"integer","maximum":5}"##;
    }

    #[test]
    fn what_was_not_generated_yet_is_known_and_bounds_are_told_by_the_schema() {
        let right = Document::<Edited>::read("x.toml", "number = 5\nfresh = true\n").expect("both keys are the type's");
        assert!(right.value.number == 5 && right.value.fresh == Some(true));
        let problems = Document::<Edited>::read("x.toml", "number = 6\nfrehs = true\n").expect_err("both are wrong");
        assert_eq!(
            problems.to_string(),
            "x.toml:1: number: 6 is out of bounds; write a number from 0 to 5\n\
             x.toml:2: frehs: unknown key; did you mean \"fresh\"?"
        );
    }
}
