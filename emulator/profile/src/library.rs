//! Where files come from: profiles directories, or memory. The only place that touches a disk.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use windlull_fates::says_octets;

use crate::problem::{Defect, Problem, Problems, nearest};
use crate::scenario;

windlull_units::named! {
    /// The kinds of files, each with its folder in a profiles directory.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Kind {
        /// How a path behaves.
        Link = "link",
        /// A TCP to test.
        Variant = "variant",
        Workload = "workload",
        /// Links, variants, a workload and repetitions.
        Experiment = "experiment",
    }
}

impl Kind {
    /// Its folder in a profiles directory.
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Link => "links",
            Self::Variant => "variants",
            Self::Workload => "workloads",
            Self::Experiment => "experiments",
        }
    }

    /// Its name in a sentence, with its article.
    pub const fn with_article(self) -> &'static str {
        match self {
            Self::Link => "a link",
            Self::Variant => "a variant",
            Self::Workload => "a workload",
            Self::Experiment => "an experiment",
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

    /// The rows of the `fates.csv` at `path`, with these columns; `path` may also be that of a file that has them packed.
    ///
    /// # Errors
    /// As [`Files::read`], or if it is not known what the columns say.
    fn read_fates(&self, path: &Path, columns: Columns) -> io::Result<String> {
        let _ = columns;
        self.read(path)
    }

    /// The paths of all files under a folder whose names end in `.toml`, in any order; none if there is no such folder.
    ///
    /// # Errors
    /// If the folder is there and cannot be read.
    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>>;

    fn is_file(&self, path: &Path) -> bool {
        self.read(path).is_ok()
    }

    /// Where a file or folder is when every symbolic link on the way was followed.
    ///
    /// # Errors
    /// If it is not there.
    fn resolved(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(absolute(path))
    }

    /// Whether it is no device and no pipe, whose end may never come.
    fn is_ordinary(&self, _path: &Path) -> bool {
        true
    }

    /// Whether there is a folder of this path; asked to explain why there is no file.
    fn is_folder(&self, _path: &Path) -> bool {
        false
    }
}

/// What must be known of the packets of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// What each met.
    Fates,
    /// Also which octets of the data stream each carried.
    Octets,
}

/// The file in a run's directory that says what its packets met.
const FATES: &str = "fates.csv";

/// Those beside it that say what they carried.
const CAPTURES: [&str; 2] = ["server.pcapng", "client.pcapng"];

/// The files of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

/// The most that is read of one file, in octets: traces of days fit, and a device without end does no harm.
pub(crate) const LARGEST_FILE: u64 = 64 << 20;

impl Files for Disk {
    fn read(&self, path: &Path) -> io::Result<String> {
        let file = File::open(path)?;
        // Room for all of it and more: one call to the system reads the file, a second one finds its end.
        let length = file.metadata()?.len().min(LARGEST_FILE);
        let mut text = String::with_capacity(usize::try_from(length).unwrap_or(0) + 64);
        let read = file.take(LARGEST_FILE + 1).read_to_string(&mut text)?;
        if read as u64 > LARGEST_FILE {
            let why = format!("it has more than {} MiB", LARGEST_FILE >> 20);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
        }
        Ok(text)
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
                let entry = entry?;
                let (path, kind) = (entry.path(), entry.file_type()?);
                if kind.is_dir() || kind.is_symlink() && path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|extension| extension == "toml") {
                    found.push(path);
                }
            }
        }
        Ok(found)
    }

    fn is_file(&self, path: &Path) -> bool {
        path.is_file()
    }

    fn resolved(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn is_ordinary(&self, path: &Path) -> bool {
        fs::metadata(path).map_or(true, |found| found.is_file() || found.is_dir())
    }

    fn is_folder(&self, path: &Path) -> bool {
        path.is_dir()
    }
}

impl Files for BTreeMap<PathBuf, String> {
    fn read(&self, path: &Path) -> io::Result<String> {
        self.get(&simplified(path))
            .cloned()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn is_file(&self, path: &Path) -> bool {
        self.contains_key(&simplified(path))
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(self.keys().filter(|path| path.starts_with(folder)).cloned().collect())
    }
}

/// The longest chain of files that extend one another.
pub const MOST_EXTENDS: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Its name within its kind, as in `papers/sarolahti2003/table-1`; for a path, the file's stem.
    pub name: String,
    /// Its path, as told in messages.
    pub path: PathBuf,
}

/// Where someone asked for a name, for the message if there is none.
pub type Asker<'a> = &'a dyn Fn(Defect) -> Problem;

/// One profiles directory, or several that are searched as one.
pub struct Library {
    roots: Vec<PathBuf>,
    files: Box<dyn Files + Send + Sync>,
    confined: bool,
    /// What there is of each kind, by name; looked for when first asked for.
    known: [OnceLock<Vec<Located>>; Kind::ALL.len()],
    /// The texts of all files that were read.
    read: Mutex<BTreeMap<PathBuf, String>>,
}

impl Library {
    /// The profiles directory at `root` on the machine's disk.
    pub fn open(root: impl Into<PathBuf>) -> Self {
        Self::new(root, Disk)
    }

    /// The profiles directory at `root` among `files`.
    pub fn new(root: impl Into<PathBuf>, files: impl Files + Send + Sync + 'static) -> Self {
        Self::of(vec![root.into()], files)
    }

    /// All of these profiles directories among `files`. None goes before another: a name that two of them have is
    /// nobody's.
    pub fn of(mut roots: Vec<PathBuf>, files: impl Files + Send + Sync + 'static) -> Self {
        let mut seen = Vec::new();
        roots.retain(|root| {
            let root = absolute(root);
            let new = !seen.contains(&root);
            seen.push(root);
            new
        });
        Self {
            roots,
            files: Box::new(files),
            confined: false,
            known: Default::default(),
            read: Mutex::default(),
        }
    }

    /// The same, that reads no file outside its directories, whatever path it is asked for: for files by strangers.
    #[must_use]
    pub fn confined(mut self) -> Self {
        self.confined = true;
        self
    }

    /// Whether it reads no file outside its directories.
    pub const fn is_confined(&self) -> bool {
        self.confined
    }

    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The texts of all files that were read so far, by their paths.
    pub fn read_so_far(&self) -> BTreeMap<PathBuf, String> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The names of all files of a kind, in order; empty if the folder is missing.
    pub fn names(&self, kind: Kind) -> Vec<String> {
        let mut names: Vec<String> = self.known(kind).iter().map(|located| located.name.clone()).collect();
        names.dedup();
        names
    }

    /// All files of a kind, by name and then by directory.
    fn known(&self, kind: Kind) -> &[Located] {
        self.known[kind as usize].get_or_init(|| {
            let mut known = Vec::new();
            for root in &self.roots {
                let folder = root.join(kind.folder());
                let paths = self.files.list(&folder).unwrap_or_default().into_iter();
                known.extend(paths.filter_map(|path| {
                    let name = name_in(&folder, &path)?;
                    Some(Located { name, path })
                }));
            }
            known.sort_by(|a, b| a.name.cmp(&b.name));
            known
        })
    }

    /// The file of this name, if exactly one directory has it where it belongs. To list all files takes longer than to read one.
    fn only_one(&self, kind: Kind, name: &str) -> Option<Located> {
        let folders = self.roots.iter().map(|root| root.join(kind.folder()));
        let mut found = folders
            .map(|folder| (folder.join(format!("{name}.toml")), folder))
            .filter(|(path, folder)| name_in(folder, path).as_deref() == Some(name) && self.files.is_file(path));
        let (path, _) = found.next()?;
        let name = name.to_owned();
        found.next().is_none().then_some(Located { name, path })
    }

    /// Finds a file by its name or path. `beside` is the file that asks: a path is relative to it. A scenario of the QUIC
    /// network simulator is the name of a link whose file is nowhere.
    ///
    /// # Errors
    /// If there is none of that name, or more than one; `asker` says where it was asked for.
    pub fn locate(&self, kind: Kind, name: &str, beside: Option<&Path>, asker: Asker<'_>) -> Result<Located, Problems> {
        if kind == Kind::Link && scenario::is_scenario(name) {
            let link = scenario::read(name).map_err(|why| asker(Defect::Unfit(why)))?;
            return Ok(Located {
                name: link.name,
                path: scenario::simplified(name).into(),
            });
        }
        if name.ends_with(".toml") {
            let path = beside_of(beside, name);
            let mut folders = self.roots.iter().map(|root| root.join(kind.folder()));
            let name = folders
                .find_map(|folder| name_in(&folder, &path))
                .or_else(|| Some(path.file_stem()?.to_str()?.to_owned()));
            return Ok(Located {
                name: name.unwrap_or_default(),
                path,
            });
        }
        if let Some(located) = self.only_one(kind, name) {
            return Ok(located);
        }
        let of_name: Vec<&Located> = self.known(kind).iter().filter(|known| known.name == name).collect();
        match of_name.as_slice() {
            [located] => Ok((*located).clone()),
            [] => {
                let has_it = |other: &Kind| self.known(*other).iter().any(|known| known.name == name);
                if let Some(other) = Kind::ALL.into_iter().find(has_it) {
                    return Err(asker(Defect::OtherKind {
                        name: name.to_owned(),
                        is: other.with_article(),
                        needed: kind.with_article(),
                    })
                    .into());
                }
                Err(asker(self.unknown(kind.name(), name, self.names(kind), beside.is_none())).into())
            }
            several => Err(asker(Defect::TwoFiles {
                kind: kind.name(),
                name: name.to_owned(),
                files: several
                    .iter()
                    .map(|located| located.path.display().to_string())
                    .collect(),
            })
            .into()),
        }
    }

    /// Whether no symbolic link leads out of the directories. What is not there is nowhere else.
    fn is_really_inside(&self, path: &Path) -> bool {
        self.files
            .resolved(path)
            .map_or(true, |real| self.has_below_a_root(&real))
    }

    fn has_below_a_root(&self, real: &Path) -> bool {
        let mut roots = self.roots.iter().filter_map(|root| self.files.resolved(root).ok());
        roots.any(|root| real.starts_with(root))
    }

    /// Whether what stands in the file at `path` may be told where `by`, a file that names it, is read: it lies in one of
    /// the directories, or below that of `by`. What lies elsewhere may be anybody's, and messages go into logs.
    pub fn may_quote(&self, path: &Path, by: &Path) -> bool {
        let real = |path: &Path| self.files.resolved(path).unwrap_or_else(|_| absolute(path));
        let whole = real(path);
        let beside = absolute(by).parent().map(real);
        self.has_below_a_root(&whole) || beside.is_some_and(|folder| whole.starts_with(folder))
    }

    /// What is told of the problems of the file at `path`, which `by` names: all, or, if nothing of it may be quoted, that
    /// there are some. `asker` says where it is named.
    pub fn quoting(&self, problems: Problems, path: &Path, by: &Path, asker: Asker<'_>) -> Problems {
        if self.may_quote(path, by) {
            return problems;
        }
        let path = path.display().to_string();
        asker(Defect::WrongElsewhere { path }).into()
    }

    /// What is wrong with a name that none of the `known` has; `typed` if a person may have meant a path by it.
    pub fn unknown(&self, kind: &'static str, name: &str, known: Vec<String>, typed: bool) -> Defect {
        if typed && !self.confined && self.files.is_folder(Path::new(name)) {
            return Defect::Unreadable {
                path: name.to_owned(),
                why: A_DIRECTORY.to_owned(),
            };
        }
        match scenario::mistaken(name) {
            Some(why) if kind == Kind::Link.name() => Defect::Unfit(why),
            _ => Defect::UnknownName {
                kind,
                name: name.to_owned(),
                suggestion: nearest_name(name, &known),
                known,
            },
        }
    }

    /// The text of a file, as it was when it was first read; a relative path is relative to the file `beside` it.
    ///
    /// # Errors
    /// If it cannot be read, or may not; `asker` says where it was asked for.
    pub fn text(&self, path: &str, beside: Option<&Path>, asker: Asker<'_>) -> Result<String, Problems> {
        if scenario::is_scenario(path) {
            // It says all by itself, and is no file that belongs to what names it.
            let link = scenario::read(path).map_err(|why| asker(Defect::Unfit(why)))?;
            return Ok(link.text);
        }
        let whole = self
            .admitted(beside_of(beside, path), path)
            .map_err(|defect| Problems::from(asker(defect)))?;
        if let Some(text) = self.known_text(&whole) {
            return Ok(text);
        }
        let read = self.files.read(&whole);
        self.keep(whole, read).map_err(|defect| asker(defect).into())
    }

    /// The rows of a recorded run's fates, with these columns. The path is that of its `fates.csv`, of its directory, or of a
    /// file that has it packed.
    ///
    /// # Errors
    /// As [`Library::text`], or if it is not known what the columns say.
    pub fn fates(
        &self,
        path: &str,
        beside: Option<&Path>,
        columns: Columns,
        asker: Asker<'_>,
    ) -> Result<String, Problems> {
        let read = || -> Result<String, Defect> {
            let given = beside_of(beside, path);
            let inside = given.join(FATES);
            let is_directory = !path.ends_with(".csv") && self.admitted(inside.clone(), path).is_ok();
            let is_directory = is_directory && self.files.is_file(&inside);
            let whole = self.admitted(if is_directory { inside } else { given }, path)?;
            if !is_directory && self.files.is_folder(&whole) {
                let (path, why) = (path.to_owned(), NO_FATES.to_owned());
                return Err(Defect::Unreadable { path, why });
            }
            if columns == Columns::Octets {
                for capture in CAPTURES {
                    self.admitted(whole.with_file_name(capture), path)?;
                }
            }
            // A text that was read for what packets met may not say what they carried.
            let enough = |text: &String| columns == Columns::Fates || says_octets(text);
            if let Some(text) = self.known_text(&whole).filter(enough) {
                return Ok(text);
            }
            let read = self.files.read_fates(&whole, columns);
            self.keep(whole, read)
        };
        read().map_err(|defect| asker(defect).into())
    }

    /// The path, if a file there may be read; `path` is what was asked for.
    fn admitted(&self, whole: PathBuf, path: &str) -> Result<PathBuf, Defect> {
        if !self.confined {
            return Ok(whole);
        }
        // Read as it was judged: with symbolic links `..` may be something else to the system.
        let whole = simplified(&whole);
        let judged = absolute(&whole);
        let written_inside = self.roots.iter().any(|root| judged.starts_with(absolute(root)));
        if !written_inside || !self.is_really_inside(&whole) {
            let path = path.to_owned();
            return Err(Defect::Outside { path });
        }
        if !self.files.is_ordinary(&whole) {
            let (path, why) = (path.to_owned(), "it is a device or a pipe; give a file".to_owned());
            return Err(Defect::Unreadable { path, why });
        }
        Ok(whole)
    }

    /// A text that was read before.
    fn known_text(&self, whole: &Path) -> Option<String> {
        let read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.get(whole).cloned()
    }

    /// Keeps what was read, or says why nothing was.
    fn keep(&self, whole: PathBuf, read: io::Result<String>) -> Result<String, Defect> {
        match read {
            Ok(text) => {
                let mut known = self.read.lock().unwrap_or_else(PoisonError::into_inner);
                known.insert(whole, text.clone());
                Ok(text)
            }
            Err(error) => {
                let why = match error.kind() {
                    io::ErrorKind::NotFound => "there is no such file".to_owned(),
                    io::ErrorKind::InvalidData => "it is not UTF-8 text".to_owned(),
                    io::ErrorKind::IsADirectory => A_DIRECTORY.to_owned(),
                    _ => error.to_string(),
                };
                let path = whole.display().to_string();
                Err(Defect::Unreadable { path, why })
            }
        }
    }
}

const A_DIRECTORY: &str = "it is a directory; give a file";

const NO_FATES: &str = "the directory has no fates.csv; give that of one run, as out/first-look/runs/sack/001, made without \
                        --no-pcap";

/// A problem with a name that was asked for from outside any file.
pub fn asked(defect: Defect) -> Problem {
    Problem {
        file: String::new(),
        line: None,
        column: None,
        key: String::new(),
        defect,
        extended_by: Vec::new(),
    }
}

fn beside_of(beside: Option<&Path>, path: &str) -> PathBuf {
    match beside.and_then(Path::parent) {
        Some(folder) => folder.join(path),
        None => PathBuf::from(path),
    }
}

/// The path without `.` and, as far as it goes, without `..`; the disk is not asked.
pub fn simplified(path: &Path) -> PathBuf {
    let mut simple = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => match simple.components().next_back() {
                Some(Component::Normal(_)) => {
                    simple.pop();
                }
                Some(Component::RootDir | Component::Prefix(_)) => {}
                None | Some(Component::ParentDir | Component::CurDir) => simple.push(".."),
            },
            part => simple.push(part),
        }
    }
    simple
}

/// The path from the root of the file system, simplified.
pub fn absolute(path: &Path) -> PathBuf {
    // It fails for an empty path alone, which stays one, and without a current directory.
    simplified(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
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
