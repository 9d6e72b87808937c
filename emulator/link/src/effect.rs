//! What impairments, the script and hands do to the link: they begin spells, and they set values.

use windlull_units::{BitRate, Span};

use crate::impairment::{Lanes, Source};
use crate::model::{Action, QueueLimit};

/// What happens to the link for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SpellKind {
    /// The link delivers nothing, keeps what it has and what arrives, then releases in order (sarolahti2003, section 5.1,
    /// "sudden delays").
    Hold,
    /// The transmitter stops; what is being sent or on its way arrives, the rest waits in the queue (gurtov2003, section
    /// IV.A: the tool "suspends transmission").
    Suspension,
    /// What arrives waits in front of the queue, whatever its limit, and is let in at once when that ends; queue and
    /// delivery go on (a delay element before the bottleneck, as in simulators' dumb-bells).
    HoldOfArrivals,
    /// The link loses what it meets.
    Outage,
}

impl SpellKind {
    pub(crate) const ALL: [Self; 4] = [Self::Hold, Self::Suspension, Self::HoldOfArrivals, Self::Outage];
}

/// What can be set, and given back to the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Rate(BitRate),
    /// The delay of packets yet to be sent.
    Delay(Span),
    /// Loss on top of the impairments'.
    Loss(f64),
    Queue(QueueLimit),
    /// By how much each packet is kept back.
    KeptBack(Span),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum EffectKind {
    Spell(SpellKind),
    Set(Value),
}

/// Something that is in force for a while: what, whose and where.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Effect {
    pub(crate) kind: EffectKind,
    pub(crate) source: Source,
    pub(crate) lanes: Lanes,
}

impl From<&Action> for EffectKind {
    fn from(action: &Action) -> Self {
        match *action {
            Action::Hold => Self::Spell(SpellKind::Hold),
            Action::HoldArrivals => Self::Spell(SpellKind::HoldOfArrivals),
            Action::Drop => Self::Spell(SpellKind::Outage),
            Action::Delay(by) => Self::Set(Value::KeptBack(by)),
            Action::SetRate(rate) => Self::Set(Value::Rate(rate)),
            Action::SetDelay(delay) => Self::Set(Value::Delay(delay)),
            Action::SetLoss(probability) => Self::Set(Value::Loss(probability)),
            Action::SetQueue(limit) => Self::Set(Value::Queue(limit)),
        }
    }
}
