//! Links by name or as text: the engine's own parser, its words and its problems.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use windlull_link::model::{LinkModel, PathModel};
use windlull_profile::{Disk, Files, Kind, Library, Link, Problems};
use windlull_units::Span;

/// A link that can stand.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) model: LinkModel,
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

    /// One of those that were sent, or of the profiles directories, which are read anew.
    pub(crate) fn named(profiles: &[PathBuf], name: &str, sent: Sent) -> Result<Self, Problems> {
        Self::load(&sent.beside(profiles), name)
    }

    /// The one that this text is. It may extend those that were sent, and those of the profiles directories.
    pub(crate) fn sent(profiles: &[PathBuf], text: &str, mut sent: Sent) -> Result<Self, Problems> {
        sent.0.insert(SENT.into(), text.to_owned());
        Self::load(&sent.beside(profiles), SENT)
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

/// Texts that somebody sent, as files beside those of the disk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sent(BTreeMap<PathBuf, String>);

impl Sent {
    /// These links, by their names.
    pub(crate) fn links(texts: BTreeMap<String, String>) -> Self {
        let folder = Path::new(SENT_FOLDER).join(Kind::Link.folder());
        let file = |(name, text)| (folder.join(format!("{name}.toml")), text);
        Self(texts.into_iter().map(file).collect())
    }

    fn beside(self, profiles: &[PathBuf]) -> Library {
        let mut roots = profiles.to_vec();
        roots.push(SENT_FOLDER.into());
        Library::of(roots, self).confined()
    }
}

impl Files for Sent {
    fn read(&self, path: &Path) -> io::Result<String> {
        match path.starts_with(SENT_FOLDER) {
            true => self.0.read(path),
            false => Disk.read(path),
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        match folder.starts_with(SENT_FOLDER) {
            true => self.0.list(folder),
            false => Disk.list(folder),
        }
    }
}

#[cfg(test)]
mod tests {
    use windlull_profile::Complaint;

    use super::*;

    fn shipped() -> Vec<PathBuf> {
        vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles")]
    }

    #[test]
    fn a_text_may_extend_what_is_shipped() {
        let text = "title = \"Mine\"\nextends = \"gprs\"\n";
        let profile = Profile::sent(&shipped(), text, Sent::default()).expect("a link");
        let gprs = Profile::named(&shipped(), "gprs", Sent::default()).expect("a link");
        assert_eq!((profile.name.as_str(), profile.title.as_str()), ("profile", "Mine"));
        assert_eq!(profile.model, gprs.model);
    }

    #[test]
    fn a_link_that_was_sent_has_its_name_and_others_build_on_it() {
        let text = |base: &str| format!("title = \"Mine\"\nextends = \"{base}\"\n");
        let texts = [("mine", text("folder/base")), ("folder/base", text("gprs"))];
        let sent = Sent::links(texts.map(|(name, text)| (name.to_owned(), text)).into());
        let gprs = Profile::named(&shipped(), "gprs", sent.clone()).expect("a link");
        let mine = Profile::named(&shipped(), "mine", sent.clone()).expect("a link");
        assert_eq!((mine.name.as_str(), &mine.model), ("mine", &gprs.model));
        let other = Profile::sent(&shipped(), &text("mine"), sent).expect("a link");
        assert_eq!(other.model, gprs.model);
        assert!(Profile::named(&shipped(), "mine", Sent::default()).is_err());
    }

    #[test]
    fn what_is_wrong_is_said_in_the_engines_words() {
        let text = "title = \"x\"\n[both]\ndelayy = \"1 s\"\n";
        let problems = Profile::sent(&shipped(), text, Sent::default()).expect_err("a wrong key");
        let complaints: Vec<Complaint> = problems.iter().map(Complaint::from).collect();
        let told = serde_json::to_value(&complaints).expect("JSON");
        assert_eq!(told[0]["line"], 3);
        assert_eq!(told[0]["file"], SENT);
        assert_eq!(told[0]["suggestion"], "delay");
    }

    #[test]
    fn no_file_outside_the_directories_is_read() {
        let text = "title = \"x\"\n[both]\nrate = { kind = \"trace\", file = \"/etc/passwd\" }\n";
        let problems = Profile::sent(&shipped(), text, Sent::default()).expect_err("a file outside");
        assert!(problems.to_string().contains("/etc/passwd"), "{problems}");
        assert!(!problems.to_string().contains("root:"), "{problems}");
        assert!(Profile::named(&shipped(), "../experiments/x.toml", Sent::default()).is_err());
    }
}
