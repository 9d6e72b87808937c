//! A segment that was sent beside the one that a script expects.

use windlull_units::Span;
use windlull_wire::{Segment, Timestamps};

use crate::options::{meant, written};
use crate::play::stop::{Step, differs};
use crate::play::words::words;
use crate::play::{FirstStamps, Player};
use crate::script::{ExpectedOptions, Ip, Packet};
use crate::write::flags;

impl Player {
    /// Compares a segment with the one of this line.
    pub(super) fn compare(&mut self, line: usize, expected: &Packet, sent: &Segment) -> Step {
        let sent_ack = expected.ack.map(|_| sent.ack.0);
        let fields = [
            ("flags", flags(expected.flags), flags(sent.flags)),
            ("seq", expected.seq.to_string(), sent.seq.to_string()),
            (
                "payload",
                expected.payload_len.to_string(),
                sent.payload_len.to_string(),
            ),
            ("ack", told(expected.ack), told(sent_ack)),
            ("win", told(expected.window), told(expected.window.map(|_| sent.window))),
        ];
        let differing = fields.iter().find(|(_, expected, sent)| expected != sent);
        if let Some((field, wanted, got)) = differing {
            let what = format!("{field}: expected {wanted}, sent {got}: {}", words(sent));
            return Err(differs(line, what));
        }
        let is_marked_so = match expected.ip {
            None => true,
            Some(Ip::Ecn(ecn)) => ecn == sent.ecn,
            Some(Ip::AnyCapable) => sent.ecn.is_capable(),
        };
        if !is_marked_so {
            return Err(differs(line, format!("ECN: sent {:?}: {}", sent.ecn, words(sent))));
        }
        match &expected.options {
            ExpectedOptions::Any => Ok(()),
            ExpectedOptions::These(options) => {
                let meant = meant(options);
                let mut shown = sent.options;
                if let (Some(expected), Some(played)) = (meant.timestamps, &mut shown.timestamps) {
                    self.compare_stamps(line, expected, *played)?;
                    played.value = expected.value;
                }
                if written(&shown) == *options {
                    Ok(())
                } else {
                    Err(differs(
                        line,
                        format!("options: expected {expected}, sent {}", words(sent)),
                    ))
                }
            }
        }
    }

    /// As packetdrill: a timestamp may be off by the tolerance, if the script says how long a tick is; otherwise by anything.
    fn compare_stamps(&mut self, line: usize, expected: Timestamps, played: Timestamps) -> Step {
        self.stamps.insert(expected.value, played.value);
        let first = *self.first_stamps.get_or_insert(FirstStamps {
            script: expected.value,
            played: played.value,
        });
        let Some(tick) = self.stamp_tick else { return Ok(()) };
        let in_script = played.value.wrapping_sub(first.played).wrapping_add(first.script);
        let off = in_script.wrapping_sub(expected.value);
        let off = Span::from_ns(tick.as_ns().saturating_mul(u64::from(off.min(off.wrapping_neg()))));
        if off > self.tolerance {
            let what = format!(
                "TS val: expected {}, sent what is {in_script} in the script",
                expected.value
            );
            return Err(differs(line, what));
        }
        Ok(())
    }
}

fn told<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "any".to_owned(), |value| value.to_string())
}
