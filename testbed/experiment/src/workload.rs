//! A workload file: found, read, and made into flows.

use std::path::{Path, PathBuf};

use windlull_profile::{Defect, Document, KeyPlaces, Kind, Library, Located, Problem, Problems, asked};
use windlull_units::{Bytes, Commands, ConstantRate, Direction, Host, Requests, Span, Work};

use crate::file::{OwnWorkloadFile, TrafficFile, WorkloadFile, WorkloadKind};
use crate::settings::values;

/// A valid workload with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workload {
    /// Its name in the library.
    pub name: String,
    pub path: PathBuf,
    /// What it is, in a line.
    pub title: String,
    pub description: Option<String>,
    /// Where its numbers come from.
    pub source: Option<String>,
    /// The flows, in sets; there is at least one flow, unless there are commands.
    pub sets: Vec<FlowSet>,
    /// What the hosts run instead of flows of ours.
    pub commands: Option<Commands>,
    /// What crosses the link besides.
    pub crossing: Vec<ConstantRate>,
}

/// Flows that do the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowSet {
    /// What each is there for.
    pub work: Work,
    /// Who sends the data, opens the connection and closes first.
    pub data_sender: Host,
    pub flows: u32,
    /// When the first begins.
    pub start: Span,
    /// From the beginning of one to that of the next.
    pub gap: Span,
    /// The name of their TCP, where it is not the variant that is compared.
    pub variant: Option<String>,
}

impl FlowSet {
    /// When each flow begins.
    pub fn starts(&self) -> impl Iterator<Item = Span> + '_ {
        (0..self.flows).map(|place| self.start.saturating_add(self.gap.saturating_mul(u64::from(place))))
    }

    /// Octets of data of each flow, if its size is given.
    pub fn size(&self) -> Option<Bytes> {
        match self.work {
            Work::Octets(size) => Some(size),
            Work::Requests(requests) => Some(Bytes::new(
                requests.response.get().saturating_mul(u64::from(requests.count)),
            )),
            Work::Lasting(_) => None,
        }
    }
}

impl Workload {
    /// Loads a workload by its name or path.
    ///
    /// # Errors
    /// All that is wrong with its file.
    pub fn load(library: &Library, name: &str) -> Result<Self, Problems> {
        Self::load_from(library, &library.locate(Kind::Workload, name, None, &asked)?)
    }

    /// Loads a workload that was located already.
    ///
    /// # Errors
    /// As [`Workload::load`].
    pub fn load_from(library: &Library, located: &Located) -> Result<Self, Problems> {
        let path = located.path.display().to_string();
        let text = library.text(&path, None, &asked)?;
        let document = Document::<WorkloadFile>::read(&path, &text)?;
        let file = document.value;
        let loads = Loads::of("", &document.places, &file.traffic, &file.beside)?;
        Ok(Self {
            name: located.name.clone(),
            path: located.path.clone(),
            title: file.title,
            description: file.description,
            source: file.source,
            sets: loads.sets,
            commands: loads.commands,
            crossing: loads.crossing,
        })
    }

    /// A workload that stands in the experiment at `path`, under its key `workload`.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub(crate) fn own(path: &Path, places: &KeyPlaces, file: &OwnWorkloadFile) -> Result<Self, Problems> {
        let loads = Loads::of("workload.", places, &file.traffic, &file.beside)?;
        Ok(Self {
            name: "own".to_owned(),
            path: path.to_owned(),
            title: "The experiment's own".to_owned(),
            description: None,
            source: None,
            sets: loads.sets,
            commands: loads.commands,
            crossing: loads.crossing,
        })
    }

    /// Who sends the data of the first flow; of commands, the server is taken for it.
    pub fn data_sender(&self) -> Host {
        self.sets.first().map_or(Host::Server, |set| set.data_sender)
    }

    pub fn flows(&self) -> u32 {
        self.sets.iter().map(|set| set.flows).sum()
    }

    /// What it is, in lines for people.
    pub fn summary(&self) -> Vec<String> {
        let commands = self.commands.iter().flat_map(commands_in_words);
        let sets = self.sets.iter().map(set_in_words);
        let crossing = self.crossing.iter().map(|stream| {
            let (rate, way) = (stream.rate, stream.direction.name());
            format!(
                "beside: {rate} {way} in packets of {}{}",
                stream.packet,
                from(stream.start)
            )
        });
        commands.chain(sets).chain(crossing).collect()
    }
}

fn commands_in_words(commands: &Commands) -> impl Iterator<Item = String> {
    let server = commands
        .server
        .as_ref()
        .map(|server| format!("at the server: {}", server.join(" ")));
    let wait = commands
        .port
        .map(|port| format!("once the server listens at port {port}"));
    let client = format!("at the client: {}", commands.client.join(" "));
    server.into_iter().chain([client]).chain(wait)
}

/// What a workload's tables come to.
struct Loads {
    sets: Vec<FlowSet>,
    commands: Option<Commands>,
    crossing: Vec<ConstantRate>,
}

impl Loads {
    /// Of tables at `prefix` of a file.
    fn of(prefix: &str, places: &KeyPlaces, traffic: &TrafficFile, beside: &[TrafficFile]) -> Result<Self, Problems> {
        let mut reader = Reader {
            places,
            problems: Vec::new(),
        };
        let (mut sets, mut crossing, mut commands) = (Vec::new(), Vec::new(), None);
        match traffic.kind {
            WorkloadKind::ConstantRate => reader.unfit(
                &format!("{prefix}kind"),
                "crosses flows, of which there are none yet; put it under `[[beside]]`",
            ),
            WorkloadKind::Command => commands = reader.commands(prefix, traffic),
            WorkloadKind::Bulk | WorkloadKind::Requests if traffic.variant.is_some() => reader.unfit(
                &format!("{prefix}variant"),
                "is for sets under `[[beside]]`; the experiment's variants are the first set's",
            ),
            WorkloadKind::Bulk | WorkloadKind::Requests => sets.extend(reader.flows(prefix, traffic)),
        }
        for (i, beside) in beside.iter().enumerate() {
            let table = format!("{prefix}beside[{i}].");
            match beside.kind {
                WorkloadKind::ConstantRate => crossing.extend(reader.crossing(&table, beside)),
                WorkloadKind::Bulk | WorkloadKind::Requests => sets.extend(reader.flows(&table, beside)),
                WorkloadKind::Command => reader.unfit(
                    &format!("{table}kind"),
                    "is the whole workload; give it as the first, and let a shell start several programs",
                ),
            }
        }
        if traffic.kind == WorkloadKind::Command && !beside.is_empty() {
            reader.unfit(
                &format!("{prefix}beside"),
                "does not go with `kind = \"command\"`; leave it out",
            );
        }
        Problems::unless_none(reader.problems)?;
        Ok(Self {
            sets,
            commands,
            crossing,
        })
    }
}

fn set_in_words(set: &FlowSet) -> String {
    let way = set.data_sender.sends().name();
    let what = match set.work {
        Work::Octets(size) => format!("{size} {way}"),
        Work::Lasting(span) => format!("as much as goes {way} in {span}"),
        Work::Requests(Requests {
            response, every, count, ..
        }) => {
            let pace = every.map_or_else(|| "one after another".to_owned(), |every| format!("every {every}"));
            format!("{count} responses of {response} {way}, {pace},")
        }
    };
    let how = match set.flows {
        1 => " in one connection".to_owned(),
        flows if set.gap.is_zero() => format!(" in each of {flows} connections"),
        flows => format!(" in each of {flows} connections, {} apart", set.gap),
    };
    let whose = set
        .variant
        .as_ref()
        .map_or_else(String::new, |name| format!(", {name}"));
    format!("{what}{how}{}{whose}", from(set.start))
}

fn from(start: Span) -> String {
    if start.is_zero() {
        String::new()
    } else {
        format!(", from {start} on")
    }
}

/// Keys of every set of flows.
const OF_ALL_FLOWS: [&str; 5] = ["direction", "flows", "start", "gap", "variant"];

struct Reader<'a> {
    places: &'a KeyPlaces,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn unfit(&mut self, key: &str, why: &str) {
        self.problems
            .push(self.places.problem(key, Defect::Unfit(why.to_owned())));
    }

    /// What must be there; its place is that of the table.
    fn needed<T>(&mut self, table: &str, key: &str, value: Option<T>, what: &str) -> Option<T> {
        if value.is_none() {
            let what = what.to_owned();
            let key = format!("{table}{key}");
            self.problems
                .push(self.places.problem(&key, Defect::MissingKey { what }));
        }
        value
    }

    /// Refuses keys that the kind does not have; `own` are those that it has.
    fn only(&mut self, table: &str, file: &TrafficFile, own: &[&str]) {
        let given = values(file);
        let kind = &given["kind"];
        for key in given
            .keys()
            .filter(|key| *key != "kind" && !own.contains(&key.as_str()))
        {
            self.unfit(
                &format!("{table}{key}"),
                &format!("does not go with `kind = {kind}`; leave it out"),
            );
        }
    }

    fn commands(&mut self, table: &str, file: &TrafficFile) -> Option<Commands> {
        self.only(table, file, &["client", "server", "port"]);
        for (key, command) in [("client", &file.client), ("server", &file.server)] {
            let program = command.as_ref().and_then(|command| command.first());
            if program.is_some_and(String::is_empty) {
                self.unfit(
                    &format!("{table}{key}"),
                    "begins with an empty text; it begins with a program",
                );
            }
            if command.iter().flatten().any(|part| part.contains('\0')) {
                self.unfit(
                    &format!("{table}{key}"),
                    "has a NUL, which no program can be given; leave it out",
                );
            }
        }
        let client = self.needed(
            table,
            "client",
            file.client.clone(),
            "what the client runs, as in `client = [\"ping\", \"-c\", \"5\", \"198.18.0.1\"]`",
        );
        Some(Commands {
            client: client?,
            server: file.server.clone(),
            port: file.port,
        })
    }

    /// Which way the data goes, which every kind but commands says.
    fn way(&mut self, table: &str, file: &TrafficFile) -> Option<Direction> {
        let what = "which way the data goes: `direction = \"down\"` (from server to client) or `\"up\"`";
        self.needed(table, "direction", file.direction, what)
    }

    fn flows(&mut self, table: &str, file: &TrafficFile) -> Option<FlowSet> {
        let direction = self.way(table, file);
        let work = if file.kind == WorkloadKind::Requests {
            let own = ["size", "request", "every", "count"];
            self.only(table, file, &[&OF_ALL_FLOWS[..], &own].concat());
            let size = self.needed(
                table,
                "size",
                file.size,
                "how much a response has, as in `size = \"100 kB\"`",
            );
            let count = self.needed(
                table,
                "count",
                file.count,
                "how many requests each flow makes, as in `count = 20`",
            );
            Work::Requests(Requests {
                request: file.request.map_or(Bytes::ZERO, |request| request.0),
                response: size?.0,
                every: file.every.map(|every| every.0),
                count: count?,
            })
        } else {
            self.only(table, file, &[&OF_ALL_FLOWS[..], &["size", "duration"]].concat());
            match (file.size, file.duration) {
                (Some(size), None) => Work::Octets(size.0),
                (None, Some(duration)) => Work::Lasting(duration.0),
                (Some(_), Some(_)) => {
                    self.unfit(&format!("{table}duration"), "stands beside `size`; give one of the two");
                    return None;
                }
                (None, None) => {
                    let what =
                        "how much data, as in `size = \"100 KiB\"`, or for how long, as in `duration = \"100 s\"`";
                    self.needed(table, "size", None::<()>, what);
                    return None;
                }
            }
        };
        Some(FlowSet {
            work,
            data_sender: direction?.reaches().peer(),
            flows: file.flows.unwrap_or(1),
            start: file.start.map_or(Span::ZERO, |start| start.0),
            gap: file.gap.map_or(Span::ZERO, |gap| gap.0),
            variant: file.variant.clone(),
        })
    }

    fn crossing(&mut self, table: &str, file: &TrafficFile) -> Option<ConstantRate> {
        self.only(table, file, &["direction", "start", "rate", "packet"]);
        let direction = self.way(table, file);
        let rate = self.needed(
            table,
            "rate",
            file.rate,
            "how fast packets are sent, as in `rate = \"1 Mbit/s\"`",
        );
        let packet = self.needed(
            table,
            "packet",
            file.packet,
            "octets of a packet, as in `packet = \"1000 B\"`",
        );
        Some(ConstantRate {
            rate: rate?.0,
            packet: packet?.0,
            direction: direction?,
            start: file.start.map_or(Span::ZERO, |start| start.0),
        })
    }
}
