//! What a link does over time before any packet is sent: the link itself, turned through its state and its script.
//!
//! What happens by itself draws from streams of its own, so it happens likewise, to the nanosecond, under any traffic
//! of the same seed. What happens at packets has no instant yet, and is not here.

mod course;
mod steps;

use windlull_units::{Direction, Seed, Span, Time};

use crate::delay::{DelaysInForce, Propagation};
use crate::model::{LinkModel, PathModel};
use crate::{Link, NoPacket};
use course::Course;
pub use course::{Drawn, PathPreview, Spell, SpellKind};

pub use crate::live::Pace;

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
    let mut delays: Vec<Span> = (0..DRAWS)
        .map(|_| propagation.draw(false, DelaysInForce::default()))
        .collect();
    delays.sort_unstable();
    // The nearest rank: a delay that was drawn, not one between two.
    let quantile = |percent: usize| delays[(DRAWS * percent).div_ceil(100) - 1];
    Some(Drawn {
        p5: quantile(5),
        p50: quantile(50),
        p95: quantile(95),
    })
}
