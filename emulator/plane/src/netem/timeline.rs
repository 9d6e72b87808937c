//! The course of a run: the link without packets, turned through its state and script, and the commands for it.

use windlull_link::model::LinkModel;
use windlull_link::{Link, NoPacket};
use windlull_units::{Direction, Seed, Span, Time};

use super::layout::Layout;
use super::nearest::Stop;
use super::path::PathPlan;
use super::refusal::{MOST_CHANGES, Reason};
use super::stages;
use super::state::{self, Seen, State};
use super::step::Step;

/// The states of both directions from each time on, in order. The link turns without packets: what happens by
/// itself comes from streams of its own, so it happens likewise under any traffic.
pub(crate) fn states(model: &LinkModel, seed: Seed, horizon: Span) -> Result<Vec<(Time, [State; 2])>, Reason> {
    let end = Time::ZERO + horizon;
    let own = Direction::ALL.map(|direction| model.path(direction).delay.clone());
    let mut link: Link<NoPacket> = Link::new(model, seed);
    let mut states = vec![(Time::ZERO, Direction::ALL.map(|direction| State::new(model, direction)))];
    let mut events = 0;
    while let Some(next) = link.poll_at().filter(|&next| next <= end) {
        let mut seen = Seen::default();
        link.advance(next, &mut seen);
        events += seen.0.len();
        if events > 8 * MOST_CHANGES {
            return Err(Reason::TooManyChanges);
        }
        let (at, mut now) = states.last().expect("never empty").clone();
        state::follow(&mut now, &seen, &link, &own);
        if next == at {
            states.pop();
        }
        states.push((next, now));
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
