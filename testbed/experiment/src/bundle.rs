//! All files that an experiment is made of, by paths that serve in any profiles directory.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use thiserror::Error;
use windlull_profile::{Kind, Library, Problems, absolute, simplified};

use crate::experiment::Experiment;
use crate::live::Testbed;

/// An experiment's files: written into an empty directory, they make the same experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The path of its own file among them.
    pub experiment_file: String,
    /// Texts by path.
    pub files: BTreeMap<String, String>,
}

/// Why an experiment's files cannot be put into one directory.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BundleError {
    /// A file that lies nowhere near.
    #[error(
        "the experiment \"{experiment}\" cannot be carried to other machines: it names {file:?}, which is neither in a \
         profiles directory nor below the experiment's own; move it there"
    )]
    Elsewhere {
        experiment: String,
        /// The path of the file.
        file: String,
    },
    /// Two files that would have one path.
    #[error(
        "the experiment \"{experiment}\" cannot be carried to other machines: {first:?} and {second:?} would both be \
         {path:?} in one profiles directory; rename one"
    )]
    Clash {
        experiment: String,
        /// What both would be.
        path: String,
        first: String,
        second: String,
    },
    /// Names mean something else without the directories that they were found in.
    #[error("the experiment \"{experiment}\" cannot be carried to other machines: {why}; name files by relative paths")]
    Different {
        experiment: String,
        /// What would be different.
        why: String,
    },
}

/// The files that `library` has read, which were those of `experiment` alone.
///
/// # Errors
/// If they lie so that no directory can have them all.
pub fn bundle(library: &Library, experiment: &Experiment) -> Result<Bundle, BundleError> {
    let folder = Kind::Experiment.folder();
    let experiment_file = format!("{folder}/{}.toml", experiment.name);
    let own = absolute(&experiment.path);
    let home = own.parent().unwrap_or(Path::new(""));
    let mut paths: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut files = BTreeMap::new();
    for (path, text) in library.read_so_far() {
        let whole = absolute(&path);
        let inside = library
            .roots()
            .iter()
            .find_map(|root| whole.strip_prefix(absolute(root)).ok());
        let place = match (inside, whole.strip_prefix(home)) {
            _ if whole == own => Some(experiment_file.clone()),
            (Some(inside), _) => portable(inside),
            (None, Ok(beside)) => portable(beside).map(|beside| format!("{folder}/{beside}")),
            (None, Err(_)) => None,
        };
        let Some(place) = place else {
            return Err(BundleError::Elsewhere {
                experiment: experiment.name.clone(),
                file: path.display().to_string(),
            });
        };
        if let Some(first) = paths
            .insert(place.clone(), whole.clone())
            .filter(|first| *first != whole)
        {
            return Err(BundleError::Clash {
                experiment: experiment.name.clone(),
                path: place,
                first: first.display().to_string(),
                second: whole.display().to_string(),
            });
        }
        files.insert(place, text);
    }
    let bundle = Bundle { experiment_file, files };
    prove(&bundle, experiment)?;
    Ok(bundle)
}

/// The path as every machine writes it; `None` if it is none within a directory.
fn portable(path: &Path) -> Option<String> {
    let simple = simplified(path);
    let parts: Option<Vec<&str>> = simple
        .components()
        .map(|part| match part {
            Component::Normal(part) => part.to_str(),
            _ => None,
        })
        .collect();
    Some(parts?.join("/"))
}

/// Loads the experiment from its files alone: it must be the same one.
fn prove(bundle: &Bundle, experiment: &Experiment) -> Result<(), BundleError> {
    let different = |why: String| BundleError::Different {
        experiment: experiment.name.clone(),
        why,
    };
    let files: BTreeMap<PathBuf, String> = bundle
        .files
        .iter()
        .map(|(path, text)| (PathBuf::from(path), text.clone()))
        .collect();
    let library = Library::new("", files);
    let again = Experiment::load(&library, &experiment.name)
        .map_err(|problems: Problems| different(problems.to_string().replace('\n', "; ")))?;
    let plan = |experiment: &Experiment| serde_json::to_value(experiment.plan(Testbed::ALL)).ok();
    if plan(&again) == plan(experiment) {
        Ok(())
    } else {
        Err(different("some of its names would mean other files".to_owned()))
    }
}
