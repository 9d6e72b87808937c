//! Kinds of impairments of which the kernel has no equal.

use windlull_link::model::ImpairmentKind;

/// Why a kind is refused, and the share of packets that an export loses in its place; without one it is replaced by rules of its
/// own, or left out.
pub(super) const fn without_equal(kind: &ImpairmentKind) -> Option<(&'static str, Option<f64>)> {
    match kind {
        ImpairmentKind::Suspend { .. } => Some((
            "the kernel pauses deliveries (`kind = \"hold\"`), not what is sent",
            None,
        )),
        ImpairmentKind::HoldArrivals { .. } => Some(("the kernel pauses deliveries (`hold`), not what arrives", None)),
        ImpairmentKind::BitError { .. } => Some(("netem loses packets by their number, not by their length", None)),
        ImpairmentKind::BoundedLoss { probability, .. } => Some((
            "netem loses packets at random, however many in a row",
            Some(*probability),
        )),
        ImpairmentKind::PeriodicLoss { one_in } => Some((
            "netem loses packets at random, not at even intervals",
            Some(1.0 / one_in.get() as f64),
        )),
        ImpairmentKind::Policer { .. } => Some(("what this plane makes of tc shapes, and has no policer", None)),
        ImpairmentKind::Aggregation { .. } => Some(("what this plane makes of tc gathers no packets", None)),
        ImpairmentKind::AckThinning { .. } => {
            Some(("what this plane makes of tc does not know acknowledgements", None))
        }
        ImpairmentKind::Hold { .. }
        | ImpairmentKind::Drop { .. }
        | ImpairmentKind::Handovers { .. }
        | ImpairmentKind::Loss { .. }
        | ImpairmentKind::GilbertElliott { .. }
        | ImpairmentKind::TwoState { .. }
        | ImpairmentKind::Reorder { .. }
        | ImpairmentKind::Duplicate { .. }
        | ImpairmentKind::Corrupt { .. } => None,
    }
}
