//! From what a link file says to parts of a model: what its values mean together.

use std::mem::discriminant;
use std::path::Path;

use windlull_link::model::{
    AllocationModel, ArqModel, Distribution, Impairment, ImpairmentKind, InOrder, LightModel, Onset, Persistence,
    QueueModel, RESERVED_NAMES, RateModel, Scope, ServiceModel,
};
use windlull_units::{Bytes, Direction, Span, Time};

use crate::document::KeyPlaces;
use crate::file::{ArqFile, ImpairmentFile, On, PathFile, RateFile, StepFile, VaryingRateFile};
use crate::library::Library;
use crate::problem::{Defect, Problem, Problems, is_name};
use crate::text::{Occurrence, Rate, SpanDistribution, Text};
use crate::trace;

/// What files say of one direction so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PathParts {
    /// `Some(None)` is an unlimited rate.
    pub(crate) rate: Option<Option<RateModel>>,
    pub(crate) delay: Option<Distribution<Span>>,
    pub(crate) framing: Option<Bytes>,
    pub(crate) queue: Option<QueueModel>,
    pub(crate) arq: Option<ArqModel>,
    pub(crate) allocation: Option<AllocationModel>,
    pub(crate) light: Option<LightModel>,
    pub(crate) service: Option<ServiceModel>,
    pub(crate) in_order: Option<InOrder>,
}

impl PathParts {
    /// These, and what they do not say from `base`.
    pub(crate) fn over(self, base: Self) -> Self {
        Self {
            rate: self.rate.or(base.rate),
            delay: self.delay.or(base.delay),
            framing: self.framing.or(base.framing),
            queue: self.queue.or(base.queue),
            arq: self.arq.or(base.arq),
            allocation: self.allocation.or(base.allocation),
            light: self.light.or(base.light),
            service: self.service.or(base.service),
            in_order: self.in_order.or(base.in_order),
        }
    }
}

/// Makes parts of one file; pushes a problem for each that makes no sense.
pub struct Converter<'a> {
    pub(crate) library: &'a Library,
    pub(crate) path: &'a Path,
    pub(crate) places: &'a KeyPlaces,
    pub(crate) problems: &'a mut Vec<Problem>,
}

/// The shortest mean cycle of a process in time: shorter ones only heat the processor.
const SHORTEST_CYCLE_SECS: f64 = 1e-3;

impl Converter<'_> {
    pub(crate) fn problem(&mut self, key: &str, defect: impl Into<Defect>) {
        self.problems.push(self.places.problem(key, defect));
    }

    pub(crate) fn unfit(&mut self, key: &str, why: impl Into<String>) {
        self.problem(key, Defect::Unfit(why.into()));
    }

    pub(crate) fn path(&mut self, key: &str, file: PathFile) -> PathParts {
        PathParts {
            rate: file.rate.and_then(|rate| self.rate(&format!("{key}.rate"), rate)),
            delay: file
                .delay
                .and_then(|delay| self.distribution(&format!("{key}.delay"), delay)),
            framing: file.framing.map(|framing| framing.0),
            queue: file.queue.and_then(|queue| self.queue(&format!("{key}.queue"), queue)),
            arq: file.arq.and_then(|arq| self.arq(&format!("{key}.arq"), &arq)),
            allocation: file.allocation.and_then(|allocation| {
                let delay = self.distribution(&format!("{key}.allocation.delay"), allocation.delay)?;
                Some(AllocationModel {
                    idle_after: allocation.idle_after.0,
                    delay,
                })
            }),
            light: file.light.and_then(|light| self.light(&format!("{key}.light"), &light)),
            service: file
                .service
                .and_then(|service| self.service(&format!("{key}.service"), &service)),
            in_order: file.in_order.map(|in_order| in_order.0),
        }
    }

    fn arq(&mut self, key: &str, file: &ArqFile) -> Option<ArqModel> {
        let retry_after = match (file.persistence.0, file.retry_after) {
            (_, Some(Text(retry_after))) => retry_after,
            // Nothing is ever sent again.
            (Persistence::None, None) => Span::ZERO,
            _ => {
                let what =
                    "give it as in `retry_after = \"1 s\"`; only `persistence = \"none\"` does without".to_owned();
                self.problem(&format!("{key}.retry_after"), Defect::MissingKey { what });
                return None;
            }
        };
        Some(ArqModel {
            send_buffer: file.send_buffer.0,
            receive_buffer: file.receive_buffer.0,
            persistence: file.persistence.0,
            retry_after,
        })
    }

    fn rate(&mut self, key: &str, file: RateFile) -> Option<Option<RateModel>> {
        let varying = match file {
            RateFile::Constant(Text(Rate::Unlimited)) => return Some(None),
            RateFile::Constant(Text(Rate::Constant(rate))) => return Some(Some(RateModel::Constant(rate))),
            RateFile::Varying(varying) => varying,
        };
        let model = match varying {
            VaryingRateFile::Stepped {
                steps: Some(steps),
                file: None,
                period,
            } => self.steps(key, &steps, period.map(|period| period.0)),
            VaryingRateFile::Stepped {
                steps: None,
                file: Some(file),
                period,
            } => {
                let steps = self.read(&format!("{key}.file"), &file, trace::steps)?;
                self.in_period(key, &steps, period.map(|period| period.0))
            }
            VaryingRateFile::Trace {
                milliseconds: Some(instants),
                file: None,
            } => {
                let text: String = instants.iter().map(|ms| format!("{ms}\n")).collect();
                self.trace(&format!("{key}.milliseconds"), &text)
            }
            VaryingRateFile::Trace {
                milliseconds: None,
                file: Some(file),
            } => self.read(&format!("{key}.file"), &file, |text| {
                windlull_link::parse_trace(text).map_err(|error| error.to_string())
            }),
            VaryingRateFile::Stepped { .. } => {
                self.unfit(key, "needs either `steps` or a `file`, one of the two");
                None
            }
            VaryingRateFile::Trace { .. } => {
                self.unfit(key, "needs either `milliseconds` or a `file`, one of the two");
                None
            }
        };
        model.map(Some)
    }

    fn steps(&mut self, key: &str, steps: &[StepFile], period: Option<Span>) -> Option<RateModel> {
        let mut before = None;
        for (i, step) in steps.iter().enumerate() {
            let at = step.at.0;
            let key = format!("{key}.steps[{i}].at");
            match before {
                None if !at.is_zero() => self.unfit(&key, "the first step must be at `0 s`"),
                Some(before) if at <= before => {
                    self.unfit(&key, format!("must be after {before}, where the step before it is"));
                }
                _ => {}
            }
            before = Some(at);
        }
        let steps: Vec<_> = steps.iter().map(|step| (Time::ZERO + step.at.0, step.rate.0)).collect();
        self.in_period(key, &steps, period)
    }

    fn in_period(
        &mut self,
        key: &str,
        steps: &[(Time, windlull_units::BitRate)],
        period: Option<Span>,
    ) -> Option<RateModel> {
        let last = steps.last()?.0;
        if period.is_some_and(|period| Time::ZERO + period <= last) {
            self.unfit(
                &format!("{key}.period"),
                format!("must be longer than {last}, where the last step is"),
            );
            return None;
        }
        Some(RateModel::Stepped {
            steps: steps.to_vec(),
            period,
        })
    }

    fn trace(&mut self, key: &str, text: &str) -> Option<RateModel> {
        match windlull_link::parse_trace(text) {
            Ok(model) => Some(model),
            Err(error) => {
                self.unfit(key, error.to_string());
                None
            }
        }
    }

    /// What a file named at `key` says.
    pub(crate) fn read<T>(
        &mut self,
        key: &str,
        file: &str,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let places = self.places;
        let text = self
            .library
            .text(file, Some(self.path), &|defect| places.problem(key, defect));
        self.parsed(key, file, text, parse)
    }

    /// What the text of a file says, if it could be read.
    pub(crate) fn parsed<T>(
        &mut self,
        key: &str,
        file: &str,
        text: Result<String, Problems>,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Option<T> {
        let text = match text {
            Ok(text) => text,
            Err(problems) => {
                self.problems.extend(problems.into_vec());
                return None;
            }
        };
        match parse(&text) {
            Ok(value) => Some(value),
            Err(why) => {
                let whole = self.path.parent().unwrap_or(Path::new("")).join(file);
                if self.library.may_quote(&whole, self.path) {
                    self.unfit(key, format!("{file}: {why}"));
                } else {
                    let path = file.to_owned();
                    self.problem(key, Defect::WrongElsewhere { path });
                }
                None
            }
        }
    }

    pub(crate) fn distribution(&mut self, key: &str, text: Text<SpanDistribution>) -> Option<Distribution<Span>> {
        match text.0 {
            SpanDistribution::Known(distribution) => Some(distribution),
            SpanDistribution::Samples(samples) => {
                let samples = self.read(key, &samples.file, trace::samples)?;
                Some(Distribution::Empirical(samples.into()))
            }
        }
    }

    /// Those of a file, beside those of the files that it extends.
    pub(crate) fn impairments(&mut self, files: Vec<ImpairmentFile>, of_bases: &[Impairment]) -> Vec<Impairment> {
        let is_replaced = |other: &Impairment| files.iter().any(|file| file.name == other.name);
        let stay: Vec<_> = of_bases.iter().filter(|other| !is_replaced(other)).collect();
        let mut names: Vec<String> = Vec::new();
        let mut impairments = Vec::new();
        for (i, file) in files.into_iter().enumerate() {
            let key = format!("impairment[{i}]");
            let name = file.name.clone();
            if let Some(first) = names.iter().position(|known| *known == name) {
                let (name, first) = (name.clone(), format!("impairment[{first}]"));
                self.problem(&format!("{key}.name"), Defect::Duplicate { name, first });
            }
            if !is_name(&name) {
                let why = "must be lower-case letters, digits and hyphens, as in `sudden-delays`";
                self.unfit(&format!("{key}.name"), why);
            }
            if RESERVED_NAMES.contains(&name.as_str()) {
                let why = format!("\"{name}\" is what the link calls a random stream of its own; choose another name");
                self.unfit(&format!("{key}.name"), why);
            }
            names.push(name);
            let impairment = self.impairment(&key, file);
            if let Some(first) = impairment
                .as_ref()
                .and_then(|it| rival(stay.iter().copied().chain(&impairments), it))
            {
                let why = format!("a direction can have one impairment of this kind, and \"{first}\" is it");
                self.unfit(&format!("{key}.kind"), why);
            }
            impairments.extend(impairment);
        }
        impairments
    }

    fn impairment(&mut self, key: &str, file: ImpairmentFile) -> Option<Impairment> {
        let scope = match file.on {
            On::Down => Scope::One(Direction::Down),
            On::Up => Scope::One(Direction::Up),
            On::Each => Scope::Each,
            On::Both => Scope::Shared,
        };
        if scope == Scope::Shared && !file.kind.may_be_shared() {
            let why = "this kind acts in each direction by itself, so there is nothing to share; write `on = \"each\"`";
            self.unfit(&format!("{key}.on"), why);
        }
        let kind = file.kind.model(self, key)?;
        if let ImpairmentKind::TwoState { good, bad, .. } = &kind {
            if good.typical_secs() + bad.typical_secs() < SHORTEST_CYCLE_SECS {
                self.unfit(
                    &format!("{key}.good"),
                    "good and bad together must last 1 ms or more on average",
                );
            }
        }
        if let ImpairmentKind::Policer { burst: Bytes::ZERO, .. } = kind {
            self.unfit(
                &format!("{key}.burst"),
                "must be above 0 B, or nothing passes; a full packet has 1500 B",
            );
        }
        if let ImpairmentKind::Aggregation { every, .. } | ImpairmentKind::TimedLoss { every } = &kind {
            if every.typical_secs() < SHORTEST_CYCLE_SECS {
                self.unfit(&format!("{key}.every"), "must be 1 ms or more on average");
            }
        }
        if let ImpairmentKind::Handovers {
            every: Onset::PacketWithProbability(_),
            ..
        } = kind
        {
            self.unfit(
                &format!("{key}.every"),
                "handovers come by the clock, whoever sends; write it as in `15 s between onsets`",
            );
        }
        Some(Impairment {
            name: file.name,
            scope,
            kind,
        })
    }

    /// When something begins, over and over.
    pub(crate) fn onset(&mut self, key: &str, every: Occurrence) -> Option<Onset> {
        Some(match every {
            Occurrence::PacketWithProbability(probability) => Onset::PacketWithProbability(probability),
            Occurrence::Renewal(distribution) => Onset::Renewal(self.interval(key, distribution)?),
            Occurrence::Intervals(distribution) => Onset::Intervals(self.interval(key, distribution)?),
            Occurrence::IntervalsFrom(distribution, first) => {
                Onset::IntervalsFrom(self.interval(key, distribution)?, first)
            }
        })
    }

    fn interval(&mut self, key: &str, every: SpanDistribution) -> Option<Distribution<Span>> {
        let every = self.distribution(key, Text(every))?;
        if every.typical_secs() < SHORTEST_CYCLE_SECS {
            self.unfit(key, "must be 1 ms or more on average");
        }
        Some(every)
    }
}

/// The name of an impairment beside which there can be no other of this kind in a direction.
fn rival<'a>(mut others: impl Iterator<Item = &'a Impairment>, impairment: &Impairment) -> Option<&'a str> {
    let is_single = matches!(
        impairment.kind,
        ImpairmentKind::Aggregation { .. } | ImpairmentKind::AckThinning { .. } | ImpairmentKind::Handovers { .. }
    );
    if !is_single {
        return None;
    }
    let is_rival = |other: &&Impairment| {
        let here = |direction| other.scope.covers(direction) && impairment.scope.covers(direction);
        discriminant(&other.kind) == discriminant(&impairment.kind) && Direction::ALL.into_iter().any(here)
    };
    others.find(is_rival).map(|first| first.name.as_str())
}
