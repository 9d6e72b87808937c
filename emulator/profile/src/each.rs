//! Entries of a list that are written once with what they share: `each` of such an entry is a list of tables, and every one
//! of them, laid over the entry's other keys, is an entry of its own.

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::document::KeyPlaces;
use crate::problem::{Defect, Problems};
use crate::structure::join;

/// The key of the tables.
const EACH: &str = "each";

/// A document whose `list` has every entry written out; what is not a list of tables stays for the schema to refuse.
/// `most`: how many entries may come of those with `each`.
pub(crate) fn write_out<'t>(
    (document, places): (DeValue<'t>, KeyPlaces),
    list: &str,
    most: usize,
) -> Result<(DeValue<'t>, KeyPlaces), Problems> {
    let DeValue::Table(mut table) = document else {
        return Ok((document, places));
    };
    let Some(DeValue::Array(entries)) = table.get_mut(list).map(Spanned::get_mut) else {
        return Ok((DeValue::Table(table), places));
    };
    let mut writer = Writer {
        list,
        read: &places,
        places: places.without(list),
        written: DeArray::new(),
        left: most,
    };
    for (place, entry) in std::mem::replace(entries, DeArray::new()).into_iter().enumerate() {
        writer.entry(entry, &format!("{list}[{place}]"))?;
    }
    let places = writer.places;
    *entries = writer.written;
    Ok((DeValue::Table(table), places))
}

struct Writer<'t, 'a> {
    list: &'a str,
    read: &'a KeyPlaces,
    places: KeyPlaces,
    written: DeArray<'t>,
    /// How many more may come of entries with `each`.
    left: usize,
}

impl<'t> Writer<'t, '_> {
    /// Writes out the entry that was read at `from`.
    fn entry(&mut self, entry: Spanned<DeValue<'t>>, from: &str) -> Result<(), Problems> {
        let span = entry.span();
        let mut shared = match entry.into_inner() {
            DeValue::Table(table) if rows(&table).is_some() => table,
            other => {
                self.places.adopt(self.read, from, &self.next(), 0);
                self.written.push(Spanned::new(span, other));
                return Ok(());
            }
        };
        let rows = shared.remove(EACH).map(Spanned::into_inner);
        let Some(DeValue::Array(rows)) = rows else {
            return Ok(());
        };
        let Some(left) = self.left.checked_sub(rows.len()) else {
            let why = "has too many entries for a file so large; write fewer, or several files";
            let defect = Defect::Unfit(why.to_owned());
            return Err(self.read.problem(&join(from, EACH), defect).into());
        };
        self.left = left;
        for (place, row) in rows.into_iter().enumerate() {
            let to = self.next();
            self.places.adopt(self.read, &format!("{from}.{EACH}[{place}]"), &to, 0);
            let span = row.span();
            let DeValue::Table(mut row) = row.into_inner() else {
                continue;
            };
            for (key, value) in &shared {
                if !row.contains_key(key) {
                    let key_of = |entry: &str| join(entry, key.get_ref());
                    self.places.adopt(self.read, &key_of(from), &key_of(&to), 0);
                    row.insert(key.clone(), value.clone());
                }
            }
            self.written.push(Spanned::new(span, DeValue::Table(row)));
        }
        Ok(())
    }

    /// Where the next entry stands.
    fn next(&self) -> String {
        format!("{}[{}]", self.list, self.written.len())
    }
}

/// The tables under `each`, if there are some and all are tables.
fn rows<'a, 't>(entry: &'a DeTable<'t>) -> Option<&'a DeArray<'t>> {
    let rows = entry.get(EACH)?.get_ref().as_array()?;
    (!rows.is_empty() && rows.iter().all(|row| row.get_ref().is_table())).then_some(rows)
}
