//! Where files come from: a profiles directory, or memory. The only place that touches a disk.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::problem::{Defect, Problem, Problems, nearest};

/// The kinds of files, each with its folder in a profiles directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// How a path behaves.
    Link,
    /// A TCP to test.
    Variant,
    /// What is transferred.
    Workload,
    /// Links, variants, a workload and repetitions.
    Experiment,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Link, Self::Variant, Self::Workload, Self::Experiment];

    /// Its folder in a profiles directory.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Link => "links",
            Self::Variant => "variants",
            Self::Workload => "workloads",
            Self::Experiment => "experiments",
        }
    }

    /// Its name in a sentence.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Variant => "variant",
            Self::Workload => "workload",
            Self::Experiment => "experiment",
        }
    }
}

/// Files by their path.
pub trait Files {
    /// The text of a file.
    ///
    /// # Errors
    /// If it is not there, cannot be read or is no UTF-8.
    fn read(&self, path: &Path) -> io::Result<String>;

    /// The paths of all files under a folder whose names end in `.toml`, in any order; none if there is no such folder.
    ///
    /// # Errors
    /// If the folder is there and cannot be read.
    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>>;
}

/// The files of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> io::Result<String> {
        fs::read_to_string(path)
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "toml") {
                    found.push(path);
                }
            }
        }
        Ok(found)
    }
}

impl Files for BTreeMap<PathBuf, String> {
    fn read(&self, path: &Path) -> io::Result<String> {
        self.get(path).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(self.keys().filter(|path| path.starts_with(folder)).cloned().collect())
    }
}

/// A file that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Its name within its kind, as in `papers/sarolahti2003/table-1`; for a path, the file's stem.
    pub name: String,
    /// Its path, as told in messages.
    pub path: PathBuf,
}

/// Where someone asked for a name, for the message if there is none.
pub type Asker<'a> = &'a dyn Fn(Defect) -> Problem;

/// A profiles directory.
pub struct Library {
    root: PathBuf,
    files: Box<dyn Files + Send + Sync>,
}

impl Library {
    /// The profiles directory at `root` on the machine's disk.
    pub fn open(root: impl Into<PathBuf>) -> Self {
        Self::new(root, Disk)
    }

    /// The profiles directory at `root` among `files`.
    pub fn new(root: impl Into<PathBuf>, files: impl Files + Send + Sync + 'static) -> Self {
        Self {
            root: root.into(),
            files: Box::new(files),
        }
    }

    /// The names of all files of a kind, in order; empty if the folder is missing.
    pub fn names(&self, kind: Kind) -> Vec<String> {
        let folder = self.root.join(kind.folder());
        let paths = self.files.list(&folder).unwrap_or_default();
        let mut names: Vec<String> = paths.iter().filter_map(|path| name_in(&folder, path)).collect();
        names.sort();
        names
    }

    /// Finds a file by its name or path. `beside` is the file that asks: a path is relative to it.
    ///
    /// # Errors
    /// If there is none of that name; `asker` says where it was asked for.
    pub fn locate(&self, kind: Kind, name: &str, beside: Option<&Path>, asker: Asker<'_>) -> Result<Located, Problems> {
        if name.ends_with(".toml") {
            let path = beside_of(beside, name);
            let folder = self.root.join(kind.folder());
            let name = name_in(&folder, &path).or_else(|| Some(path.file_stem()?.to_str()?.to_owned()));
            return Ok(Located {
                name: name.unwrap_or_default(),
                path,
            });
        }
        let names = self.names(kind);
        if names.iter().any(|known| known == name) {
            let path = self.root.join(kind.folder()).join(format!("{name}.toml"));
            return Ok(Located {
                name: name.to_owned(),
                path,
            });
        }
        let suggestion = nearest_name(name, &names);
        let name = name.to_owned();
        Err(asker(Defect::UnknownName {
            kind: kind.name(),
            name,
            suggestion,
            known: names,
        })
        .into())
    }

    /// The text of a file; a relative path is relative to the file `beside` it.
    ///
    /// # Errors
    /// If it cannot be read; `asker` says where it was asked for.
    pub fn text(&self, path: &str, beside: Option<&Path>, asker: Asker<'_>) -> Result<String, Problems> {
        let path = beside_of(beside, path);
        self.files.read(&path).map_err(|error| {
            let why = match error.kind() {
                io::ErrorKind::NotFound => "there is no such file".to_owned(),
                io::ErrorKind::InvalidData => "it is not UTF-8 text".to_owned(),
                _ => error.to_string(),
            };
            let path = path.display().to_string();
            asker(Defect::Unreadable { path, why }).into()
        })
    }
}

/// A problem with a name that was asked for from outside any file.
pub fn asked(defect: Defect) -> Problem {
    Problem {
        file: String::new(),
        line: None,
        key: String::new(),
        defect,
    }
}

fn beside_of(beside: Option<&Path>, path: &str) -> PathBuf {
    match beside.and_then(Path::parent) {
        Some(folder) => folder.join(path),
        None => PathBuf::from(path),
    }
}

/// The name of the file at `path`, if it lies in `folder`.
fn name_in(folder: &Path, path: &Path) -> Option<String> {
    let inside = path.strip_prefix(folder).ok()?.with_extension("");
    let parts: Option<Vec<_>> = inside
        .components()
        .map(|part| match part {
            Component::Normal(part) => part.to_str(),
            _ => None,
        })
        .collect();
    Some(parts?.join("/"))
}

/// The name nearest to `wrong`; its folder may be left out.
pub fn nearest_name(wrong: &str, names: &[String]) -> Option<String> {
    let last_part = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
    nearest(wrong, names.iter().map(String::as_str)).or_else(|| {
        let parts: Vec<String> = names.iter().map(|name| last_part(name)).collect();
        let found = nearest(&last_part(wrong), parts.iter().map(String::as_str))?;
        names
            .iter()
            .zip(&parts)
            .find(|(_, part)| **part == found)
            .map(|(name, _)| name.clone())
    })
}
