//! Checks a TOML value against a schema of ours and reports all that does not fit, with the nearest right name.
//!
//! It knows as much of JSON Schema as our file types use: closed objects, arrays, enumerations, alternatives told
//! apart by a constant key or by their type, numeric ranges, and the formats of [`crate::text`].

use serde_json::{Map, Value};
use toml::de::{DeTable, DeValue};

use crate::kept::Structure;
use crate::problem::{Defect, nearest};
use crate::text::read_amounts;

/// Reports every defect of `value` with the path of its key.
pub(crate) fn check(structure: &Structure, value: &DeValue<'_>, report: impl FnMut(&str, Defect)) {
    Checker {
        root: structure,
        report,
    }
    .value(&structure.top, value, "");
}

/// The path of `key` in the table at `path`.
pub(crate) fn join(path: &str, key: &str) -> String {
    if path.is_empty() {
        key.to_owned()
    } else {
        format!("{path}.{key}")
    }
}

struct Checker<'s, F> {
    root: &'s Structure,
    report: F,
}

/// What is said of a key of a link beside what another run's packets met.
const BESIDE_FATES: &str = "does not go with `fates`: what packets met is all that happens on such a link; leave it out, or give \
                            a link instead of `fates`";

impl<'s, F: FnMut(&str, Defect)> Checker<'s, F> {
    fn value(&mut self, schema: &'s Value, value: &DeValue<'_>, path: &str) {
        let schema = self.resolve(schema);
        if let Some(types) = types(schema) {
            if !types.iter().any(|name| is_of_type(value, name)) {
                if let Some(defect) = without_unit(schema, value) {
                    return (self.report)(path, defect);
                }
                let expected: Vec<_> = types.iter().map(|name| in_words(name)).collect();
                let expected = format!("{}{}", expected.join(" or "), as_in(schema));
                return self.wrong_type(value, expected, path);
            }
        } else if let Some(branches) = self.branches(schema) {
            return self.alternative(schema, &branches, value, path);
        }
        match value {
            DeValue::Table(table) => self.table(schema, table, path),
            DeValue::Array(items) => {
                if let Some(least) = schema.get("minItems").and_then(Value::as_u64) {
                    if (items.len() as u64) < least {
                        (self.report)(
                            path,
                            Defect::Unfit(format!("has too few entries; give at least {least}")),
                        );
                    }
                }
                if let Some(most) = schema.get("maxItems").and_then(Value::as_u64) {
                    if (items.len() as u64) > most {
                        return (self.report)(
                            path,
                            Defect::Unfit(format!("has too many entries; give at most {most}")),
                        );
                    }
                }
                if let Some(item_schema) = schema.get("items") {
                    for (i, item) in items.iter().enumerate() {
                        self.value(item_schema, item.get_ref(), &format!("{path}[{i}]"));
                    }
                }
            }
            DeValue::String(text) => self.text(schema, text, path),
            DeValue::Integer(number) => self.number(schema, number.to_string().as_str(), path),
            DeValue::Float(number) => self.number(schema, number.as_str(), path),
            DeValue::Boolean(_) | DeValue::Datetime(_) => {}
        }
    }

    fn resolve(&self, schema: &'s Value) -> &'s Value {
        let mut schema = schema;
        // References do not nest deeper than this; a bound keeps a wrong schema from looping.
        for _ in 0..8 {
            let Some(pointer) = schema.get("$ref").and_then(Value::as_str) else {
                break;
            };
            schema = self.root.definition(pointer).unwrap_or(&Value::Null);
        }
        schema
    }

    /// The alternatives of a schema, and those of the alternatives.
    fn branches(&self, schema: &'s Value) -> Option<Vec<&'s Value>> {
        let mut all = Vec::new();
        for branch in branches(schema)? {
            let branch = self.resolve(branch);
            match self.branches(branch).filter(|_| types(branch).is_none()) {
                Some(inner) => all.extend(inner),
                None => all.push(branch),
            }
        }
        Some(all)
    }

    /// A value that may be one of several things.
    fn alternative(&mut self, schema: &'s Value, branches: &[&'s Value], value: &DeValue<'_>, path: &str) {
        if let DeValue::Table(table) = value {
            if branches
                .iter()
                .any(|branch| self.resolve(branch).get("properties").is_some())
            {
                return self.table(schema, table, path);
            }
        }
        if let DeValue::String(text) = value {
            let words: Vec<_> = branches
                .iter()
                .filter_map(|branch| branch.get("const")?.as_str())
                .collect();
            if words.len() == branches.len() {
                return self.one_of(&words, text, path);
            }
            if words.contains(&text.as_ref()) {
                return;
            }
        }
        let fitting = branches.iter().copied().find(|branch| {
            branch.get("const").is_none() && types(branch).is_some_and(|t| t.iter().any(|t| is_of_type(value, t)))
        });
        match fitting {
            Some(branch) => self.value(branch, value, path),
            None => {
                let mut expected: Vec<_> = branches
                    .iter()
                    .flat_map(|branch| {
                        types(branch)
                            .unwrap_or_default()
                            .into_iter()
                            .map(move |name| (name, *branch))
                    })
                    .map(|(name, branch)| format!("{}{}", in_words(name), as_in(branch)))
                    .collect();
                expected.dedup();
                self.wrong_type(value, expected.join(" or "), path);
            }
        }
    }

    fn table(&mut self, schema: &'s Value, table: &DeTable<'_>, path: &str) {
        let mut properties: Vec<&'s Map<String, Value>> = Vec::new();
        let mut required: Vec<&'s str> = Vec::new();
        let mut add = |schema: &'s Value| {
            properties.extend(schema.get("properties").and_then(Value::as_object));
            required.extend(required_keys(schema));
        };
        add(schema);
        let mut all_known = true;
        if let Some(branches) = self.branches(schema) {
            match self.branch(&branches, table, path) {
                Some(branch) => add(branch),
                None => all_known = false,
            }
        }
        let schema_of = |key: &str| properties.iter().find_map(|properties| properties.get(key));
        let known: Vec<&str> = properties
            .iter()
            .flat_map(|properties| properties.keys().map(String::as_str))
            .collect();
        // Of a table whose keys are free: what each value is.
        let others = schema.get("additionalProperties").filter(|others| others.is_object());
        let mut meant = Vec::new();
        let table_path = path;
        for (key, value) in table {
            let key = key.get_ref().as_ref();
            let path = join(table_path, key);
            if let Some(schema) = schema_of(key).or(others) {
                self.value(schema, value.get_ref(), &path);
            } else if !all_known {
                // Which keys it has depends on what is wrong already.
            } else if let Some(defect) = self.kind_of_entry(table_path, key) {
                (self.report)(&path, defect);
            } else {
                let free = known.iter().copied().filter(|known| !table.contains_key(*known));
                let suggestion = nearest(key, free).or_else(|| nearest(key, known.iter().copied()));
                meant.extend(suggestion.clone());
                let plays_fates = suggestion.is_none() && known.contains(&"fates");
                let known = known.iter().map(|key| (*key).to_owned()).collect();
                (self.report)(
                    &path,
                    if plays_fates {
                        Defect::Unfit(BESIDE_FATES.to_owned())
                    } else {
                        Defect::UnknownKey { suggestion, known }
                    },
                );
            }
        }
        for key in required {
            // A misspelt key is told once.
            if !table.contains_key(key) && !meant.iter().any(|meant| meant == key) {
                let what = schema_of(key).map_or_else(String::new, |schema| example(self.resolve(schema), key));
                (self.report)(&join(path, key), Defect::MissingKey { what });
            }
        }
    }

    /// What to say of a key that is the kind of an entry in one of the file's lists: `loss` of `[both]` is an
    /// `[[impairment]]`.
    fn kind_of_entry(&self, path: &str, key: &str) -> Option<Defect> {
        // What stands deeper than the file's tables is more likely a slip than a thing of its own.
        if path.contains(['.', '[']) {
            return None;
        }
        let kind = key.replace('_', "-");
        let root = self.root;
        let lists = root.top.get("properties")?.as_object()?;
        lists.iter().find_map(|(list, schema)| {
            let entry = self.resolve(self.resolve(schema).get("items")?);
            let (tag, branch) = self.branches(entry)?.into_iter().find_map(|branch| {
                let properties = branch.get("properties")?.as_object()?;
                let (tag, _) = properties
                    .iter()
                    .find(|(_, schema)| schema.get("const").and_then(Value::as_str) == Some(kind.as_str()))?;
                Some((tag, branch))
            })?;
            let keys = [entry, branch]
                .into_iter()
                .flat_map(required_keys)
                .map(|key| {
                    if key == tag {
                        format!("{key} = \"{kind}\"")
                    } else {
                        key.to_owned()
                    }
                })
                .collect();
            let list = list.clone();
            Some(Defect::KindOfEntry { list, keys })
        })
    }

    /// The branch whose constant key this table has.
    fn branch(&mut self, branches: &[&'s Value], table: &DeTable<'_>, path: &str) -> Option<&'s Value> {
        let tagged = branches.iter().filter_map(|branch| {
            let properties = branch.get("properties")?.as_object()?;
            let (key, tag) = properties
                .iter()
                .find_map(|(key, schema)| Some((key, schema.get("const")?.as_str()?)))?;
            Some((key.as_str(), tag, *branch))
        });
        let tagged: Vec<(&str, &str, &Value)> = tagged.collect();
        let Some((key, ..)) = tagged.first().copied() else {
            return branches
                .iter()
                .copied()
                .find(|branch| branch.get("properties").is_some());
        };
        let tags: Vec<&str> = tagged.iter().map(|(_, tag, _)| *tag).collect();
        let path = join(path, key);
        match table.get(key).map(toml::Spanned::get_ref) {
            Some(DeValue::String(text)) => match tagged.iter().find(|(_, tag, _)| *tag == text.as_ref()) {
                Some((_, _, branch)) => Some(branch),
                None => {
                    self.one_of(&tags, text, &path);
                    None
                }
            },
            Some(other) => {
                self.wrong_type(other, "a text".to_owned(), &path);
                None
            }
            None => {
                (self.report)(
                    &path,
                    Defect::MissingKey {
                        what: format!("use one of {}", tags.join(", ")),
                    },
                );
                None
            }
        }
    }

    fn text(&mut self, schema: &'s Value, text: &str, path: &str) {
        if let Some(words) = schema.get("enum").and_then(Value::as_array) {
            let words: Vec<_> = words.iter().filter_map(Value::as_str).collect();
            return self.one_of(&words, text, path);
        }
        if let Some(word) = schema.get("const").and_then(Value::as_str) {
            return self.one_of(&[word], text, path);
        }
        if schema.get("minLength").is_some() && text.trim().is_empty() {
            (self.report)(path, Defect::Unfit("is empty; write something".to_owned()));
        }
        self.format(schema, text, path);
    }

    fn format(&mut self, schema: &'s Value, text: &str, path: &str) {
        let Some(format) = schema.get("format").and_then(Value::as_str) else {
            return;
        };
        match read_amounts(format, text) {
            Some(Ok(amounts)) => {
                for (key, word, beyond) in [
                    ("atLeast", "at least", (|a, b| a < b) as fn(f64, f64) -> bool),
                    ("atMost", "at most", |a, b| a > b),
                ] {
                    let Some(bound) = schema.get(key).and_then(Value::as_str) else {
                        continue;
                    };
                    let Some(Ok(limits)) = read_amounts(format, bound) else {
                        continue;
                    };
                    if limits
                        .first()
                        .is_some_and(|limit| amounts.iter().any(|amount| beyond(*amount, *limit)))
                    {
                        let bound = format!("{word} {bound}");
                        return (self.report)(
                            path,
                            Defect::OutOfBounds {
                                value: text.to_owned(),
                                bound,
                            },
                        );
                    }
                }
            }
            Some(Err(error)) => (self.report)(path, error.into()),
            None => {}
        }
    }

    fn number(&mut self, schema: &'s Value, text: &str, path: &str) {
        let types = types(schema).unwrap_or_default();
        if types.contains(&"string") {
            return self.format(schema, text, path);
        }
        let limit = |key| schema.get(key).and_then(Value::as_f64);
        let (min, max) = (limit("minimum"), limit("maximum"));
        let value: f64 = text.parse().unwrap_or(f64::NAN);
        let fits = min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max) && value.is_finite();
        if !fits {
            let bound = match (min, max) {
                (Some(min), Some(max)) => format!("a number from {min} to {max}"),
                (Some(min), None) => format!("a number not below {min}"),
                (None, Some(max)) => format!("a number not above {max}"),
                (None, None) => "a decimal number".to_owned(),
            };
            (self.report)(
                path,
                Defect::OutOfBounds {
                    value: text.to_owned(),
                    bound,
                },
            );
        }
    }

    fn one_of(&mut self, words: &[&str], text: &str, path: &str) {
        if !words.contains(&text) {
            let suggestion = nearest(text, words.iter().copied());
            let known = words.iter().map(|word| (*word).to_owned()).collect();
            (self.report)(
                path,
                Defect::UnknownValue {
                    value: text.to_owned(),
                    suggestion,
                    known,
                },
            );
        }
    }

    fn wrong_type(&mut self, value: &DeValue<'_>, expected: String, path: &str) {
        let found = match value {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "true or false",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        (self.report)(path, Defect::WrongType { found, expected });
    }
}

/// What is wrong with a bare number where a text with a unit should be.
fn without_unit(schema: &Value, value: &DeValue<'_>) -> Option<Defect> {
    let number = match value {
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.as_str().to_owned(),
        _ => return None,
    };
    let format = schema.get("format").and_then(Value::as_str)?;
    read_amounts(format, &number)?.err().map(Defect::from)
}

fn branches(schema: &Value) -> Option<&Vec<Value>> {
    schema
        .get("oneOf")
        .or_else(|| schema.get("anyOf"))
        .and_then(Value::as_array)
}

/// The keys that a table must have.
fn required_keys(schema: &Value) -> impl Iterator<Item = &str> {
    let keys = schema.get("required").and_then(Value::as_array);
    keys.into_iter().flatten().filter_map(Value::as_str)
}

fn types(schema: &Value) -> Option<Vec<&str>> {
    match schema.get("type")? {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

fn is_of_type(value: &DeValue<'_>, name: &str) -> bool {
    match name {
        "string" => value.is_str(),
        "integer" => value.is_integer(),
        "number" => value.is_integer() || value.is_float(),
        "boolean" => value.is_bool(),
        "array" => value.is_array(),
        "object" => value.is_table(),
        _ => false,
    }
}

fn in_words(name: &str) -> &'static str {
    match name {
        "string" => "a text",
        "integer" => "a whole number",
        "number" => "a number",
        "boolean" => "true or false",
        "array" => "a list",
        _ => "a table",
    }
}

/// The first example of a schema, to end a sentence with.
fn as_in(schema: &Value) -> String {
    let first = schema.get("examples").and_then(|examples| examples.get(0));
    first.map_or_else(String::new, |example| format!(", as in {example}"))
}

/// What to write for a key that is missing.
fn example(schema: &Value, key: &str) -> String {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<_> = words.iter().filter_map(Value::as_str).collect();
        return format!("use one of {}", words.join(", "));
    }
    if let Some(branches) = branches(schema) {
        let words: Vec<_> = branches
            .iter()
            .filter_map(|branch| branch.get("const")?.as_str())
            .collect();
        if !words.is_empty() {
            return format!("use one of {}", words.join(", "));
        }
    }
    match schema.get("examples").and_then(|examples| examples.get(0)) {
        Some(Value::String(example)) => format!("write it as in `{key} = \"{example}\"`"),
        Some(example) => format!("write it as in `{key} = {example}`"),
        None => format!(
            "give {}",
            types(schema)
                .and_then(|t| t.first().copied())
                .map_or("a value", in_words)
        ),
    }
}
