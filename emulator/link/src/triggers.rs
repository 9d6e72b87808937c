//! Entries of a script that wait for the state of a data sender, for those who know senders' states and tell the link.

use windlull_units::{Span, Time};

use crate::model::{LinkModel, TransportCondition};

/// What is looked at in a data sender. Offsets are octets of its stream, FIN included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SenderView {
    /// The congestion window, octets.
    pub cwnd: u64,
    /// Payload octets of a full segment.
    pub segment: u64,
    /// The retransmission timeout in force, back-off included.
    pub rto: Span,
    /// Whether it is in fast recovery.
    pub is_recovering: bool,
    /// The first octet that is not acknowledged.
    pub una: u64,
    /// The octet behind the highest that was sent.
    pub max: u64,
}

/// The entries that wait, and what must be remembered of the flows.
#[derive(Clone, Debug)]
pub struct Triggers {
    waiting: Vec<Waiting>,
    /// Of each flow.
    last: Vec<LastSent>,
}

/// An entry that has not begun.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// Its place in the script.
    entry: usize,
    when: TransportCondition,
    /// When the link begins it if nothing else happens before; `NEVER` if nobody knows.
    due: Time,
}

/// The last new data that a flow has sent.
#[derive(Clone, Copy, Debug)]
struct LastSent {
    at: Time,
    /// The octet behind it.
    end: u64,
    /// The retransmission timeout that was in force behind it.
    rto: Span,
    /// Whether any data is unacknowledged.
    is_outstanding: bool,
}

impl Triggers {
    /// For so many flows; `None` if no entry of the script waits for the states of senders.
    pub fn new(link: &LinkModel, flows: usize) -> Option<Box<Self>> {
        let waits = |(entry, when)| Waiting {
            entry,
            when,
            due: Time::NEVER,
        };
        let waiting: Vec<Waiting> = link.conditions_of_state().map(waits).collect();
        let nothing = LastSent {
            at: Time::ZERO,
            end: 0,
            rto: Span::ZERO,
            is_outstanding: false,
        };
        (!waiting.is_empty()).then(|| {
            Box::new(Self {
                waiting,
                last: vec![nothing; flows],
            })
        })
    }

    /// Takes in the state of the data sender of a flow, from 0, and says what [`Link::trigger`](crate::Link::trigger) is to be
    /// told, entry by entry. `None` for the state: the connection has not begun, or is over.
    pub fn look(&mut self, now: Time, flow: usize, sender: Option<&SenderView>) -> Vec<(usize, Time)> {
        if let Some(last) = self.last.get_mut(flow) {
            if let Some(new) = sender.filter(|sender| sender.max > last.end) {
                (last.at, last.end, last.rto) = (now, new.max, new.rto);
            }
            last.is_outstanding = sender.is_some_and(|sender| sender.max > sender.una);
        }
        let last = &self.last;
        let mut begin = Vec::new();
        self.waiting.retain_mut(|waiting| {
            if waiting.due <= now {
                // The link has begun it.
                return false;
            }
            let now_if = |is_met: bool| if is_met { now } else { Time::NEVER };
            let due = match waiting.when {
                TransportCondition::WindowExceeds { segments } => {
                    let exceeds = |sender: &SenderView| sender.cwnd > u64::from(segments) * sender.segment;
                    now_if(sender.is_some_and(exceeds))
                }
                TransportCondition::Recovery => now_if(sender.is_some_and(|sender| sender.is_recovering)),
                TransportCondition::AfterLastTransmission { rto_thousandths } => {
                    let silences = last.iter().map(|last| last.silent_for(rto_thousandths));
                    silences.min().unwrap_or(Time::NEVER)
                }
                // The link sees it.
                TransportCondition::AfterByte(_) | TransportCondition::Retransmission(_) => Time::NEVER,
            };
            if due != waiting.due {
                waiting.due = due;
                begin.push((waiting.entry, due));
            }
            due > now
        });
        begin
    }
}

impl LastSent {
    /// When nothing new will have been sent for so many thousandths of the timeout, if nothing is until then.
    fn silent_for(&self, rto_thousandths: u32) -> Time {
        if !self.is_outstanding {
            return Time::NEVER;
        }
        let thousandths = self.rto.as_ns().saturating_mul(u64::from(rto_thousandths));
        self.at + Span::from_ns(thousandths / 1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Action, PathModel, Scope, ScriptEntry, Trigger};

    const SENDER: SenderView = SenderView {
        cwnd: 10_000,
        segment: 1000,
        rto: Span::from_ms(200),
        is_recovering: false,
        una: 0,
        max: 0,
    };

    fn ms(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    fn waiting(conditions: &[TransportCondition], flows: usize) -> Triggers {
        let mut link = LinkModel::symmetric(PathModel::plain(None, Span::ZERO));
        let entry = |&when| ScriptEntry {
            scope: Scope::Shared,
            trigger: Trigger::Transport { when, lasts: None },
            action: Action::SetLoss(0.5),
        };
        link.script = conditions.iter().map(entry).collect();
        *Triggers::new(&link, flows).expect("entries that wait")
    }

    #[test]
    fn what_packets_tell_is_left_to_the_link() {
        let mut link = LinkModel::symmetric(PathModel::plain(None, Span::ZERO));
        link.script = vec![ScriptEntry {
            scope: Scope::Shared,
            trigger: Trigger::Transport {
                when: TransportCondition::AfterByte(7),
                lasts: None,
            },
            action: Action::SetLoss(0.5),
        }];
        assert!(Triggers::new(&link, 1).is_none());
    }

    #[test]
    fn a_window_must_be_above_and_an_entry_begins_once() {
        let exceeds = TransportCondition::WindowExceeds { segments: 10 };
        let mut triggers = waiting(&[TransportCondition::Recovery, exceeds], 1);
        assert!(triggers.look(ms(1), 0, Some(&SENDER)).is_empty());
        let above = SenderView { cwnd: 10_001, ..SENDER };
        assert_eq!(triggers.look(ms(2), 0, Some(&above)), [(1, ms(2))]);
        assert!(triggers.look(ms(3), 0, Some(&above)).is_empty());
        let recovering = SenderView {
            is_recovering: true,
            ..above
        };
        assert_eq!(triggers.look(ms(4), 0, Some(&recovering)), [(0, ms(4))]);
        assert!(triggers.look(ms(5), 0, Some(&recovering)).is_empty());
    }

    #[test]
    fn silence_counts_from_the_last_new_data_while_some_is_unacknowledged() {
        let silent = TransportCondition::AfterLastTransmission { rto_thousandths: 1500 };
        let mut triggers = waiting(&[silent], 1);
        assert!(triggers.look(ms(0), 0, Some(&SENDER)).is_empty());
        let sent = |max, una, rto| SenderView {
            max,
            una,
            rto: Span::from_ms(rto),
            ..SENDER
        };
        assert_eq!(triggers.look(ms(10), 0, Some(&sent(1000, 0, 200))), [(0, ms(310))]);
        assert_eq!(triggers.look(ms(20), 0, Some(&sent(2000, 0, 400))), [(0, ms(620))]);
        // What is sent again, and a timer that has backed off, change nothing.
        assert!(triggers.look(ms(420), 0, Some(&sent(2000, 0, 800))).is_empty());
        assert_eq!(
            triggers.look(ms(430), 0, Some(&sent(2000, 2000, 800))),
            [(0, Time::NEVER)]
        );
        assert_eq!(triggers.look(ms(440), 0, Some(&sent(3000, 2000, 200))), [(0, ms(740))]);
        // A connection that is over waits for nothing.
        assert_eq!(triggers.look(ms(450), 0, None), [(0, Time::NEVER)]);
        assert_eq!(triggers.look(ms(460), 0, Some(&sent(3000, 2000, 200))), [(0, ms(740))]);
        // The link has begun it by itself.
        assert!(triggers.look(ms(740), 0, Some(&sent(4000, 2000, 200))).is_empty());
        assert!(triggers.look(ms(750), 0, Some(&sent(5000, 2000, 200))).is_empty());
    }

    #[test]
    fn of_several_flows_the_first_counts() {
        let silent = TransportCondition::AfterLastTransmission { rto_thousandths: 1000 };
        let mut triggers = waiting(&[silent], 2);
        let sent = |max| SenderView { max, ..SENDER };
        assert_eq!(triggers.look(ms(10), 0, Some(&sent(1000))), [(0, ms(210))]);
        assert!(triggers.look(ms(20), 1, Some(&sent(1000))).is_empty());
        assert_eq!(triggers.look(ms(30), 0, Some(&sent(2000))), [(0, ms(220))]);
    }
}
