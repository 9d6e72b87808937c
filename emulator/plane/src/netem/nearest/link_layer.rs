//! Buffers and retransmission of the link layer: losses become delays, and holds stop the queue.

use windlull_link::model::{Action, ArqModel, Distribution, Impairment, ImpairmentKind, Persistence, Scope, Trigger};
use windlull_units::{Direction, Span};

use super::process::mean_loss_in_time;
use super::{Instead, ProfileItem, Stop, Work};
use crate::netem::delay::quantile;
use crate::netem::without_equal::without_equal;

/// Of a link layer that tries for ever: rarer than one packet in a million by then, at a loss of one in two.
const MOST_RETRIES: u32 = 20;
/// Delays in the list from which the table is made.
const SAMPLES: u32 = 4_096;
/// Outages that lose at least this much are repaired when they end.
const OUTAGE: f64 = 0.5;

impl Work {
    pub(super) fn link_layer(&mut self, direction: Direction) {
        let Some(arq) = self.model.path_mut(direction).arq.take() else {
            return;
        };
        if arq.persistence == Persistence::None {
            self.note_path(direction, "arq", Instead::Buffers);
            return;
        }
        let loss = self.take_losses(direction);
        let outages = self.outages_as_holds(direction);
        if outages {
            self.note_path(direction, "arq", Instead::OutageAsHold);
        }
        if loss > 0.0 {
            self.retries_as_delay(direction, &arq, loss);
        }
        match self.stop(direction, &arq) {
            Some(stop) if outages || self.has_holds(direction) => {
                self.stops[direction as usize] = Some(stop);
                let Stop { after, until } = stop;
                self.note_path(direction, "arq", Instead::StoppedQueue { after, until });
            }
            _ => self.note_path(direction, "arq", Instead::Buffers),
        }
    }

    /// When a hold stops the queue of a busy link. The send buffer takes what is sent and not acknowledged; of that
    /// a propagation delay's worth is on its way as the hold begins.
    fn stop(&self, direction: Direction, arq: &ArqModel) -> Option<Stop> {
        let service = self.service(direction)?;
        let packets = arq.send_buffer.get() as f64 / self.packet.get() as f64;
        let fills = service.as_ns() as f64 * packets - quantile(&self.model.path(direction).delay, 0.5);
        let back = quantile(&self.model.path(direction.reverse()).delay, 0.5);
        let span = |ns: f64| Span::from_us((ns.max(0.0) / 1e3).round() as u64);
        Some(Stop {
            after: span(fills),
            until: span(back),
        })
    }

    fn has_holds(&self, direction: Direction) -> bool {
        let holds = |impairment: &&Impairment| {
            impairment.scope.covers(direction) && matches!(impairment.kind, ImpairmentKind::Hold { .. })
        };
        self.model.impairments.iter().any(|impairment| holds(&impairment))
            || self
                .model
                .script
                .iter()
                .any(|entry| entry.scope.covers(direction) && entry.action == Action::Hold)
    }

    /// Takes the losses of single packets out of a direction; what they lose together.
    fn take_losses(&mut self, direction: Direction) -> f64 {
        let bits = self.bits(direction);
        let mut passed = 1.0;
        let mut kept = Vec::new();
        for impairment in std::mem::take(&mut self.model.impairments) {
            let loss = match &impairment.kind {
                _ if !impairment.scope.covers(direction) => None,
                ImpairmentKind::TwoState { loss_bad, .. } if *loss_bad < OUTAGE => mean_loss_in_time(&impairment.kind),
                kind @ (ImpairmentKind::Loss { .. } | ImpairmentKind::GilbertElliott { .. }) => kind.share_lost(bits),
                kind => without_equal(kind).and_then(|_| kind.share_lost(bits)),
            };
            let Some(loss) = loss else {
                kept.push(impairment);
                continue;
            };
            passed *= 1.0 - loss;
            kept.extend(without(impairment, direction));
        }
        self.model.impairments = kept;
        1.0 - passed
    }

    /// Outages in time become holds; whether there were any.
    fn outages_as_holds(&mut self, direction: Direction) -> bool {
        let mut any = false;
        let mut kept = Vec::new();
        for impairment in std::mem::take(&mut self.model.impairments) {
            let hold = match &impairment.kind {
                _ if !impairment.scope.covers(direction) => None,
                ImpairmentKind::Drop { every, length } => Some((every.clone(), length.clone())),
                ImpairmentKind::TwoState { good, bad, .. } => {
                    Some((windlull_link::model::Onset::Renewal(good.clone()), bad.clone()))
                }
                _ => None,
            };
            let Some((every, length)) = hold else {
                kept.push(impairment);
                continue;
            };
            any = true;
            let scope = Scope::One(direction);
            let name = impairment.name.clone();
            // Both directions have a link layer or neither: one draw then serves both, as it did.
            let shared = impairment.scope == Scope::Shared && self.model.path(direction.reverse()).arq.is_some();
            let shared = shared || (impairment.scope == Scope::Shared && self.had_link_layer(direction.reverse()));
            kept.push(Impairment {
                name,
                scope: if shared { Scope::Shared } else { scope },
                kind: ImpairmentKind::Hold { every, length },
            });
            if !shared {
                kept.extend(without(impairment, direction).map(|mut rest| {
                    rest.name.push_str("-other");
                    rest
                }));
            }
        }
        self.model.impairments = kept;
        for entry in &mut self.model.script {
            let in_time = matches!(entry.trigger, Trigger::At { .. });
            if in_time && entry.scope.covers(direction) && entry.action == Action::Drop {
                entry.action = Action::Hold;
                any = true;
            }
        }
        any
    }

    /// Whether a direction's link layer was replaced already.
    fn had_link_layer(&self, direction: Direction) -> bool {
        self.found
            .iter()
            .any(|one| one.key == "arq" && one.place == ProfileItem::Path(direction))
    }

    fn retries_as_delay(&mut self, direction: Direction, arq: &ArqModel, loss: f64) {
        let each = arq.retry_after + self.service(direction).unwrap_or(Span::ZERO);
        let most = match arq.persistence {
            Persistence::None => 0,
            Persistence::Unlimited => MOST_RETRIES,
            Persistence::Retries(most) => most.min(MOST_RETRIES),
            Persistence::For(span) => {
                u32::try_from(span.as_ns() / each.as_ns().max(1)).map_or(MOST_RETRIES, |most| most.min(MOST_RETRIES))
            }
        };
        let delay = &self.model.path(direction).delay;
        let samples = (0..SAMPLES).map(|sample| {
            let share = (f64::from(sample) + 0.5) / f64::from(SAMPLES);
            // The share of packets that were lost at least so often falls by the loss each time.
            let lost = ((1.0 - share).ln() / loss.ln()).floor().clamp(0.0, f64::from(most));
            // Draws of the delay in another order, so that they do not depend on the retransmissions.
            let shuffled = f64::from(sample.reverse_bits()) / (f64::from(u32::MAX) + 1.0);
            Span::from_ns((quantile(delay, shuffled).max(0.0) + lost * each.as_ns() as f64) as u64)
        });
        let delay = Distribution::Empirical(samples.collect());
        self.model.path_mut(direction).delay = delay;
        let given_up = loss.powi(i32::try_from(most).unwrap_or(0) + 1);
        if arq.persistence != Persistence::Unlimited && given_up > 1e-9 {
            self.model.impairments.push(Impairment {
                name: format!("given-up-{}", direction.name()),
                scope: Scope::One(direction),
                kind: ImpairmentKind::Loss { probability: given_up },
            });
        }
        self.note_path(direction, "arq", Instead::RetriesAsDelay { loss, each });
    }
}

/// What is left of an impairment without this direction.
fn without(impairment: Impairment, direction: Direction) -> Option<Impairment> {
    match impairment.scope {
        Scope::One(_) => None,
        Scope::Each | Scope::Shared => Some(Impairment {
            scope: Scope::One(direction.reverse()),
            ..impairment
        }),
    }
}
