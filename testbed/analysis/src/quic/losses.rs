//! Declarations of loss by packet number, against the truth (RFC 9002, section 6).
//!
//! A declaration is *spurious* if the link delivers the packet intact, before or after. Its reason is what the stack says;
//! where it says none, the rule that held then: the packet threshold if a packet of the space had been acknowledged that is
//! three or more later, the time threshold if any later one had, else a probe timeout.

use std::collections::BTreeMap;

use windlull_transport::{AckRange, LossTrigger, PacketLost, Space};
use windlull_units::{Span, Time};

use crate::follower::Declared;
use crate::metrics::Metrics;
use crate::quantile::median;
use crate::verdict::Truth;

/// kPacketThreshold (RFC 9002, section 6.1.1).
const PACKET_THRESHOLD: u64 = 3;

type Number = (Space, u64);

/// A packet that was sent and not acknowledged.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Time,
    is_eliciting: bool,
    /// When its way ended, and whether it arrived.
    end: Option<(Time, bool)>,
    declared: Option<Declaration>,
}

#[derive(Clone, Copy, Debug)]
struct Declaration {
    at: Time,
    /// Its place among all.
    place: usize,
    trigger: LossTrigger,
    /// The reduction of the window that it belongs to.
    reduction: usize,
}

/// What the congestion window lost by declarations at one instant.
#[derive(Clone, Copy, Debug)]
struct Reduction {
    at: Time,
    before: Option<u64>,
    after: Option<u64>,
    declared: u64,
    spurious: u64,
    is_restored: bool,
}

/// What begins with the declaration of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begins {
    Nothing,
    /// A reaction of congestion control (RFC 9002, section 7.3.2).
    Recovery,
    /// What follows a probe timeout.
    ProbeTimeout,
}

/// All packets whose story is not over.
#[derive(Debug, Default)]
pub(super) struct Losses {
    packets: BTreeMap<Number, Sent>,
    largest_acknowledged: BTreeMap<Space, u64>,
    reductions: Vec<Reduction>,
    /// Packets sent before this instant belong to the recovery that is under way (RFC 9002, section 7.3.2).
    recovery_began: Option<Time>,
    /// The places of the declarations that began a recovery.
    recoveries: Vec<usize>,
    declared: usize,
    spurious: [u64; LossTrigger::ALL.len()],
    /// From the loss to its declaration, of losses that were.
    delays: Vec<Span>,
    /// Declarations whose stated reason did not hold.
    contradicted: u64,
}

impl Losses {
    /// The data sender sends a packet.
    pub(super) fn sent(&mut self, at: Time, number: Number, is_eliciting: bool) {
        let sent = Sent {
            at,
            is_eliciting,
            end: None,
            declared: None,
        };
        self.packets.insert(number, sent);
    }

    /// The way of a datagram of the data sender that holds these packets, or of a copy of it, has ended.
    pub(super) fn sealed(&mut self, numbers: &[Number], at: Time, arrives: bool) {
        for number in numbers {
            if let Some(sent) = self.packets.get_mut(number) {
                // A copy that arrives outdoes the loss of another.
                if sent.end.is_none_or(|(_, arrived)| arrives && !arrived) {
                    sent.end = Some((at, arrives));
                }
            }
        }
    }

    /// An acknowledgement arrives at the data sender: whether it names packets that were neither acknowledged nor declared lost
    /// before. Those are done with.
    pub(super) fn acknowledged(&mut self, now: Time, space: Space, ranges: &[AckRange]) -> bool {
        let known = self.packets.len();
        for range in ranges {
            let largest = self.largest_acknowledged.entry(space).or_default();
            *largest = range.last.max(*largest);
            let mut numbers: Vec<Number> = Vec::new();
            for (&number, sent) in self.packets.range_mut((space, range.first)..=(space, range.last)) {
                if sent.declared.is_none() {
                    numbers.push(number);
                } else {
                    // Where nobody tells of the link, this does: it arrived, by now.
                    sent.end.get_or_insert((now, true));
                }
            }
            for number in numbers {
                self.packets.remove(&number);
            }
        }
        self.packets.len() < known
    }

    /// The data sender declares a packet lost: the declaration, and what begins with it; `None` if it is none that counts.
    pub(super) fn declared(&mut self, now: Time, lost: &PacketLost, cwnd: Option<u64>) -> Option<(Declared, Begins)> {
        if lost.is_mtu_probe {
            return None;
        }
        let number = (lost.space, lost.number);
        let largest = self.largest_acknowledged.get(&lost.space).copied();
        let later = largest.map_or(0, |largest| largest.saturating_sub(lost.number));
        let by_rule = match later {
            0 => LossTrigger::ProbeTimeout,
            PACKET_THRESHOLD.. => LossTrigger::PacketThreshold,
            _ => LossTrigger::TimeThreshold,
        };
        if lost.trigger == Some(LossTrigger::PacketThreshold) && later < PACKET_THRESHOLD {
            self.contradicted += 1;
        }
        let sent = self.packets.get_mut(&number).filter(|sent| sent.declared.is_none())?;
        if self.reductions.last().is_none_or(|last| last.at != now) {
            self.reductions.push(Reduction {
                at: now,
                before: cwnd,
                after: None,
                declared: 0,
                spurious: 0,
                is_restored: false,
            });
        }
        let reduction = self.reductions.len() - 1;
        self.reductions[reduction].declared += 1;
        let place = self.declared;
        self.declared += 1;
        let trigger = lost.trigger.unwrap_or(by_rule);
        sent.declared = Some(Declaration {
            at: now,
            place,
            trigger,
            reduction,
        });
        let declared = Declared {
            place,
            space: lost.space,
            number: lost.number,
            trigger,
        };
        let is_answered = !sent.is_eliciting || self.recovery_began.is_some_and(|began| sent.at <= began);
        let begins = match trigger {
            LossTrigger::ProbeTimeout => Begins::ProbeTimeout,
            LossTrigger::PacketThreshold | LossTrigger::TimeThreshold if is_answered => Begins::Nothing,
            LossTrigger::PacketThreshold | LossTrigger::TimeThreshold => {
                self.recovery_began = Some(now);
                self.recoveries.push(place);
                Begins::Recovery
            }
        };
        Some((declared, begins))
    }

    /// Whether each packet that was declared lost was, in the order of declaring.
    pub(super) fn verdicts(&self) -> Vec<Truth> {
        let mut verdicts = vec![Truth::Unknown; self.declared];
        for sent in self.packets.values() {
            if let (Some(declared), Some((_, arrived))) = (sent.declared, sent.end) {
                verdicts[declared.place] = if arrived { Truth::Spurious } else { Truth::Genuine };
            }
        }
        verdicts
    }

    /// The places of the declarations that began a recovery, in order.
    pub(super) fn recoveries(&self) -> &[usize] {
        &self.recoveries
    }

    /// The congestion window changed.
    pub(super) fn window(&mut self, before: Option<u64>, after: Option<u64>) {
        let (Some(before), Some(after)) = (before, after) else {
            return;
        };
        let Some(last) = self.reductions.last_mut() else { return };
        if after < before && last.after.is_none() {
            last.after = Some(after);
        } else if after > before && last.after.is_some() && last.before.is_some_and(|whole| after >= whole) {
            // One step back to where it was: growth by acknowledgements comes in smaller ones.
            last.is_restored |= last.after == Some(before);
        }
    }

    /// The stack says that its last losses were none.
    pub(super) fn found_spurious(&mut self) {
        if let Some(last) = self.reductions.last_mut() {
            last.is_restored = true;
        }
    }

    /// Writes down what was found.
    pub(super) fn tell(mut self, metrics: &mut Metrics, notes: &mut Vec<String>) {
        for sent in self.packets.values() {
            let (Some(declared), Some((ended, arrived))) = (sent.declared, sent.end) else {
                continue;
            };
            if arrived {
                self.spurious[declared.trigger as usize] += 1;
                self.reductions[declared.reduction].spurious += 1;
            } else {
                self.delays.push(declared.at.since(ended));
            }
        }
        self.delays.sort_unstable();
        let wrong = |reduction: &&Reduction| reduction.spurious == reduction.declared;
        let taken = self.reductions.iter().filter(wrong);
        let taken = taken.filter_map(|it| Some(it.before?.saturating_sub(it.after?)));
        let [by_packets, by_time, by_timeout] = self.spurious;
        metrics.packets_declared_lost = Some(self.declared as u64);
        metrics.spurious_losses = Some(self.spurious.iter().sum());
        metrics.spurious_losses_by_packets = Some(by_packets);
        metrics.spurious_losses_by_time = Some(by_time);
        metrics.spurious_losses_by_timeout = Some(by_timeout);
        metrics.loss_detection_s = median(&self.delays);
        metrics.spurious_window_loss_bytes = Some(taken.sum());
        metrics.windows_restored = Some(self.reductions.iter().filter(|it| it.is_restored).count() as u64);
        if self.contradicted > 0 {
            notes.push(format!(
                "Of {} packets that the stack declared lost, {} were by the packet threshold as it says, when fewer than \
                 {PACKET_THRESHOLD} later packets had been acknowledged.",
                self.declared, self.contradicted
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn lost(number: u64, trigger: Option<LossTrigger>) -> PacketLost {
        PacketLost {
            space: Space::Data,
            number,
            trigger,
            is_mtu_probe: false,
        }
    }

    #[test]
    fn a_declaration_is_held_against_what_became_of_the_packet() {
        let mut losses = Losses::default();
        for number in 0..8 {
            losses.sent(ms(number), (Space::Data, number), true);
        }
        losses.sealed(&[(Space::Data, 0)], ms(5), false);
        for number in 1..8 {
            losses.sealed(&[(Space::Data, number)], ms(10 + number), true);
        }
        losses.acknowledged(ms(18), Space::Data, &[AckRange { first: 3, last: 4 }]);
        // Its reason is the packet threshold, by the rule; of the second one the stack says otherwise.
        let begins =
            |losses: &mut Losses, at, lost: &PacketLost, cwnd| losses.declared(at, lost, Some(cwnd)).map(|it| it.1);
        assert_eq!(
            begins(&mut losses, ms(20), &lost(0, None), 10_000),
            Some(Begins::Recovery)
        );
        let second = lost(1, Some(LossTrigger::TimeThreshold));
        assert_eq!(begins(&mut losses, ms(20), &second, 10_000), Some(Begins::Nothing));
        losses.window(Some(10_000), Some(7_000));
        // The third is wholly wrong: its packet arrived. It was sent before the recovery began.
        let third = lost(2, Some(LossTrigger::PacketThreshold));
        assert_eq!(begins(&mut losses, ms(30), &third, 7_000), Some(Begins::Nothing));
        losses.window(Some(7_000), Some(4_900));
        losses.window(Some(4_900), Some(7_000));
        // Nothing later than the last one was acknowledged.
        assert_eq!(
            begins(&mut losses, ms(40), &lost(7, None), 7_000),
            Some(Begins::ProbeTimeout)
        );
        assert_eq!(
            losses.verdicts(),
            [Truth::Genuine, Truth::Spurious, Truth::Spurious, Truth::Spurious]
        );
        let (mut metrics, mut notes) = (Metrics::default(), Vec::new());
        losses.tell(&mut metrics, &mut notes);
        assert_eq!(metrics.packets_declared_lost, Some(4));
        assert_eq!(metrics.spurious_losses, Some(3));
        assert_eq!(metrics.spurious_losses_by_packets, Some(1));
        assert_eq!(metrics.spurious_losses_by_time, Some(1));
        assert_eq!(metrics.spurious_losses_by_timeout, Some(1));
        assert_eq!(metrics.loss_detection_s, Some(0.015));
        assert_eq!(metrics.spurious_window_loss_bytes, Some(2_100));
        assert_eq!(metrics.windows_restored, Some(1));
        // When packet 2 was declared lost, two later ones had been acknowledged.
        assert_eq!(notes.len(), 1, "{notes:?}");
    }
}
