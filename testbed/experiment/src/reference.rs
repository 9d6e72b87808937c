//! The reference of all files, made from their schemas, so that it cannot leave out a key.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use windlull_analysis::{Better, METRICS, OF_SETS, REMARKS};
use windlull_profile::Kind;

use crate::schema;

/// The reference in Markdown: `docs/files.md`.
pub fn reference() -> String {
    let mut text = include_str!("reference.md").to_owned();
    for kind in Kind::ALL {
        let folder = kind.folder();
        let schema = serde_json::to_value(schema(kind)).expect("a schema is JSON");
        let mut chapter = Chapter {
            root: &schema,
            described: Vec::new(),
            text: String::new(),
        };
        let _ = write!(chapter.text, "\n## {}{}\n", folder[..1].to_uppercase(), &folder[1..]);
        chapter.table(&schema, "");
        text.push_str(&chapter.text);
    }
    text
}

/// The table of metrics for other languages: `controller/windlull/metrics.json`.
pub fn metrics_for_programs() -> String {
    let table = json!({ "metrics": METRICS, "of_sets": OF_SETS, "remarks": REMARKS });
    let mut text = serde_json::to_string_pretty(&table).expect("a table is JSON");
    text.push('\n');
    text
}

/// The document on results with its table of metrics anew: `docs/results.md`.
pub fn with_metrics(document: &str) -> String {
    const HEAD: &str = "| name | unit | better | definition |\n|---|---|---|---|\n";
    let (before, after) = document.split_once(HEAD).expect("the document has the table");
    let after = after.split_once("\n\n").map_or("", |(_, after)| after);
    let mut text = format!("{before}{HEAD}");
    for metric in METRICS {
        let better = match metric.better {
            Some(Better::Lower) => "lower",
            Some(Better::Higher) => "higher",
            None => "-",
        };
        let (name, unit, definition) = (metric.name, metric.unit, metric.definition);
        let _ = writeln!(text, "| `{name}` | {unit} | {better} | {definition} |");
    }
    text + "\n" + after
}

struct Chapter<'s> {
    root: &'s Value,
    /// Types that have their table already, and where.
    described: Vec<(&'s str, String)>,
    text: String,
}

impl<'s> Chapter<'s> {
    /// A table of the keys of an object, then those of the objects in it. `path` is the object's own.
    fn table(&mut self, schema: &'s Value, path: &str) {
        let _ = write!(self.text, "\n{}\n", description(schema));
        let mut inner = Vec::new();
        self.rows(schema, path, &mut inner);
        for branch in alternatives(schema) {
            let branch = self.resolve(branch);
            let tag = properties(branch).find_map(|(key, schema)| Some((key, schema.get("const")?.as_str()?)));
            if let Some((key, tag)) = tag {
                let _ = write!(
                    self.text,
                    "\n### {} with `{key} = \"{tag}\"`\n\n{}\n",
                    quoted(path),
                    description(branch)
                );
                self.rows(branch, path, &mut inner);
            }
        }
        for (path, schema) in inner {
            let _ = write!(self.text, "\n### {}\n", quoted(&path));
            self.table(schema, &path);
        }
    }

    fn rows(&mut self, schema: &'s Value, path: &str, inner: &mut Vec<(String, &'s Value)>) {
        let names = |list: &'s Value| list.as_array().into_iter().flatten().filter_map(Value::as_str);
        let always = &schema["required"];
        let (on_the_whole, where_else) = match path {
            "claim[]" => (
                &self.root["then"]["properties"]["claim"]["items"]["then"]["required"],
                "here, in `each` or in what it extends",
            ),
            _ => (&schema["then"]["required"], "here or in what it extends"),
        };
        let required: Vec<&str> = names(always).chain(names(on_the_whole)).collect();
        if properties(schema).next().is_some() {
            self.text.push_str("\n| key | written as | meaning |\n|---|---|---|\n");
        }
        // What has to be there stands first.
        let mut rows: Vec<_> = properties(schema).collect();
        rows.sort_by_key(|(key, _)| !required.contains(key));
        for (key, property) in rows {
            let path = if path.is_empty() {
                key.to_owned()
            } else {
                format!("{path}.{key}")
            };
            let written = self.written(property, &path, inner);
            let need = match () {
                () if names(on_the_whole).any(|name| name == key) => format!("**Required**, {where_else}. "),
                () if required.contains(&key) => "**Required.** ".to_owned(),
                () => String::new(),
            };
            let tag = if property.get("const").is_some() {
                "Which kind it is."
            } else {
                ""
            };
            let (what, words, bounds) = (description(property), self.words(property), bounds(property));
            let meaning = format!("{need}{tag}{what}{words}{bounds}");
            let _ = writeln!(
                self.text,
                "| `{key}` | {written} | {} |",
                meaning.replace('\n', " ").replace('|', "\\|")
            );
        }
    }

    /// How a value is written; tables in it are told later.
    fn written(&mut self, schema: &'s Value, path: &str, inner: &mut Vec<(String, &'s Value)>) -> String {
        if let Some(pointer) = schema.get("$ref").and_then(Value::as_str) {
            let target = self.resolve(schema);
            if is_table(target) {
                if let Some((_, first)) = self.described.iter().find(|(described, _)| *described == pointer) {
                    return format!("table, as {}", quoted(first));
                }
                self.described.push((pointer, path.to_owned()));
            }
            return self.written(target, path, inner);
        }
        if let Some(word) = schema.get("const").and_then(Value::as_str) {
            return format!("`\"{word}\"`");
        }
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            let words: Vec<_> = words
                .iter()
                .filter_map(Value::as_str)
                .map(|word| format!("`\"{word}\"`"))
                .collect();
            return words.join(", ");
        }
        if is_table(schema) {
            inner.push((path.to_owned(), schema));
            return "table".to_owned();
        }
        let branches = alternatives(schema);
        if !branches.is_empty() {
            let mut ways: Vec<_> = branches
                .iter()
                .map(|branch| self.written(branch, path, inner))
                .collect();
            ways.dedup();
            let all_words = ways.iter().all(|way| way.starts_with('`'));
            return ways.join(if all_words { ", " } else { " or " });
        }
        if let Some(items) = schema.get("items") {
            return match self.written(items, &format!("{path}[]"), inner).as_str() {
                "table" => "list of tables".to_owned(),
                item => format!("list: {item}"),
            };
        }
        match (
            schema.get("format").and_then(Value::as_str),
            schema.get("type").and_then(Value::as_str),
        ) {
            (_, Some("integer")) => "whole number".to_owned(),
            (_, Some("number")) => "number".to_owned(),
            (_, Some("boolean")) => "`true`, `false`".to_owned(),
            (Some(format), _) => format.to_owned(),
            _ => "text".to_owned(),
        }
    }

    /// What each of the possible words means, where the schema says.
    fn words(&self, schema: &'s Value) -> String {
        let words = alternatives(self.resolve(schema)).iter().filter_map(|branch| {
            let (word, meaning) = (branch.get("const")?.as_str()?, description(branch));
            Some(format!(" `{word}`: {}", meaning.trim_end_matches('.')))
        });
        let words: Vec<_> = words.collect();
        if words.is_empty() {
            String::new()
        } else {
            format!("{}.", words.join(";"))
        }
    }

    fn resolve(&self, schema: &'s Value) -> &'s Value {
        let target = schema
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|at| self.root.pointer(at.strip_prefix('#')?));
        target.unwrap_or(schema)
    }
}

fn quoted(path: &str) -> String {
    match path.strip_suffix("[]") {
        Some(list) => format!("`[[{list}]]`"),
        None => format!("`{path}`"),
    }
}

fn properties(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flat_map(Map::iter)
        .map(|(key, schema)| (key.as_str(), schema))
}

fn alternatives(schema: &Value) -> &[Value] {
    let branches = schema
        .get("oneOf")
        .or_else(|| schema.get("anyOf"))
        .and_then(Value::as_array);
    branches.map_or(&[], Vec::as_slice)
}

fn is_table(schema: &Value) -> bool {
    let tagged = alternatives(schema)
        .iter()
        .any(|branch| branch.get("properties").is_some());
    schema.get("properties").is_some() || tagged
}

fn description(schema: &Value) -> String {
    schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .replace('\n', " ")
}

fn bounds(schema: &Value) -> String {
    let text = |key: &str| match schema.get(key)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string().trim_end_matches(".0").to_owned()),
        _ => None,
    };
    let range = |low: &str, high: &str| match (text(low), text(high)) {
        (Some(low), Some(high)) => Some(format!(" From {low} to {high}.")),
        (Some(low), None) => Some(format!(" At least {low}.")),
        (None, Some(high)) => Some(format!(" At most {high}.")),
        (None, None) => None,
    };
    range("atLeast", "atMost")
        .or_else(|| range("minimum", "maximum"))
        .unwrap_or_default()
}
