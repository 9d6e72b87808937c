//! Impairments of the link: what each does to the packet that comes to the queue, or that meets the channel.
//!
//! Streams are named after the impairment. Draws about packets come from `down/NAME` and `up/NAME`; draws about time
//! from `down/NAME`, `up/NAME` or, where both directions share the process, `both/NAME`; the losses of a process with
//! states from `down/NAME/loss` and `up/NAME/loss`, so that traffic does not move the states.

mod ack_thinning;
mod aggregation;
mod bit_error;
mod bounded_loss;
mod chance;
mod entry;
pub(crate) mod gilbert_elliott;
pub(crate) mod handovers;
mod instants;
mod loss;
pub(crate) mod onset;
mod passage;
mod periodic_loss;
mod policer;
mod reorder;
mod timed_loss;
pub(crate) mod two_state;
pub(crate) mod window;

use windlull_units::{Direction, DropCause, Seed};

use crate::LinkObserver;
use crate::distribution::Sampler;
use crate::draw::PacketDraws;
use crate::effect::{Effect, EffectKind, SpellKind};
use crate::link_state::LinkState;
use crate::model::{Impairment, ImpairmentKind, Onset};
pub(crate) use ack_thinning::AckThinning;
pub(crate) use aggregation::Aggregation;
use bit_error::BitError;
use bounded_loss::BoundedLoss;
use chance::Chance;
pub(crate) use entry::EntryMechanism;
use gilbert_elliott::Chain;
use handovers::Handovers;
use instants::Instants;
use loss::{Loss, LossByState};
use onset::{AtPacket, Renewal};
pub(crate) use passage::{Lanes, Passage, Source, Verdict, instances};
use periodic_loss::PeriodicLoss;
use policer::Policer;
use reorder::Reorder;
use timed_loss::TimedLoss;
use two_state::TwoStates;

/// The impairments at work on the packets of one direction, in the order of the profile.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mechanisms {
    /// Before the queue.
    pub(crate) entry: Vec<EntryMechanism>,
    /// Behind those, before the queue; the last of the profile, if a direction has several.
    pub(crate) aggregation: Option<Aggregation>,
    /// In the queue; the last of the profile, if a direction has several.
    pub(crate) thinning: Option<AckThinning>,
    /// On the channel.
    pub(crate) channel: Vec<Mechanism>,
}

/// One impairment at work on the packets of one direction that meet the channel.
#[derive(Clone, Debug)]
pub(crate) enum Mechanism {
    Spell(SpellAtPacket),
    Loss(Loss),
    BoundedLoss(BoundedLoss),
    PeriodicLoss(PeriodicLoss),
    TimedLoss(TimedLoss),
    GilbertElliott(LossByState),
    TwoState(LossByState),
    Handovers(LossByState),
    BitError(BitError),
    Reorder(Reorder),
    Duplicate(Chance),
    Corrupt(Chance),
}

impl Mechanism {
    /// Decides about a packet. Each mechanism takes its draws whatever the others have decided; about a packet that
    /// the link layer sends again only its loss is decided again.
    pub(crate) fn meet(
        &mut self,
        passage: &Passage,
        link_state: &mut LinkState,
        verdict: &mut Verdict,
        observer: &mut impl LinkObserver,
    ) {
        let again = passage.again;
        let lost = match self {
            Self::Loss(loss) => loss.loses(again).then_some(DropCause::RandomLoss),
            Self::BoundedLoss(loss) => loss.loses(again).then_some(DropCause::RandomLoss),
            Self::PeriodicLoss(loss) => loss.loses(again).then_some(DropCause::RandomLoss),
            Self::TimedLoss(loss) => loss.loses(passage.now, again).then_some(DropCause::RandomLoss),
            Self::GilbertElliott(loss) => {
                let bad = link_state.step_chain(loss.states, passage.now, again, observer);
                loss.loses(bad, again).then_some(DropCause::RandomLoss)
            }
            Self::TwoState(loss) => {
                let bad = link_state.is_bad(loss.states);
                loss.loses(bad, again).then_some(DropCause::RandomLoss)
            }
            Self::Handovers(loss) => {
                let lossy = link_state.is_lossy(loss.states);
                loss.loses(lossy, again).then_some(DropCause::RandomLoss)
            }
            Self::BitError(loss) => loss.loses(passage.bits, again).then_some(DropCause::BitError),
            _ if again => None,
            Self::Spell(at_packet) => {
                if let Some(length) = at_packet.onset.draw() {
                    link_state.begin_at_packet(at_packet.effect, Some(length), passage, observer);
                }
                None
            }
            Self::Reorder(reorder) => {
                verdict.kept_back = verdict.kept_back + reorder.delay();
                None
            }
            Self::Duplicate(duplicate) => {
                verdict.doubled |= duplicate.happens();
                None
            }
            Self::Corrupt(corrupt) => {
                verdict.corrupted |= corrupt.happens();
                None
            }
        };
        verdict.lost = verdict.lost.or(lost);
    }
}

impl Mechanism {
    /// With which probability it loses packets as the link is now. Zero for what depends on the packet: bit errors, by its
    /// length, spells that packets begin, and losses in time, by when it comes.
    pub(crate) fn loss(&self, link_state: &LinkState) -> f64 {
        match self {
            Self::Loss(loss) => loss.probability,
            Self::BoundedLoss(loss) => loss.probability(),
            Self::PeriodicLoss(loss) => loss.share(),
            Self::GilbertElliott(loss) => loss.loss_in(link_state.chain_is_bad(loss.states)),
            Self::TwoState(loss) => loss.loss_in(link_state.is_bad(loss.states)),
            Self::Handovers(loss) => loss.loss_in(link_state.is_lossy(loss.states)),
            Self::Spell(_)
            | Self::TimedLoss(_)
            | Self::BitError(_)
            | Self::Reorder(_)
            | Self::Duplicate(_)
            | Self::Corrupt(_) => 0.0,
        }
    }
}

impl ImpairmentKind {
    /// The share of packets of so many bits, framing included, that it loses or corrupts in the long run. `None` for what
    /// loses none, for what comes seldom, as spells and handovers, and for what depends on the traffic, as a policer and
    /// losses in time.
    pub fn share_lost(&self, bits: u64) -> Option<f64> {
        let share = match self {
            Self::Loss { probability } | Self::Corrupt { probability } | Self::BoundedLoss { probability, .. } => {
                *probability
            }
            Self::PeriodicLoss { one_in } => periodic_loss::share(*one_in),
            Self::BitError { rate } => bit_error::loss(*rate, bits),
            // The time in a state is in proportion to the rate into it.
            Self::GilbertElliott {
                to_bad,
                to_good,
                loss_good,
                loss_bad,
            } => in_the_long_run((*to_good, *loss_good), (*to_bad, *loss_bad)),
            Self::TwoState {
                good,
                bad,
                loss_good,
                loss_bad,
            } => in_the_long_run((good.typical_secs(), *loss_good), (bad.typical_secs(), *loss_bad)),
            Self::Hold { .. }
            | Self::HoldArrivals { .. }
            | Self::Suspend { .. }
            | Self::Drop { .. }
            | Self::Handovers { .. }
            | Self::Policer { .. }
            | Self::Aggregation { .. }
            | Self::AckThinning { .. }
            | Self::TimedLoss { .. }
            | Self::Duplicate { .. }
            | Self::Reorder { .. } => return None,
        };
        Some(share)
    }
}

/// The loss over two states: of each a number in proportion to the time spent in it, and its own loss.
fn in_the_long_run((good, loss_good): (f64, f64), (bad, loss_bad): (f64, f64)) -> f64 {
    let bad = bad / (good + bad).max(f64::MIN_POSITIVE);
    bad * loss_bad + (1.0 - bad) * loss_good
}

/// Spells that begin at packets.
#[derive(Clone, Debug)]
pub(crate) struct SpellAtPacket {
    effect: Effect,
    onset: AtPacket,
}

/// What the spells of this kind are.
const fn spell_kind(kind: &ImpairmentKind) -> SpellKind {
    match kind {
        ImpairmentKind::Suspend { .. } => SpellKind::Suspension,
        ImpairmentKind::HoldArrivals { .. } => SpellKind::HoldOfArrivals,
        ImpairmentKind::Drop { .. } => SpellKind::Outage,
        _ => SpellKind::Hold,
    }
}

/// Sets up one impairment: its processes go into the link's state, its work on packets into `mechanisms`, by direction.
pub(crate) fn install(
    impairment: &Impairment,
    source: Source,
    seed: Seed,
    link_state: &mut LinkState,
    mechanisms: &mut [Mechanisms; 2],
) {
    let name = &impairment.name;
    for lanes in instances(impairment.scope) {
        let process = format!("{}/{name}", lanes.prefix());
        let make = |direction: Direction| format!("{}/{name}", direction.name());
        let losses = |direction| PacketDraws::new(seed, &format!("{}/loss", make(direction)));
        let mut on_packets = |mechanism: &mut dyn FnMut(Direction) -> Mechanism| {
            for direction in lanes.directions() {
                mechanisms[direction as usize].channel.push(mechanism(direction));
            }
        };
        let kind = EffectKind::Spell(spell_kind(&impairment.kind));
        let effect = Effect { kind, source, lanes };
        match &impairment.kind {
            ImpairmentKind::Hold { every, length }
            | ImpairmentKind::Suspend { every, length }
            | ImpairmentKind::HoldArrivals { every, length }
            | ImpairmentKind::Drop { every, length } => match every {
                Onset::PacketWithProbability(probability) => on_packets(&mut |direction| {
                    let onset = AtPacket::new(*probability, length, seed, &make(direction));
                    Mechanism::Spell(SpellAtPacket { effect, onset })
                }),
                in_time => {
                    if let Some(renewal) = Renewal::of(in_time, length, seed, &process) {
                        link_state.add_renewal(effect, renewal);
                    }
                }
            },
            ImpairmentKind::Policer { rate, burst } => {
                for direction in lanes.directions() {
                    let policer = EntryMechanism::Policer(Policer::new(*rate, *burst));
                    mechanisms[direction as usize].entry.push(policer);
                }
            }
            ImpairmentKind::Aggregation { every, most } => {
                for direction in lanes.directions() {
                    let instants = Instants::new(Sampler::new(every), seed.stream(&make(direction)));
                    mechanisms[direction as usize].aggregation = Some(Aggregation::new(instants, *most));
                }
            }
            ImpairmentKind::AckThinning { waiting } => {
                for direction in lanes.directions() {
                    mechanisms[direction as usize].thinning = Some(AckThinning { waiting: *waiting });
                }
            }
            ImpairmentKind::Loss { probability } => on_packets(&mut |direction| {
                let draws = PacketDraws::new(seed, &make(direction));
                Mechanism::Loss(Loss {
                    probability: *probability,
                    draws,
                })
            }),
            ImpairmentKind::BoundedLoss { probability, most } => on_packets(&mut |direction| {
                let draws = PacketDraws::new(seed, &make(direction));
                let loss = Loss {
                    probability: *probability,
                    draws,
                };
                Mechanism::BoundedLoss(BoundedLoss::new(loss, *most))
            }),
            ImpairmentKind::PeriodicLoss { one_in } => {
                on_packets(&mut |_| Mechanism::PeriodicLoss(PeriodicLoss::new(*one_in)));
            }
            ImpairmentKind::TimedLoss { every } => on_packets(&mut |direction| {
                let instants = Instants::new(Sampler::new(every), seed.stream(&make(direction)));
                Mechanism::TimedLoss(TimedLoss::new(instants))
            }),
            ImpairmentKind::GilbertElliott {
                to_bad,
                to_good,
                loss_good,
                loss_bad,
            } => {
                let chain = link_state.add_chain(Chain {
                    source,
                    lanes,
                    to_bad: *to_bad,
                    to_good: *to_good,
                    bad: false,
                    draws: PacketDraws::new(seed, &process),
                });
                on_packets(&mut |direction| {
                    Mechanism::GilbertElliott(LossByState {
                        states: chain,
                        good: *loss_good,
                        bad: *loss_bad,
                        draws: losses(direction),
                    })
                });
            }
            ImpairmentKind::TwoState {
                good,
                bad,
                loss_good,
                loss_bad,
            } => {
                let (good, bad) = (Sampler::new(good), Sampler::new(bad));
                let states = link_state.add_states(TwoStates::new(source, lanes, good, bad, seed.stream(&process)));
                on_packets(&mut |direction| {
                    Mechanism::TwoState(LossByState {
                        states,
                        good: *loss_good,
                        bad: *loss_bad,
                        draws: losses(direction),
                    })
                });
            }
            ImpairmentKind::Handovers { loss, .. } => {
                let handovers = Handovers::of(&impairment.kind, source, lanes, seed, &process);
                if let Some(states) = handovers.map(|handovers| link_state.add_handovers(handovers)) {
                    on_packets(&mut |direction| {
                        Mechanism::Handovers(LossByState {
                            states,
                            good: 0.0,
                            bad: *loss,
                            draws: losses(direction),
                        })
                    });
                }
            }
            ImpairmentKind::BitError { rate } => on_packets(&mut |direction| {
                let draws = PacketDraws::new(seed, &make(direction));
                Mechanism::BitError(BitError::new(*rate, draws))
            }),
            ImpairmentKind::Reorder { probability, by } => on_packets(&mut |direction| {
                Mechanism::Reorder(Reorder {
                    probability: *probability,
                    by: Sampler::new(by),
                    rng: seed.stream(&make(direction)),
                })
            }),
            ImpairmentKind::Duplicate { probability } => on_packets(&mut |direction| {
                let rng = seed.stream(&make(direction));
                Mechanism::Duplicate(Chance {
                    probability: *probability,
                    rng,
                })
            }),
            ImpairmentKind::Corrupt { probability } => on_packets(&mut |direction| {
                let rng = seed.stream(&make(direction));
                Mechanism::Corrupt(Chance {
                    probability: *probability,
                    rng,
                })
            }),
        }
    }
}
