//! What a link does, in lines for people.

use serde::Serialize;
use windlull_link::model::{
    Action, AllocationModel, ArqModel, Impairment, ImpairmentKind, LinkModel, Onset, PathModel, Persistence, RateModel,
    Scope, ScriptEntry, Trigger,
};
use windlull_units::{Bytes, Direction, Time};

use crate::queue;
use crate::text::{Begin, Written, write_distribution as distribution};

/// One line a direction (one for both if alike), one an impairment, one a script entry.
pub(crate) fn lines(model: &LinkModel) -> Vec<String> {
    let mut lines = if model.down == model.up {
        vec![format!("both directions: {}", path(&model.down))]
    } else {
        vec![
            format!("down: {}", path(&model.down)),
            format!("up: {}", path(&model.up)),
        ]
    };
    lines.extend(model.impairments.iter().map(impairment));
    lines.extend(model.script.iter().map(script));
    lines
}

/// Something of a link that depends on its packets: when it happens, nobody can say before there is traffic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// The kind of the impairment as in its file, or `script`, `arq`, `allocation`.
    pub kind: &'static str,
    /// Its name in the events of a run: the impairment's, or `script N`; for what a path has, its kind.
    pub name: String,
    /// Where it acts.
    pub directions: Vec<Direction>,
    /// All of it in a line for people.
    pub text: String,
}

/// What depends on packets: of the paths, then the impairments, then the script.
pub(crate) fn facts(model: &LinkModel) -> Vec<Fact> {
    let mut facts = Vec::new();
    let paths = [(Direction::Down, &model.down), (Direction::Up, &model.up)];
    let mut of_path = |kind: &'static str, text: fn(&PathModel) -> Option<String>| {
        let [(_, down), (_, up)] = paths;
        let alike = text(down) == text(up);
        for (direction, path) in paths.into_iter().take(if alike { 1 } else { 2 }) {
            facts.extend(text(path).map(|text| Fact {
                kind,
                name: kind.to_owned(),
                directions: if alike { BOTH.to_vec() } else { vec![direction] },
                text,
            }));
        }
    };
    of_path("arq", |path| path.arq.as_ref().map(arq));
    of_path("allocation", |path| path.allocation.as_ref().map(allocation));
    facts.extend(model.impairments.iter().filter_map(|each| {
        Some(Fact {
            kind: kind_on_packets(&each.kind)?,
            name: each.name.clone(),
            directions: directions(each.scope),
            text: impairment(each),
        })
    }));
    let by_packets = |(_, entry): &(usize, &ScriptEntry)| matches!(entry.trigger, Trigger::Packets { .. });
    let chosen = model.script.iter().enumerate().filter(by_packets);
    facts.extend(chosen.map(|(index, entry)| Fact {
        kind: "script",
        name: format!("script {}", index + 1),
        directions: directions(entry.scope),
        text: script(entry),
    }));
    facts
}

const BOTH: [Direction; 2] = [Direction::Down, Direction::Up];

fn directions(scope: Scope) -> Vec<Direction> {
    BOTH.into_iter().filter(|&direction| scope.covers(direction)).collect()
}

/// The kind of an impairment that acts by packets, as files have it; `None` if it goes by the clock alone.
const fn kind_on_packets(kind: &ImpairmentKind) -> Option<&'static str> {
    Some(match kind {
        ImpairmentKind::Hold {
            every: Onset::PacketWithProbability(_),
            ..
        } => "hold",
        ImpairmentKind::Suspend {
            every: Onset::PacketWithProbability(_),
            ..
        } => "suspend",
        ImpairmentKind::HoldArrivals {
            every: Onset::PacketWithProbability(_),
            ..
        } => "hold-arrivals",
        ImpairmentKind::Drop {
            every: Onset::PacketWithProbability(_),
            ..
        } => "drop",
        ImpairmentKind::Hold { .. }
        | ImpairmentKind::Suspend { .. }
        | ImpairmentKind::HoldArrivals { .. }
        | ImpairmentKind::Drop { .. } => return None,
        ImpairmentKind::Loss { .. } => "loss",
        ImpairmentKind::GilbertElliott { .. } => "gilbert-elliott",
        // Its states go by the clock, what is lost in them by packets.
        ImpairmentKind::TwoState { .. } => "two-state",
        ImpairmentKind::BitError { .. } => "bit-error",
        ImpairmentKind::Reorder { .. } => "reorder",
        ImpairmentKind::Duplicate { .. } => "duplicate",
        ImpairmentKind::Corrupt { .. } => "corrupt",
    })
}

fn path(model: &PathModel) -> String {
    let mut parts = vec![
        match &model.rate {
            None => "unlimited rate".to_owned(),
            Some(RateModel::Constant(rate)) => rate.to_string(),
            Some(RateModel::Stepped { steps, .. }) => format!("a rate in {} steps", steps.len()),
            Some(RateModel::Trace { opportunities, period }) => {
                format!("a traced rate ({} opportunities in {period})", opportunities.len())
            }
        },
        format!("delay {}", distribution(&model.delay)),
        queue::in_words(&model.queue),
    ];
    if model.framing != Bytes::ZERO {
        parts.push(format!("framing {} a packet", model.framing));
    }
    parts.extend(model.arq.as_ref().map(arq));
    parts.extend(model.allocation.as_ref().map(allocation));
    parts.join(", ")
}

fn arq(model: &ArqModel) -> String {
    let tries = match model.persistence {
        Persistence::None => "no retransmission".to_owned(),
        Persistence::Unlimited => format!("retransmits after {} until it succeeds", model.retry_after),
        Persistence::Retries(n) => format!("retransmits after {}, {n} times at most", model.retry_after),
        Persistence::For(span) => format!("retransmits after {} for at most {span}", model.retry_after),
    };
    format!(
        "link buffers {} to send and {} to receive, in order, {tries}",
        model.send_buffer, model.receive_buffer
    )
}

fn allocation(model: &AllocationModel) -> String {
    let delay = distribution(&model.delay);
    format!("channel lost after {} idle, re-acquired in {delay}", model.idle_after)
}

fn impairment(model: &Impairment) -> String {
    let percent = |probability: &f64| format!("{} %", (probability * 1e6).round() / 1e4);
    let onset = |every: &Onset| match every {
        Onset::PacketWithProbability(probability) => {
            format!("from a packet on with probability {}", percent(probability))
        }
        Onset::Renewal(interval) => format!("every {}", distribution(interval)),
        Onset::Intervals(interval) => format!("every {} from onset to onset", distribution(interval)),
        Onset::IntervalsFrom(interval, first) => {
            format!("every {} from onset to onset, first at {first}", distribution(interval))
        }
    };
    let what = match &model.kind {
        ImpairmentKind::Hold { every, length } => {
            format!("delivery pauses for {}, {}", distribution(length), onset(every))
        }
        ImpairmentKind::Suspend { every, length } => {
            format!("transmission pauses for {}, {}", distribution(length), onset(every))
        }
        ImpairmentKind::HoldArrivals { every, length } => {
            format!(
                "what arrives waits before the queue for {}, {}",
                distribution(length),
                onset(every)
            )
        }
        ImpairmentKind::Drop { every, length } => {
            format!("everything is lost for {}, {}", distribution(length), onset(every))
        }
        ImpairmentKind::Loss { probability } => format!("{} of packets are lost", percent(probability)),
        ImpairmentKind::GilbertElliott {
            to_bad,
            to_good,
            loss_good,
            loss_bad,
        } => format!(
            "per packet to bad {}, to good {}; {} lost in good, {} in bad",
            percent(to_bad),
            percent(to_good),
            percent(loss_good),
            percent(loss_bad)
        ),
        ImpairmentKind::TwoState {
            good,
            bad,
            loss_good,
            loss_bad,
        } => format!(
            "good for {}, bad for {}; {} lost in good, {} in bad",
            distribution(good),
            distribution(bad),
            percent(loss_good),
            percent(loss_bad)
        ),
        ImpairmentKind::BitError { rate } => format!("bit error rate {rate}"),
        ImpairmentKind::Reorder { probability, by } => {
            format!("{} of packets come later by {}", percent(probability), distribution(by))
        }
        ImpairmentKind::Duplicate { probability } => format!("{} of packets come twice", percent(probability)),
        ImpairmentKind::Corrupt { probability } => format!("{} of packets are corrupted", percent(probability)),
    };
    format!("{} ({}): {what}", model.name, scope(model.scope))
}

const fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::One(Direction::Down) => "down",
        Scope::One(Direction::Up) => "up",
        Scope::Each => "each direction",
        Scope::Shared => "both directions at once",
    }
}

fn script(entry: &ScriptEntry) -> String {
    let (when, lasts) = match &entry.trigger {
        Trigger::At { at, lasts } => (format!("at {}", at.since(Time::ZERO)), lasts),
        Trigger::Packets { which, lasts } => (format!("at {}", Begin::Packets(which.clone()).write()), lasts),
    };
    let what = match &entry.action {
        Action::Hold => "delivery pauses".to_owned(),
        Action::HoldArrivals => "what arrives waits before the queue".to_owned(),
        Action::Drop if lasts.is_some() => "everything is lost".to_owned(),
        Action::Drop => "lost".to_owned(),
        Action::Delay(by) => format!("kept back by {by}"),
        Action::SetRate(rate) => format!("rate {rate}"),
        Action::SetDelay(delay) => format!("delay {delay}"),
        Action::SetLoss(loss) => format!("loss {loss}"),
        Action::SetQueue(limit) => format!("queue {}", limit.write()),
    };
    let lasts = lasts.map_or_else(String::new, |lasts| format!(" for {lasts}"));
    format!("script ({}): {when} {what}{lasts}", scope(entry.scope))
}
