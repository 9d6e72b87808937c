//! What a link does over time before any packet is sent: the link itself, turned through its state and its script.
//!
//! What happens by itself draws from streams of its own, so it happens likewise, to the nanosecond, under any traffic
//! of the same seed. What happens at packets has no instant yet, and is not here.

mod course;
mod steps;

use schemars::JsonSchema;
use serde::Serialize;
use windlull_units::{BitRate, Direction, Seed, Span, Time};

use crate::delay::Propagation;
use crate::model::{LinkModel, PathModel, QueueLimit};
use crate::{Link, NoPacket};
use course::Course;

/// More instants at which something happens are not looked at.
pub const MOST_TURNS: usize = 20_000;

/// From how many draws the quantiles of a delay are taken.
pub const DRAWS: usize = 10_000;

/// What a link does over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// From server to client.
    pub down: PathPreview,
    /// From client to server.
    pub up: PathPreview,
    /// Up to here it is told, this instant included: the span that was asked for, or less after [`MOST_TURNS`].
    pub until: Time,
    /// Whether that is less than was asked for.
    pub capped: bool,
}

/// What one direction does over time. Steps hold from their instant to the next; the first is at zero.
#[derive(Clone, Debug, PartialEq)]
pub struct PathPreview {
    /// How fast it serialises.
    pub rate: Vec<(Time, Pace)>,
    /// The propagation delay, one way; `None` while each packet draws its own.
    pub delay: Vec<(Time, Option<Span>)>,
    /// What packets draw, if the model has it so.
    pub drawn: Option<Drawn>,
    pub queue: Vec<(Time, QueueLimit)>,
    /// The script's loss, on top of the impairments'.
    pub loss: Vec<(Time, f64)>,
    /// By how much the script keeps back each packet.
    pub kept_back: Vec<(Time, Span)>,
    /// Holds, outages and bad states, in the order in which they begin.
    pub spells: Vec<Spell>,
}

/// How fast a direction serialises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Infinitely fast.
    Unlimited,
    /// So fast; of a trace, over the window that begins there.
    At(BitRate),
    /// Not at all: a trace without opportunities in this window.
    Nothing,
}

/// Quantiles of the delays that the first [`DRAWS`] packets of a direction draw, each from the path's own stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// One in twenty is at most this.
    pub p5: Span,
    /// One in two is at most this.
    pub p50: Span,
    /// Nineteen in twenty are at most this.
    pub p95: Span,
}

/// A time in which a direction is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spell {
    pub kind: SpellKind,
    /// Whose: the impairment's name, or `script N`.
    pub name: String,
    pub from: Time,
    /// Its end, as drawn, be it after [`Preview::until`]; `None` if it lasts to the end of the run, or if a bad state
    /// was not over by then.
    pub until: Option<Time>,
}

/// In what way a direction is not as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SpellKind {
    /// It delivers nothing, and keeps everything.
    Hold,
    Outage,
    /// A process with two states in time is in the bad one.
    Bad,
}

/// Says what the link of this model does in a run of this seed, from its start through `span`.
pub fn preview(model: &LinkModel, seed: Seed, span: Span) -> Preview {
    let asked = Time::ZERO + span;
    let mut link: Link<NoPacket> = Link::new(model, seed);
    let mut course = Course::new(model, &link);
    let (mut until, mut turns) = (asked, 0);
    while let Some(next) = link.poll_at().filter(|&next| next <= asked) {
        if turns == MOST_TURNS {
            // What happens next is not told: up to the instant before all is.
            until = Time::from_ns(next.as_ns().saturating_sub(1));
            break;
        }
        link.advance(next, &mut course);
        course.look(next, &link);
        turns += 1;
    }
    let [mut down, mut up] = course.finish();
    down.drawn = drawn(&model.down, Direction::Down, seed);
    up.drawn = drawn(&model.up, Direction::Up, seed);
    Preview {
        down,
        up,
        until,
        capped: until < asked,
    }
}

fn drawn(path: &PathModel, direction: Direction, seed: Seed) -> Option<Drawn> {
    let mut propagation = Propagation::of(path, direction, seed);
    if propagation.constant().is_some() {
        return None;
    }
    let mut delays: Vec<Span> = (0..DRAWS).map(|_| propagation.draw(false)).collect();
    delays.sort_unstable();
    // The nearest rank: a delay that was drawn, not one between two.
    let quantile = |percent: usize| delays[(DRAWS * percent).div_ceil(100) - 1];
    Some(Drawn {
        p5: quantile(5),
        p50: quantile(50),
        p95: quantile(95),
    })
}
