//! What a link does, in lines for people.

use schemars::JsonSchema;
use serde::Serialize;
use windlull_link::model::{
    Action, AllocationModel, ArqModel, Impairment, InOrder, LinkModel, PathModel, Persistence, RateModel, Scope,
    ScriptEntry, Start, Trigger,
};
use windlull_units::{Bytes, Direction, Time};

use crate::text::{Begin, Written, write_distribution as distribution};
use crate::{kinds, light, queue, recording, replay, service};

/// One line a direction (one for both if alike), one an impairment, one a script entry.
pub(crate) fn lines(model: &LinkModel) -> Vec<String> {
    if let Some(replay) = &model.replay {
        return vec![replay::in_words(replay)];
    }
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
    lines.extend(model.recording.as_ref().map(recording::in_words));
    lines.extend(model.rebinding.map(|rebinding| {
        let at = rebinding.at.since(Time::ZERO);
        match rebinding.every {
            Some(every) => format!("rebinding: UDP flows get other ports at {at}, and every {every} from then on"),
            None => format!("rebinding: UDP flows get other ports at {at}"),
        }
    }));
    lines.extend(match model.start {
        Start::Beginning => None,
        Start::Random => Some("what repeats begins at a place drawn from the seed".to_owned()),
        Start::At(span) => Some(format!("what repeats begins {span} into its period")),
    });
    lines
}

/// Something of a link that depends on its packets: when it happens, nobody can say before there is traffic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "LinkFact")]
pub struct Fact {
    /// The kind of the impairment as in its file, or `script`, `arq`, `allocation`, `light`, `service`.
    #[schemars(extend("enum" = fact_kinds()))]
    pub kind: &'static str,
    /// Its name in the events of a run: the impairment's, or `script N`; for what a path has, its kind.
    pub name: String,
    pub directions: Vec<Direction>,
    /// All of it in a line for people.
    pub text: String,
}

/// Every kind of fact: that of any impairment, which may act by packets, and what a link has besides.
fn fact_kinds() -> Vec<&'static str> {
    [kinds::NAMES, &["script", "arq", "allocation", "light", "service"]].concat()
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
                directions: if alike {
                    Direction::ALL.to_vec()
                } else {
                    vec![direction]
                },
                text,
            }));
        }
    };
    of_path("arq", |path| path.arq.as_ref().map(arq));
    of_path("allocation", |path| path.allocation.as_ref().map(allocation));
    of_path("light", |path| path.light.as_ref().map(light::in_words));
    of_path("service", |path| path.service.as_ref().map(service::in_words));
    facts.extend(model.impairments.iter().filter_map(|each| {
        Some(Fact {
            kind: kinds::on_packets(&each.kind)?,
            name: each.name.clone(),
            directions: each.scope.directions().collect(),
            text: impairment(each),
        })
    }));
    let by_packets = |(_, entry): &(usize, &ScriptEntry)| match entry.trigger {
        Trigger::At { .. } => false,
        Trigger::Packets { .. } | Trigger::Transport { .. } => true,
    };
    let chosen = model.script.iter().enumerate().filter(by_packets);
    facts.extend(chosen.map(|(index, entry)| Fact {
        kind: "script",
        name: format!("script {}", index + 1),
        directions: entry.scope.directions().collect(),
        text: script(entry),
    }));
    facts
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
    parts.extend(model.light.as_ref().map(light::in_words));
    parts.extend(model.service.as_ref().map(service::in_words));
    parts.extend(match model.in_order {
        InOrder::Always => None,
        InOrder::Never => Some("delivered as they come".to_owned()),
        InOrder::For(wait) => Some(format!("in order for at most {wait}")),
    });
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
    let what = kinds::words(&model.kind);
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
    let (when, lasts) = (Begin::of(&entry.trigger).in_words(), entry.trigger.lasts());
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
