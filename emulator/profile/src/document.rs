//! One TOML file: its value and the lines of its keys, or all that is wrong with it.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use crate::problem::{Defect, Problem, Problems};
use crate::schema::{self, FileType};
use crate::structure;

/// A file that is well formed: its value as written, and where each key stands.
#[derive(Clone, Debug)]
pub struct Document<T> {
    pub value: T,
    /// Where it says it.
    pub places: KeyPlaces,
}

/// Where the keys stand of a file, or of a file laid over those that it extends.
#[derive(Clone, Debug)]
pub struct KeyPlaces {
    /// The file, what it extends, what that extends, and so on.
    files: Vec<String>,
    keys: BTreeMap<String, KeyPlace>,
}

/// A file, by its place in the chain, and a line and a column of it, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyPlace {
    file: usize,
    line: u32,
    column: u32,
}

impl<T: FileType> Document<T> {
    /// Reads `text`, the content of `file`.
    ///
    /// # Errors
    /// Everything that the type's schema does not allow: unknown and missing keys, wrong types, unreadable texts,
    /// values out of bounds.
    pub fn read(file: &str, text: &str) -> Result<Self, Problems> {
        let (table, places) = parse(file, text)?;
        let mut problems = Vec::new();
        schema::check::<T>(&table, |key, defect| problems.push(places.problem(key, defect)));
        Problems::unless_none(problems)?;
        Self::of(table, places, Some(text))
    }

    /// What a table says that fits the type's schema. `text`: what it was read from, if that is one file.
    pub(crate) fn of(table: DeValue<'_>, places: KeyPlaces, text: Option<&str>) -> Result<Self, Problems> {
        match T::deserialize(ValueDeserializer::from(Spanned::new(0..0, table))) {
            Ok(value) => Ok(Self { value, places }),
            // The structure is right, so only a value of some type can still be impossible.
            Err(error) => {
                let mut problem = places.problem("", Defect::Unfit(error.message().to_owned()));
                if let Some((span, text)) = error.span().zip(text) {
                    let place = Lines::of(text).at(span.start);
                    (problem.line, problem.column) = (Some(place.line), Some(place.column));
                }
                Err(problem.into())
            }
        }
    }
}

/// Reads `text`, the content of `file`, as TOML.
///
/// # Errors
/// If it is none.
pub(crate) fn parse<'t>(file: &str, text: &'t str) -> Result<(DeValue<'t>, KeyPlaces), Problems> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let lines = Lines::of(text);
    let mut places = KeyPlaces {
        files: vec![file.to_owned()],
        keys: BTreeMap::new(),
    };
    let mut problems: Vec<Problem> = Vec::new();
    for error in &errors {
        let place = error.span().map(|span| lines.at(span.start));
        let line = place.map(|place| place.line);
        // What follows on the same line is mostly a consequence.
        if problems.iter().all(|known| known.line != line) {
            let defect = Defect::Syntax(error.message().replace('\n', "; "));
            problems.push(Problem {
                line,
                column: place.map(|place| place.column),
                ..places.problem(&duplicate_key(error, text), defect)
            });
        }
    }
    Problems::unless_none(problems)?;
    let table = DeValue::Table(table.into_inner());
    places.collect(&table, "", &lines);
    Ok((table, places))
}

impl KeyPlaces {
    /// Of a question from outside any file: no key stands anywhere.
    pub const fn outside() -> Self {
        Self {
            files: Vec::new(),
            keys: BTreeMap::new(),
        }
    }

    /// The file as the user knows it.
    pub fn file(&self) -> &str {
        self.files.first().map_or("", String::as_str)
    }

    /// The file that has this key, which one that extends it may have from there.
    pub fn file_of(&self, key: &str) -> &str {
        let file = self.keys.get(key).map_or(0, |place| place.file);
        self.files.get(file).map_or("", String::as_str)
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
        let file = place.map_or(0, |place| place.file);
        Problem {
            file: self.files.get(file).cloned().unwrap_or_default(),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            key: key.to_owned(),
            defect: defect.into(),
            extended_by: self.files[..file].iter().rev().cloned().collect(),
        }
    }

    /// The places of a file laid over another one: nothing yet but the files of both.
    pub(crate) fn over(&self, base: &Self) -> Self {
        Self {
            files: [self.files.as_slice(), base.files.as_slice()].concat(),
            keys: BTreeMap::new(),
        }
    }

    /// The same without what is at `list` and in it, but for the list's own place.
    pub(crate) fn without(&self, list: &str) -> Self {
        let mut places = self.clone();
        places
            .keys
            .retain(|key, _| key.strip_prefix(list).is_none_or(|rest| !rest.starts_with(['.', '['])));
        places
    }

    /// Takes over where what is at `from` in another's files stands, which is now at `to`. `ahead`: so many files stand
    /// before the other's.
    pub(crate) fn adopt(&mut self, other: &Self, from: &str, to: &str, ahead: usize) {
        let under = other
            .keys
            .range(from.to_owned()..)
            .take_while(|(key, _)| key.starts_with(from));
        for (key, place) in under {
            let rest = &key[from.len()..];
            if rest.is_empty() || rest.starts_with(['.', '[']) {
                let file = place.file + ahead;
                self.keys.insert(format!("{to}{rest}"), KeyPlace { file, ..*place });
            }
        }
    }

    /// As [`Places::adopt`], of the key alone and of a document's own file.
    pub(crate) fn adopt_one(&mut self, own: &Self, from: &str, to: &str) {
        self.keys
            .extend(own.keys.get(from).map(|place| (to.to_owned(), *place)));
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
    fn at(&self, offset: usize) -> KeyPlace {
        let offset = offset.min(self.text.len());
        let line = self.begins.partition_point(|begin| *begin <= offset);
        let column = self.characters_before(offset) - self.characters_before(self.begins[line - 1]) + 1;
        KeyPlace {
            file: 0,
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
        assert_eq!(
            lines.at(0),
            KeyPlace {
                file: 0,
                line: 1,
                column: 1
            }
        );
        assert_eq!(
            lines.at(2),
            KeyPlace {
                file: 0,
                line: 2,
                column: 1
            }
        );
        assert_eq!(
            lines.at(602),
            KeyPlace {
                file: 0,
                line: 2,
                column: 301
            }
        );
        assert_eq!(
            lines.at(604),
            KeyPlace {
                file: 0,
                line: 3,
                column: 1
            }
        );
        assert_eq!(
            lines.at(10_000),
            KeyPlace {
                file: 0,
                line: 3,
                column: 1
            }
        );
    }
}
