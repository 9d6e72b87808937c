//! Where the kernel's link differs a little from the model's.

use std::fmt;

use windlull_link::model::{LinkModel, QueueModel};

use super::path::{Order, PathPlan};

windlull_units::named! {
    /// A difference that no command can remove.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Note {
        PacketDraws = "Draws about packets (losses, delays, copies) are the kernel's own: alike in distribution, not packet for packet.",
        UnseededRules = "Losses by rules of nftables cannot be seeded.",
        RateInService = "When the rate changes, the packet in service ends at the old one.",
        WholeOctets = "netem takes rates in whole octets a second.",
        WholeMicroseconds = "tc rounds delays to microseconds.",
        TabledDelay = "Delays come from a table of quantiles: rarer ones than the last (1 in 8,192; 1 in 32,000 beside reordering) do not occur.",
        StatesOnePacketLater = "netem's loss states change after a packet's loss is drawn, the model's before.",
        StatesRestart = "A change of the delay starts netem's loss states anew, in the good one.",
        CopyDrawnApart = "A copy is delayed and corrupted by draws of its own.",
        AnyBit = "netem flips one bit anywhere in the frame, also in its headers.",
        Bucket = "The queue stands before a bucket of 300 us of the rate: what is queued leaves so much earlier than the model's, and waits behind.",
        KernelQueue = "A managed queue is the kernel's: it drops and marks by its own rules and random numbers, not packet for packet as the model's.",
        KernelRed = "The kernel's RED is not gentle, takes packets for octets of `mean_packet` each, and weighs its average by the nearest power of two.",
    }
}

/// The notes that concern a link, each once.
pub(crate) fn of(model: &LinkModel, paths: &[PathPlan; 2]) -> Vec<Note> {
    use windlull_link::model::{Action, RateModel};
    let mut notes = Vec::new();
    for (path, modelled) in paths.iter().zip([&model.down, &model.up]) {
        let mut note = |note, concerns: bool| notes.extend(concerns.then_some(note));
        let by_rule = path.loss_by_rule > 0.0 || !path.processes.is_empty();
        let scripted = |wanted: fn(&Action) -> bool| {
            let mut here = model.script.iter().filter(|entry| entry.scope.covers(path.direction));
            here.any(|entry| wanted(&entry.action))
        };
        let scripted_loss = scripted(|action| matches!(action, Action::SetLoss(_)));
        let recording = model.recording.as_ref();
        let recorded_rate = recording.is_some_and(|it| it.has(path.direction, |path| path.rate_bps));
        let recorded_loss = recording.is_some_and(|it| it.has(path.direction, |path| path.loss));
        let steps = recorded_rate || matches!(modelled.rate, Some(RateModel::Stepped { .. }));
        let rounded = match &modelled.rate {
            Some(RateModel::Constant(rate)) => rate.as_bps() % 8 != 0,
            Some(RateModel::Stepped { steps, .. }) => steps.iter().any(|(_, rate)| rate.as_bps() % 8 != 0),
            _ => false,
        };
        let random = path.loss + path.duplicate + path.corrupt > 0.0 || path.states.is_some();
        note(Note::PacketDraws, random || path.delay.is_random());
        note(Note::UnseededRules, by_rule || scripted_loss || recorded_loss);
        note(
            Note::RateInService,
            steps || scripted(|action| matches!(action, Action::SetRate(_))),
        );
        note(Note::WholeOctets, rounded);
        let whole = path.delay.longest().as_ns() % 1_000 == 0;
        note(Note::WholeMicroseconds, !whole && !path.delay.is_random());
        note(Note::TabledDelay, path.delay.table().is_some());
        note(Note::StatesOnePacketLater, path.states.is_some());
        note(
            Note::StatesRestart,
            path.states.is_some() && path.order != Order::Natural,
        );
        note(Note::CopyDrawnApart, path.duplicate > 0.0);
        note(Note::AnyBit, path.corrupt > 0.0);
        note(Note::Bucket, path.rated && !path.is_shaped_by_its_queue());
        let managed = path.managed.filter(|_| path.rated);
        note(Note::KernelQueue, managed.is_some());
        let red = matches!(managed, Some(QueueModel::Red(_) | QueueModel::AdaptiveRed(_)));
        note(Note::KernelRed, red);
    }
    notes.sort_unstable();
    notes.dedup();
    notes
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
