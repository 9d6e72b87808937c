//! One TOML file: its value and the lines of its keys, or all that is wrong with it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::problem::{Defect, Problem, Problems};
use crate::schema::schema_of;
use crate::structure;

/// A file that is well formed: its value as written, and where each key stands.
#[derive(Clone, Debug)]
pub struct Document<T> {
    /// What it says.
    pub value: T,
    /// Where it says it.
    pub places: Places,
}

/// The lines of a file's keys.
#[derive(Clone, Debug)]
pub struct Places {
    file: String,
    lines: BTreeMap<String, u32>,
}

impl<T: DeserializeOwned + JsonSchema> Document<T> {
    /// Reads `text`, the content of `file`.
    ///
    /// # Errors
    /// Everything that the type's schema does not allow: unknown and missing keys, wrong types, unreadable texts,
    /// values out of bounds.
    pub fn read(file: &str, text: &str) -> Result<Self, Problems> {
        let (table, errors) = DeTable::parse_recoverable(text);
        let lines = Lines::of(text);
        let mut places = Places {
            file: file.to_owned(),
            lines: BTreeMap::new(),
        };
        if !errors.is_empty() {
            let mut problems: Vec<Problem> = Vec::new();
            for error in &errors {
                let line = error.span().map(|span| lines.at(span.start));
                // What follows on the same line is mostly a consequence.
                if problems.iter().all(|known| known.line != line) {
                    let defect = Defect::Syntax(error.message().replace('\n', "; "));
                    let (file, key) = (file.to_owned(), duplicate_key(error, text));
                    problems.push(Problem {
                        file,
                        line,
                        key,
                        defect,
                    });
                }
            }
            return Err(Problems::unless_none(problems).expect_err("there is at least one syntax error"));
        }
        let span = table.span();
        let root = Spanned::new(span, DeValue::Table(table.into_inner()));
        places.collect(root.get_ref(), "", &lines);
        let schema = schema_of::<T>();
        let mut problems = Vec::new();
        structure::check(schema.as_value(), root.get_ref(), |key, defect| {
            problems.push(places.problem(key, defect));
        });
        Problems::unless_none(problems)?;
        match T::deserialize(ValueDeserializer::from(root)) {
            Ok(value) => Ok(Self { value, places }),
            // The structure is right, so only a value of some type can still be impossible.
            Err(error) => Err(Problem {
                file: file.to_owned(),
                line: error.span().map(|span| lines.at(span.start)),
                key: String::new(),
                defect: Defect::Unfit(error.message().to_owned()),
            }
            .into()),
        }
    }
}

impl Places {
    /// The file as the user knows it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Whether the file has this key.
    pub fn has(&self, key: &str) -> bool {
        self.lines.contains_key(key)
    }

    /// A problem at `key`; a key that is not there stands where its table begins.
    pub fn problem(&self, key: &str, defect: impl Into<Defect>) -> Problem {
        let mut ancestor = key;
        let line = loop {
            if let Some(line) = self.lines.get(ancestor) {
                break Some(*line);
            }
            match ancestor.rfind(['.', '[']) {
                Some(end) => ancestor = &ancestor[..end],
                None => break None,
            }
        };
        Problem {
            file: self.file.clone(),
            line,
            key: key.to_owned(),
            defect: defect.into(),
        }
    }

    fn collect(&mut self, value: &DeValue<'_>, path: &str, lines: &Lines) {
        match value {
            DeValue::Table(table) => {
                for (key, value) in table {
                    let path = structure::join(path, key.get_ref());
                    self.lines.insert(path.clone(), lines.at(key.span().start));
                    self.collect(value.get_ref(), &path, lines);
                }
            }
            DeValue::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    let path = format!("{path}[{i}]");
                    self.lines.insert(path.clone(), lines.at(item.span().start));
                    self.collect(item.get_ref(), &path, lines);
                }
            }
            _ => {}
        }
    }
}

/// The key that an error is about, where it is about one.
fn duplicate_key(error: &toml::de::Error, text: &str) -> String {
    let span = error.span().filter(|_| error.message().contains("duplicate key"));
    span.and_then(|span| text.get(span))
        .filter(|key| key.len() < 80)
        .unwrap_or_default()
        .to_owned()
}

/// The offsets at which lines begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(
            std::iter::once(0)
                .chain(text.match_indices('\n').map(|(at, _)| at + 1))
                .collect(),
        )
    }

    /// The line, from 1, of the octet at `offset`.
    fn at(&self, offset: usize) -> u32 {
        u32::try_from(self.0.partition_point(|begin| *begin <= offset)).unwrap_or(u32::MAX)
    }
}
