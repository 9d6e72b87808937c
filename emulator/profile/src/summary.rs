//! What a link does, in lines for people.

use windlull_link::model::{
    Action, Impairment, ImpairmentKind, LinkModel, Onset, PathModel, Persistence, QueueModel, RateModel, Scope,
    ScriptEntry, Trigger,
};
use windlull_units::{Bytes, Direction, Time};

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

fn path(model: &PathModel) -> String {
    let QueueModel::DropTail(limit) = model.queue;
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
        format!("queue {}", limit.write()),
    ];
    if model.framing != Bytes::ZERO {
        parts.push(format!("framing {} a packet", model.framing));
    }
    if let Some(arq) = &model.arq {
        let tries = match arq.persistence {
            Persistence::None => "no retransmission".to_owned(),
            Persistence::Unlimited => format!("retransmits after {} until it succeeds", arq.retry_after),
            Persistence::Retries(n) => format!("retransmits after {}, {n} times at most", arq.retry_after),
            Persistence::For(span) => format!("retransmits after {} for at most {span}", arq.retry_after),
        };
        parts.push(format!(
            "link buffers {} to send and {} to receive, in order, {tries}",
            arq.send_buffer, arq.receive_buffer
        ));
    }
    if let Some(allocation) = &model.allocation {
        let delay = distribution(&allocation.delay);
        parts.push(format!(
            "channel lost after {} idle, re-acquired in {delay}",
            allocation.idle_after
        ));
    }
    parts.join(", ")
}

fn impairment(model: &Impairment) -> String {
    let percent = |probability: &f64| format!("{} %", (probability * 1e6).round() / 1e4);
    let onset = |every: &Onset| match every {
        Onset::PacketWithProbability(probability) => {
            format!("from a packet on with probability {}", percent(probability))
        }
        Onset::Renewal(interval) => format!("every {}", distribution(interval)),
    };
    let what = match &model.kind {
        ImpairmentKind::Hold { every, length } => {
            format!("delivery pauses for {}, {}", distribution(length), onset(every))
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
