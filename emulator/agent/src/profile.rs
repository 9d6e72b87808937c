//! Links by name or as text: the engine's own parser, its words and its problems.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use windlull_link::model::{LinkModel, PathModel};
use windlull_profile::{Disk, Files, Library, Link, Problem, Problems};
use windlull_units::Span;

/// A link that can stand.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) model: LinkModel,
}

/// One thing that is wrong with a profile, as the engine's `--errors json` tells it.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Complaint {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<String>,
}

/// A folder that no disk has, for the text that somebody sent.
const SENT_FOLDER: &str = "sent";
const SENT: &str = "sent/profile.toml";

impl Profile {
    /// The link that does nothing to packets.
    pub(crate) fn transparent() -> Self {
        Self {
            name: "transparent".to_owned(),
            title: "Transparent: no limit, no delay, no loss".to_owned(),
            model: LinkModel::symmetric(PathModel::plain(None, Span::ZERO)),
        }
    }

    /// One of the profiles directories, which are read anew.
    pub(crate) fn named(profiles: &[PathBuf], name: &str) -> Result<Self, Problems> {
        Self::load(&Library::of(profiles.to_vec(), Disk).confined(), name)
    }

    /// The one that this text is. It may extend one of the profiles directories.
    pub(crate) fn sent(profiles: &[PathBuf], text: &str) -> Result<Self, Problems> {
        let mut roots = profiles.to_vec();
        roots.push(SENT_FOLDER.into());
        let files = Sent { text: text.to_owned() };
        Self::load(&Library::of(roots, files).confined(), SENT)
    }

    /// As a person names it at the command line: also by the path of a file.
    pub(crate) fn asked(profiles: &[PathBuf], name: &str) -> Result<Self, Problems> {
        Self::load(&Library::of(profiles.to_vec(), Disk), name)
    }

    fn load(library: &Library, name: &str) -> Result<Self, Problems> {
        let link = Link::load(library, name)?;
        Ok(Self {
            name: link.name,
            title: link.title,
            model: link.model,
        })
    }
}

/// The disk, and one text that is not on it.
struct Sent {
    text: String,
}

impl Files for Sent {
    fn read(&self, path: &Path) -> io::Result<String> {
        match path {
            path if path == Path::new(SENT) => Ok(self.text.clone()),
            path if path.starts_with(SENT_FOLDER) => Err(io::ErrorKind::NotFound.into()),
            path => Disk.read(path),
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        match folder.starts_with(SENT_FOLDER) {
            true => Ok(Vec::new()),
            false => Disk.list(folder),
        }
    }
}

impl From<&Problem> for Complaint {
    fn from(problem: &Problem) -> Self {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Self {
            file: given(&problem.file),
            line: problem.line,
            column: problem.column,
            key: given(&problem.key),
            message: problem.defect.to_string(),
            suggestion: problem.defect.suggestion().map(str::to_owned),
        }
    }
}

impl Complaint {
    /// Of a key of the request itself.
    pub(crate) fn of_key(key: &str, message: impl Into<String>) -> Self {
        Self {
            key: Some(key.to_owned()),
            message: message.into(),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shipped() -> Vec<PathBuf> {
        vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles")]
    }

    #[test]
    fn a_text_may_extend_what_is_shipped() {
        let profile = Profile::sent(&shipped(), "title = \"Mine\"\nextends = \"gprs\"\n").expect("a link");
        let gprs = Profile::named(&shipped(), "gprs").expect("a link");
        assert_eq!((profile.name.as_str(), profile.title.as_str()), ("profile", "Mine"));
        assert_eq!(profile.model, gprs.model);
    }

    #[test]
    fn what_is_wrong_is_said_in_the_engines_words() {
        let problems = Profile::sent(&shipped(), "title = \"x\"\n[both]\ndelayy = \"1 s\"\n").expect_err("a wrong key");
        let complaints: Vec<Complaint> = problems.iter().map(Complaint::from).collect();
        let told = serde_json::to_value(&complaints).expect("JSON");
        assert_eq!(told[0]["line"], 3);
        assert_eq!(told[0]["file"], SENT);
        assert_eq!(told[0]["suggestion"], "delay");
    }

    #[test]
    fn no_file_outside_the_directories_is_read() {
        let text = "title = \"x\"\n[both]\nrate = { kind = \"trace\", file = \"/etc/passwd\" }\n";
        let problems = Profile::sent(&shipped(), text).expect_err("a file outside");
        assert!(problems.to_string().contains("/etc/passwd"), "{problems}");
        assert!(!problems.to_string().contains("root:"), "{problems}");
        assert!(Profile::named(&shipped(), "../experiments/x.toml").is_err());
    }
}
