//! What a model asks of the kernel, direction by direction; or why it cannot be had.

use windlull_link::model::{
    Action, Distribution, ImpairmentKind, LinkModel, Onset, PathModel, QueueLimit, RateModel, Scope, Selector,
    ServiceModel, Trigger, Zeros,
};
use windlull_units::{BitRate, Bytes, Direction, Seed, Span, Time};

use super::delay::Delay;
use super::managed;
use super::nearest::Stop;
use super::path::{LossInTime, LossStates, Order, PathPlan};
use super::refusal::{LEAST_RATE_BPS, LONGEST, ProfileItem, Reason, Refusal, Unsupported};
use super::state::State;
use super::timeline;
use super::without_equal::without_equal;

/// What becomes of parts that `tc` and `nft` cannot express.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fidelity {
    Exact,
    /// They are replaced by the nearest that there is, or left out.
    Nearest {
        /// The size of the packets that are assumed where it matters, as IP packets.
        packet: Bytes,
    },
}

/// A link that the kernel can make.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// Down, then up.
    pub(crate) paths: [PathPlan; 2],
    /// The state of both directions from each time on; the first is at the start.
    pub(crate) states: Vec<(Time, [State; 2])>,
}

pub(crate) fn plan(
    model: &LinkModel,
    seed: Seed,
    horizon: Span,
    fidelity: Fidelity,
    stops: [Option<Stop>; 2],
) -> Result<Plan, Unsupported> {
    let (mut paths, mut refused) = both_paths(model, fidelity);
    if refused.is_empty() {
        match timeline::states(model, seed, horizon) {
            Ok(mut states) => {
                for direction in Direction::ALL {
                    if let Some(stop) = stops[direction as usize].filter(|_| paths[direction as usize].rated) {
                        timeline::stop_in_holds(&mut states, direction, stop, Time::ZERO + horizon);
                    }
                }
                for path in &mut paths {
                    let direction = path.direction as usize;
                    path.holds = states.iter().any(|(_, state)| state[direction].holding());
                    path.stops = states.iter().any(|(_, state)| state[direction].stopped);
                }
                return Ok(Plan { paths, states });
            }
            Err(reason) => refused.push(Refusal::of(ProfileItem::Link, "changes", reason)),
        }
    }
    Err(Unsupported::new(refused))
}

/// Plans a link that a hand may change at any time: every stage is there, whether the model needs it or not.
pub(crate) fn plan_by_hand(model: &LinkModel) -> Result<[PathPlan; 2], Unsupported> {
    let (mut paths, refused) = both_paths(model, Fidelity::Exact);
    if !refused.is_empty() {
        return Err(Unsupported::new(refused));
    }
    for path in &mut paths {
        (path.rated, path.travels, path.holds) = (true, true, true);
        if path.order == Order::Natural {
            path.order = Order::Kept;
        }
    }
    Ok(paths)
}

/// Either of both, independently.
pub(crate) fn either(one: f64, other: f64) -> f64 {
    1.0 - (1.0 - one) * (1.0 - other)
}

/// Plans both directions, and says what cannot be expressed.
fn both_paths(model: &LinkModel, fidelity: Fidelity) -> ([PathPlan; 2], Vec<Refusal>) {
    let mut refused = Vec::new();
    if model.replay.is_some() {
        refused.push(Refusal::of(ProfileItem::Link, "replay", Reason::Replay));
    }
    if model.rebinding.is_some() {
        refused.push(Refusal::of(ProfileItem::Link, "rebinding", Reason::Rebinding));
    }
    let paths = Direction::ALL.map(|direction| path(model, direction, fidelity, &mut refused));
    (paths, refused)
}

fn path(model: &LinkModel, direction: Direction, fidelity: Fidelity, refused: &mut Vec<Refusal>) -> PathPlan {
    let path = model.path(direction);
    let mut path_plan = PathPlan {
        direction,
        rated: path.rate.is_some(),
        framing: path.framing,
        managed: path.queue.is_managed().then_some(path.queue),
        stops: false,
        delay: Delay::Constant(Span::ZERO),
        order: Order::Natural,
        travels: false,
        holds: false,
        states: None,
        processes: Vec::new(),
        loss: 0.0,
        loss_by_rule: 0.0,
        duplicate: 0.0,
        corrupt: 0.0,
        chosen: Vec::new(),
    };
    check_path(path, direction, fidelity, refused);
    let late = impairments(model, direction, &mut path_plan, refused);
    let overtaking = script(model, path, direction, &mut path_plan, refused);
    let constant = matches!(path.delay, Distribution::Constant(_));
    let moved = recorded(model, direction, fidelity, &mut path_plan, refused)
        || scripted(model, direction, |action| matches!(action, Action::SetDelay(_)))
        || hands_over(model, direction);
    path_plan.order = match (late.is_some() || overtaking, constant && !moved) {
        (true, true) => Order::ByTime,
        (true, false) => {
            refused.push(Refusal::of(
                ProfileItem::Path(direction),
                "delay",
                Reason::OvertakingRandomDelay,
            ));
            Order::ByTime
        }
        (false, true) => Order::Natural,
        (false, false) => Order::Kept,
    };
    match Delay::new(direction, &path.delay, late) {
        Ok(delay) if delay.longest() > LONGEST => refused.push(Refusal::of(
            ProfileItem::Path(direction),
            "delay",
            Reason::LongDelay(delay.longest()),
        )),
        Ok(delay) => path_plan.delay = delay,
        Err(reason) => refused.push(Refusal::of(ProfileItem::Path(direction), "delay", reason)),
    }
    // Losses come before copies, and beside states: rules do that, netem does not.
    if path_plan.states.is_some() || path_plan.duplicate > 0.0 {
        path_plan.loss_by_rule = path_plan.loss;
        path_plan.loss = 0.0;
    }
    if let Some(states) = path_plan.states.as_ref().filter(|_| path_plan.duplicate > 0.0) {
        refused.push(Refusal::of(
            ProfileItem::Path(direction),
            "duplicate",
            Reason::DuplicateWithStates(states.name.clone()),
        ));
    }
    path_plan.travels = path_plan.delay != Delay::Constant(Span::ZERO)
        || path_plan.order != Order::Natural
        || path_plan.states.is_some()
        || path_plan.loss + path_plan.duplicate + path_plan.corrupt > 0.0;
    path_plan
}

fn check_path(path: &PathModel, direction: Direction, fidelity: Fidelity, refused: &mut Vec<Refusal>) {
    let mut refuse = |key, reason| {
        refused.push(Refusal::of(ProfileItem::Path(direction), key, reason));
    };
    if path.arq.is_some() {
        refuse("arq", Reason::LinkLayer);
    }
    if path.allocation.is_some() {
        refuse("allocation", Reason::Allocation);
    }
    if path.light.is_some() {
        refuse("light", Reason::Light);
    }
    match path.service {
        None => {}
        Some(ServiceModel::Grants(_)) => refuse("service", Reason::Grants),
        Some(ServiceModel::Contention(_)) => refuse("service", Reason::Contention),
    }
    match &path.rate {
        None => {}
        Some(RateModel::Constant(rate)) => refuse_slow(*rate, |reason| refuse("rate", reason)),
        Some(RateModel::Stepped { steps, .. }) => {
            if let Some(rate) = steps.iter().map(|&(_, rate)| rate).min() {
                refuse_slow(rate, |reason| refuse("rate", reason));
            }
        }
        Some(RateModel::Trace { .. }) => refuse("rate", Reason::Trace),
    }
    if fidelity == Fidelity::Exact {
        for misfit in managed::misfits(&path.queue, path.framing) {
            refuse("queue", misfit);
        }
    }
    if is_small(path.queue.limit()) {
        refuse("queue", Reason::SmallQueue);
    }
}

fn refuse_slow(rate: BitRate, refuse: impl FnOnce(Reason)) {
    if rate.as_bps() < LEAST_RATE_BPS {
        refuse(Reason::SlowRate(rate));
    }
}

const fn is_small(limit: QueueLimit) -> bool {
    match limit {
        QueueLimit::Unlimited => false,
        QueueLimit::Packets(packets) => packets == 0,
        QueueLimit::Bytes(octets) => octets.get() < 1_500,
    }
}

/// Plans the impairments of a direction; returns which packets come late, and by how much.
fn impairments<'a>(
    model: &'a LinkModel,
    direction: Direction,
    path: &mut PathPlan,
    refused: &mut Vec<Refusal>,
) -> Option<(f64, &'a Distribution<Span>)> {
    let mut late: Option<(&String, f64, &Distribution<Span>)> = None;
    for impairment in model.impairments.iter().filter(|it| it.scope.covers(direction)) {
        let mut refuse = |key, reason| {
            refused.push(Refusal::of(
                ProfileItem::Impairment(impairment.name.clone()),
                key,
                reason,
            ));
        };
        match &impairment.kind {
            ImpairmentKind::Hold { every, .. } | ImpairmentKind::Drop { every, .. } => {
                if let Onset::PacketWithProbability(_) = every {
                    refuse("every", Reason::SpellAtPacket);
                }
            }
            ImpairmentKind::TwoState {
                loss_good, loss_bad, ..
            } => path.processes.push(LossInTime {
                name: impairment.name.clone(),
                loss_good: *loss_good,
                loss_bad: *loss_bad,
            }),
            // What is held is seen when it happens, and so is the delay where it is the same for all packets.
            ImpairmentKind::Handovers { loss, .. } => {
                if !matches!(model.path(direction).delay, Distribution::Constant(_)) {
                    refuse("delay", Reason::HandoverOfRandomDelay);
                }
                path.processes.push(LossInTime {
                    name: impairment.name.clone(),
                    loss_good: 0.0,
                    loss_bad: *loss,
                });
            }
            ImpairmentKind::Loss { probability } => path.loss = either(path.loss, *probability),
            ImpairmentKind::GilbertElliott { .. } if impairment.scope == Scope::Shared => {
                refuse("on", Reason::SharedStates);
            }
            ImpairmentKind::GilbertElliott {
                to_bad,
                to_good,
                loss_good,
                loss_bad,
            } => match &path.states {
                Some(first) => refuse("kind", Reason::SecondChain(first.name.clone())),
                None => {
                    path.states = Some(LossStates {
                        name: impairment.name.clone(),
                        to_bad: *to_bad,
                        to_good: *to_good,
                        loss_good: *loss_good,
                        loss_bad: *loss_bad,
                    });
                }
            },
            ImpairmentKind::Reorder { probability, by } => match late {
                Some((first, ..)) => refuse("kind", Reason::SecondReorder(first.clone())),
                None if *probability > 0.0 => late = Some((&impairment.name, *probability, by)),
                None => {}
            },
            ImpairmentKind::Duplicate { probability } => path.duplicate = either(path.duplicate, *probability),
            ImpairmentKind::Corrupt { probability } => path.corrupt = either(path.corrupt, *probability),
            other => {
                if let Some(why) = without_equal(other) {
                    refuse("kind", Reason::NoEqual(why));
                }
            }
        }
    }
    late.map(|(_, probability, by)| (probability, by))
}

/// Plans the script of a direction; returns whether it lets packets overtake each other.
fn script(
    model: &LinkModel,
    modelled: &PathModel,
    direction: Direction,
    path: &mut PathPlan,
    refused: &mut Vec<Refusal>,
) -> bool {
    let mut overtaking = false;
    let limit = modelled.queue.limit();
    for (index, entry) in model.script.iter().enumerate() {
        if !entry.scope.covers(direction) {
            continue;
        }
        let mut refuse = |key, reason| {
            refused.push(Refusal::of(ProfileItem::Script(index + 1), key, reason));
        };
        match (&entry.trigger, &entry.action) {
            (
                Trigger::Packets {
                    which: Selector::Packet(number),
                    lasts: None,
                },
                Action::Drop,
            ) => match u32::try_from(*number) {
                Ok(number) if number < u32::MAX => path.chosen.push(number),
                _ => refuse("at", Reason::LatePacket),
            },
            (
                Trigger::Packets {
                    which: Selector::Packet(_),
                    lasts: Some(_),
                },
                Action::Drop,
            ) => refuse("at", Reason::ChosenBeginning),
            (
                Trigger::Packets {
                    which: Selector::Packet(_),
                    ..
                },
                _,
            ) => refuse("do", Reason::ChosenAction),
            (Trigger::Packets { .. }, _) => refuse("at", Reason::Selector),
            (Trigger::Transport { when, .. }, _) if when.is_told_by_packets() => refuse("at", Reason::Transport),
            (Trigger::Transport { .. }, _) => refuse("at", Reason::SenderState),
            (Trigger::At { .. }, Action::SetDelay(delay) | Action::Delay(delay)) if *delay > LONGEST => {
                refuse("do", Reason::LongDelay(*delay));
            }
            (Trigger::At { .. }, Action::HoldArrivals) => refuse("do", Reason::HeldArrivals),
            (Trigger::At { .. }, Action::Hold | Action::Drop | Action::SetLoss(_) | Action::SetDelay(_)) => {}
            (Trigger::At { .. }, Action::Delay(_)) => overtaking = true,
            (Trigger::At { .. }, Action::SetRate(rate)) => {
                path.rated = true;
                refuse_slow(*rate, |reason| refuse("do", reason));
            }
            (Trigger::At { .. }, Action::SetQueue(other)) => {
                if is_small(*other) {
                    refuse("do", Reason::SmallQueue);
                } else if matches!(
                    (limit, other),
                    (QueueLimit::Packets(_), QueueLimit::Bytes(_)) | (QueueLimit::Bytes(_), QueueLimit::Packets(_))
                ) {
                    refuse("do", Reason::QueueUnit);
                } else if let Some(reason) = managed::cannot_become(&modelled.queue, *other) {
                    refuse("do", reason);
                }
            }
        }
    }
    overtaking
}

/// Plans the recording of a direction; returns whether it changes the delay.
fn recorded(
    model: &LinkModel,
    direction: Direction,
    fidelity: Fidelity,
    path: &mut PathPlan,
    refused: &mut Vec<Refusal>,
) -> bool {
    let Some(recording) = &model.recording else {
        return false;
    };
    let mut refuse = |reason| refused.push(Refusal::of(ProfileItem::Link, "recording", reason));
    let rates = || recording.rows.iter().filter_map(|row| row.path(direction).rate_bps);
    path.rated |= rates().next().is_some();
    if let Some(least) = rates().filter_map(BitRate::from_bps).min() {
        refuse_slow(least, &mut refuse);
    }
    if fidelity == Fidelity::Exact && recording.zeros == Zeros::Hold && rates().any(|bps| bps == 0) {
        refuse(Reason::HeldRate);
    }
    let longest = recording.rows.iter().filter_map(|row| row.path(direction).delay).max();
    if let Some(longest) = longest.filter(|longest| *longest > LONGEST) {
        refuse(Reason::LongDelay(longest));
    }
    recording.has(direction, |path| path.delay)
}

fn hands_over(model: &LinkModel, direction: Direction) -> bool {
    let mut here = model.impairments.iter().filter(|it| it.scope.covers(direction));
    here.any(|it| matches!(it.kind, ImpairmentKind::Handovers { .. }))
}

fn scripted(model: &LinkModel, direction: Direction, wanted: fn(&Action) -> bool) -> bool {
    let mut here = model.script.iter().filter(|entry| entry.scope.covers(direction));
    here.any(|entry| wanted(&entry.action))
}
