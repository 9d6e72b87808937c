//! `preview`: what a link does over time before any packet is sent.

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use windlull_experiment::{Fact, Library, Link};
use windlull_link::RATE_WINDOW;
use windlull_link::model::{LinkModel, PathModel, QueueLimit, RateModel};
use windlull_link::preview::{DRAWS, Drawn, Pace, PathPreview, Spell, SpellKind, preview as look_ahead};
use windlull_units::{Direction, Seed, Span, Time, parse_span};

use crate::answer;
use crate::failure::Failure;

/// The arguments of `preview`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The link's name, or the path of its file.
    link: String,
    /// The master seed of an experiment on this link.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Which of its repetitions: each meets the link in a history of its own.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repetition: u32,
    /// How long, from the start of the run.
    #[arg(long = "for", value_name = "SPAN", default_value = "2 min", value_parser = parse_span)]
    span: Span,
}

/// Tells the link's course.
pub(crate) fn preview(library: &Library, arguments: &Arguments) -> Result<(), Failure> {
    let link = Link::load(library, &arguments.link)?;
    let seed = Seed::new(arguments.seed);
    let run_seed = seed.of_repetition(arguments.repetition);
    let ahead = look_ahead(&link.model, run_seed, arguments.span);
    let LinkModel { down, up, .. } = &link.model;
    answer::json(&Answer {
        title: &link.title,
        seed,
        repetition: arguments.repetition,
        run_seed,
        until_ns: ahead.until.as_ns(),
        capped: ahead.capped,
        down: Path::of(Direction::Down, down, &ahead.down),
        up: Path::of(Direction::Up, up, &ahead.up),
        facts: link.facts(),
        summary: link.summary(),
    })
}

/// What the link does over time, whatever the traffic; and what depends on traffic, as facts without an instant. Times are
/// nanoseconds since the start of the run.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Preview")]
pub(crate) struct Answer<'a> {
    title: &'a str,
    seed: Seed,
    repetition: u32,
    /// Of the runs of that repetition, whatever their variant.
    run_seed: Seed,
    /// Up to here, this instant included, it is told.
    until_ns: u64,
    /// Whether that is less than was asked for, because too much happens.
    capped: bool,
    /// From server to client.
    down: Path<'a>,
    /// From client to server.
    up: Path<'a>,
    facts: Vec<Fact>,
    /// All of the link, in lines for people.
    summary: Vec<String>,
}

/// One direction. Steps hold from their instant to the next; the first is at 0.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PreviewPath")]
struct Path<'a> {
    rate: Rate,
    delay: Delay,
    queue: Queue,
    loss: Loss,
    kept_back: KeptBack,
    /// In the order in which they begin.
    spells: Vec<PreviewSpell<'a>>,
}

/// How a direction's rate goes.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum RateKind {
    Unlimited,
    Constant,
    Steps,
    Trace,
}

/// Column by column: from `t_ns[i]` on, `bps[i]`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PreviewRate")]
struct Rate {
    /// What the link's model has; the script may set another rate for a while.
    kind: RateKind,
    /// Of a trace: over how long each of its rates is counted.
    window_ns: Option<u64>,
    t_ns: Vec<u64>,
    /// `None` is unlimited; 0 only where a trace has no opportunity in a whole window.
    bps: Vec<Option<u64>>,
}

/// The propagation delay, one way: `delay_ns[i]` from `t_ns[i]` on.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PreviewDelay")]
struct Delay {
    t_ns: Vec<u64>,
    /// `None` while each packet draws its own.
    delay_ns: Vec<Option<u64>>,
    drawn: Option<Quantiles>,
}

/// What the first packets of a direction draw as their propagation delay, each from the link's own random stream.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DelayQuantiles")]
struct Quantiles {
    /// The random stream that packets draw from.
    stream: String,
    /// From how many draws the quantiles are taken.
    draws: usize,
    p5_ns: u64,
    p50_ns: u64,
    p95_ns: u64,
}

/// The queue's limit from `t_ns[i]` on, in packets or in octets; unlimited where both are null.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PreviewQueue")]
struct Queue {
    t_ns: Vec<u64>,
    packets: Vec<Option<u32>>,
    bytes: Vec<Option<u64>>,
}

/// The script's loss, on top of the impairments': `probability[i]` from `t_ns[i]` on.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PreviewLoss")]
struct Loss {
    t_ns: Vec<u64>,
    probability: Vec<f64>,
}

/// By how much the script keeps back each packet: `delay_ns[i]` from `t_ns[i]` on.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PreviewKeptBack")]
struct KeptBack {
    t_ns: Vec<u64>,
    delay_ns: Vec<u64>,
}

/// A time in which a direction is not as it should be.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PreviewSpell")]
struct PreviewSpell<'a> {
    kind: SpellKind,
    /// Of the impairment, or `script N`: as events of a run have it.
    name: &'a str,
    from_ns: u64,
    /// As drawn, be it after the preview. Null: to the end of the run, or not over where the preview is.
    until_ns: Option<u64>,
}

impl<'a> Path<'a> {
    fn of(direction: Direction, model: &PathModel, ahead: &'a PathPreview) -> Self {
        Self {
            rate: Rate::of(model, ahead),
            delay: Delay::of(direction, ahead),
            queue: Queue {
                t_ns: times(&ahead.queue),
                packets: values(&ahead.queue, |limit| match limit {
                    QueueLimit::Packets(most) => Some(*most),
                    QueueLimit::Unlimited | QueueLimit::Bytes(_) => None,
                }),
                bytes: values(&ahead.queue, |limit| match limit {
                    QueueLimit::Bytes(most) => Some(most.get()),
                    QueueLimit::Unlimited | QueueLimit::Packets(_) => None,
                }),
            },
            loss: Loss {
                t_ns: times(&ahead.loss),
                probability: values(&ahead.loss, |loss| *loss),
            },
            kept_back: KeptBack {
                t_ns: times(&ahead.kept_back),
                delay_ns: values(&ahead.kept_back, |by| by.as_ns()),
            },
            spells: ahead.spells.iter().map(PreviewSpell::of).collect(),
        }
    }
}

impl Rate {
    fn of(model: &PathModel, ahead: &PathPreview) -> Self {
        let (kind, window_ns) = match &model.rate {
            None => (RateKind::Unlimited, None),
            Some(RateModel::Constant(_)) => (RateKind::Constant, None),
            Some(RateModel::Stepped { .. }) => (RateKind::Steps, None),
            Some(RateModel::Trace { .. }) => (RateKind::Trace, Some(RATE_WINDOW.as_ns())),
        };
        Self {
            kind,
            window_ns,
            t_ns: times(&ahead.rate),
            bps: values(&ahead.rate, |pace| match pace {
                Pace::Unlimited => None,
                Pace::At(rate) => Some(rate.as_bps()),
                Pace::Nothing => Some(0),
            }),
        }
    }
}

impl Delay {
    fn of(direction: Direction, ahead: &PathPreview) -> Self {
        let quantiles = |drawn: &Drawn| Quantiles {
            stream: format!("{}/delay", direction.name()),
            draws: DRAWS,
            p5_ns: drawn.p5.as_ns(),
            p50_ns: drawn.p50.as_ns(),
            p95_ns: drawn.p95.as_ns(),
        };
        Self {
            t_ns: times(&ahead.delay),
            delay_ns: values(&ahead.delay, |delay| delay.map(Span::as_ns)),
            drawn: ahead.drawn.as_ref().map(quantiles),
        }
    }
}

impl<'a> PreviewSpell<'a> {
    fn of(spell: &'a Spell) -> Self {
        Self {
            kind: spell.kind,
            name: &spell.name,
            from_ns: spell.from.as_ns(),
            until_ns: spell.until.map(Time::as_ns),
        }
    }
}

fn times<T>(steps: &[(Time, T)]) -> Vec<u64> {
    steps.iter().map(|(at, _)| at.as_ns()).collect()
}

fn values<T, V>(steps: &[(Time, T)], of: impl Fn(&T) -> V) -> Vec<V> {
    steps.iter().map(|(_, value)| of(value)).collect()
}
