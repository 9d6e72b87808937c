//! The course of a run: the link without packets, turned through its state and script, and the commands for it.

use windlull_link::model::{Action, LinkModel, ScriptEntry, Trigger};
use windlull_link::{Link, LinkObserver, NoPacket};
use windlull_units::{Direction, Fate, LinkEvent, Seed, Span, Time};

use super::layout::Layout;
use super::nearest::Stop;
use super::path::PathPlan;
use super::refusal::{MOST_CHANGES, Reason};
use super::stages;
use super::state::{Setting, State};
use super::step::Step;

/// The states of both directions from each time on, in order. The link turns without packets: what happens by
/// itself comes from streams of its own, so it happens likewise under any traffic.
pub(crate) fn states(model: &LinkModel, seed: Seed, horizon: Span) -> Result<Vec<(Time, [State; 2])>, Reason> {
    let end = Time::ZERO + horizon;
    let mut changes = settings(model);
    changes.extend(link_state(model, seed, end)?);
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

/// The queue of a direction stops a while after each hold begins, and goes on a while after it ends.
pub(crate) fn stop_in_holds(states: &mut Vec<(Time, [State; 2])>, direction: Direction, stop: Stop, end: Time) {
    let index = direction as usize;
    let mut stopped: Vec<(Time, Time)> = Vec::new();
    let mut began = None;
    for (at, state) in states.iter() {
        match (began, state[index].holding()) {
            (None, true) => began = Some(*at),
            (Some(from), false) => {
                stopped.push((from + stop.after, *at + stop.until));
                began = None;
            }
            _ => {}
        }
    }
    stopped.extend(began.map(|from| (from + stop.after, end)));
    for (from, until) in stopped.into_iter().filter(|(from, until)| from < until) {
        for at in [from, until] {
            let place = states.partition_point(|(other, _)| *other <= at);
            if place > 0 && states[place - 1].0 < at {
                let before = states[place - 1].1.clone();
                states.insert(place, (at, before));
            }
        }
        for (_, state) in states.iter_mut().filter(|(at, _)| (from..until).contains(at)) {
            state[index].stopped = true;
        }
    }
    states.retain(|(at, _)| *at <= end);
}

/// The commands at each time.
pub(crate) fn changes(
    paths: &[PathPlan; 2],
    states: &[(Time, [State; 2])],
    layout: Layout<'_>,
    seed: Seed,
) -> Vec<(Time, Step)> {
    let mut timeline = Vec::new();
    for (turn, pair) in states.windows(2).enumerate() {
        let [(_, before), (at, after)] = pair else { continue };
        for path in paths {
            let index = path.direction as usize;
            let seed = stages::seed_of(seed, path.direction, turn + 1);
            let steps = stages::change(path, &before[index], &after[index], layout, seed);
            timeline.extend(steps.into_iter().map(|step| (*at, step)));
        }
    }
    timeline
}

struct Change {
    at: Time,
    direction: Direction,
    what: What,
}

enum What {
    Happened(LinkEvent),
    Set(Setting),
}

fn link_state(model: &LinkModel, seed: Seed, end: Time) -> Result<Vec<Change>, Reason> {
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

/// What the script sets and gives back, as the link does it: what ends gives back to the last entry that is still in force,
/// in the end to the model; at one instant beginnings come before ends, then in order of the file.
fn settings(model: &LinkModel) -> Vec<Change> {
    let mut changes = Vec::new();
    for direction in [Direction::Down, Direction::Up] {
        let queue = model.path(direction).queue.limit();
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
    let mut in_force: Vec<(usize, Setting)> = Vec::new();
    let mut set = Vec::new();
    for (at, ends, entry, setting) in agenda {
        if !ends {
            in_force.push((entry, setting));
            set.push((at, setting));
            continue;
        }
        let was_last = in_force.last().is_some_and(|&(last, _)| last == entry);
        in_force.retain(|&(other, _)| other != entry);
        if was_last {
            set.push((at, in_force.last().map_or(given_back, |&(_, setting)| setting)));
        }
    }
    set
}
