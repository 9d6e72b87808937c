//! The engines with stacks from elsewhere in them, and whether the stacks that variants name are there and fit.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use serde::Deserialize;
use windlull_experiment::{Kind, Library, Resolved, VariantProfile, nearest, show};
use windlull_stack::{Program, Transport};
use windlull_transport::Broken;

use crate::built::SOURCES;
use crate::failure::{Failure, without_prefixes};
use crate::stacks;

/// Where `windlull stacks build` puts engines.
pub(crate) const DIRECTORY: &str = "target/stacks";
/// Names another directory.
pub(crate) const VARIABLE: &str = "WINDLULL_STACKS";

/// The engine that a stack is built into.
pub(crate) fn file(directory: &Path, stack: &str) -> PathBuf {
    directory.join(stack).join("engine")
}

/// Engines with stacks in them, and what people may mean when they name one that is not there.
pub(crate) struct Engines<'a> {
    directory: &'a Path,
    library: &'a Library,
    /// Whether programs may be started.
    may_start: bool,
}

impl<'a> Engines<'a> {
    /// Those in a directory; `library` has the variants that name more.
    pub(crate) const fn new(directory: &'a Path, library: &'a Library, may_start: bool) -> Self {
        Self {
            directory,
            library,
            may_start,
        }
    }

    /// Whether runs of all these variants can be made.
    ///
    /// # Errors
    /// If an engine is missing or of other sources, if a stack does not take an option, if there is no such program, and if one
    /// may not be started: all of that, and what would help.
    pub(crate) fn check<'v>(&self, variants: impl Iterator<Item = &'v VariantProfile>) -> Result<(), Failure> {
        let mut refusals: Vec<String> = Vec::new();
        // An engine is asked once for all variants that are alike to it.
        let (mut missing, mut asked) = (BTreeMap::new(), BTreeSet::new());
        for variant in variants {
            let Some(transport) = variant.stack.transport() else {
                continue;
            };
            if let Program::Built(name) = &transport.program {
                let is_missing = missing.entry(name).or_insert_with(|| {
                    let why = (!stacks::is_here(&transport.program))
                        .then(|| self.lacking(name))
                        .flatten();
                    let is_missing = why.is_some();
                    refusals.extend(why);
                    is_missing
                });
                if *is_missing || !asked.insert((name, &transport.options)) {
                    continue;
                }
            }
            let unfit = self.unfit(transport);
            refusals.extend(unfit.map(|why| format!("variant {:?}: {why}", variant.name)));
        }
        match refusals.as_slice() {
            [] => Ok(()),
            refusals => Err(Failure::input(refusals.join("\n"))),
        }
    }

    /// Whether the stacks that a file names exist and fit, as far as that can be said before they are built.
    ///
    /// # Errors
    /// If one does not.
    pub(crate) fn check_file(&self, name: &str) -> Result<(), Failure> {
        let variants = match show(self.library, name).map(|shown| shown.resolved) {
            Ok(Resolved::Variant(variant)) => vec![*variant],
            Ok(Resolved::Experiment(experiment)) => {
                let experiment = *experiment;
                experiment.variants.into_iter().chain(experiment.others).collect()
            }
            // What is written to be built upon may not stand by itself.
            Ok(Resolved::Link(_) | Resolved::Workload(_)) | Err(_) => return Ok(()),
        };
        let is_to_come = |variant: &VariantProfile| match variant.stack.transport().map(|it| &it.program) {
            // A file is right, whether or not its stack is built, or built anew.
            Some(Program::Built(name)) => self.is_known(stack_in(name)) && self.lacking(name).is_some(),
            Some(Program::Command(_)) => !self.may_start,
            None => true,
        };
        self.check(variants.iter().filter(|variant| !is_to_come(variant)))
    }

    /// Why an engine cannot make runs.
    fn lacking(&self, name: &str) -> Option<String> {
        let build = match name.split_once('@') {
            None => format!("`windlull stacks build {name}` builds it"),
            Some((stack, build)) => {
                format!("`windlull stacks build {stack} --name {build}` with `--version` or `--path` builds it")
            }
        };
        let engine = file(self.directory, name);
        let output = match Command::new(&engine).arg("version").stdin(Stdio::null()).output() {
            Ok(output) => output,
            Err(error) => {
                let where_ = self.directory.display();
                let help = self.meant(stack_in(name)).unwrap_or(build);
                return Some(match error.kind() {
                    ErrorKind::NotFound => format!("there is no stack {name:?} in {where_}; {help}"),
                    _ => format!("the stack {name:?} in {where_} cannot be started ({error}); {help}"),
                });
            }
        };
        match serde_json::from_slice::<Version>(&output.stdout) {
            Ok(version) if version.sources == SOURCES => None,
            _ => Some(format!(
                "the stack {name:?} was built into an engine of other sources than this one; {build} anew"
            )),
        }
    }

    /// Whether a stack of this name was built, or a variant that is shipped is of it.
    fn is_known(&self, stack: &str) -> bool {
        self.names().iter().any(|name| name == stack)
    }

    /// What may be meant by the name of a stack that nobody knows.
    fn meant(&self, stack: &str) -> Option<String> {
        let names = self.names();
        let meant = nearest(stack, names.iter().map(String::as_str)).filter(|_| !self.is_known(stack))?;
        Some(format!("do you mean {meant}? (`windlull stacks list` has all)"))
    }

    fn names(&self) -> BTreeSet<String> {
        let there = fs::read_dir(self.directory).into_iter().flatten().flatten();
        let built = there.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let shipped = self.library.names(Kind::Variant).into_iter().filter_map(|variant| {
            let Ok(Resolved::Variant(variant)) =
                show(self.library, &format!("variants/{variant}")).map(|it| it.resolved)
            else {
                return None;
            };
            match &variant.stack.transport()?.program {
                Program::Built(name) => Some(name.clone()),
                Program::Command(_) => None,
            }
        });
        built.chain(shipped).map(|name| stack_in(&name).to_owned()).collect()
    }

    /// Why a stack that is there cannot be what a variant makes of it.
    fn unfit(&self, transport: &Transport) -> Option<String> {
        match &transport.program {
            Program::Command(_) if !self.may_start => {
                Some("it is a program, and a service starts none on its own machine".to_owned())
            }
            Program::Command(command) => no_program(command),
            Program::Built(name) if stacks::is_here(&transport.program) => {
                stacks::begin(name, &transport.options).err().map(|Broken(why)| why)
            }
            Program::Built(name) => {
                let options = serde_json::to_string(&transport.options).expect("texts by their names");
                let engine = file(self.directory, name);
                let asked = Command::new(engine)
                    .args(["stacks", "--begin", name, &options])
                    .output();
                // One that cannot be asked is told of by its version.
                let refusal = asked.ok().filter(|output| output.status.code() == Some(2))?;
                Some(without_prefixes(&refusal.stderr, "; "))
            }
        }
    }
}

/// What is said of an engine in `windlull-engine version`.
#[derive(Deserialize)]
struct Version {
    sources: String,
}

/// `quinn` of `quinn@mine`.
fn stack_in(name: &str) -> &str {
    name.split_once('@').map_or(name, |(stack, _)| stack)
}

/// Why a program cannot be started: there is none where it is looked for.
fn no_program(command: &[String]) -> Option<String> {
    let program = command.first()?;
    let is_there = |place: PathBuf| place.is_file();
    if program.contains('/') {
        return (!is_there(PathBuf::from(program))).then(|| {
            format!("there is no program {program}; a relative path is taken from where the command is started")
        });
    }
    let path = env::var_os("PATH");
    let mut places = env::split_paths(path.as_deref().unwrap_or_else(|| OsStr::new("")));
    (!places.any(|place| is_there(place.join(program)))).then(|| format!("there is no program {program} in PATH"))
}
