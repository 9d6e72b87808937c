//! Script entries: what an entry may say, and which entries contradict each other.

use std::rc::Rc;

use windlull_link::model::{Action, Scope, ScriptEntry, Selector, Trigger};
use windlull_units::{Direction, Span, Time};

use crate::convert::Converter;
use crate::document::KeyPlaces;
use crate::file::{ScriptAction, ScriptFile, ScriptOn};
use crate::problem::{Defect, Problem};
use crate::text::{Begin, Text};

/// A script entry and where it stands.
pub(crate) struct Placed {
    pub(crate) entry: ScriptEntry,
    pub(crate) places: Rc<KeyPlaces>,
    pub(crate) key: String,
}

impl Converter<'_> {
    pub(crate) fn script(&mut self, key: &str, file: &ScriptFile) -> Option<ScriptEntry> {
        let action = self.action(key, file)?;
        let lasts = file.lasts.map(|lasts| lasts.0);
        let scope = match file.on.unwrap_or(ScriptOn::Both) {
            ScriptOn::Down => Scope::One(Direction::Down),
            ScriptOn::Up => Scope::One(Direction::Up),
            ScriptOn::Both => Scope::Shared,
        };
        let needs_for = match (&action, &file.at.0) {
            (Action::Hold | Action::HoldArrivals, _) => Some("hold"),
            (Action::Drop, Begin::Instant(_) | Begin::Transport(_)) => Some("drop"),
            _ => None,
        };
        if let (Some(action), None) = (needs_for, lasts) {
            let what = format!("a {action} has to end; give it as in `for = \"3 s\"`");
            self.problem(&format!("{key}.for"), Defect::MissingKey { what });
            return None;
        }
        let trigger = match &file.at.0 {
            Begin::Instant(at) => {
                if matches!(action, Action::Delay(_)) {
                    let why = "`do = \"delay\"` is for chosen packets, as in `at = \"data segment 9\"`; \
                               at an instant write `delay = ...` or `do = \"hold\"`";
                    self.unfit(&format!("{key}.at"), why);
                    return None;
                }
                Trigger::At {
                    at: Time::ZERO + *at,
                    lasts,
                }
            }
            Begin::Packets(which) => {
                match &action {
                    Action::Hold | Action::HoldArrivals | Action::Drop => {}
                    Action::Delay(_) if lasts.is_none() => {}
                    Action::Delay(_) => {
                        self.unfit(
                            &format!("{key}.for"),
                            "a delay of chosen packets has no length; leave it out",
                        );
                        return None;
                    }
                    _ => {
                        let why = "a setting changes at an instant, as in `at = \"10 s\"`, not at packets";
                        self.unfit(&format!("{key}.at"), why);
                        return None;
                    }
                }
                Trigger::Packets {
                    which: which.clone(),
                    lasts,
                }
            }
            Begin::Transport(when) => {
                if matches!(action, Action::Delay(_)) {
                    let why = "`do = \"delay\"` is for chosen packets, as in `at = \"data segment 9\"`; \
                               when the transport meets a condition write `delay = ...` or `do = \"hold\"`";
                    self.unfit(&format!("{key}.at"), why);
                    return None;
                }
                Trigger::Transport { when: *when, lasts }
            }
        };
        Some(ScriptEntry { scope, trigger, action })
    }

    fn action(&mut self, key: &str, file: &ScriptFile) -> Option<Action> {
        let settings = [
            file.rate.map(|rate| ("rate", Action::SetRate(rate.0))),
            file.delay.map(|delay| ("delay", Action::SetDelay(delay.0))),
            file.loss.map(|loss| ("loss", Action::SetLoss(loss.0.0))),
            file.queue.map(|queue| ("queue", Action::SetQueue(queue.0))),
        ];
        let mut said: Vec<(&str, Option<Action>)> = Vec::new();
        if let Some(action) = file.action {
            let action = match (action, file.by) {
                (ScriptAction::Hold, _) => Some(Action::Hold),
                (ScriptAction::HoldArrivals, _) => Some(Action::HoldArrivals),
                (ScriptAction::Drop, _) => Some(Action::Drop),
                (ScriptAction::Delay, Some(Text(by))) => Some(Action::Delay(by)),
                (ScriptAction::Delay, None) => {
                    let what = "`do = \"delay\"` needs it, as in `by = \"1 s\"`".to_owned();
                    self.problem(&format!("{key}.by"), Defect::MissingKey { what });
                    None
                }
            };
            said.push(("do", action));
        }
        said.extend(settings.into_iter().flatten().map(|(key, action)| (key, Some(action))));
        if file.by.is_some() && file.action != Some(ScriptAction::Delay) {
            self.unfit(&format!("{key}.by"), "goes with `do = \"delay\"` alone; leave it out");
        }
        match said.as_slice() {
            [(_, action)] => action.clone(),
            [] => {
                self.unfit(
                    key,
                    "does not say what happens; give one of do, rate, delay, loss, queue",
                );
                None
            }
            several => {
                let keys: Vec<_> = several.iter().map(|(key, _)| *key).collect();
                let why = format!(
                    "says {} things at once ({}); make them entries of their own",
                    keys.len(),
                    keys.join(", ")
                );
                self.unfit(key, why);
                None
            }
        }
    }
}

/// Entries of the same kind that meet in a direction; the later one of each pair is at fault.
pub(crate) fn overlaps(script: &[Placed]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (i, later) in script.iter().enumerate() {
        let clash = script[..i]
            .iter()
            .find_map(|earlier| Some((earlier, clash(&earlier.entry, &later.entry)?)));
        if let Some((earlier, (direction, when))) = clash {
            let same_file = earlier.places.file() == later.places.file();
            let other = if same_file {
                earlier.key.clone()
            } else {
                format!("{} of {}", earlier.key, earlier.places.file())
            };
            let what = what(&later.entry.action);
            problems.push(later.places.problem(
                &later.key,
                Defect::Overlap {
                    other,
                    what,
                    direction,
                    when,
                },
            ));
        }
    }
    problems
}

const fn what(action: &Action) -> &'static str {
    match action {
        Action::Hold => "hold",
        Action::HoldArrivals => "hold arrivals",
        Action::Drop => "drop",
        Action::Delay(_) => "delay",
        Action::SetRate(_) => "set the rate",
        Action::SetDelay(_) => "set the delay",
        Action::SetLoss(_) => "set the loss",
        Action::SetQueue(_) => "set the queue",
    }
}

fn clash(a: &ScriptEntry, b: &ScriptEntry) -> Option<(&'static str, String)> {
    if what(&a.action) != what(&b.action) {
        return None;
    }
    let direction = match (a.scope, b.scope) {
        (Scope::One(a), Scope::One(b)) if a != b => return None,
        (Scope::One(direction), _) | (_, Scope::One(direction)) => direction.name(),
        _ => "both ways",
    };
    match (&a.trigger, &b.trigger) {
        (
            Trigger::At {
                at: a_at,
                lasts: a_lasts,
            },
            Trigger::At {
                at: b_at,
                lasts: b_lasts,
            },
        ) => {
            let (first, lasts, second) = if a_at <= b_at {
                (*a_at, *a_lasts, *b_at)
            } else {
                (*b_at, *b_lasts, *a_at)
            };
            // A setting that stays gives way to the next one, and comes back when that one ends.
            let end = first + lasts.unwrap_or(Span::ZERO);
            (second < end || second == first).then(|| (direction, format!("at {second}")))
        }
        (Trigger::Packets { which: a, .. }, Trigger::Packets { which: b, .. }) => {
            let both = common(a, b)?;
            Some((direction, Begin::Packets(both).in_words()))
        }
        (Trigger::Transport { when: a, .. }, Trigger::Transport { when: b, .. }) => {
            (a == b).then(|| (direction, Begin::Transport(*a).in_words()))
        }
        _ => None,
    }
}

/// The packets that both name for certain.
fn common(a: &Selector, b: &Selector) -> Option<Selector> {
    match (a, b) {
        (
            Selector::DataSegments {
                first: a_first,
                last: a_last,
            },
            Selector::DataSegments {
                first: b_first,
                last: b_last,
            },
        ) => {
            let (first, last) = (*a_first.max(b_first), *a_last.min(b_last));
            (first <= last).then_some(Selector::DataSegments { first, last })
        }
        (a, b) => (a == b).then(|| a.clone()),
    }
}
