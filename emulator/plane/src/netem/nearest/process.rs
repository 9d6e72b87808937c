//! Random processes of which the kernel has no equal.

use windlull_link::model::{Distribution, Impairment, ImpairmentKind, Onset, Scope};
use windlull_units::{Direction, Span};

use super::{Instead, ProfileItem, Work};
use crate::netem::delay::quantile;
use crate::netem::without_equal::without_equal;

/// Numbers from which a mean is taken.
const SHARES: u32 = 1_000;

impl Work {
    pub(super) fn impairments(&mut self) {
        let mut kept: Vec<Impairment> = Vec::new();
        let all = std::mem::take(&mut self.model.impairments);
        let of_handovers = |it: &&Impairment| matches!(it.kind, ImpairmentKind::Handovers { .. });
        let handovers: Vec<Impairment> = all.iter().filter(of_handovers).cloned().collect();
        for mut impairment in all {
            let place = ProfileItem::Impairment(impairment.name.clone());
            let share_lost = impairment.kind.share_lost(self.bits(first_of(impairment.scope)));
            if !self.begin_in_time(&mut impairment) {
                self.note(
                    place,
                    "every",
                    Instead::LeftOut("the link has no rate by which packets could be counted"),
                );
                continue;
            }
            match &impairment.kind {
                ImpairmentKind::Suspend { every, length } | ImpairmentKind::HoldArrivals { every, length } => {
                    impairment.kind = ImpairmentKind::Hold {
                        every: every.clone(),
                        length: length.clone(),
                    };
                    self.note(place, "kind", Instead::Hold);
                }
                ImpairmentKind::BitError { .. } => {
                    let loss = share_lost.unwrap_or(0.0);
                    impairment.kind = ImpairmentKind::Loss { probability: loss };
                    let size = self.packet;
                    self.note(place, "kind", Instead::LossAt { size, loss });
                }
                ImpairmentKind::GilbertElliott { .. } => {
                    let second = kept.iter().any(|other| {
                        matches!(other.kind, ImpairmentKind::GilbertElliott { .. }) && overlap(other, &impairment)
                    });
                    if let (true, Some(probability)) = (second, share_lost) {
                        impairment.kind = ImpairmentKind::Loss { probability };
                        self.note(place, "kind", Instead::MeanLoss(probability));
                    } else if impairment.scope == Scope::Shared {
                        impairment.scope = Scope::Each;
                        self.note(place, "on", Instead::Each);
                    }
                }
                ImpairmentKind::Reorder { .. } => {
                    let second = kept.iter().any(|other| {
                        matches!(other.kind, ImpairmentKind::Reorder { .. }) && overlap(other, &impairment)
                    });
                    let moves = handovers.iter().any(|other| overlap(other, &impairment));
                    if second || moves || self.delay_differs(impairment.scope) {
                        let why = "netem lets packets overtake only where the others' delay is always the same";
                        self.note(place, "kind", Instead::LeftOut(why));
                        continue;
                    }
                }
                ImpairmentKind::Duplicate { .. }
                    if kept.iter().any(|other| {
                        matches!(other.kind, ImpairmentKind::GilbertElliott { .. }) && overlap(other, &impairment)
                    }) =>
                {
                    self.note(
                        place,
                        "kind",
                        Instead::LeftOut("netem would lose the copy apart from the packet"),
                    );
                    continue;
                }
                ImpairmentKind::Handovers { .. } if self.delay_differs(impairment.scope) => {
                    let why = "the kernel draws this path's delay, and nothing can be added to it";
                    self.note(place, "delay", Instead::LeftOut(why));
                    continue;
                }
                kind => match (without_equal(kind), share_lost) {
                    (Some(_), Some(probability)) => {
                        impairment.kind = ImpairmentKind::Loss { probability };
                        self.note(place, "kind", Instead::MeanLoss(probability));
                    }
                    (Some(why), None) => {
                        self.note(place, "kind", Instead::LeftOut(why));
                        continue;
                    }
                    (None, _) => {}
                },
            }
            kept.push(impairment);
        }
        self.model.impairments = kept;
    }

    /// What begins at a packet begins in time; false if there is no rate to tell when.
    fn begin_in_time(&mut self, impairment: &mut Impairment) -> bool {
        let service = self.service(first_of(impairment.scope));
        let place = ProfileItem::Impairment(impairment.name.clone());
        let (ImpairmentKind::Hold { every, .. }
        | ImpairmentKind::Suspend { every, .. }
        | ImpairmentKind::HoldArrivals { every, .. }
        | ImpairmentKind::Drop { every, .. }) = &mut impairment.kind
        else {
            return true;
        };
        let Onset::PacketWithProbability(probability) = *every else {
            return true;
        };
        let Some(service) = service.filter(|_| probability > 0.0) else {
            return false;
        };
        let mean = Span::from_ns((service.as_ns() as f64 / probability) as u64);
        *every = Onset::Renewal(Distribution::Exponential { mean });
        self.note(place, "every", Instead::InTime { mean });
        true
    }

    /// How many bits a packet has with its framing.
    pub(super) fn bits(&self, direction: Direction) -> u64 {
        8 * (self.packet.get() + self.model.path(direction).framing.get())
    }

    fn delay_differs(&self, scope: Scope) -> bool {
        scope
            .directions()
            .any(|direction| !matches!(self.model.path(direction).delay, Distribution::Constant(_)))
    }
}

fn overlap(one: &Impairment, other: &Impairment) -> bool {
    one.scope.directions().any(|direction| other.scope.covers(direction))
}

pub(super) fn first_of(scope: Scope) -> Direction {
    match scope {
        Scope::One(direction) => direction,
        Scope::Each | Scope::Shared => Direction::Down,
    }
}

/// The share of time's packets that two states lose in the long run.
pub(super) fn mean_loss_in_time(kind: &ImpairmentKind) -> Option<f64> {
    let ImpairmentKind::TwoState {
        good,
        bad,
        loss_good,
        loss_bad,
    } = kind
    else {
        return None;
    };
    let mean = |distribution: &Distribution<Span>| {
        let shares = (0..SHARES).map(|share| quantile(distribution, (f64::from(share) + 0.5) / f64::from(SHARES)));
        shares.sum::<f64>() / f64::from(SHARES)
    };
    let (good, bad) = (mean(good), mean(bad));
    let whole = good + bad;
    (whole > 0.0).then(|| (good * loss_good + bad * loss_bad) / whole)
}
