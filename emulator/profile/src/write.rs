//! From a model back to the file that makes it.

use windlull_link::model::{Action, Impairment, LinkModel, PathModel, Persistence, RateModel, Scope, ScriptEntry};
use windlull_units::{Bytes, Direction, Span, Time};

use crate::file::{
    AllocationFile, ArqFile, ImpairmentFile, KindFile, LinkFile, On, PathFile, RateFile, RebindingFile, ScriptAction,
    ScriptFile, ScriptOn, StepFile, VaryingRateFile,
};
use crate::text::{Begin, Probability, Rate, SpanDistribution, Text};
use crate::{light, queue, recording, replay, service};

/// The file of this model, without a title.
pub(crate) fn file_of(model: &LinkModel) -> LinkFile {
    if let Some(replay) = &model.replay {
        return LinkFile {
            replay: Some(replay::file_of(replay)),
            ..LinkFile::default()
        };
    }
    let alike = model.down == model.up;
    LinkFile {
        both: alike.then(|| path(&model.down)),
        down: (!alike).then(|| path(&model.down)),
        up: (!alike).then(|| path(&model.up)),
        impairment: model.impairments.iter().map(impairment).collect(),
        script: model.script.iter().map(script).collect(),
        recording: model.recording.as_ref().map(recording::file_of),
        rebinding: model.rebinding.map(|rebinding| RebindingFile {
            at: Text(rebinding.at.since(Time::ZERO)),
            every: rebinding.every.map(Text),
        }),
        start: (!model.start.is_beginning()).then_some(Text(model.start)),
        ..LinkFile::default()
    }
}

fn path(model: &PathModel) -> PathFile {
    PathFile {
        rate: Some(rate(model.rate.as_ref())),
        delay: Some(known(&model.delay)),
        framing: (model.framing != Bytes::ZERO).then_some(Text(model.framing)),
        queue: Some(queue::file_of(&model.queue)),
        arq: model.arq.map(|arq| ArqFile {
            send_buffer: Text(arq.send_buffer),
            receive_buffer: Text(arq.receive_buffer),
            persistence: Text(arq.persistence),
            retry_after: (arq.persistence != Persistence::None).then_some(Text(arq.retry_after)),
        }),
        allocation: model.allocation.as_ref().map(|allocation| AllocationFile {
            idle_after: Text(allocation.idle_after),
            delay: known(&allocation.delay),
        }),
        light: model.light.as_ref().map(light::file_of),
        service: model.service.as_ref().map(service::file_of),
        in_order: (!model.in_order.is_always()).then_some(Text(model.in_order)),
    }
}

fn known(distribution: &windlull_link::model::Distribution<Span>) -> Text<SpanDistribution> {
    Text(SpanDistribution::Known(distribution.clone()))
}

fn rate(model: Option<&RateModel>) -> RateFile {
    match model {
        None => RateFile::Constant(Text(Rate::Unlimited)),
        Some(RateModel::Constant(rate)) => RateFile::Constant(Text(Rate::Constant(*rate))),
        Some(RateModel::Stepped { steps, period }) => {
            let step = |(at, rate): &(Time, _)| StepFile {
                at: Text(at.since(Time::ZERO)),
                rate: Text(*rate),
            };
            let steps = Some(steps.iter().map(step).collect());
            RateFile::Varying(VaryingRateFile::Stepped {
                steps,
                file: None,
                period: period.map(Text),
            })
        }
        Some(RateModel::Trace { opportunities, .. }) => {
            let milliseconds = Some(opportunities.iter().map(|at| at.as_ns() / 1_000_000).collect());
            RateFile::Varying(VaryingRateFile::Trace {
                file: None,
                milliseconds,
            })
        }
    }
}

fn impairment(model: &Impairment) -> ImpairmentFile {
    let on = match model.scope {
        Scope::One(Direction::Down) => On::Down,
        Scope::One(Direction::Up) => On::Up,
        Scope::Each => On::Each,
        Scope::Shared => On::Both,
    };
    ImpairmentFile {
        name: model.name.clone(),
        on,
        kind: KindFile::of(&model.kind),
    }
}

fn script(entry: &ScriptEntry) -> ScriptFile {
    let on = match entry.scope {
        Scope::One(Direction::Down) => ScriptOn::Down,
        Scope::One(Direction::Up) => ScriptOn::Up,
        Scope::Each | Scope::Shared => ScriptOn::Both,
    };
    let mut file = ScriptFile {
        on: Some(on),
        at: Text(Begin::of(&entry.trigger)),
        lasts: entry.trigger.lasts().map(Text),
        action: None,
        by: None,
        rate: None,
        delay: None,
        loss: None,
        queue: None,
    };
    match entry.action {
        Action::Hold => file.action = Some(ScriptAction::Hold),
        Action::HoldArrivals => file.action = Some(ScriptAction::HoldArrivals),
        Action::Drop => file.action = Some(ScriptAction::Drop),
        Action::Delay(by) => {
            file.action = Some(ScriptAction::Delay);
            file.by = Some(Text(by));
        }
        Action::SetRate(rate) => file.rate = Some(Text(rate)),
        Action::SetDelay(delay) => file.delay = Some(Text(delay)),
        Action::SetLoss(loss) => file.loss = Some(Text(Probability(loss))),
        Action::SetQueue(limit) => file.queue = Some(Text(limit)),
    }
    file
}
