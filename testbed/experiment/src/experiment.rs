//! An experiment file: every name resolved, every claim checked against what is compared.

mod claims;

use std::collections::BTreeMap;
use std::iter;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;
use windlull_analysis::{METRICS, is_metric};
use windlull_profile::{
    Defect, Document, Extended, KeyPlaces, Kind, Library, Link, Located, Problem, Problems, asked, is_name, nearest,
};
use windlull_units::{Bytes, Network, Seed, Span};

use crate::error::SettingsError;
use crate::evidence::{Claim, Published, PublishedRow};
use crate::file::{
    self, ExperimentFile, FigureFile, LinkChoice, LiveFile, Peer, PublishedFile, SnaplenWord, WorkloadChoice,
};
use crate::kinds::kind_by_keys;
use crate::live::{LiveSettings, Testbed, peer_stack};
use crate::variant::{Laid, VariantProfile};
use crate::workload::{FlowSet, Workload};

/// An entry of a link's script that begins when the transport meets a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingEntry<'a> {
    /// The link's name.
    pub link: &'a str,
    /// Its number in the script, from 1.
    pub number: usize,
    /// What it waits for, as in the file.
    pub when: String,
    /// Whether the packets that pass the link tell it; otherwise the sender's state does.
    pub is_told_by_packets: bool,
}

/// A valid experiment: what a run of it needs, and what its report says.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name in the library.
    pub name: String,
    pub path: PathBuf,
    /// What it is, in a line.
    pub title: String,
    pub description: Option<String>,
    pub source: Option<String>,
    /// The links, in order of the file; their names differ. Where there are several workloads, each link is there with
    /// each of them in turn, and has both names.
    pub links: Vec<Link>,
    /// The variants, in order of the file, with the experiment's settings laid over them; their names differ.
    pub variants: Vec<VariantProfile>,
    /// The link between the shared one and each flow's client, if there is one.
    pub access: Option<Link>,
    /// The workloads, in order of the file; their names differ.
    pub workloads: Vec<Workload>,
    /// How many flows the first set has on each link, in order of the links, where that is not as the workload says.
    pub flows: Option<Vec<u32>>,
    /// The variants that sets of the workloads name as their own, settled as the compared ones are.
    pub others: Vec<VariantProfile>,
    /// The version of IP that packets have.
    pub network: Network,
    /// Runs of each variant on each link.
    pub repetitions: u32,
    /// The seed that all randomness comes from.
    pub seed: Seed,
    /// When a run is ended, in its own time.
    pub time_limit: Span,
    pub capture: Capture,
    /// How it runs on real kernels.
    pub live: LiveSettings,
    /// Published numbers.
    pub published: Option<Published>,
    /// The figures that it repeats.
    pub figures: Vec<FigureFile>,
    /// Claims to decide.
    pub claims: Vec<Claim>,
    /// What the source does not give, what was chosen, and why.
    pub assumptions: Vec<String>,
    /// What is laid over every variant.
    laid: Laid,
}

/// What captures keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capture {
    /// How much of each packet.
    pub snaplen: Snaplen,
}

/// How much of each packet a capture keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "KeptOctets")]
#[serde(rename_all = "lowercase")]
pub enum Snaplen {
    /// Every header whole, and no payload.
    #[default]
    Headers,
    Full,
    /// At most so much of the frame.
    Size(Bytes),
}

impl Experiment {
    /// Loads an experiment by its name or path, and all it names.
    ///
    /// # Errors
    /// All that is wrong with its file and with those it names.
    pub fn load(library: &Library, name: &str) -> Result<Self, Problems> {
        let located = library.locate(Kind::Experiment, name, None, &asked)?;
        let problems = match Self::load_from(library, &located) {
            Err(problems) => problems,
            loaded => return loaded,
        };
        // Said of a link, that it has no variants and knows no rate would be true and no help.
        let kind = kind_by_keys(&library.text(&located.path.display().to_string(), None, &asked)?);
        if kind == Kind::Experiment {
            return Err(problems);
        }
        let (name, is, needed) = (name.to_owned(), kind.with_article(), Kind::Experiment.with_article());
        Err(asked(Defect::OtherKind { name, is, needed }).into())
    }

    fn read(library: &Library, located: &Located) -> Result<Document<ExperimentFile>, Problems> {
        let extended = Extended::read(library, Kind::Experiment, located)?;
        match base_not_run(&extended) {
            Some(problem) => Err(problem.into()),
            None => extended.document(),
        }
    }

    /// Whether a file that was located already is right: an experiment with all it names, or a base with what it has
    /// itself.
    ///
    /// # Errors
    /// All that is wrong.
    pub fn check(library: &Library, located: &Located) -> Result<(), Problems> {
        let extended = Extended::read(library, Kind::Experiment, located)?;
        match base_not_run(&extended) {
            Some(_) => extended.check::<ExperimentFile>(),
            None => Self::load_from(library, located).map(|_| ()),
        }
    }

    /// Loads an experiment that was located already.
    ///
    /// # Errors
    /// As [`Experiment::load`].
    pub fn load_from(library: &Library, located: &Located) -> Result<Self, Problems> {
        let document = Self::read(library, located)?;
        let mut loader = Loader {
            library,
            path: &located.path,
            places: &document.places,
            problems: Vec::new(),
        };
        let file = document.value;
        let mut links = loader.links(&file);
        let laid = Laid {
            settings: file.tcp.unwrap_or_default(),
            stand_ins: file.stand_in.clone(),
            network: file.network.unwrap_or_default(),
        };
        let variants = loader.variants("variants", &file.variants, &laid, &[]);
        let repetitions = file.repetitions.unwrap_or(1);
        let time_limit = file.time_limit.map_or(Span::from_secs(3600), |limit| limit.0);
        let live = loader.live(&file, &laid, &variants, repetitions, time_limit);
        let workloads = loader.workloads(&file);
        let workloads_named = file.workloads.as_ref().map_or(1, Vec::len);
        let links_named = file.link.iter().len() + file.links.as_ref().map_or(0, Vec::len);
        loader.flows(file.flows.as_deref(), links_named);
        let access = file.access.as_ref();
        let access = access.and_then(|name| loader.find(Kind::Link, "access", name, Link::load_from));
        if let Some(access) = &access {
            loader.rebinds_nothing("access", access);
        }
        loader.replays(&links, access.as_ref(), &workloads, file.flows.as_deref());
        loader.waits(access.as_ref());
        let others = loader.others(&workloads, &laid);
        // A claim on a variant that could not be loaded is no problem of its own.
        let joined = file.live.as_ref().map_or(0, |live| live.variants.len());
        let names = (variants.len() == file.variants.len()).then(|| names_of(&variants));
        let published = file
            .published
            .map(|published| loader.published(published, names.as_deref(), links.first()));
        // Of those that join on kernels too: a claim is decided wherever both its variants ran.
        let joining = names.filter(|_| live.variants.len() == joined);
        let claimable = joining.map(|names| [names, names_of(&live.variants)].concat());
        // Nor is one on a link that could not be loaded.
        let known = links.len() == links_named && (workloads_named == 1 || workloads.len() == workloads_named);
        if workloads_named > 1 {
            links = with_each(&links, &workloads);
        }
        let carrying = known.then(|| links.iter().map(|link| link.name.clone()).collect::<Vec<_>>());
        let claims = loader.claims(file.claim, claimable.as_deref(), carrying.as_deref());
        let compared = Compared {
            links: carrying.as_deref(),
            flows: workloads
                .iter()
                .flat_map(|workload| flows_of(workload, file.flows.as_deref()))
                .collect(),
        };
        let figures = loader.figures(file.figure, file.figures, &compared);
        Problems::unless_none(loader.problems)?;
        Ok(Self {
            name: located.name.clone(),
            path: located.path.clone(),
            title: file.title,
            description: file.description,
            source: file.source,
            links,
            variants,
            access,
            flows: file.flows.map(|numbers| {
                let of_link = |flows: u32| iter::repeat_n(flows, workloads_named);
                numbers.into_iter().flat_map(of_link).collect()
            }),
            workloads,
            others,
            network: laid.network,
            repetitions,
            seed: file.seed.map_or(Seed::new(1), |seed| seed.0),
            time_limit,
            capture: Capture {
                snaplen: match file.capture.and_then(|capture| capture.snaplen) {
                    None | Some(file::Snaplen::Word(SnaplenWord::Headers)) => Snaplen::Headers,
                    Some(file::Snaplen::Word(SnaplenWord::Full)) => Snaplen::Full,
                    Some(file::Snaplen::Size(size)) => Snaplen::Size(size.0),
                },
            },
            live,
            published,
            figures,
            claims,
            assumptions: file.assumptions,
            laid,
        })
    }

    /// Whether a figure shows every flow of a run, so that the columns of all their diagrams are kept.
    pub fn draws_conversations(&self) -> bool {
        self.figures
            .iter()
            .any(|figure| matches!(figure, FigureFile::Conversations))
    }

    /// The same experiment of these variants instead of its own: names of the library or paths, with its settings laid
    /// over them, each on the kernel or of the build that it names, as in `linux@base`. The figures go, and
    /// claims and published rows of others.
    ///
    /// # Errors
    /// All that is wrong with the names and the files they stand for; a name that is there twice.
    pub fn of_variants(mut self, library: &Library, names: &[String]) -> Result<Self, Problems> {
        let places = KeyPlaces::outside();
        let path = self.path.clone();
        let mut loader = Loader {
            library,
            path: &path,
            places: &places,
            problems: Vec::new(),
        };
        let variants = loader.variants("--variants", names, &self.laid, &[]);
        Problems::unless_none(loader.problems)?;
        let there = |name: &String| variants.iter().any(|variant| variant.name == *name);
        self.claims
            .retain(|claim| there(&claim.left) && claim.right.as_ref().is_none_or(there));
        if let Some(published) = &mut self.published {
            published.rows.retain(|row| there(&row.variant));
        }
        // They are of the variants that the experiment names.
        self.figures.clear();
        self.variants = variants;
        self.live.variants.clear();
        Ok(self)
    }

    /// The experiment as it is on this testbed: with real kernels, with the variants and the time limit of its `[live]`
    /// table; in real time, with its repetitions.
    #[must_use]
    pub fn on(mut self, testbed: Testbed) -> Self {
        if testbed.has_kernel() {
            self.variants.append(&mut self.live.variants);
            self.time_limit = self.live.time_limit;
        }
        if testbed.is_live() {
            self.repetitions = self.live.repetitions;
        }
        self
    }

    /// What a run on this link transfers.
    ///
    /// # Panics
    /// If no link of the experiment has this name.
    pub fn workload_on(&self, link: &str) -> &Workload {
        &self.workloads[self.place_of(link) % self.workloads.len()]
    }

    /// The place of a link of this name.
    fn place_of(&self, link: &str) -> usize {
        let named = |known: &Link| known.name == link;
        self.links.iter().position(named).expect("a link of the experiment")
    }

    /// The sets of flows of a run on this link.
    pub fn sets_on(&self, link: &str) -> Vec<FlowSet> {
        let mut sets = self.workload_on(link).sets.clone();
        if let (Some(flows), Some(first)) = (self.flows_on(link), sets.first_mut()) {
            first.flows = flows;
        }
        sets
    }

    /// How many flows the workload's first set has on this link, where that is not as the workload says.
    pub fn flows_on(&self, link: &str) -> Option<u32> {
        self.flows.as_ref()?.get(self.place_of(link)).copied()
    }

    /// What speaks in a set of flows where this variant is compared: it, or the set's own.
    pub fn variant_of<'a>(&'a self, set: &FlowSet, compared: &'a VariantProfile) -> &'a VariantProfile {
        let named = |name: &String| self.others.iter().find(|other| other.name == *name);
        set.variant.as_ref().and_then(named).unwrap_or(compared)
    }

    /// The links that have a queue which a kernel alone has, each with the queue's kind: nothing here simulates them.
    pub fn queues_of_kernels(&self) -> Vec<(&str, &'static str)> {
        let links = self.links.iter().chain(&self.access);
        links
            .filter_map(|link| Some((link.name.as_str(), link.model.queue_of_a_kernel()?)))
            .collect()
    }

    /// The entries of links' scripts that wait for a transport.
    pub fn waiting_entries(&self) -> Vec<WaitingEntry<'_>> {
        let mut waiting = Vec::new();
        for link in self.links.iter().chain(&self.access) {
            let conditions = link.model.transport_conditions();
            waiting.extend(conditions.map(|(entry, when)| WaitingEntry {
                link: &link.name,
                number: entry + 1,
                when: when.to_string(),
                is_told_by_packets: when.is_told_by_packets(),
            }));
        }
        waiting
    }

    /// Whether programs of somebody's own are the workload.
    pub fn is_by_commands(&self) -> bool {
        self.workloads.iter().any(|workload| workload.commands.is_some())
    }

    /// How many runs there are.
    pub fn runs(&self) -> u64 {
        self.links.len() as u64 * self.variants.len() as u64 * u64::from(self.repetitions)
    }
}

/// That a base is no experiment to run, if this is one.
fn base_not_run(extended: &Extended) -> Option<Problem> {
    let why = "makes this a part of other experiments, not one to run; name one that extends it";
    extended.says("base", Defect::Unfit(why.to_owned()))
}

/// How many flows there are on each link, or on every one.
fn flows_of(workload: &Workload, first: Option<&[u32]>) -> Vec<u32> {
    let sets = &workload.sets;
    let beside: u32 = sets.iter().skip(1).map(|set| set.flows).sum();
    first.map_or_else(
        || vec![beside + sets.first().map_or(0, |set| set.flows)],
        |numbers| numbers.iter().map(|flows| flows + beside).collect(),
    )
}

/// Each link with each workload in turn, by both names.
fn with_each(links: &[Link], workloads: &[Workload]) -> Vec<Link> {
    let named = |link: &Link, workload: &Workload| Link {
        name: format!("{}+{}", link.name, workload.name),
        title: format!("{}; {}", link.title, workload.title),
        ..link.clone()
    };
    links
        .iter()
        .flat_map(|link| workloads.iter().map(move |workload| named(link, workload)))
        .collect()
}

/// What is wrong with so many numbers for so many others.
fn one_for_each(numbers: usize, others: usize, one: &str) -> String {
    let counted = |number: usize, one: &str| format!("{number} {one}{}", if number == 1 { "" } else { "s" });
    let (numbers, others) = (counted(numbers, "number"), counted(others, one));
    format!("has {numbers} for {others}; give one for each {one}")
}

fn names_of(variants: &[VariantProfile]) -> Vec<String> {
    variants.iter().map(|variant| variant.name.clone()).collect()
}

/// What figures are of, as far as it is known.
struct Compared<'a> {
    links: Option<&'a [String]>,
    /// How many flows there are in the runs; none if it is not known.
    flows: Vec<u32>,
}

struct Loader<'a> {
    library: &'a Library,
    path: &'a Path,
    places: &'a KeyPlaces,
    problems: Vec<Problem>,
}

impl Loader<'_> {
    fn unfit(&mut self, key: &str, why: impl Into<String>) {
        self.problem(key, Defect::Unfit(why.into()));
    }

    fn problem(&mut self, key: &str, defect: Defect) {
        self.problems.push(self.places.problem(key, defect));
    }

    fn missing(&mut self, key: &str, what: &str) {
        self.problem(key, Defect::MissingKey { what: what.to_owned() });
    }

    /// Whether there is a number of flows for each link.
    fn flows(&mut self, flows: Option<&[u32]>, links: usize) {
        if let Some(numbers) = flows.map(<[u32]>::len).filter(|&numbers| numbers != links) {
            self.unfit("flows", one_for_each(numbers, links, "link"));
        }
    }

    /// Whether packets of a run are known again behind the link.
    fn rebinds_nothing(&mut self, key: &str, link: &Link) {
        if link.model.rebinding.is_some() {
            let why = "gives UDP flows other ports (`rebinding`), by which runs know packets again; `windlull shell` and the \
                       emulator play such a link";
            self.unfit(key, why);
        }
    }

    /// Whether a link that plays what the packets of a run met has those of one connection alone, as recordings do.
    fn replays(&mut self, links: &[Link], access: Option<&Link>, workloads: &[Workload], flows: Option<&[u32]>) {
        if access.is_some_and(|access| access.model.replay.is_some()) {
            let why = "plays what packets of a run met on its link; an access link has its own";
            self.unfit("access", why);
        }
        if !links.iter().any(|link| link.model.replay.is_some()) {
            return;
        }
        if access.is_some() {
            let why = "stands before a link that plays what packets met from the host on; leave it out";
            self.unfit("access", why);
        }
        let alone = |workload: &Workload| {
            workload.crossing.is_empty() && flows_of(workload, flows).into_iter().all(|number| number <= 1)
        };
        if !workloads.iter().all(alone) {
            let why = "has several flows, or cross traffic, and a link that plays what packets met has only what those \
                       of one flow met; take a workload of one flow";
            self.unfit("workload", why);
        }
    }

    /// Whether an access link waits for nothing but what its packets tell: senders are looked at for the shared link alone.
    fn waits(&mut self, access: Option<&Link>) {
        let first = access.and_then(|access| access.model.conditions_of_state().next());
        if let Some((entry, when)) = first {
            let why = format!(
                "begins script entry {} by a sender's state (`{when}`), which only the link that all flows share can; there \
                 are `after byte N` and `retransmission N`",
                entry + 1
            );
            self.unfit("access", why);
        }
    }

    /// The file that has this key, to which paths in it are relative.
    fn path_of(&self, key: &str) -> PathBuf {
        match self.places.file_of(key) {
            "" => self.path.to_owned(),
            file => PathBuf::from(file),
        }
    }

    /// What the name at `key` stands for.
    fn find<T>(
        &mut self,
        kind: Kind,
        key: &str,
        name: &str,
        load: impl FnOnce(&Library, &Located) -> Result<T, Problems>,
    ) -> Option<T> {
        let places = self.places;
        let asker = |defect| places.problem(key, defect);
        let path = self.path_of(key);
        let found = self
            .library
            .locate(kind, name, Some(&path), &asker)
            .and_then(|located| {
                // A file that is not there is the fault of the one that names it.
                self.library.text(&located.path.display().to_string(), None, &asker)?;
                load(self.library, &located)
                    .map_err(|problems| self.library.quoting(problems, &located.path, &path, &asker))
            });
        found.map_err(|problems| self.problems.extend(problems.into_vec())).ok()
    }

    fn links(&mut self, file: &ExperimentFile) -> Vec<Link> {
        let named: Vec<(String, &String)> = match (&file.link, &file.links) {
            (Some(LinkChoice::Named(link)), None) => vec![("link".to_owned(), link)],
            (Some(LinkChoice::Replay(replay)), None) => {
                let path = self.path_of("link");
                return Link::replaying(self.library, &path, self.places, "link", replay)
                    .map_err(|problems| self.problems.extend(problems.into_vec()))
                    .into_iter()
                    .collect();
            }
            (None, Some(links)) => links
                .iter()
                .enumerate()
                .map(|(i, link)| (format!("links[{i}]"), link))
                .collect(),
            (Some(_), Some(_)) => {
                self.unfit("link", "stands beside `links`; give one of the two");
                return Vec::new();
            }
            (None, None) => {
                let what = "give the link, as in `link = \"gprs\"`, or several, as in `links = [\"gprs\", \"edge\"]`";
                self.missing("link", what);
                return Vec::new();
            }
        };
        let mut links: Vec<Link> = Vec::new();
        for (key, name) in named {
            let Some(link) = self.find(Kind::Link, &key, name, Link::load_from) else {
                continue;
            };
            if links.iter().any(|known| known.name == link.name) {
                self.duplicate(&key, link.name.clone(), "links");
            }
            self.rebinds_nothing(&key, &link);
            links.push(link);
        }
        links
    }

    /// The variants of these names, with the experiment's settings laid over them, beside `others`.
    fn variants(
        &mut self,
        list: &str,
        named: &[String],
        laid: &Laid,
        others: &[VariantProfile],
    ) -> Vec<VariantProfile> {
        let mut variants: Vec<VariantProfile> = Vec::new();
        for (i, name) in named.iter().enumerate() {
            let key = format!("{list}[{i}]");
            let (name, build) = match name.rsplit_once('@') {
                Some((_, build)) if !is_name(build) => {
                    self.unfit(
                        &key,
                        format!("{build:?} in {name:?} is no name of a kernel or of a stack's build, as `base` in \"linux@base\""),
                    );
                    continue;
                }
                Some((name, build)) => (name, Some(build)),
                None => (name.as_str(), None),
            };
            let Some(variant) = self.find(Kind::Variant, &key, name, VariantProfile::load_from) else {
                continue;
            };
            let variant = match build {
                Some(build) => variant.of(build),
                None => variant,
            };
            if variants.iter().chain(others).any(|known| known.name == variant.name) {
                self.duplicate(&key, variant.name.clone(), "variants");
            }
            let whose = format!("variant \"{}\"", variant.name);
            variants.extend(self.fitting(&key, &whose, variant.with(laid)));
        }
        variants
    }

    fn workloads(&mut self, file: &ExperimentFile) -> Vec<Workload> {
        match (&file.workload, &file.workloads) {
            (Some(WorkloadChoice::Named(name)), None) => self
                .find(Kind::Workload, "workload", name, Workload::load_from)
                .into_iter()
                .collect(),
            (Some(WorkloadChoice::Own(own)), None) => {
                let loaded = Workload::own(&self.path_of("workload"), self.places, own);
                loaded
                    .map_err(|problems| self.problems.extend(problems.into_vec()))
                    .into_iter()
                    .collect()
            }
            (None, Some(names)) => self.several_workloads(names),
            (Some(_), Some(_)) => {
                self.unfit("workload", "stands beside `workloads`; give one of the two");
                Vec::new()
            }
            (None, None) => {
                let what = "give the workload, as in `workload = \"bulk-100-kib-down\"`, or several, as in \
                            `workloads = [\"bulk-100-kib-down\", \"bulk-1-mib-down\"]`";
                self.missing("workload", what);
                Vec::new()
            }
        }
    }

    fn several_workloads(&mut self, names: &[String]) -> Vec<Workload> {
        let mut workloads: Vec<Workload> = Vec::new();
        for (i, name) in names.iter().enumerate() {
            let key = format!("workloads[{i}]");
            let Some(workload) = self.find(Kind::Workload, &key, name, Workload::load_from) else {
                continue;
            };
            if workload.commands.is_some() {
                self.unfit(
                    &key,
                    "runs commands, beside which there is no other workload; give it as `workload`",
                );
            }
            if workloads.iter().any(|known| known.name == workload.name) {
                self.duplicate(&key, workload.name.clone(), "workloads");
            }
            workloads.push(workload);
        }
        workloads
    }

    /// The variants that the sets of the workloads name, with the experiment's settings laid over them. A wrong name is
    /// the fault of the experiment's choice of a workload.
    fn others(&mut self, workloads: &[Workload], laid: &Laid) -> Vec<VariantProfile> {
        let mut named: BTreeMap<&String, usize> = BTreeMap::new();
        for (place, workload) in workloads.iter().enumerate() {
            for name in workload.sets.iter().filter_map(|set| set.variant.as_ref()) {
                named.entry(name).or_insert(place);
            }
        }
        let mut others = Vec::new();
        for (name, place) in named {
            let key = if self.places.has("workloads") {
                format!("workloads[{place}]")
            } else {
                "workload".to_owned()
            };
            let Some(variant) = self.find(Kind::Variant, &key, name, VariantProfile::load_from) else {
                continue;
            };
            let whose = format!("variant \"{}\" of the workload", variant.name);
            others.extend(self.fitting(&key, &whose, variant.with(laid)));
        }
        others
    }

    fn live(
        &mut self,
        file: &ExperimentFile,
        laid: &Laid,
        variants: &[VariantProfile],
        repetitions: u32,
        time_limit: Span,
    ) -> LiveSettings {
        let none = LiveFile::default();
        let live = file.live.as_ref().unwrap_or(&none);
        let peer = live.peer.unwrap_or_default();
        let settings = file.tcp.unwrap_or_default();
        let whose = match peer {
            Peer::Same | Peer::Linux => "the kernel at the receiving host",
            Peer::Windlull => "our TCP at the receiving host",
        };
        LiveSettings {
            variants: self.variants("live.variants", &live.variants, laid, variants),
            repetitions: live.repetitions.unwrap_or(repetitions),
            time_limit: live.time_limit.map_or(time_limit, |limit| limit.0),
            peer,
            plane: live.plane.unwrap_or_default(),
            pace: live.pace.unwrap_or_default(),
            peer_stack: self.fitting("live.peer", whose, peer_stack(peer, &settings)).flatten(),
        }
    }

    /// What came of laying the experiment's settings over a TCP; if they do not go together, that is a problem of the
    /// setting, or of whoever named the TCP at `key`.
    fn fitting<T>(&mut self, key: &str, whose: &str, laid: Result<T, SettingsError>) -> Option<T> {
        match laid {
            Ok(laid) => Some(laid),
            Err(error) => {
                let (first, second) = error.keys();
                let keys = [Some(first), second]
                    .into_iter()
                    .flatten()
                    .map(|key| format!("tcp.{key}"));
                let key = keys
                    .into_iter()
                    .find(|key| self.places.has(key))
                    .unwrap_or_else(|| key.to_owned());
                self.unfit(&key, format!("does not go with {whose}: {error}"));
                None
            }
        }
    }

    fn duplicate(&mut self, key: &str, name: String, list: &str) {
        let first = format!("another of the {list}");
        self.problem(key, Defect::Duplicate { name, first });
    }

    fn published(&mut self, file: PublishedFile, variants: Option<&[String]>, link: Option<&Link>) -> Published {
        for (i, column) in file.columns.iter().enumerate() {
            self.metric(&format!("published.columns[{i}].metric"), &column.metric);
        }
        for (i, row) in file.rows.iter().enumerate() {
            let key = format!("published.rows[{i}]");
            self.variant(&format!("{key}.variant"), &row.variant, variants);
            if let Some(first) = file.rows[..i].iter().position(|known| known.variant == row.variant) {
                let (name, first) = (row.variant.clone(), format!("published.rows[{first}]"));
                self.problem(&format!("{key}.variant"), Defect::Duplicate { name, first });
            }
            if row.values.len() != file.columns.len() {
                let (values, columns) = (row.values.len(), file.columns.len());
                self.unfit(&format!("{key}.values"), one_for_each(values, columns, "column"));
            }
        }
        let rows = file.rows.into_iter();
        Published {
            source: file.source,
            statistic: file.statistic.unwrap_or_default(),
            columns: file.columns,
            rows: rows
                .map(|r| PublishedRow {
                    variant: r.variant,
                    label: r.label,
                    link: link.map_or_else(String::new, |link| link.name.clone()),
                    values: r.values,
                })
                .collect(),
        }
    }

    fn metric(&mut self, key: &str, metric: &str) {
        if !is_metric(metric) {
            self.unknown(key, metric, METRICS.iter().map(|metric| metric.name));
        }
    }

    fn variant(&mut self, key: &str, name: &str, variants: Option<&[String]>) {
        let Some(variants) = variants else { return };
        if !variants.iter().any(|known| known == name) {
            self.unknown(key, name, variants.iter().map(String::as_str));
        }
    }

    fn unknown<'n>(&mut self, key: &str, value: &str, known: impl Iterator<Item = &'n str> + Clone) {
        let suggestion = nearest(value, known.clone());
        let (value, known) = (value.to_owned(), known.map(str::to_owned).collect());
        let defect = Defect::UnknownValue {
            value,
            suggestion,
            known,
        };
        self.problem(key, defect);
    }
}
