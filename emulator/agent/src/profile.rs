//! Links by name or as text: the engine's own parser, its words and its problems.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use windlull_link::model::{LinkModel, PathModel};
use windlull_profile::{Defect, Disk, Files, Kind, Library, Link, Problem, Problems};
use windlull_units::Span;

/// A link that can stand.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) model: LinkModel,
    pub(crate) source: Source,
}

/// What a link is read from, and can be read from again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(crate) enum Source {
    /// The link that does nothing to packets.
    Transparent {},
    /// A name at the command line, or the path of a file.
    Asked { name: String },
    /// A name among these texts and the profiles directories.
    Named {
        name: String,
        links: BTreeMap<String, String>,
    },
    /// A text, which may extend those.
    Text {
        text: String,
        links: BTreeMap<String, String>,
    },
}

/// The name of the link that does nothing to packets.
pub(crate) const TRANSPARENT: &str = "transparent";

/// A folder that no disk has, for the text that somebody sent.
const SENT_FOLDER: &str = "sent";
const SENT: &str = "sent/profile.toml";

impl Profile {
    /// Reads it. The profiles directories are read anew; only what was asked for at the command line may lie elsewhere.
    pub(crate) fn read(profiles: &[PathBuf], source: Source) -> Result<Self, Problems> {
        let link = match &source {
            Source::Transparent {} => {
                return Ok(Self {
                    name: TRANSPARENT.to_owned(),
                    title: "Transparent: no limit, no delay, no loss".to_owned(),
                    model: LinkModel::symmetric(PathModel::plain(None, Span::ZERO)),
                    source,
                });
            }
            Source::Asked { name } => Link::load(&Library::of(profiles.to_vec(), Disk), name)?,
            Source::Named { name, links } => Link::load(&Sent::links(links).beside(profiles), name)?,
            Source::Text { text, links } => {
                let mut sent = Sent::links(links);
                sent.0.insert(SENT.into(), text.clone());
                Link::load(&sent.beside(profiles), SENT)?
            }
        };
        if link.model.replay.is_some() {
            return Err(no_end(&link));
        }
        Ok(Self {
            name: link.name,
            title: link.title,
            model: link.model,
            source,
        })
    }
}

/// A recording of packets ends, and the traffic of a link that stands does not.
fn no_end(link: &Link) -> Problems {
    let why = "plays what the packets of one run met, and a link that stands has no run; play it in an experiment: \
               `link = { fates = \"fates.csv\" }`";
    Problems::from(Problem {
        file: link.path.display().to_string(),
        line: None,
        column: None,
        key: "replay".to_owned(),
        extended_by: Vec::new(),
        defect: Defect::Unfit(why.to_owned()),
    })
}

impl Source {
    /// The link of this name at the command line; the transparent one if it is its name, or if there is none.
    pub(crate) fn asked(name: Option<&str>) -> Self {
        match name {
            None | Some(TRANSPARENT) => Self::Transparent {},
            Some(name) => Self::Asked { name: name.to_owned() },
        }
    }

    /// The link of this name among those that were sent and those of the profiles directories.
    pub(crate) fn named(name: &str, links: BTreeMap<String, String>) -> Self {
        match name {
            TRANSPARENT => Self::Transparent {},
            name => Self::Named {
                name: name.to_owned(),
                links,
            },
        }
    }
}

/// Texts that somebody sent, as files beside those of the disk.
#[derive(Clone, Debug)]
struct Sent(BTreeMap<PathBuf, String>);

impl Sent {
    fn links(texts: &BTreeMap<String, String>) -> Self {
        let folder = Path::new(SENT_FOLDER).join(Kind::Link.folder());
        let file = |(name, text): (&String, &String)| (folder.join(format!("{name}.toml")), text.clone());
        Self(texts.iter().map(file).collect())
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

    fn resolved(&self, path: &Path) -> io::Result<PathBuf> {
        match path.starts_with(SENT_FOLDER) {
            true => self.0.resolved(path),
            false => Disk.resolved(path),
        }
    }

    fn is_ordinary(&self, path: &Path) -> bool {
        path.starts_with(SENT_FOLDER) || Disk.is_ordinary(path)
    }
}

#[cfg(test)]
mod tests {
    use windlull_profile::Complaint;

    use super::*;

    fn shipped() -> Vec<PathBuf> {
        vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles")]
    }

    fn links(sent: &[(&str, String)]) -> BTreeMap<String, String> {
        sent.iter()
            .map(|(name, text)| ((*name).to_owned(), text.clone()))
            .collect()
    }

    fn named(name: &str, sent: &[(&str, String)]) -> Result<Profile, Problems> {
        Profile::read(&shipped(), Source::named(name, links(sent)))
    }

    fn text_of(text: &str, sent: &[(&str, String)]) -> Result<Profile, Problems> {
        let (text, links) = (text.to_owned(), links(sent));
        Profile::read(&shipped(), Source::Text { text, links })
    }

    #[test]
    fn a_text_may_extend_what_is_shipped() {
        let text = "title = \"Mine\"\nextends = \"gprs\"\n";
        let profile = text_of(text, &[]).expect("a link");
        let gprs = named("gprs", &[]).expect("a link");
        assert_eq!((profile.name.as_str(), profile.title.as_str()), ("profile", "Mine"));
        assert_eq!(profile.model, gprs.model);
    }

    #[test]
    fn a_link_that_was_sent_has_its_name_and_others_build_on_it() {
        let text = |base: &str| format!("title = \"Mine\"\nextends = \"{base}\"\n");
        let sent = [("mine", text("folder/base")), ("folder/base", text("gprs"))];
        let gprs = named("gprs", &sent).expect("a link");
        let mine = named("mine", &sent).expect("a link");
        assert_eq!((mine.name.as_str(), &mine.model), ("mine", &gprs.model));
        let other = text_of(&text("mine"), &sent).expect("a link");
        assert_eq!(other.model, gprs.model);
        assert!(named("mine", &[]).is_err());
    }

    #[test]
    fn what_is_wrong_is_said_in_the_engines_words() {
        let text = "title = \"x\"\n[both]\ndelayy = \"1 s\"\n";
        let problems = text_of(text, &[]).expect_err("a wrong key");
        let complaints: Vec<Complaint> = problems.iter().map(Complaint::from).collect();
        let json = serde_json::to_value(&complaints).expect("JSON");
        assert_eq!(json[0]["line"], 3);
        assert_eq!(json[0]["file"], SENT);
        assert_eq!(json[0]["suggestion"], "delay");
    }

    #[test]
    fn what_replays_a_run_cannot_stand() {
        let row = "0,down,40,5,5,5,0,0,0,0,0,,delivered,6";
        let header = "id,direction,size_bytes,entered_ns,started_ns,sent_ns,held_ns,queue_packets,marked,corrupted,\
                      reordered,duplicate_of,end,end_ns";
        let text = format!("title = \"x\"\n[replay]\ncsv = \"{header}\\n{row}\"\n");
        let problems = text_of(&text, &[]).expect_err("a replay");
        assert!(
            problems.to_string().contains("a link that stands has no run"),
            "{problems}"
        );
    }

    #[test]
    fn no_file_outside_the_directories_is_read() {
        let text = "title = \"x\"\n[both]\nrate = { kind = \"trace\", file = \"/etc/passwd\" }\n";
        let problems = text_of(text, &[]).expect_err("a file outside");
        assert!(problems.to_string().contains("/etc/passwd"), "{problems}");
        assert!(!problems.to_string().contains("root:"), "{problems}");
        assert!(named("../experiments/x.toml", &[]).is_err());
    }
}
