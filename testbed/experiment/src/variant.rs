//! A variant file: found, read, laid over what it extends, and made into a TCP's variant.

use std::path::PathBuf;

use windlull_profile::{Defect, Document, KeyPlaces, Kind, Library, Located, Problem, Problems, asked, is_name};
use windlull_stack::{Linux, Program, Stack, Transport};
use windlull_tcp::{DelayedAck, Era, Variant, VariantError};
use windlull_units::Network;

use crate::error::SettingsError;
use crate::file::{LinuxFile, Named, SettingsFile, StackName, StandInFile, TransportFile, VariantFile};
use crate::linux::{self, others};

/// A valid variant with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantProfile {
    /// Its name in the library.
    pub name: String,
    pub path: PathBuf,
    /// What it is, in a line.
    pub title: String,
    pub description: Option<String>,
    /// Where it is defined.
    pub source: Option<String>,
    pub stack: Stack,
    /// The kernel that it is to run on, by its name, where the testbed has several: `base` in `linux@base`.
    pub kernel: Option<String>,
    /// Settings of an experiment that its TCP does not have, a sentence each.
    pub not_carried: Vec<String>,
    /// What its file says, and those it extends.
    written: VariantFile,
}

/// What an experiment lays over every variant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Laid {
    /// Settings that override the variant's; their era is that of a variant which names none.
    pub(crate) settings: SettingsFile,
    /// Recoveries that others replace.
    pub(crate) stand_ins: Vec<StandInFile>,
    /// What carries its segments.
    pub(crate) network: Network,
}

impl VariantProfile {
    /// Loads a variant by its name or path.
    ///
    /// # Errors
    /// All that is wrong with its file and with those it extends, and a contradiction between its choices.
    pub fn load(library: &Library, name: &str) -> Result<Self, Problems> {
        Self::load_from(library, &library.locate(Kind::Variant, name, None, &asked)?)
    }

    /// Loads a variant that was located already.
    ///
    /// # Errors
    /// As [`VariantProfile::load`].
    pub fn load_from(library: &Library, located: &Located) -> Result<Self, Problems> {
        let (file, places) = read(library, located, &mut Vec::new())?;
        let stack = match file.stack.unwrap_or_default() {
            StackName::Windlull => ours_checked(&file, &places)?,
            StackName::Linux => the_kernels(file.linux.clone().unwrap_or_default(), &places)?,
            StackName::Transport => from_elsewhere(file.transport.clone().unwrap_or_default(), &places)?,
        };
        Ok(Self {
            name: located.name.clone(),
            path: located.path.clone(),
            title: file.title.clone(),
            description: file.description.clone(),
            source: file.source.clone(),
            stack,
            kernel: None,
            not_carried: Vec::new(),
            written: file,
        })
    }

    /// The same variant with what its name has behind the `@`: on a kernel of this name, or by a build of its stack.
    #[must_use]
    pub fn of(mut self, build: &str) -> Self {
        self.name = format!("{}@{build}", self.name);
        match &mut self.stack {
            Stack::Transport(Transport {
                program: Program::Built(stack),
                ..
            }) => *stack = format!("{}@{build}", plain_name(stack)),
            Stack::Windlull(_) | Stack::Linux(_) | Stack::Transport(_) => self.kernel = Some(build.to_owned()),
        }
        self
    }

    /// The same variant with what an experiment lays over it, as far as its TCP has that.
    ///
    /// # Errors
    /// If the settings contradict the variant.
    pub(crate) fn with(&self, laid: &Laid) -> Result<Self, SettingsError> {
        let mut changed = self.clone();
        if let Stack::Windlull(variant) = &mut changed.stack {
            **variant = ours(&self.written, laid.settings.era.map(|era| era.0));
            let recovery = variant.recovery;
            if let Some(stand_in) = laid.stand_ins.iter().find(|stand_in| stand_in.recovery.0 == recovery) {
                variant.recovery = stand_in.by.0;
            }
        }
        changed.not_carried = lay_over(&mut changed.stack, &laid.settings)?;
        match &mut changed.stack {
            Stack::Windlull(variant) => {
                variant.mss = laid.network.segment_size(variant.mss);
                variant.validate()?;
            }
            Stack::Linux(linux) => {
                linux.mss = linux.mss.map(|mss| laid.network.segment_size(mss));
                linux.validate()?;
            }
            Stack::Transport(_) => {}
        }
        Ok(changed)
    }

    /// The TCP of a variant that was [resolved](Self::resolved) before, as plans and `experiment.json` have it; `None` of a
    /// stack from elsewhere.
    ///
    /// # Errors
    /// If its settings contradict each other, which those of a valid variant never do.
    pub fn tcp_of(resolved: &VariantFile) -> Result<Option<Stack>, SettingsError> {
        match resolved.stack.unwrap_or_default() {
            StackName::Windlull => {
                let variant = ours(resolved, None);
                variant.validate()?;
                Ok(Some(Stack::Windlull(Box::new(variant))))
            }
            StackName::Linux => {
                let mut linux = Linux::default();
                resolved.linux.clone().unwrap_or_default().apply(&mut linux);
                linux.validate()?;
                Ok(Some(Stack::Linux(linux)))
            }
            StackName::Transport => Ok(None),
        }
    }

    /// What the variant does, in lines for people.
    pub fn summary(&self) -> Vec<String> {
        match &self.stack {
            Stack::Windlull(variant) => summary(variant),
            Stack::Linux(linux) => linux::summary(linux),
            Stack::Transport(transport) => transport.summary(),
        }
    }

    /// The variant as one file without `extends` or defaults: reading it gives the same variant.
    pub fn resolved(&self) -> VariantFile {
        let head = VariantFile {
            title: self.title.clone(),
            description: self.description.clone(),
            source: self.source.clone(),
            ..VariantFile::default()
        };
        match &self.stack {
            Stack::Windlull(variant) => VariantFile {
                recovery: Some(Named(variant.recovery)),
                detection: Some(Named(variant.detection)),
                response: Some(Named(variant.response)),
                settings: SettingsFile::of(variant),
                ..head
            },
            Stack::Linux(linux) => VariantFile {
                stack: Some(StackName::Linux),
                linux: Some(LinuxFile::of(linux)),
                ..head
            },
            Stack::Transport(transport) => VariantFile {
                stack: Some(StackName::Transport),
                transport: Some(TransportFile::of(transport)),
                ..head
            },
        }
    }
}

/// Lays settings over a TCP; says which it does not have.
///
/// # Errors
/// If the settings contradict it.
pub(crate) fn lay_over(stack: &mut Stack, settings: &SettingsFile) -> Result<Vec<String>, SettingsError> {
    // Which host it runs on is decided; a kernel is one by itself.
    let settings = &SettingsFile { era: None, ..*settings };
    match stack {
        Stack::Windlull(variant) => {
            settings.lay_over(variant);
            variant.validate()?;
            Ok(Vec::new())
        }
        Stack::Linux(linux) => {
            let lost = linux::lay_over(linux, settings);
            linux.validate()?;
            Ok(lost)
        }
        Stack::Transport(_) => Ok(linux::given(settings)
            .into_iter()
            .map(|(key, value)| format!("{key} = {value}: a stack from elsewhere has its own"))
            .collect()),
    }
}

/// A TCP of ours, of the choices that its file makes, on a host of the era that it names, or else of `era`.
fn ours(file: &VariantFile, era: Option<Era>) -> Variant {
    let named = file.settings.era.map(|era| era.0);
    let mut variant = named.or(era).unwrap_or_default().host();
    if let Some(Named(recovery)) = file.recovery {
        variant.recovery = recovery;
    }
    if let Some(Named(detection)) = file.detection {
        variant.detection = detection;
    }
    if let Some(Named(response)) = file.response {
        variant.response = response;
    }
    file.settings.lay_over(&mut variant);
    variant
}

/// The same, on the default host if the file names no other.
fn ours_checked(file: &VariantFile, places: &KeyPlaces) -> Result<Stack, Problems> {
    let variant = ours(file, None);
    variant.validate().map_err(|error: VariantError| {
        let (key, other) = error.keys();
        let keys = [Some(key), other].into_iter().flatten();
        unfit(places, &keys.map(str::to_owned).collect::<Vec<_>>(), &error)
    })?;
    Ok(Stack::Windlull(Box::new(variant)))
}

/// The kernel's TCP with the settings of its file.
fn the_kernels(file: LinuxFile, places: &KeyPlaces) -> Result<Stack, Problems> {
    let mut linux = Linux::default();
    file.apply(&mut linux);
    linux.validate().map_err(|error| {
        let (key, other) = error.keys();
        let keys = [Some(key), other].into_iter().flatten();
        unfit(
            places,
            &keys.map(|key| format!("linux.{key}")).collect::<Vec<_>>(),
            &error,
        )
    })?;
    Ok(Stack::Linux(linux))
}

/// A stack from elsewhere.
fn from_elsewhere(file: TransportFile, places: &KeyPlaces) -> Result<Stack, Problems> {
    let TransportFile {
        name,
        command,
        carries,
        options,
    } = file;
    let is_built = name.is_some();
    let refusal = |key: &str, why: &str| {
        let why = why.to_owned();
        unfit(places, &[format!("transport.{key}"), "transport".to_owned()], &why)
    };
    let program = match (name, command) {
        (Some(name), None) if is_stack(&name) => Program::Built(name),
        (Some(_), None) => {
            return Err(refusal(
                "name",
                "is no name of a stack, as \"quinn\", or of a build of one, as \"quinn@mine\"",
            ));
        }
        (None, Some(command)) if command.first().is_some_and(|program| !program.is_empty()) => {
            if command.iter().any(|part| part.contains('\0')) {
                return Err(refusal(
                    "command",
                    "has a NUL, which no program can be given; leave it out",
                ));
            }
            Program::Command(command)
        }
        (None, Some(_)) => return Err(refusal("command", "is empty; it begins with a program")),
        (Some(_), Some(_)) => return Err(refusal("command", "stands beside `name`; give one of the two")),
        (None, None) => {
            let what = "which stack: `name = \"quinn\"`, or a program as in `command = [\"./my-stack\"]`".to_owned();
            return Err(places.problem("transport.name", Defect::MissingKey { what }).into());
        }
    };
    if is_built && carries.is_some() {
        return Err(refusal(
            "carries",
            "is said of a program alone: a stack that is built says itself what it carries; leave it out",
        ));
    }
    Ok(Stack::Transport(Transport {
        program,
        carries: carries.unwrap_or_default(),
        options: options.unwrap_or_default(),
    }))
}

/// Whether it is the name of a stack, or of a build of one; it can be the name of a directory then.
fn is_stack(name: &str) -> bool {
    name.split_once('@')
        .map_or_else(|| is_name(name), |(stack, build)| is_name(stack) && is_name(build))
}

/// The name of a stack without that of its build.
fn plain_name(stack: &str) -> &str {
    stack.split_once('@').map_or(stack, |(stack, _)| stack)
}

/// The error at the first of these keys that the file has.
fn unfit(places: &KeyPlaces, keys: &[String], error: &impl ToString) -> Problems {
    let key = keys.iter().find(|key| places.has(key)).unwrap_or(&keys[0]);
    places.problem(key, Defect::Unfit(error.to_string())).into()
}

/// What a variant of ours does, in lines for people.
fn summary(variant: &Variant) -> Vec<String> {
    let word = |on: bool| if on { "on" } else { "off" };
    let burst = variant
        .burst_limit
        .map_or("no burst limit".to_owned(), |n| format!("at most {n} segments an ACK"));
    let delayed = match variant.delayed_ack {
        DelayedAck::None => "every segment acknowledged".to_owned(),
        DelayedAck::EverySecond { timer } => format!("every second full-sized segment acknowledged, or after {timer}"),
        DelayedAck::EverySecondSegment { timer } => {
            format!("every second segment of any size acknowledged, or after {timer}")
        }
        DelayedAck::EverySecondWithin { earliest, latest } => {
            format!("every second segment of any size acknowledged, or after {earliest} to {latest}")
        }
        DelayedAck::WindowPart { timer } => format!("acknowledged when 35 % of the window wait, or after {timer}"),
        DelayedAck::Linux => "acknowledged as Linux does".to_owned(),
        DelayedAck::AtTicks { clock } => format!("acknowledged at ticks of a clock of {clock}"),
    };
    let initial = variant
        .initial_window
        .map_or("by segment size".to_owned(), |segments| format!("{segments} segments"));
    let timer = &variant.timer;
    let mut lines = vec![
        format!(
            "recovery {}, congestion {}, detection {}, response {}",
            variant.recovery, variant.congestion, variant.detection, variant.response
        ),
        format!(
            "MSS {} B, SACK {}, D-SACK {}, timestamps {} (echo {}), window scale {}, ECN {}",
            variant.mss,
            word(variant.sack),
            word(variant.dsack),
            word(variant.timestamps),
            variant.timestamp_echo,
            word(variant.window_scale),
            variant.ecn
        ),
        format!(
            "initial window {initial}, limited transmit {}, {burst}, after a silence {}, threshold at a repeated timeout \
             {}, fast retransmit below a timeout's recovery point {}, timeouts that F-RTO examines {}",
            word(variant.limited_transmit),
            variant.after_idle,
            variant.repeated_timeout,
            variant.below_recovery_point,
            variant.frto_timeouts
        ),
        format!("receive window {}, {delayed}", variant.receive_window),
        format!(
            "timer {}: {} at first, from {} ({}) to {}, clock tick {}, backs off {}, after a spurious timeout {}",
            timer.estimator,
            timer.initial_rto,
            timer.minimum_rto,
            timer.minimum,
            timer.maximum_rto,
            timer.granularity,
            timer.back_off,
            timer.after_spurious
        ),
    ];
    let usual = others(&SettingsFile::of(&variant.era.host()));
    let others = others(&SettingsFile::of(variant)).into_iter();
    let others: Vec<_> = others
        .filter(|setting| !usual.contains(setting))
        .map(|(key, value)| format!("{key} {value}"))
        .collect();
    if !others.is_empty() {
        lines.push(others.join(", "));
    }
    lines
}

/// A file laid over what it extends.
fn read(library: &Library, located: &Located, chain: &mut Vec<PathBuf>) -> Result<(VariantFile, KeyPlaces), Problems> {
    let file = located.path.display().to_string();
    let text = library.text(&file, None, &asked)?;
    let Document {
        value: mut written,
        places,
    } = Document::<VariantFile>::read(&file, &text)?;
    chain.push(located.path.clone());
    let own_keys = keys_of_ours(&written);
    if let Some(name) = &written.extends {
        let asker = |defect| -> Problem { places.problem("extends", defect) };
        let base = library.base(Kind::Variant, name, &places, chain)?;
        let (base, _) = read(library, &base, chain)
            .map_err(|problems| library.quoting(problems, &base.path, &located.path, &asker))?;
        match (written.stack, base.stack.unwrap_or_default()) {
            (Some(own), bases) if own != bases => {
                let why = format!("differs from that of {name:?}, which it extends; a variant is of one stack");
                return Err(places.problem("stack", Defect::Unfit(why)).into());
            }
            (_, bases) => written.stack = Some(bases),
        }
        written.linux = match (written.linux, base.linux) {
            (Some(own), Some(base)) => Some(own.over(base)),
            (own, base) => own.or(base),
        };
        written.transport = match (written.transport, base.transport) {
            (Some(own), Some(base)) => Some(own.over(base)),
            (own, base) => own.or(base),
        };
        written.recovery = written.recovery.or(base.recovery);
        written.detection = written.detection.or(base.detection);
        written.response = written.response.or(base.response);
        written.description = written.description.or(base.description);
        written.source = written.source.or(base.source);
        written.settings = written.settings.over(base.settings);
    }
    Problems::unless_none(misplaced(&written, &own_keys, &places))?;
    Ok((written, places))
}

/// The keys of a file that are choices and settings of a TCP of ours.
fn keys_of_ours(file: &VariantFile) -> Vec<String> {
    let ours = VariantFile {
        title: String::new(),
        description: None,
        source: None,
        extends: None,
        stack: None,
        linux: None,
        transport: None,
        ..file.clone()
    };
    let value = serde_json::to_value(ours).expect("a variant file has string keys");
    let keys = value.as_object().into_iter().flat_map(serde_json::Map::keys);
    keys.filter(|key| *key != "title").cloned().collect()
}

/// Keys of one stack in a file of another's.
fn misplaced(file: &VariantFile, own_keys: &[String], places: &KeyPlaces) -> Vec<Problem> {
    let unfit = |key: &str, why: String| places.problem(key, Defect::Unfit(why));
    match file.stack.unwrap_or_default() {
        stack if stack != StackName::Linux && places.has("linux") => {
            vec![unfit(
                "linux",
                "goes with `stack = \"linux\"` alone; write that, or leave it out".to_owned(),
            )]
        }
        stack if stack != StackName::Transport && places.has("transport") => {
            vec![unfit(
                "transport",
                "goes with `stack = \"transport\"` alone; write that, or leave it out".to_owned(),
            )]
        }
        StackName::Windlull => Vec::new(),
        StackName::Transport => {
            let why = "is of our TCP, and this is `stack = \"transport\"`, which has its own `transport.options`; leave it out";
            own_keys.iter().map(|key| unfit(key, why.to_owned())).collect()
        }
        StackName::Linux => {
            let problem = |key: &String| {
                let instead = match key.as_str() {
                    "mss" | "timestamps" | "sack" | "dsack" | "window_scale" | "initial_window" => {
                        format!("write `linux.{key}`")
                    }
                    "receive_window" => "write `linux.receive_buffer`".to_owned(),
                    "timer" => "of it the kernel has `linux.minimum_rto`".to_owned(),
                    _ => "the kernel has its own; leave it out".to_owned(),
                };
                unfit(
                    key,
                    format!("is of our TCP, and this is `stack = \"linux\"`; {instead}"),
                )
            };
            own_keys.iter().map(problem).collect()
        }
    }
}
