//! Questions about a library: what there is, what a name stands for, whether a file is right.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use windlull_profile::file::Family;
use windlull_profile::{Defect, Kind, Library, Link, Located, MOST_EXTENDS, Problems, asked, is_scenario};

use crate::experiment::Experiment;
use crate::kinds::kind_by_keys;
use crate::live::Testbed;
use crate::plan::{Plan, PlannedLink, PlannedVariant, PlannedWorkload};
use crate::variant::VariantProfile;
use crate::workload::Workload;

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ListedDocument")]
pub struct Listed {
    /// The name to ask for.
    pub name: String,
    /// What it is; empty if its file cannot be read.
    pub title: String,
    /// Where it comes from; empty if it does not say.
    pub source: String,
    /// What it says of itself beside its title; empty if it does not.
    pub description: String,
    /// The family of a link, its own or that of the link it builds on; null if neither says, and of other kinds.
    pub family: Option<Family>,
}

/// What a name stands for.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Document")]
pub struct Shown {
    /// `link`, `variant`, `workload` or `experiment`.
    pub kind: &'static str,
    pub name: String,
    /// The path of its file.
    pub file: String,
    /// The text of its file.
    pub toml: String,
    /// What that means, all names and defaults resolved.
    pub resolved: Resolved,
}

/// A valid thing of any kind; serialises as its plan does.
#[derive(Clone, Debug)]
pub enum Resolved {
    Link(Box<Link>),
    Variant(Box<VariantProfile>),
    Workload(Box<Workload>),
    Experiment(Box<Experiment>),
}

impl JsonSchema for Resolved {
    fn schema_name() -> Cow<'static, str> {
        "Resolved".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            generator.subschema_for::<PlannedLink<'_>>(),
            generator.subschema_for::<PlannedVariant<'_>>(),
            generator.subschema_for::<PlannedWorkload<'_>>(),
            generator.subschema_for::<Plan<'_>>(),
        ] })
    }
}

impl Serialize for Resolved {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Link(link) => PlannedLink::of(link).serialize(serializer),
            Self::Variant(variant) => PlannedVariant::of(variant, Testbed::ALL).serialize(serializer),
            Self::Workload(workload) => PlannedWorkload::of(workload).serialize(serializer),
            Self::Experiment(experiment) => experiment.plan(Testbed::ALL).serialize(serializer),
        }
    }
}

/// Everything of a kind in the library, by name, but for what is a base of others alone. A file that cannot be read is listed
/// without a title.
pub fn list(library: &Library, kind: Kind) -> Vec<Listed> {
    let listed = |name: String| {
        let (located, table) = table_of(library, kind, &name, None).unwrap_or_default();
        let value = |key| text_at(&table, key).unwrap_or_default().to_owned();
        let family = if kind == Kind::Link {
            family_of(library, &located, &table)
        } else {
            None
        };
        let base = table.get("base").and_then(toml::Value::as_bool) == Some(true);
        (!base).then(|| Listed {
            title: value("title"),
            source: value("source"),
            description: value("description"),
            family,
            name,
        })
    };
    library.names(kind).into_iter().filter_map(listed).collect()
}

/// A file of a name as a table, right or wrong; `None` if there is none, or if it is no TOML.
fn table_of(library: &Library, kind: Kind, name: &str, beside: Option<&Path>) -> Option<(PathBuf, toml::Table)> {
    let path = library.locate(kind, name, beside, &asked).ok()?.path;
    let text = library.text(&path.display().to_string(), None, &asked).ok()?;
    Some((path, text.parse().ok()?))
}

fn text_at<'t>(table: &'t toml::Table, key: &str) -> Option<&'t str> {
    table.get(key).and_then(toml::Value::as_str)
}

/// The family of a link, or of the nearest that it builds on. A link may be listed that is not right.
fn family_of(library: &Library, path: &Path, table: &toml::Table) -> Option<Family> {
    let (mut path, mut table) = (path.to_owned(), table.clone());
    for _ in 0..MOST_EXTENDS {
        if let Some(family) = table.get("family") {
            return family.clone().try_into().ok();
        }
        (path, table) = table_of(library, Kind::Link, text_at(&table, "extends")?, Some(&path))?;
    }
    None
}

/// What a name (or the path of a file) of any kind stands for. `links/gprs` names the link where others have its name.
///
/// # Errors
/// If there is none or more than one of that name, and all that is wrong with the file and with those it names.
pub fn show(library: &Library, name: &str) -> Result<Shown, Problems> {
    let (kind, located) = find(library, name)?;
    let resolved = load(library, kind, &located)?;
    let file = located.path.display().to_string();
    let toml = library.text(&file, None, &asked)?;
    Ok(Shown {
        kind: kind.name(),
        name: located.name,
        file,
        toml,
        resolved,
    })
}

/// Whether a file (or the name of one) and all it names are right.
///
/// # Errors
/// All that is wrong.
pub fn check(library: &Library, name: &str) -> Result<(), Problems> {
    match find(library, name)? {
        (Kind::Experiment, located) => Experiment::check(library, &located),
        (kind, located) => load(library, kind, &located).map(|_| ()),
    }
}

fn load(library: &Library, kind: Kind, located: &Located) -> Result<Resolved, Problems> {
    Ok(match kind {
        Kind::Link => Resolved::Link(Link::load_from(library, located)?.into()),
        Kind::Variant => Resolved::Variant(VariantProfile::load_from(library, located)?.into()),
        Kind::Workload => Resolved::Workload(Workload::load_from(library, located)?.into()),
        Kind::Experiment => Resolved::Experiment(Experiment::load_from(library, located)?.into()),
    })
}

fn find(library: &Library, name: &str) -> Result<(Kind, Located), Problems> {
    if name.ends_with(".toml") {
        let text = library.text(name, None, &asked)?;
        let kind = kind_of(Path::new(name), &text);
        return Ok((kind, library.locate(kind, name, None, &asked)?));
    }
    if is_scenario(name) {
        return Ok((Kind::Link, library.locate(Kind::Link, name, None, &asked)?));
    }
    let mut known = Vec::new();
    let mut found = Vec::new();
    for kind in Kind::ALL {
        let inner = name.strip_prefix(kind.folder()).and_then(|rest| rest.strip_prefix('/'));
        let names = library.names(kind);
        if let Some(match_) = names
            .iter()
            .find(|known| *known == name || Some(known.as_str()) == inner)
        {
            found.push((kind, match_.clone()));
        }
        known.extend(names);
    }
    match found.as_slice() {
        [(kind, name)] => Ok((*kind, library.locate(*kind, name, None, &asked)?)),
        [] => {
            known.sort();
            known.dedup();
            let kind = "link, variant, workload or experiment";
            Err(asked(library.unknown(kind, name, known, true)).into())
        }
        several => {
            let candidates = several
                .iter()
                .map(|(kind, name)| format!("{}/{name}", kind.folder()))
                .collect();
            Err(asked(Defect::AmbiguousName {
                name: name.to_owned(),
                candidates,
            })
            .into())
        }
    }
}

/// What kind of file this is: by the folder it lies in, else by the keys it has.
fn kind_of(path: &Path, text: &str) -> Kind {
    let folders = path
        .parent()
        .into_iter()
        .flat_map(Path::components)
        .filter_map(|part| part.as_os_str().to_str());
    let by_folder = folders
        .filter_map(|folder| Kind::ALL.into_iter().find(|kind| kind.folder() == folder))
        .next_back();
    by_folder.unwrap_or_else(|| kind_by_keys(text))
}
