//! Why the kernel's link lost what it lost, as far as its plan leaves one cause.

use windlull_link::model::{Action, ImpairmentKind, LinkModel, Trigger, Zeros};
use windlull_plane::netem::QueueCounts;
use windlull_units::{Direction, DropCause};

/// The cause of every loss of a direction, down and up, given what the disciplines counted of the queues. A packet that
/// a direction can lose in more than one way was lost for [`DropCause::Unknown`].
pub(crate) fn causes(link: &LinkModel, queues: &[Option<QueueCounts>; 2]) -> [DropCause; 2] {
    Direction::ALL.map(|direction| match &queues[direction as usize] {
        Some(queue) if only_the_queue_loses(link, direction) => match queue.overflows {
            Some(overflows) if overflows == queue.drops => DropCause::QueueOverflow,
            Some(0) => DropCause::QueueEarly,
            Some(_) | None => DropCause::Unknown,
        },
        _ => DropCause::Unknown,
    })
}

/// Whether nothing else on the way can lose a packet, or change it so that it is not known again.
fn only_the_queue_loses(link: &LinkModel, direction: Direction) -> bool {
    let mut impairments = link.impairments.iter().filter(|it| it.scope.covers(direction));
    let mut script = link.script.iter().filter(|it| it.scope.covers(direction));
    let recording = link.recording.as_ref();
    impairments.all(|it| {
        matches!(
            it.kind,
            ImpairmentKind::Hold { .. } | ImpairmentKind::Reorder { .. } | ImpairmentKind::Duplicate { .. }
        )
    }) && script
        .all(|it| matches!(it.trigger, Trigger::At { .. }) && !matches!(it.action, Action::Drop | Action::SetLoss(_)))
        && recording.is_none_or(|it| it.zeros == Zeros::Hold && !it.has(direction, |path| path.loss))
}

#[cfg(test)]
mod tests {
    use windlull_link::model::{Impairment, PathModel, RateModel, Scope};
    use windlull_units::{BitRate, Span};

    use super::*;

    fn queue(drops: u64, overflows: u64) -> [Option<QueueCounts>; 2] {
        let counts = QueueCounts {
            discipline: "codel".to_owned(),
            drops,
            overflows: Some(overflows),
            marks: 0,
        };
        [Some(counts), None]
    }

    fn link(kinds: Vec<ImpairmentKind>) -> LinkModel {
        let rate = BitRate::from_bps(1_000_000).map(RateModel::Constant);
        let mut link = LinkModel::symmetric(PathModel::plain(rate, Span::ZERO));
        link.impairments = kinds
            .into_iter()
            .map(|kind| Impairment {
                name: "it".to_owned(),
                scope: Scope::Each,
                kind,
            })
            .collect();
        link
    }

    #[test]
    fn a_loss_is_the_queues_where_nothing_else_can_lose() {
        let copies = link(vec![ImpairmentKind::Duplicate { probability: 0.1 }]);
        let down = |queues| causes(&copies, &queues)[0];
        assert_eq!(down(queue(3, 0)), DropCause::QueueEarly);
        assert_eq!(down(queue(3, 3)), DropCause::QueueOverflow);
        assert_eq!(down(queue(3, 1)), DropCause::Unknown, "which of them?");
        assert_eq!(causes(&copies, &queue(3, 0))[1], DropCause::Unknown, "no queue there");
    }

    #[test]
    fn a_link_with_losses_of_its_own_leaves_it_open() {
        let lossy = link(vec![ImpairmentKind::Loss { probability: 0.01 }]);
        assert_eq!(causes(&lossy, &queue(3, 0)), [DropCause::Unknown; 2]);
    }
}
