//! A link profile: found, read, laid over what it extends, and made into a model.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use windlull_link::model::{Impairment, LinkModel, PathModel, RateModel, Rebinding, Recording, ReplayModel, Start};
use windlull_units::{Bytes, Time};

use crate::convert::{Converter, PathParts};
use crate::document::{Document, KeyPlaces};
use crate::file::{Family, LinkFile, ReplayFile};
use crate::library::{Kind, Library, Located, asked};
use crate::light;
use crate::problem::{Defect, Problem, Problems};
use crate::queue;
use crate::replay;
use crate::script::{Placed, overlaps};
use crate::service;
use crate::summary::{self, Fact};
use crate::write;

/// A valid link profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// Its name in the library.
    pub name: String,
    pub path: PathBuf,
    /// What it is, in a line.
    pub title: String,
    pub description: Option<String>,
    /// Where its numbers come from.
    pub source: Option<String>,
    /// Which links it belongs to in lists: its own, else that of the link it builds on.
    pub family: Option<Family>,
    pub model: LinkModel,
}

impl Link {
    /// Loads a link by its name or path.
    ///
    /// # Errors
    /// All that is wrong with its file and with those it extends.
    pub fn load(library: &Library, name: &str) -> Result<Self, Problems> {
        Self::load_from(library, &library.locate(Kind::Link, name, None, &asked)?)
    }

    /// Loads a link that was located already.
    ///
    /// # Errors
    /// As [`Link::load`].
    pub fn load_from(library: &Library, located: &Located) -> Result<Self, Problems> {
        let mut loader = Loader {
            library,
            problems: Vec::new(),
        };
        let parts = loader.parts(located, &mut Vec::new());
        if let Some(parts) = &parts {
            loader.check_whole(parts);
        }
        Problems::unless_none(loader.problems)?;
        let parts = parts.expect("a file that has no parts has problems");
        let model = match parts.replay {
            Some(replay) => replay::link_of(replay),
            None => LinkModel {
                down: finished(parts.down),
                up: finished(parts.up),
                impairments: parts.impairments,
                script: parts.script.into_iter().map(|placed| placed.entry).collect(),
                recording: parts.recording,
                replay: None,
                rebinding: parts.rebinding,
                start: parts.start.unwrap_or_default(),
            },
        };
        Ok(Self {
            name: located.name.clone(),
            path: located.path.clone(),
            title: parts.title,
            description: parts.description,
            source: parts.source,
            family: parts.family,
            model,
        })
    }

    /// A link that plays what the packets of a run met, from a table at `key` of the file at `path`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn replaying(
        library: &Library,
        path: &Path,
        places: &KeyPlaces,
        key: &str,
        file: &ReplayFile,
    ) -> Result<Self, Problems> {
        let mut problems = Vec::new();
        let mut converter = Converter {
            library,
            path,
            places,
            problems: &mut problems,
        };
        let replay = converter.replay(key, file);
        Problems::unless_none(problems)?;
        let replay = replay.expect("what cannot be replayed has problems");
        let of = file.fates.as_deref().unwrap_or("a run");
        Ok(Self {
            name: "replay".to_owned(),
            path: path.to_owned(),
            title: format!("What the packets of {of} met"),
            description: None,
            source: None,
            family: None,
            model: replay::link_of(replay),
        })
    }

    /// What the link does, in lines for people.
    pub fn summary(&self) -> Vec<String> {
        summary::lines(&self.model)
    }

    /// What of it depends on packets, and hence has no instant before there is traffic.
    pub fn facts(&self) -> Vec<Fact> {
        summary::facts(&self.model)
    }

    /// The profile as one file without `extends`: reading it gives the same model. Results keep it, so that it has no
    /// `family`: where a link stands in lists is not part of a result.
    pub fn resolved(&self) -> LinkFile {
        let (title, description, source) = (self.title.clone(), self.description.clone(), self.source.clone());
        LinkFile {
            title,
            description,
            source,
            ..write::file_of(&self.model)
        }
    }
}

/// What a chain of files says, the last one winning.
#[derive(Default)]
struct LinkParts {
    places: Option<Rc<KeyPlaces>>,
    title: String,
    description: Option<String>,
    source: Option<String>,
    family: Option<Family>,
    down: PathParts,
    up: PathParts,
    impairments: Vec<Impairment>,
    script: Vec<Placed>,
    recording: Option<Recording>,
    replay: Option<ReplayModel>,
    rebinding: Option<Rebinding>,
    start: Option<Start>,
}

impl LinkParts {
    /// What is said of a link besides what it replays.
    fn beside_replay(&self) -> Option<&'static str> {
        let says = |path: &PathParts| *path != PathParts::default();
        [
            ("`both`, `down` and `up`", says(&self.down) || says(&self.up)),
            ("`impairment`", !self.impairments.is_empty()),
            ("`script`", !self.script.is_empty()),
            ("`recording`", self.recording.is_some()),
            ("`rebinding`", self.rebinding.is_some()),
            ("`start`", self.start.is_some()),
        ]
        .into_iter()
        .find_map(|(key, is_said)| is_said.then_some(key))
    }
}

struct Loader<'l> {
    library: &'l Library,
    problems: Vec<Problem>,
}

impl Loader<'_> {
    /// The parts of a file and of what it extends; `None` if it cannot be read at all.
    fn parts(&mut self, located: &Located, chain: &mut Vec<PathBuf>) -> Option<LinkParts> {
        let (file, path) = (located.path.display().to_string(), located.path.as_path());
        let read = self.library.text(&file, None, &asked);
        let document = match read.and_then(|text| Document::<LinkFile>::read(&file, &text)) {
            Ok(document) => document,
            Err(problems) => {
                self.problems.extend(problems.into_vec());
                return None;
            }
        };
        chain.push(located.path.clone());
        let places = Rc::new(document.places);
        let written = document.value;
        let mut parts = match &written.extends {
            Some(name) => self.base(name, &places, located, chain)?,
            None => LinkParts::default(),
        };
        let mut converter = Converter {
            library: self.library,
            path,
            places: &places,
            problems: &mut self.problems,
        };
        let both = written
            .both
            .map(|both| converter.path("both", both))
            .unwrap_or_default();
        let down = written
            .down
            .map(|down| converter.path("down", down))
            .unwrap_or_default();
        let up = written.up.map(|up| converter.path("up", up)).unwrap_or_default();
        parts.down = down.over(both.clone()).over(parts.down);
        parts.up = up.over(both).over(parts.up);
        for impairment in converter.impairments(written.impairment, &parts.impairments) {
            match parts.impairments.iter_mut().find(|known| known.name == impairment.name) {
                Some(known) => *known = impairment,
                None => parts.impairments.push(impairment),
            }
        }
        for (i, entry) in written.script.iter().enumerate() {
            let key = format!("script[{i}]");
            if let Some(entry) = converter.script(&key, entry) {
                parts.script.push(Placed {
                    entry,
                    places: Rc::clone(&places),
                    key,
                });
            }
        }
        if let Some(recording) = &written.recording {
            parts.recording = converter.recording("recording", recording);
        }
        if let Some(replay) = &written.replay {
            parts.replay = converter.replay("replay", replay);
        }
        let rebinding = written.rebinding.map(|rebinding| Rebinding {
            at: Time::ZERO + rebinding.at.0,
            every: rebinding.every.map(|every| every.0),
        });
        parts.rebinding = rebinding.or(parts.rebinding);
        parts.start = written.start.map(|start| start.0).or(parts.start);
        parts.title = written.title;
        parts.description = written.description.or(parts.description);
        parts.source = written.source.or(parts.source);
        parts.family = written.family.or(parts.family);
        parts.places = Some(places);
        Some(parts)
    }

    fn base(
        &mut self,
        name: &str,
        places: &KeyPlaces,
        beside: &Located,
        chain: &mut Vec<PathBuf>,
    ) -> Option<LinkParts> {
        let located = match self.library.base(Kind::Link, name, places, chain) {
            Ok(located) => located,
            Err(problems) => {
                self.problems.extend(problems.into_vec());
                return None;
            }
        };
        let before = self.problems.len();
        let parts = self.parts(&located, chain);
        let found = self.problems.split_off(before);
        if let Err(problems) = Problems::unless_none(found) {
            let asker = |defect| places.problem("extends", defect);
            let quoted = self.library.quoting(problems, &located.path, &beside.path, &asker);
            self.problems.extend(quoted.into_vec());
        }
        parts
    }

    /// What can be said only of all files together.
    fn check_whole(&mut self, parts: &LinkParts) {
        let places = parts.places.as_ref().expect("parts that were read have places");
        if parts.replay.is_some() {
            if let Some(other) = parts.beside_replay() {
                let why = format!(
                    "plays what packets met, and nothing else happens on such a link; leave out {other}, here and in what \
                     it extends, or `replay`"
                );
                self.problems.push(places.problem("replay", Defect::Unfit(why)));
            }
            return;
        }
        let given = |path: &PathParts| [path.rate.is_some(), path.delay.is_some(), path.queue.is_some()];
        let examples = [
            ("rate", "\"28.8 kbit/s\""),
            ("delay", "\"200 ms\""),
            ("queue", "{ kind = \"droptail\", limit = \"7 packets\" }"),
        ];
        for ((key, example), given) in examples.iter().zip(given(&parts.down).iter().zip(given(&parts.up))) {
            let (table, where_to) = match given {
                (true, true) => continue,
                (false, false) => ("both", "[both]"),
                (false, true) => ("down", "[both] or [down]"),
                (true, false) => ("up", "[both] or [up]"),
            };
            let what = format!("give it in {where_to}, as in `{key} = {example}`");
            // A table with problems of its own may have had the key.
            let key = format!("{table}.{key}");
            if !self
                .problems
                .iter()
                .any(|problem| problem.key.contains(key.trim_start_matches(table)))
            {
                self.problems.push(places.problem(&key, Defect::MissingKey { what }));
            }
        }
        for (way, path) in [("down", &parts.down), ("up", &parts.up)] {
            self.problems.extend(queue::without_rate(way, path, places));
            self.problems
                .extend(queue::apart(way, path, &parts.impairments, places));
            self.problems.extend(service::misfits(way, path, places));
            self.problems.extend(light::misfits(way, path, places));
        }
        self.problems.extend(overlaps(&parts.script));
        if parts.start.is_some_and(|start| !start.is_beginning()) && self.problems.is_empty() && !repeats(parts) {
            let why = "nothing of this link repeats: give the recording or a stepped rate a `period`, or leave it out";
            self.problems
                .push(places.problem("start", Defect::Unfit(why.to_owned())));
        }
    }
}

/// Whether something of the link begins again after a period.
fn repeats(parts: &LinkParts) -> bool {
    let rate = |path: &PathParts| match &path.rate {
        Some(Some(RateModel::Trace { .. })) => true,
        Some(Some(RateModel::Stepped { period, .. })) => period.is_some(),
        _ => light::repeats(path),
    };
    let recording = parts.recording.as_ref();
    recording.is_some_and(|it| it.period.is_some()) || rate(&parts.down) || rate(&parts.up)
}

fn finished(parts: PathParts) -> PathModel {
    PathModel {
        rate: parts.rate.expect("checked: every direction has a rate"),
        delay: parts.delay.expect("checked: every direction has a delay"),
        framing: parts.framing.unwrap_or(Bytes::ZERO),
        queue: parts.queue.expect("checked: every direction has a queue"),
        arq: parts.arq,
        allocation: parts.allocation,
        light: parts.light,
        service: parts.service,
        in_order: parts.in_order.unwrap_or_default(),
    }
}
