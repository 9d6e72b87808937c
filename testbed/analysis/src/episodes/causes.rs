//! What the link did to begin an episode, or within it.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::Serialize;
use windlull_units::{Direction, Time};

use super::changes::Change;

/// A trouble that the link made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "EpisodeCause")]
pub enum Cause {
    /// It delivered nothing and kept everything.
    Hold {
        direction: Direction,
        name: String,
        from_ns: Time,
        /// When it was over, if it was.
        to_ns: Option<Time>,
    },
    /// It lost all it met.
    Outage {
        direction: Direction,
        name: String,
        from_ns: Time,
        /// When it was over, if it was.
        to_ns: Option<Time>,
    },
    Drops {
        /// By what: as in `fates.csv`, `corrupted` or `unknown`.
        by: &'static str,
        direction: Direction,
        /// When the first was lost.
        from_ns: Time,
        /// When the last was lost.
        to_ns: Time,
        packets: u64,
        /// How many of them carried data.
        segments: u64,
    },
    Rate(Change),
    Delay(Change),
    /// Another setting changed.
    Change(Change),
}

impl Cause {
    /// As in files.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Hold { .. } => "hold",
            Self::Outage { .. } => "outage",
            Self::Drops { .. } => "drops",
            Self::Rate(_) => "rate",
            Self::Delay(_) => "delay",
            Self::Change(_) => "change",
        }
    }

    /// When it began.
    pub const fn from_ns(&self) -> Time {
        match self {
            Self::Hold { from_ns, .. } | Self::Outage { from_ns, .. } | Self::Drops { from_ns, .. } => *from_ns,
            Self::Rate(change) | Self::Delay(change) | Self::Change(change) => change.from_ns,
        }
    }

    /// When it was over, if it was; a change is over at once.
    pub(super) const fn over(&self) -> Option<Time> {
        match self {
            Self::Hold { to_ns, .. } | Self::Outage { to_ns, .. } => *to_ns,
            Self::Drops { to_ns, .. } => Some(*to_ns),
            Self::Rate(change) | Self::Delay(change) | Self::Change(change) => Some(change.to_ns),
        }
    }

    /// Adds drops to earlier ones by the same thing, and steps of the rate or the delay to earlier ones, the same way.
    fn joined(&mut self, other: &Self) -> bool {
        match (&mut *self, other) {
            (Self::Rate(change), Self::Rate(next)) | (Self::Delay(change), Self::Delay(next))
                if change.direction == next.direction =>
            {
                change.go_on(next);
                return true;
            }
            _ => {}
        }
        let Self::Drops {
            by,
            direction,
            to_ns,
            packets,
            segments,
            ..
        } = self
        else {
            return false;
        };
        match other {
            Self::Drops {
                by: other_by,
                direction: other_direction,
                to_ns: other_to,
                packets: more,
                segments: more_data,
                ..
            } if by == other_by && direction == other_direction => {
                *to_ns = *other_to;
                *packets += more;
                *segments += more_data;
                true
            }
            _ => false,
        }
    }

    /// Whether it is the spell of this kind, name and direction, still going on; then it ends now.
    fn end(&mut self, now: Time, hold: bool, which: Direction, named: &str) -> bool {
        match (self, hold) {
            (
                Self::Hold {
                    direction, name, to_ns, ..
                },
                true,
            )
            | (
                Self::Outage {
                    direction, name, to_ns, ..
                },
                false,
            ) if to_ns.is_none() && *direction == which && *name == named => {
                *to_ns = Some(now);
                true
            }
            _ => false,
        }
    }
}

/// The causes of one episode.
#[derive(Debug, Default)]
pub(super) struct Causes(pub(super) Vec<Cause>);

/// More are not told of one episode.
const MOST: usize = 64;

impl Causes {
    pub(super) fn add(&mut self, cause: Cause) {
        if self.0.iter_mut().any(|known| known.joined(&cause)) {
            return;
        }
        if self.0.len() < MOST {
            self.0.push(cause);
        }
    }

    pub(super) fn end(&mut self, now: Time, hold: bool, direction: Direction, name: &str) -> bool {
        self.0
            .iter_mut()
            .rev()
            .any(|cause| cause.end(now, hold, direction, name))
    }

    /// Whether a hold or an outage is going on.
    pub(super) fn are_going_on(&self) -> bool {
        self.0.iter().any(|cause| cause.over().is_none())
    }

    /// When the last was over, if all were.
    pub(super) fn over(&self) -> Option<Time> {
        if self.are_going_on() {
            return None;
        }
        self.0.iter().filter_map(Cause::over).max()
    }
}

/// What may turn out to be a cause.
#[derive(Debug, Default)]
pub(super) struct Possible {
    /// Each with the position that was the highest sent then.
    causes: VecDeque<(u64, Cause)>,
}

impl Possible {
    pub(super) fn add(&mut self, max: u64, cause: Cause) {
        if let Some((mark, last)) = self.causes.back_mut() {
            if *mark == max && last.joined(&cause) {
                return;
            }
        }
        if self.causes.len() == MOST {
            self.causes.pop_front();
        }
        self.causes.push_back((max, cause));
    }

    pub(super) fn end(&mut self, now: Time, hold: bool, direction: Direction, name: &str) {
        self.causes
            .iter_mut()
            .rev()
            .any(|(_, cause)| cause.end(now, hold, direction, name));
    }

    /// Everything below this position is acknowledged: what happened before it was sent did no harm.
    pub(super) fn acknowledged(&mut self, una: u64) {
        while self
            .causes
            .front()
            .is_some_and(|(mark, cause)| *mark <= una && cause.over().is_some())
        {
            self.causes.pop_front();
        }
    }

    pub(super) fn take(&mut self) -> impl Iterator<Item = Cause> + '_ {
        self.causes.drain(..).map(|(_, cause)| cause)
    }
}
