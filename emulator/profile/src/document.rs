//! One TOML file: its value and the lines of its keys, or all that is wrong with it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::problem::{Defect, Problem, Problems};
use crate::schema::kept_schema_of;
use crate::structure;

/// A file that is well formed: its value as written, and where each key stands.
#[derive(Clone, Debug)]
pub struct Document<T> {
    /// What it says.
    pub value: T,
    /// Where it says it.
    pub places: Places,
}

/// Where a file's keys stand.
#[derive(Clone, Debug)]
pub struct Places {
    file: String,
    keys: BTreeMap<String, Place>,
}

/// A line and a column, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    line: u32,
    column: u32,
}

impl<T: DeserializeOwned + JsonSchema + 'static> Document<T> {
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
            keys: BTreeMap::new(),
        };
        if !errors.is_empty() {
            let mut problems: Vec<Problem> = Vec::new();
            for error in &errors {
                let place = error.span().map(|span| lines.at(span.start));
                let (line, column) = (place.map(|place| place.line), place.map(|place| place.column));
                // What follows on the same line is mostly a consequence.
                if problems.iter().all(|known| known.line != line) {
                    let defect = Defect::Syntax(error.message().replace('\n', "; "));
                    let (file, key) = (file.to_owned(), duplicate_key(error, text));
                    problems.push(Problem {
                        file,
                        line,
                        column,
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
        let schema = kept_schema_of::<T>();
        let mut problems = Vec::new();
        structure::check(schema.as_value(), root.get_ref(), |key, defect| {
            problems.push(places.problem(key, defect));
        });
        Problems::unless_none(problems)?;
        match T::deserialize(ValueDeserializer::from(root)) {
            Ok(value) => Ok(Self { value, places }),
            // The structure is right, so only a value of some type can still be impossible.
            Err(error) => {
                let place = error.span().map(|span| lines.at(span.start));
                Err(Problem {
                    file: file.to_owned(),
                    line: place.map(|place| place.line),
                    column: place.map(|place| place.column),
                    key: String::new(),
                    defect: Defect::Unfit(error.message().to_owned()),
                }
                .into())
            }
        }
    }
}

impl Places {
    /// Of a question from outside any file: no key stands anywhere.
    pub const fn outside() -> Self {
        Self {
            file: String::new(),
            keys: BTreeMap::new(),
        }
    }

    /// The file as the user knows it.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Whether the file has this key.
    pub fn has(&self, key: &str) -> bool {
        self.keys.contains_key(key)
    }

    /// A problem at `key`; a key that is not there stands where its table begins.
    pub fn problem(&self, key: &str, defect: impl Into<Defect>) -> Problem {
        let mut ancestor = key;
        let place = loop {
            if let Some(place) = self.keys.get(ancestor) {
                break Some(*place);
            }
            match ancestor.rfind(['.', '[']) {
                Some(end) => ancestor = &ancestor[..end],
                None => break None,
            }
        };
        Problem {
            file: self.file.clone(),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            key: key.to_owned(),
            defect: defect.into(),
        }
    }

    fn collect(&mut self, value: &DeValue<'_>, path: &str, lines: &Lines<'_>) {
        match value {
            DeValue::Table(table) => {
                for (key, value) in table {
                    let path = structure::join(path, key.get_ref());
                    self.keys.insert(path.clone(), lines.at(key.span().start));
                    self.collect(value.get_ref(), &path, lines);
                }
            }
            DeValue::Array(items) => {
                for (i, item) in items.iter().enumerate() {
                    let path = format!("{path}[{i}]");
                    self.keys.insert(path.clone(), lines.at(item.span().start));
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

/// The lines and characters of a text. A file may be one long line with a hundred thousand keys: none is counted to from
/// the beginning.
struct Lines<'t> {
    text: &'t [u8],
    /// The offsets at which lines begin.
    begins: Vec<usize>,
    /// How many characters stand before each of these stretches.
    before: Vec<usize>,
}

/// Octets of a stretch.
const STRETCH: usize = 256;

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Self {
        let begins = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect();
        let text = text.as_bytes();
        let counted = text.chunks(STRETCH).scan(0, |counted, stretch| {
            *counted += characters(stretch);
            Some(*counted)
        });
        let before = std::iter::once(0).chain(counted).collect();
        Self { text, begins, before }
    }

    /// Where the octet at `offset` is.
    fn at(&self, offset: usize) -> Place {
        let offset = offset.min(self.text.len());
        let line = self.begins.partition_point(|begin| *begin <= offset);
        let column = self.characters_before(offset) - self.characters_before(self.begins[line - 1]) + 1;
        Place {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }

    fn characters_before(&self, offset: usize) -> usize {
        let stretch = offset / STRETCH;
        self.before[stretch] + characters(&self.text[stretch * STRETCH..offset])
    }
}

/// How many characters begin in these octets of UTF-8.
fn characters(octets: &[u8]) -> usize {
    octets.iter().filter(|octet| (**octet & 0xc0) != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let text = format!("a\n{}b\n", "é".repeat(300));
        let lines = Lines::of(&text);
        assert_eq!(lines.at(0), Place { line: 1, column: 1 });
        assert_eq!(lines.at(2), Place { line: 2, column: 1 });
        assert_eq!(lines.at(602), Place { line: 2, column: 301 });
        assert_eq!(lines.at(604), Place { line: 3, column: 1 });
        assert_eq!(lines.at(10_000), Place { line: 3, column: 1 });
    }
}
