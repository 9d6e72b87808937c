//! What is wrong with a file: where, which key, what, and what would be right.

use std::fmt;

use thiserror::Error;

use crate::text::TextError;

/// One thing that is wrong, with its place: `links/gprs.toml:12: impairment[0].evry: unknown key; did you mean "every"?`
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct Problem {
    /// The file as the user knows it; empty for a name that was asked for from outside any file.
    pub file: String,
    /// The line, from 1; `None` when the whole file is meant.
    pub line: Option<u32>,
    /// The column, from 1, in characters; `None` when the whole line or file is meant.
    pub column: Option<u32>,
    /// The path of the key, as in `impairment[0].every`; empty when the whole file is meant.
    pub key: String,
    /// What is wrong.
    #[source]
    pub defect: Defect,
    /// The files on whose behalf that one was read, the nearest first: each is extended by the next.
    pub extended_by: Vec<String>,
}

impl Problem {
    /// What is wrong, without its place, and on whose behalf the file was read.
    pub fn message(&self) -> String {
        let by = self.extended_by.join(", which is extended by ");
        match by.as_str() {
            "" => self.defect.to_string(),
            by => format!("{} (extended by {by})", self.defect),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        if !self.file.is_empty() {
            f.write_str(": ")?;
        }
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message())
    }
}

/// Everything that is wrong with a file and with the files it names, in order of file and line; never empty.
///
/// Displays one problem a line.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub struct Problems(Vec<Problem>);

impl Problem {
    /// Whether it says nothing new: what entries of a list share is wrong once.
    fn repeats(&self, other: &Self) -> bool {
        let same_key = self.key == other.key || (self.line.is_some() && self.key_in_entry() == other.key_in_entry());
        let same_place = (&self.file, self.line, self.column) == (&other.file, other.line, other.column);
        same_key && same_place && self.defect == other.defect
    }

    fn key_in_entry(&self) -> &str {
        &self.key[self.key.rfind('.').unwrap_or(0)..]
    }
}

impl Problems {
    /// The problems in reading order, or `Ok` if there are none.
    ///
    /// # Errors
    /// If the list is not empty.
    pub fn unless_none(mut problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() {
            return Ok(());
        }
        problems.sort_by(|a, b| (&a.file, a.line, &a.key).cmp(&(&b.file, b.line, &b.key)));
        problems.dedup_by(|later, earlier| later.repeats(earlier));
        Err(Self(problems))
    }

    /// Each problem, in order of file and line.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// The list itself.
    pub fn into_vec(self) -> Vec<Problem> {
        self.0
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

/// What can be wrong. Each message ends with what would be right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Defect {
    /// Not TOML.
    #[error("not valid TOML: {0}")]
    Syntax(String),
    /// A key that this table does not have.
    #[error("unknown key; {}", hint(.suggestion.as_deref(), .known))]
    UnknownKey {
        /// The nearest key, if one is near.
        suggestion: Option<String>,
        /// The keys this table has.
        known: Vec<String>,
    },
    /// A key that this table does not have, and that is the kind of an entry of a list.
    #[error("unknown key; write an entry [[{list}]] with {}", .keys.join(", "))]
    KindOfEntry {
        /// The list.
        list: String,
        /// The keys that such an entry must have, the kind with its value.
        keys: Vec<String>,
    },
    #[error("missing; {what}")]
    MissingKey { what: String },
    /// A value of another type.
    #[error("is {found}, but should be {expected}")]
    WrongType {
        /// What stands there, with its article.
        found: &'static str,
        /// What should, with its article.
        expected: String,
    },
    /// A word that is none of those possible here.
    #[error("\"{value}\" is not possible here; {}", hint(.suggestion.as_deref(), .known))]
    UnknownValue {
        value: String,
        /// The nearest possible word, if one is near.
        suggestion: Option<String>,
        known: Vec<String>,
    },
    /// A text that cannot be read.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A value outside the bounds of its key.
    #[error("{value} is out of bounds; write {bound}")]
    OutOfBounds { value: String, bound: String },
    /// A value that its neighbours do not allow.
    #[error("{0}")]
    Unfit(String),
    /// The same name twice.
    #[error("\"{name}\" is the name of {first} already; give this one another")]
    Duplicate {
        name: String,
        /// The key that had it first.
        first: String,
    },
    /// Two script entries that do the same kind of thing in the same direction at the same time.
    #[error("overlaps with {other}: both {what} ({direction}) {when}; let one end before the other begins")]
    Overlap {
        /// The earlier entry's key.
        other: String,
        what: &'static str,
        direction: &'static str,
        /// When or at which packets.
        when: String,
    },
    /// A name that no file has.
    #[error("there is no {kind} \"{name}\"; {}", hint(.suggestion.as_deref(), .known))]
    UnknownName {
        /// The kind of file, in words.
        kind: &'static str,
        name: String,
        /// The nearest name, if one is near.
        suggestion: Option<String>,
        /// The names there are.
        known: Vec<String>,
    },
    /// A file of another kind than is needed here.
    #[error("\"{name}\" is {is}, where {needed} is needed")]
    OtherKind {
        /// Its name or path.
        name: String,
        /// What it is, with its article.
        is: &'static str,
        /// What it should be, with its article.
        needed: &'static str,
    },
    /// A name that more than one kind of file has.
    #[error("\"{name}\" is the name of more than one thing; write one of {}", list(.candidates))]
    AmbiguousName { name: String, candidates: Vec<String> },
    /// A name that two profiles directories have.
    #[error("there are several files of the {kind} \"{name}\": {}; rename all but one", .files.join(", "))]
    TwoFiles {
        /// The kind of file, in words.
        kind: &'static str,
        name: String,
        files: Vec<String>,
    },
    /// A file that may not be read.
    #[error("\"{path}\" is outside the profiles directories; name a file that is in them")]
    Outside {
        /// Its path as it is written.
        path: String,
    },
    /// A file that is not right and of which nothing may be told.
    #[error(
        "\"{path}\" is not right; it lies neither in a profiles directory nor below this file's own, so what stands in it \
         is not told here: move it there, or check it by itself"
    )]
    WrongElsewhere { path: String },
    /// A file that another one extends, and of which nothing may be told.
    #[error("\"{path}\" lies neither in a profiles directory nor below this file's own; move it there")]
    BaseElsewhere { path: String },
    /// A file that cannot be read.
    #[error("cannot read \"{path}\": {why}")]
    Unreadable { path: String, why: String },
    /// A chain of `extends` that has no end in sight.
    #[error("is the end of a chain of more than {most} `extends`; put some of these files together")]
    LongChain {
        /// The most there may be.
        most: usize,
    },
    /// A chain of `extends` that bites its tail.
    #[error("extends itself: {}; remove one of these `extends`", .0.join(" -> "))]
    Cycle(Vec<String>),
}

impl Defect {
    /// What was meant, if that can be guessed: the word to write instead.
    pub fn suggestion(&self) -> Option<&str> {
        match self {
            Self::UnknownKey { suggestion, .. }
            | Self::UnknownValue { suggestion, .. }
            | Self::UnknownName { suggestion, .. } => suggestion.as_deref(),
            _ => None,
        }
    }
}

/// How a message about something unknown ends.
fn hint(suggestion: Option<&str>, known: &[String]) -> String {
    match suggestion {
        Some(name) => format!("did you mean \"{name}\"?"),
        None if known.is_empty() => "there is none at all".to_owned(),
        None => format!("use one of {}", list(known)),
    }
}

fn list(names: &[String]) -> String {
    const SHOWN: usize = 32;
    let mut text = names
        .iter()
        .take(SHOWN)
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        text.push_str(", ...");
    }
    text
}

/// The name nearest to `wrong`, if one is near enough to be what was meant.
pub fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    // Half of the letters wrong is another word, not a slip; found by trying, not from any source.
    const NEAR_ENOUGH: f64 = 0.5;
    // No word is as long, and the comparison takes the product of both lengths.
    const LONGEST: usize = 100;
    if wrong.len() > LONGEST {
        return None;
    }
    let wrong = wrong.to_lowercase();
    names
        .into_iter()
        .map(|name| {
            (
                strsim::normalized_damerau_levenshtein(&wrong, &name.to_lowercase()),
                name,
            )
        })
        .filter(|(similarity, _)| *similarity > NEAR_ENOUGH)
        .max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(a.1)))
        .map(|(_, name)| name.to_owned())
}

/// Whether this may name something in a file: lower-case letters, digits and hyphens, no hyphen first.
pub fn is_name(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.len() <= 64 && name.chars().all(inner) && !name.starts_with('-')
}
