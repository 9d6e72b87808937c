//! A link that options describe, or a text.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;
use windlull_experiment::{Disk, Files, Library, Link};

use crate::failure::Failure;

/// What a link does, in options.
#[derive(Debug, Args)]
pub(crate) struct Given {
    /// The rate towards the program, as "12 Mbit/s".  [default: unlimited]
    #[arg(long, value_name = "RATE")]
    down: Option<String>,
    /// The rate from the program.  [default: unlimited]
    #[arg(long, value_name = "RATE")]
    up: Option<String>,
    /// The delay each way, as "40 ms".  [default: none]
    #[arg(long, value_name = "TIME")]
    delay: Option<String>,
    /// The share of packets that is lost each way, as "1 %".  [default: none]
    #[arg(long, value_name = "PROBABILITY")]
    loss: Option<String>,
    /// What the queue before the link holds each way, as "100 packets" or "64 kB".  [default: 1000 packets]
    #[arg(long, value_name = "LIMIT")]
    queue: Option<String>,
}

/// A queue where nobody says how long it is: that of Linux before a device (`DEFAULT_TX_QUEUE_LEN`).
const QUEUE: &str = "1000 packets";
/// What is read in place of a file. Whoever starts the program has named what it names, wherever that lies, and may be
/// told what stands in it.
const FILE: &str = "/command line.toml";
/// The options by the keys that they are written at.
const OPTIONS: [(&str, &str); 5] = [
    ("down.rate", "--down"),
    ("up.rate", "--up"),
    ("both.delay", "--delay"),
    ("both.queue.limit", "--queue"),
    ("impairment[0].probability", "--loss"),
];

impl Given {
    /// What is given, in a few words.
    pub(crate) fn in_words(&self) -> String {
        let given = [
            ("down", &self.down),
            ("up", &self.up),
            ("delay", &self.delay),
            ("loss", &self.loss),
            ("queue", &self.queue),
        ];
        let words = given
            .into_iter()
            .filter_map(|(what, value)| Some(format!("{what} {}", value.as_ref()?)));
        match words.collect::<Vec<_>>().join(", ") {
            none if none.is_empty() => "link".to_owned(),
            words => words,
        }
    }

    /// The link's file.
    fn text(&self) -> String {
        let or = |value: &Option<String>, default: &str| json!(value.as_deref().unwrap_or(default));
        let mut text = format!(
            "title = \"As on the command line\"\n\
             [both]\n\
             delay = {}\n\
             queue = {{ kind = \"droptail\", limit = {} }}\n\
             [down]\n\
             rate = {}\n\
             [up]\n\
             rate = {}\n",
            or(&self.delay, "0 ms"),
            or(&self.queue, QUEUE),
            or(&self.down, "unlimited"),
            or(&self.up, "unlimited"),
        );
        if let Some(loss) = &self.loss {
            let _ = write!(
                text,
                "[[impairment]]\n\
                 name = \"loss\"\n\
                 kind = \"loss\"\n\
                 on = \"each\"\n\
                 probability = {}\n",
                json!(loss)
            );
        }
        text
    }

    /// The link.
    pub(crate) fn link(&self, library: &Library) -> Result<Link, Failure> {
        if self.loss.as_deref().is_some_and(|loss| loss.trim() == "1") {
            return Err(Failure::input(
                "--loss: write \"1 %\", or \"100 %\" to lose every packet",
            ));
        }
        read(library, &self.text(), |key| {
            let option = OPTIONS.iter().find(|(there, _)| *there == key);
            option.map_or(key, |(_, option)| option).to_owned()
        })
    }
}

/// The link that a text describes, which names files by their whole paths. `called` is what its keys are called in messages.
pub(crate) fn read(library: &Library, text: &str, called: impl Fn(&str) -> String) -> Result<Link, Failure> {
    let files = Beside(text.to_owned());
    Link::load(&Library::of(library.roots().to_vec(), files), FILE).map_err(|problems| {
        let said = problems.iter().map(|problem| match problem.file == FILE {
            true => format!("{}: {}", called(&problem.key), problem.message()),
            false => problem.to_string(),
        });
        Failure::input(said.collect::<Vec<_>>().join("\n"))
    })
}

/// The text as a file beside those of the disk.
struct Beside(String);

impl Files for Beside {
    fn read(&self, path: &Path) -> io::Result<String> {
        match path == Path::new(FILE) {
            true => Ok(self.0.clone()),
            false => Disk.read(path),
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        Disk.list(folder)
    }

    fn is_file(&self, path: &Path) -> bool {
        path == Path::new(FILE) || Disk.is_file(path)
    }

    fn resolved(&self, path: &Path) -> io::Result<PathBuf> {
        Disk.resolved(path)
    }

    fn is_ordinary(&self, path: &Path) -> bool {
        path == Path::new(FILE) || Disk.is_ordinary(path)
    }

    fn is_folder(&self, path: &Path) -> bool {
        Disk.is_folder(path)
    }
}
