//! Registry, source files, scripts, docs and profiles agree: a mechanism is all five or none.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use windlull_tcp::{DelayedAck, Detection, Era, Recovery, Response, TimerSettings, Variant};
use windlull_units::{Bytes, Span};

/// A row of `docs/variants.md`.
struct Row {
    choice: String,
    value: String,
    file: String,
    scripts: String,
}

fn room() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn documented() -> Vec<Row> {
    let docs = fs::read_to_string(room().join("../../docs/variants.md")).expect("the docs are in the repository");
    let code = |cell: &str| cell.trim().trim_matches('`').to_owned();
    let mut choice = String::new();
    let mut rows = Vec::new();
    for line in docs.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            heading.clone_into(&mut choice);
        } else if line.starts_with("| `") {
            let cells: Vec<_> = line.split('|').collect();
            assert_eq!(cells.len(), 7, "five cells: {line}");
            rows.push(Row {
                choice: choice.clone(),
                value: code(cells[1]),
                file: code(cells[4]),
                scripts: code(cells[5]),
            });
        }
    }
    rows
}

/// The words that a setting may be, and the one that it is, if it is a choice.
trait Words {
    fn words() -> Vec<&'static str> {
        Vec::new()
    }

    fn word(&self) -> Option<&'static str> {
        None
    }
}

macro_rules! words {
    ($($choice:ty,)+) => {
        $(impl Words for $choice {
            fn words() -> Vec<&'static str> {
                Self::ALL.iter().map(|value| value.name()).collect()
            }

            fn word(&self) -> Option<&'static str> {
                Some(self.name())
            }
        })+
    };
}
windlull_tcp::choices!(words!);

impl Words for DelayedAck {
    fn words() -> Vec<&'static str> {
        Self::NAMES.to_vec()
    }

    fn word(&self) -> Option<&'static str> {
        Some(self.name())
    }
}

impl Words for bool {}
impl Words for u16 {}
impl Words for u32 {}
impl<T: Words> Words for Option<T> {
    fn words() -> Vec<&'static str> {
        T::words()
    }

    fn word(&self) -> Option<&'static str> {
        self.as_ref().and_then(T::word)
    }
}
impl Words for Bytes {}
impl Words for Span {}
impl Words for TimerSettings {}

/// Each row's key, its words, and the word that is the default.
macro_rules! all_words {
    ($prefix:literal, { $(
        $(#[$doc:meta])+ $key:ident: $type:ty = $default:expr
            $(, or $words:literal)? $(, from $least:literal)? $(, to $most:literal)?;
            $part:literal, $label:literal;
    )+ }) => {
        vec![$({
            let default: $type = $default;
            (concat!($prefix, stringify!($key)), <$type>::words(), default.word())
        }),+]
    };
}

/// All choices: key, words, default.
fn choices() -> Vec<(&'static str, Vec<&'static str>, Option<&'static str>)> {
    let all = Variant::default();
    let mechanisms = vec![
        ("recovery", Recovery::words(), all.recovery.word()),
        ("detection", Detection::words(), all.detection.word()),
        ("response", Response::words(), all.response.word()),
    ];
    let settings = windlull_tcp::settings!(all_words! "",);
    let timer = windlull_tcp::timer_settings!(all_words! "timer.",);
    [mechanisms, settings, timer].concat()
}

fn registered() -> BTreeSet<(String, String)> {
    let named = |choice: &str, word: &str| (choice.to_owned(), word.to_owned());
    choices()
        .into_iter()
        .flat_map(|(choice, words, _)| words.into_iter().map(move |word| named(choice, word)))
        .collect()
}

/// The names in a folder, without their endings.
fn names_in(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder)
        .expect("the folder is in the repository")
        .filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_str()?.to_owned()))
        .collect()
}

#[test]
fn every_value_has_a_row_of_docs_and_every_row_a_value() {
    let rows: BTreeSet<_> = documented().into_iter().map(|row| (row.choice, row.value)).collect();
    let registered = registered();
    let without_row: Vec<_> = registered.difference(&rows).collect();
    let too_many: Vec<_> = rows.difference(&registered).collect();
    assert!(
        without_row.is_empty() && too_many.is_empty(),
        "docs/variants.md has no row for {without_row:?}, and rows too many: {too_many:?}"
    );
}

#[test]
fn every_row_names_a_file_and_a_folder_with_scripts() {
    for row in documented() {
        assert!(
            room().join("src").join(&row.file).is_file(),
            "{}: no file {}",
            row.value,
            row.file
        );
        let scripts = room().join("tests/scripts").join(&row.scripts);
        assert!(
            !names_in(&scripts).is_empty(),
            "{}: no scripts in {}",
            row.value,
            row.scripts
        );
    }
}

/// All files of profiles, one behind the other.
fn profiles() -> String {
    let mut folders = vec![room().join("../../profiles")];
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the profiles are in the repository") {
            let path = entry.expect("a folder can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                text += &fs::read_to_string(path).expect("a profile is text");
                text.push('\n');
            }
        }
    }
    text
}

/// What a variant has that sets nothing but its era.
fn defaults() -> BTreeSet<&'static str> {
    let of_eras = Era::ALL.iter().map(|era| era.host().delayed_ack.name());
    choices()
        .into_iter()
        .filter_map(|(_, _, default)| default)
        .chain(of_eras)
        .collect()
}

#[test]
fn every_value_but_a_default_stands_in_a_shipped_file() {
    let text = profiles();
    let set: BTreeSet<(String, String)> = text
        .lines()
        .filter_map(|line| {
            let (key, value) = line.split_once('=')?;
            let value = value.trim().trim_start_matches("{ kind = ");
            let value = value.strip_prefix('"')?.split('"').next()?;
            Some((key.trim().to_owned(), value.to_owned()))
        })
        .collect();
    for (choice, value) in registered() {
        let key = choice.rsplit('.').next().unwrap_or(&choice).to_owned();
        let is_shipped = set.contains(&(key, value.clone())) || defaults().contains(value.as_str());
        assert!(
            is_shipped,
            "no shipped variant or experiment has {choice} = \"{value}\""
        );
    }
}

#[test]
fn every_mechanism_on_disk_is_registered() {
    let rows = documented();
    let not_mechanisms = |choice: &str| match choice {
        "timer" => ["backoff", "interface", "mod", "rtt"].as_slice(),
        "recovery" => ["barrier", "interface", "mod"].as_slice(),
        _ => ["interface", "mod"].as_slice(),
    };
    for (folder, choice) in [
        ("recovery", "recovery"),
        ("detection", "detection"),
        ("response", "response"),
        ("timer", "timer.estimator"),
        ("minimum", "timer.minimum"),
        ("after_spurious", "timer.after_spurious"),
    ] {
        let mut files = names_in(&room().join("src").join(folder));
        files.retain(|name| !not_mechanisms(folder).contains(&name.as_str()));
        let scripts = names_in(&room().join("tests/scripts").join(folder));
        let of_choice = || rows.iter().filter(|row| row.choice == choice);
        let documented_files: BTreeSet<_> = of_choice()
            .filter_map(|row| Some(Path::new(&row.file).file_stem()?.to_str()?.to_owned()))
            .collect();
        let values: BTreeSet<_> = of_choice().map(|row| row.value.clone()).collect();
        for (found, documented, at) in [
            (files, documented_files, format!("src/{folder}")),
            (scripts, values, format!("tests/scripts/{folder}")),
        ] {
            let differ: Vec<_> = found.symmetric_difference(&documented).collect();
            assert!(
                differ.is_empty(),
                "{differ:?}: in only one of {at} and docs/variants.md"
            );
        }
    }
}
