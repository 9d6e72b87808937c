//! A file laid over what it extends, as documents: before anything is made of them.
//!
//! Tables are merged key by key, but a table with a `kind` replaces the other one whole; every other value is replaced. What a
//! key of the file's type does otherwise, its schema says under [`RULE`]. Entries that have an `id` and are written once for
//! several are written out before.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::document::{Document, KeyPlaces, parse};
use crate::each;
use crate::library::{Kind, LARGEST_FILE, Library, Located, MOST_EXTENDS, asked};
use crate::problem::{Defect, Problem, Problems};
use crate::schema::{self, FileType, kept_structure_of};
use crate::structure::join;

/// The keyword of a schema that says what becomes of a key in a file that extends one that has it too: `own` (it is taken
/// from no other file), `first` (this list's entries come first, then the other's), `id` (an entry of this list is laid over
/// the other's entry of the same `id`), or `not with KEY` (it is not taken over beside KEY).
const RULE: &str = "extending";
/// What stands before the key in the last of these rules.
const NOT_WITH: &str = "not with ";

/// A document laid over those that it extends.
pub struct Extended {
    /// The files, each of which extends the next, with their texts.
    chain: Vec<(PathBuf, String)>,
}

impl Library {
    /// Finds what the file at `path` names as what it extends. `chain`: the files that led here, that one the last.
    ///
    /// # Errors
    /// If there is none of that name, or it cannot be read, or it has led here itself.
    pub fn base(&self, kind: Kind, name: &str, places: &KeyPlaces, chain: &[PathBuf]) -> Result<Located, Problems> {
        let asker = |defect| -> Problem { places.problem("extends", defect) };
        let base = self.locate(kind, name, chain.last().map(PathBuf::as_path), &asker)?;
        if let Some(begin) = chain.iter().position(|path| *path == base.path) {
            let circle = chain[begin..].iter().chain([&base.path]);
            let circle = circle.map(|path| path.display().to_string()).collect();
            return Err(asker(Defect::Cycle(circle)).into());
        }
        if chain.len() > MOST_EXTENDS {
            return Err(asker(Defect::LongChain { most: MOST_EXTENDS }).into());
        }
        self.text(&base.path.display().to_string(), None, &asker)?;
        Ok(base)
    }
}

impl Extended {
    /// Reads the file and those that it extends.
    ///
    /// # Errors
    /// If one is no TOML, or cannot be found, read or quoted.
    pub fn read(library: &Library, kind: Kind, located: &Located) -> Result<Self, Problems> {
        let mut chain: Vec<(PathBuf, String)> = Vec::new();
        let mut paths = vec![located.path.clone()];
        while let Some(path) = paths.get(chain.len()) {
            let file = path.display().to_string();
            let text = library.text(&file, None, &asked)?;
            let (table, places) = parse(&file, &text)?;
            let extends = table.get("extends").map(Spanned::get_ref);
            let base = match extends.and_then(DeValue::as_str) {
                Some(name) => Some(library.base(kind, name, &places, &paths)?),
                None => None,
            };
            if let Some(base) = &base {
                if !library.may_quote(&base.path, path) {
                    let path = base.path.display().to_string();
                    return Err(places.problem("extends", Defect::BaseElsewhere { path }).into());
                }
            }
            paths.extend(base.map(|base| base.path));
            chain.push((PathBuf::from(file), text));
        }
        Ok(Self { chain })
    }

    /// Whether the file itself says `key = true`, and if so, this problem with it.
    pub fn says(&self, key: &str, defect: Defect) -> Option<Problem> {
        let (table, places) = self.layer(0).ok()?;
        let said = table.get(key)?.get_ref().as_bool()?;
        said.then(|| places.problem(key, defect))
    }

    /// What all of it says together.
    ///
    /// # Errors
    /// As [`Document::read`], of all files together.
    pub fn document<T: FileType>(&self) -> Result<Document<T>, Problems> {
        let (table, places) = self.checked::<T>(true)?;
        Document::of(table, places, None)
    }

    /// Whether all of it fits the type, but for what it leaves to those that extend it.
    ///
    /// # Errors
    /// As [`Document::read`], but for keys that are missing.
    pub fn check<T: FileType>(&self) -> Result<(), Problems> {
        self.checked::<T>(false).map(|_| ())
    }

    fn checked<T: FileType>(&self, whole: bool) -> Result<(DeValue<'_>, KeyPlaces), Problems> {
        let structure = kept_structure_of::<T>();
        let mut layers = (0..self.chain.len()).rev();
        let mut merged = self.written_out(layers.next().expect("a chain has its first file"), &structure.top)?;
        for place in layers {
            merged = lay_over(self.written_out(place, &structure.top)?, merged, &structure.top);
        }
        let (table, places) = merged;
        let mut problems = Vec::new();
        schema::check::<T>(&table, |key, defect| {
            if whole || key == "title" || !matches!(defect, Defect::MissingKey { .. }) {
                problems.push(places.problem(key, defect));
            }
        });
        Problems::unless_none(problems)?;
        Ok((table, places))
    }

    /// A file with an entry for each that it has, though it writes what several share once.
    fn written_out(&self, place: usize, schema: &Value) -> Result<(DeValue<'_>, KeyPlaces), Problems> {
        let mut layer = self.layer(place)?;
        // Written out, a file is no larger than one may be.
        let most = usize::try_from(LARGEST_FILE).unwrap_or(usize::MAX) / self.chain[place].1.len().max(1);
        for (list, _) in properties(schema).filter(|(_, property)| rule_of(property) == "id") {
            layer = each::write_out(layer, list, most)?;
        }
        Ok(layer)
    }

    fn layer(&self, place: usize) -> Result<(DeValue<'_>, KeyPlaces), Problems> {
        let (path, text): &(PathBuf, String) = &self.chain[place];
        let path: &Path = path;
        parse(&path.display().to_string(), text)
    }
}

/// One document over another, each with its places.
fn lay_over<'t>(
    own: (DeValue<'t>, KeyPlaces),
    base: (DeValue<'t>, KeyPlaces),
    schema: &Value,
) -> (DeValue<'t>, KeyPlaces) {
    let mut merger = Merger {
        own: &own.1,
        base: &base.1,
        merged: own.1.over(&base.1),
        schema,
    };
    let table = match (own.0, base.0) {
        (DeValue::Table(own), DeValue::Table(base)) => merger.tables(own, base, ["", "", ""]),
        (own, _) => own,
    };
    let places = merger.merged;
    (table, places)
}

/// Where something is: in the one document, in the other one, and in both together.
type Paths<'a> = [&'a str; 3];

struct Merger<'a> {
    own: &'a KeyPlaces,
    base: &'a KeyPlaces,
    merged: KeyPlaces,
    schema: &'a Value,
}

impl Merger<'_> {
    fn keep_own(&mut self, from: &str, to: &str) {
        self.merged.adopt(self.own, from, to, 0);
    }

    fn keep_base(&mut self, from: &str, to: &str) {
        self.merged.adopt(self.base, from, to, 1);
    }

    fn tables<'t>(&mut self, own: DeTable<'t>, base: DeTable<'t>, at: Paths<'_>) -> DeValue<'t> {
        let mut merged = DeTable::new();
        let mut left = base;
        for (key, value) in own {
            let [own_path, base_path, path] = at.map(|at| join(at, key.get_ref()));
            let value = match left.remove(key.get_ref().as_ref()) {
                Some(other) => {
                    let span = value.span();
                    let paths = [own_path.as_str(), base_path.as_str(), path.as_str()];
                    Spanned::new(span, self.values(value.into_inner(), other.into_inner(), paths))
                }
                None => {
                    self.keep_own(&own_path, &path);
                    value
                }
            };
            merged.insert(key, value);
        }
        for (key, value) in left {
            let rule = if at[2].is_empty() { self.rule(key.get_ref()) } else { "" };
            let not_with = rule.strip_prefix(NOT_WITH).filter(|other| merged.contains_key(*other));
            if rule != "own" && not_with.is_none() {
                let (from, to) = (join(at[1], key.get_ref()), join(at[2], key.get_ref()));
                self.keep_base(&from, &to);
                merged.insert(key, value);
            }
        }
        DeValue::Table(merged)
    }

    fn values<'t>(&mut self, own: DeValue<'t>, base: DeValue<'t>, at: Paths<'_>) -> DeValue<'t> {
        match (own, base, self.rule(at[2])) {
            (DeValue::Table(own), DeValue::Table(base), _) if !own.contains_key("kind") => {
                // The key's own place is that of the nearer file.
                self.merged.adopt_one(self.own, at[0], at[2]);
                self.tables(own, base, at)
            }
            (DeValue::Array(own), DeValue::Array(base), "first") => self.own_first(own, base, at),
            (DeValue::Array(own), DeValue::Array(base), "id") => self.by_id(own, base, at),
            (own, _, _) => {
                self.keep_own(at[0], at[2]);
                own
            }
        }
    }

    fn own_first<'t>(&mut self, own: DeArray<'t>, base: DeArray<'t>, [from, from_base, to]: Paths<'_>) -> DeValue<'t> {
        self.keep_own(from, to);
        let ahead = own.len();
        for place in 0..base.len() {
            self.keep_base(&format!("{from_base}[{place}]"), &format!("{to}[{}]", ahead + place));
        }
        DeValue::Array(own.into_iter().chain(base).collect())
    }

    fn by_id<'t>(&mut self, own: DeArray<'t>, base: DeArray<'t>, [from, from_base, to]: Paths<'_>) -> DeValue<'t> {
        self.merged.adopt_one(self.own, from, to);
        let mut left: Vec<Option<Spanned<DeValue<'t>>>> = own.into_iter().map(Some).collect();
        let mut merged = DeArray::new();
        for (place, entry) in base.into_iter().enumerate() {
            let base_path = format!("{from_base}[{place}]");
            let path = format!("{to}[{}]", merged.len());
            let same = |own: &Option<Spanned<DeValue<'t>>>| {
                own.as_ref()
                    .is_some_and(|own| id(own).is_some() && id(own) == id(&entry))
            };
            let same = left.iter().position(same);
            let over = same.and_then(|own_place| Some((own_place, left[own_place].take()?)));
            match over {
                Some((own_place, over)) => {
                    let own_path = format!("{from}[{own_place}]");
                    let paths = [own_path.as_str(), base_path.as_str(), path.as_str()];
                    let span = over.span();
                    let both = self.values(over.into_inner(), entry.into_inner(), paths);
                    merged.push(Spanned::new(span, both));
                }
                None => {
                    self.keep_base(&base_path, &path);
                    merged.push(entry);
                }
            }
        }
        for (place, entry) in left.into_iter().enumerate() {
            if let Some(entry) = entry {
                self.keep_own(&format!("{from}[{place}]"), &format!("{to}[{}]", merged.len()));
                merged.push(entry);
            }
        }
        DeValue::Array(merged)
    }

    /// The rule of a key of the whole document.
    fn rule(&self, key: &str) -> &str {
        let property = self.schema.get("properties").and_then(|all| all.get(key));
        property.map_or("", rule_of)
    }
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten()
}

fn rule_of(property: &Value) -> &str {
    property.get(RULE).and_then(Value::as_str).unwrap_or_default()
}

fn id<'v>(entry: &'v Spanned<DeValue<'_>>) -> Option<&'v str> {
    entry.get_ref().get("id")?.get_ref().as_str()
}
