//! The course of a run: the link without packets, turned through its weather and script, and the commands for it.

use windlull_link::model::{Action, LinkModel, ScriptEntry, Trigger};
use windlull_link::{Link, LinkObserver, NoPacket};
use windlull_units::{Direction, Fate, LinkEvent, Seed, Span, Time};

use super::plan::PathPlan;
use super::refusal::Reason;
use super::stages;
use super::state::{Setting, State};
use super::step::{Devices, Step};

/// More instants at which something changes are no timeline for commands.
pub(crate) const MOST_CHANGES: usize = 10_000;

/// The states of both directions from each time on, in order. The link turns without packets: what happens by
/// itself comes from streams of its own, so it happens likewise under any traffic.
pub(crate) fn states(model: &LinkModel, seed: Seed, horizon: Span) -> Result<Vec<(Time, [State; 2])>, Reason> {
    let end = Time::ZERO + horizon;
    let mut changes = settings(model);
    changes.extend(weather(model, seed, end)?);
    changes.retain(|change| change.at <= end);
    changes.sort_by_key(|change| change.at);
    let start = [Direction::Down, Direction::Up].map(|direction| State::new(model, direction));
    let mut states = vec![(Time::ZERO, start)];
    for change in changes {
        let (at, now) = states.last().expect("never empty").clone();
        if change.at > at {
            states.push((change.at, now));
        }
        let (_, now) = states.last_mut().expect("never empty");
        let state = &mut now[change.direction as usize];
        match change.what {
            What::Happened(event) => state.meet(&event),
            What::Set(setting) => state.set(setting),
        }
    }
    // Ends and beginnings at one instant may leave things as they were.
    states.dedup_by(|later, earlier| later.1 == earlier.1);
    if states.len() > MOST_CHANGES {
        return Err(Reason::TooManyChanges);
    }
    Ok(states)
}

/// The commands at each time.
pub(crate) fn changes(
    paths: &[PathPlan; 2],
    states: &[(Time, [State; 2])],
    devices: &Devices,
    seed: Seed,
) -> Vec<(Time, Step)> {
    let mut timeline = Vec::new();
    for (turn, pair) in states.windows(2).enumerate() {
        let [(_, before), (at, after)] = pair else { continue };
        for path in paths {
            let index = path.direction as usize;
            let seed = stages::seed_of(seed, path.direction, turn + 1);
            let steps = stages::change(path, &before[index], &after[index], devices, seed);
            timeline.extend(steps.into_iter().map(|step| (*at, step)));
        }
    }
    timeline
}

/// Something changes.
struct Change {
    at: Time,
    direction: Direction,
    what: What,
}

enum What {
    Happened(LinkEvent),
    Set(Setting),
}

fn weather(model: &LinkModel, seed: Seed, end: Time) -> Result<Vec<Change>, Reason> {
    let mut link: Link<NoPacket> = Link::new(model, seed);
    let mut seen = Seen(Vec::new());
    while let Some(next) = link.poll_at().filter(|&next| next <= end) {
        link.advance(next, &mut seen);
        if seen.0.len() > 8 * MOST_CHANGES {
            return Err(Reason::TooManyChanges);
        }
    }
    Ok(seen.0)
}

struct Seen(Vec<Change>);

impl LinkObserver for Seen {
    fn fate(&mut self, _: &Fate) {}

    fn link(&mut self, now: Time, event: &LinkEvent) {
        self.0.push(Change {
            at: now,
            direction: event.direction(),
            what: What::Happened(event.clone()),
        });
    }
}

/// What the script sets and gives back, as the link does it: who sets something last gives it back to the model; at one
/// instant beginnings come before ends, then in order of the file.
fn settings(model: &LinkModel) -> Vec<Change> {
    let mut changes = Vec::new();
    for direction in [Direction::Down, Direction::Up] {
        let path = match direction {
            Direction::Down => &model.down,
            Direction::Up => &model.up,
        };
        let queue = path.queue.limit();
        let kinds: [fn(&Action) -> Option<Setting>; 4] = [
            |action| match *action {
                Action::SetQueue(limit) => Some(Setting::Queue(limit)),
                _ => None,
            },
            |action| match *action {
                Action::SetDelay(delay) => Some(Setting::Delay(Some(delay))),
                _ => None,
            },
            |action| match *action {
                Action::Delay(by) => Some(Setting::KeptBack(by)),
                _ => None,
            },
            |action| match *action {
                Action::SetLoss(loss) => Some(Setting::Loss(loss)),
                _ => None,
            },
        ];
        let given_back = [
            Setting::Queue(queue),
            Setting::Delay(None),
            Setting::KeptBack(Span::ZERO),
            Setting::Loss(0.0),
        ];
        for (kind, given_back) in kinds.into_iter().zip(given_back) {
            let here = model.script.iter().filter(|entry| entry.scope.covers(direction));
            let set = played(here, kind, given_back);
            changes.extend(set.into_iter().map(|(at, setting)| Change {
                at,
                direction,
                what: What::Set(setting),
            }));
        }
    }
    changes
}

fn played<'a>(
    entries: impl Iterator<Item = &'a ScriptEntry>,
    kind: fn(&Action) -> Option<Setting>,
    given_back: Setting,
) -> Vec<(Time, Setting)> {
    let mut agenda = Vec::new();
    for (entry, written) in entries.enumerate() {
        let (Some(setting), &Trigger::At { at, lasts }) = (kind(&written.action), &written.trigger) else {
            continue;
        };
        agenda.push((at, false, entry, setting));
        if let Some(lasts) = lasts {
            agenda.push((at + lasts, true, entry, setting));
        }
    }
    agenda.sort_by_key(|&(at, ends, entry, _)| (at, ends, entry));
    let mut in_force = None;
    let mut set = Vec::new();
    for (at, ends, entry, setting) in agenda {
        if !ends {
            in_force = Some(entry);
            set.push((at, setting));
        } else if in_force == Some(entry) {
            in_force = None;
            set.push((at, given_back));
        }
    }
    set
}
