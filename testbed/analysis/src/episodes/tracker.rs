//! Finds episodes while the run happens. Its memory is bounded by the window, but for the episodes themselves.

use std::collections::BTreeMap;

use windlull_units::{BitRate, Direction, LinkEvent, PacketId, Time};
use windlull_wire::{Phase, SenderEvent};

use super::causes::{Cause, Possible};
use super::changes::{Change, Setting, delay_in_words, falls_like_a_pause, rate_in_words, rises_like_a_pause};
use super::declared::Declarations;
use super::draft::Draft;
use super::record::{DetectorStep, Episode, Outstanding, ReactionKind, ResponseRecord, Windows};
use super::story::{Drops, Moment, Resends, Undone, Verdicts};
use super::view::{View, octet};
use crate::follower::Declared;
use crate::verdict::Verdict;

/// A packet that the link lost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loss {
    pub(crate) by: &'static str,
    pub(crate) direction: Direction,
    /// The positions that it held, if it was one of the data sender's.
    pub(crate) range: Option<(u64, u64)>,
}

/// A segment that was sent again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resent {
    pub(crate) id: PacketId,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) payload: u32,
}

/// Follows a run and writes down its episodes.
#[derive(Debug, Default)]
pub(crate) struct Tracker {
    done: Vec<Draft>,
    trouble: Option<Draft>,
    possible: Possible,
    /// Whether the sender says that a recovery or a detection is under way.
    busy: bool,
    windows: Option<Windows>,
    /// The rate of each direction, once the link has told it.
    rates: [Option<Option<BitRate>>; 2],
    /// Whether the last acknowledgement was a duplicate.
    duplicate: bool,
    /// When something new was delivered last.
    delivered: Option<Time>,
    /// Retransmissions that are not judged yet: their episode, their place in its story, and their payload.
    unjudged: BTreeMap<PacketId, (usize, Option<usize>, u32)>,
}

impl Tracker {
    /// The link changed.
    pub(crate) fn link(&mut self, now: Time, event: &LinkEvent, view: View) {
        match event {
            LinkEvent::HoldBegan { direction, name, until } => {
                self.spell_began(now, true, (*direction, name), *until, view);
            }
            LinkEvent::OutageBegan { direction, name, until } => {
                self.spell_began(now, false, (*direction, name), *until, view);
            }
            LinkEvent::HoldEnded { direction, name } => self.spell_ended(now, true, *direction, name, view),
            LinkEvent::OutageEnded { direction, name } => self.spell_ended(now, false, *direction, name, view),
            LinkEvent::Rate { direction, rate } => self.rate_changed(now, *direction, *rate, view),
            LinkEvent::Delay {
                direction,
                delay,
                before,
            } => {
                let was = before.map(|before| delay_in_words(Some(before)));
                let change = Change::once(now, *direction, was, delay_in_words(*delay));
                let grave = rises_like_a_pause(*before, *delay, view.srtt);
                self.changed(now, Setting::Delay, change, grave, view);
            }
            LinkEvent::Changed { direction, what } => {
                let change = Change::once(now, *direction, None, what.clone());
                self.changed(now, Setting::Other, change, false, view);
            }
            LinkEvent::LossState { .. } | LinkEvent::Allocating { .. } => {}
        }
    }

    /// The link lost a packet.
    pub(crate) fn lost(&mut self, now: Time, loss: Loss, view: View) {
        // SYN and FIN are the sender's to send again, too.
        let owed = loss.range.is_some();
        let octets = loss.range.map(|(start, end)| view.octets(start, end));
        let octets = octets.filter(|(start, end)| start < end);
        let segments = u64::from(octets.is_some());
        let cause = Cause::Drops {
            by: loss.by,
            direction: loss.direction,
            from_ns: now,
            to_ns: now,
            packets: 1,
            segments,
        };
        if !owed && self.trouble.is_none() {
            // Later acknowledgements say the same.
            self.possible.add(view.max, cause);
            return;
        }
        let draft = self.trouble_since(now, view, cause.into());
        draft.packets_lost += 1;
        if owed {
            draft.mark = draft.mark.max(view.max);
        }
        let drops = Drops {
            by: loss.by,
            direction: loss.direction,
            to: now,
            segments,
            others: 1 - segments,
            octets,
        };
        if let Some(Moment::Drops(last)) = draft.last_moment() {
            if last.joined(&drops) {
                return;
            }
        }
        draft.tell(now, Moment::Drops(drops));
    }

    /// The sender's timer fired: the timeout at this place of the run's list.
    pub(crate) fn timeout(&mut self, now: Time, place: usize, reported: bool, view: View) {
        self.busy |= reported;
        let outstanding = view.outstanding();
        let draft = self.trouble_since(now, view, None);
        draft.mark = draft.mark.max(view.max);
        draft.react(now, ReactionKind::Timeout);
        draft.timeouts.push(place);
        draft.tell(now, Moment::Timeout { place, outstanding });
    }

    /// The sender began a fast retransmit: at this place of the run's list.
    pub(crate) fn fast_retransmit(&mut self, now: Time, place: usize, reported: bool, view: View) {
        self.busy |= reported;
        let draft = self.trouble_since(now, view, None);
        draft.mark = draft.mark.max(view.max);
        draft.react(now, ReactionKind::FastRetransmit);
        draft.fast_retransmits.push(place);
        draft.tell(now, Moment::FastRetransmit { place });
    }

    /// The sender declared a packet lost.
    pub(crate) fn declared_lost(&mut self, now: Time, lost: Declared, view: View) {
        let draft = self.trouble_since(now, view, None);
        draft.mark = draft.mark.max(view.max);
        if draft.last_declarations().is_some_and(|last| last.joined(now, lost)) {
            return;
        }
        draft.tell(now, Moment::Declared(Declarations::begin(now, lost)));
    }

    /// The data sender sent octets again.
    pub(crate) fn resent(&mut self, now: Time, resent: Resent, view: View) {
        let Resent {
            id,
            start,
            end,
            payload,
        } = resent;
        let number = self.done.len();
        let draft = self.trouble_since(now, view, None);
        draft.mark = draft.mark.max(end);
        draft.react(now, ReactionKind::Retransmission);
        draft.counts.segments += 1;
        let octets = view.octets(start, end);
        let place = if let Some((place, Moment::Resent(resends))) = draft.last_beside_declarations() {
            resends.join(now, octets);
            Some(place)
        } else {
            draft.tell(now, Moment::Resent(Resends::begin(now, octets)))
        };
        self.unjudged.insert(id, (number, place, payload));
    }

    /// A retransmission was judged.
    pub(crate) fn judged(&mut self, id: PacketId, verdict: Verdict) {
        let Some((number, place, payload)) = self.unjudged.remove(&id) else {
            return;
        };
        let draft = self.done.get_mut(number).or(self.trouble.as_mut());
        let Some(draft) = draft else { return };
        draft.counts.count(verdict);
        if verdict == Verdict::Unnecessary {
            draft.octets_unnecessary += u64::from(payload);
        }
        let moment = place.and_then(|place| draft.moments.get_mut(place));
        if let Some((_, Moment::Resent(resends))) = moment {
            resends.counts.count(verdict);
        }
    }

    /// An acknowledgement reached the data sender; the view is that after it.
    pub(crate) fn acknowledged(&mut self, now: Time, duplicate: bool, view: View) {
        self.duplicate = duplicate;
        self.possible.acknowledged(view.una);
        self.look(now, view);
    }

    /// Something new was delivered.
    pub(crate) fn delivered(&mut self, now: Time) {
        if let Some(draft) = &mut self.trouble {
            // Where nothing ever was, as while SYN is held, the silence is the trouble's.
            let since = self.delivered.unwrap_or(draft.onset);
            draft.silence = draft.silence.max(now.since(since));
        }
        self.delivered = Some(now);
    }

    /// The data sender said something of itself; of timeouts and fast retransmits there are calls of their own.
    pub(crate) fn sender(&mut self, now: Time, event: &SenderEvent, view: View) {
        match event {
            SenderEvent::State(state) => {
                self.windows = Some(Windows {
                    cwnd_bytes: state.cwnd_bytes,
                    ssthresh_bytes: state.ssthresh_bytes,
                });
                // What the sender says in the instant of the recovery is of the time after it.
                match self.done.last_mut() {
                    Some(last) if last.recovered == Some(now) && self.trouble.is_none() => last.after = self.windows,
                    _ => {}
                }
                if matches!(state.phase, Phase::SlowStart | Phase::CongestionAvoidance) {
                    self.busy = false;
                    self.look(now, view);
                }
            }
            SenderEvent::RecoveryEnded { una } => {
                self.busy = false;
                if let Some(draft) = &mut self.trouble {
                    draft.tell(now, Moment::RecoveryEnded { una: *una });
                }
                self.look(now, view);
            }
            SenderEvent::Detector { ordinal, rule, answer } => {
                let step = DetectorStep {
                    at_ns: now,
                    ordinal: *ordinal,
                    rule: rule.clone().into_owned(),
                    answer: *answer,
                    ack: octet(view.una),
                    duplicate: self.duplicate,
                };
                if let Some(draft) = self.asked() {
                    draft.detector.push(step.clone());
                    draft.tell(now, Moment::Detector(step));
                }
            }
            SenderEvent::Response {
                ordinal,
                name,
                cwnd_before,
                cwnd_after,
                ssthresh_after,
            } => {
                let response = ResponseRecord {
                    at_ns: now,
                    ordinal: *ordinal,
                    name: name.clone().into_owned(),
                    cwnd_before: *cwnd_before,
                    cwnd_after: *cwnd_after,
                    ssthresh_after: *ssthresh_after,
                };
                if let Some(draft) = self.asked() {
                    draft.responses.push(response.clone());
                    draft.tell(now, Moment::Response(response));
                }
            }
            SenderEvent::RecoveryUndone {
                rule,
                cwnd_before,
                cwnd_after,
            } => {
                let last = self.done.last_mut().filter(|last| !last.fast_retransmits.is_empty());
                if let Some(draft) = self.trouble.as_mut().or(last) {
                    let place = draft.fast_retransmits.last().copied();
                    let undone = Undone {
                        place,
                        rule: rule.clone().into_owned(),
                        windows: (*cwnd_before, *cwnd_after),
                    };
                    draft.tell(now, Moment::Undone(undone));
                }
            }
            SenderEvent::LossProbe => {
                // Of new data it is no trouble.
                if let Some(draft) = &mut self.trouble {
                    draft.tell(now, Moment::Probed);
                }
            }
            SenderEvent::LossProbeRepaired => {
                if let Some(draft) = &mut self.trouble {
                    draft.tell(now, Moment::ProbeRepaired);
                }
            }
            SenderEvent::RttSample { .. }
            | SenderEvent::Timeout { .. }
            | SenderEvent::FastRetransmit { .. }
            | SenderEvent::Limited { .. }
            | SenderEvent::LimitedFor { .. } => {}
        }
    }

    /// The run is over, and every verdict is known.
    pub(crate) fn finish(mut self, end: Time, verdicts: Verdicts<'_>) -> Vec<Episode> {
        if let Some(mut draft) = self.trouble.take() {
            let since = self.delivered.unwrap_or(draft.onset);
            draft.silence = draft.silence.max(end.since(since));
            draft.after = self.windows;
            self.done.push(draft);
        }
        let numbered = (1..).zip(self.done);
        numbered
            .map(|(number, draft)| draft.finished(number, end, verdicts))
            .collect()
    }

    fn spell_began(&mut self, now: Time, hold: bool, named: (Direction, &str), until: Time, view: View) {
        let (direction, name) = (named.0, named.1.to_owned());
        let length = until.since(now);
        let (from_ns, to_ns) = (now, None);
        let cause = if hold {
            Cause::Hold {
                direction,
                name: name.clone(),
                from_ns,
                to_ns,
            }
        } else {
            Cause::Outage {
                direction,
                name: name.clone(),
                from_ns,
                to_ns,
            }
        };
        let long = view.srtt.is_none_or(|srtt| length > srtt);
        if !long && self.trouble.is_none() {
            self.possible.add(view.max, cause);
            return;
        }
        let draft = self.trouble_since(now, view, cause.into());
        if long {
            draft.mark = draft.mark.max(view.max);
        }
        let outstanding = Some(view.outstanding());
        draft.tell(
            now,
            Moment::SpellBegan {
                hold,
                direction,
                name,
                length,
                outstanding,
            },
        );
    }

    fn spell_ended(&mut self, now: Time, hold: bool, direction: Direction, name: &str, view: View) {
        self.possible.end(now, hold, direction, name);
        self.possible.acknowledged(view.una);
        if let Some(draft) = &mut self.trouble {
            if draft.causes.end(now, hold, direction, name) {
                // What was kept back before the queue comes only now, after an episode that may end here.
                let since = self.delivered.unwrap_or(draft.onset);
                draft.silence = draft.silence.max(now.since(since));
                let name = name.to_owned();
                draft.tell(now, Moment::SpellEnded { hold, direction, name });
            }
        }
        self.look(now, view);
    }

    /// The rate changed; what it was is known from the event before, as the link tells the first one at its start.
    fn rate_changed(&mut self, now: Time, direction: Direction, rate: Option<BitRate>, view: View) {
        let before = self.rates[direction as usize].replace(rate);
        let Some(before) = before else { return };
        let change = Change::once(now, direction, Some(rate_in_words(before)), rate_in_words(rate));
        let grave = direction == view.data && falls_like_a_pause(before, rate, view);
        self.changed(now, Setting::Rate, change, grave, view);
    }

    /// A setting changed; a grave change begins an episode, as a long pause does.
    fn changed(&mut self, now: Time, setting: Setting, change: Change, grave: bool, view: View) {
        let cause = match setting {
            Setting::Rate => Cause::Rate(change.clone()),
            Setting::Delay => Cause::Delay(change.clone()),
            Setting::Other => Cause::Change(change.clone()),
        };
        if !grave && self.trouble.is_none() {
            self.possible.add(view.max, cause);
            return;
        }
        let draft = self.trouble_since(now, view, cause.into());
        if grave {
            draft.mark = draft.mark.max(view.max);
        }
        draft.tell_change(now, setting, change, Some(view.outstanding()));
    }

    /// The episode under way, or one that begins now, or with what may have caused it.
    fn trouble_since(&mut self, now: Time, view: View, cause: Option<Cause>) -> &mut Draft {
        let possible = &mut self.possible;
        let windows = self.windows;
        let last = self.done.last().and_then(|draft| draft.recovered);
        let draft = self.trouble.get_or_insert_with(|| {
            let (una, max) = view.octets(view.una, view.max);
            let outstanding = Outstanding { una, max };
            let mut draft = Draft::new(now, outstanding, view.max, windows);
            draft.explain(possible.take());
            // An episode begins when the one before is over.
            draft.onset = last.map_or(draft.onset, |last| last.max(draft.onset));
            draft
        });
        if let Some(cause) = cause {
            draft.causes.add(cause);
        }
        draft
    }

    /// The episode that a detector's answer is of: that under way, or else the last one, if it had a timeout. A report of
    /// duplicates may come after the recovery.
    fn asked(&mut self) -> Option<&mut Draft> {
        let last = self.done.last_mut().filter(|last| !last.timeouts.is_empty());
        self.trouble.as_mut().or(last)
    }

    /// Whether the sender has recovered.
    fn look(&mut self, now: Time, view: View) {
        let over = |draft: &mut Draft| view.una >= draft.mark && !draft.causes.are_going_on();
        if self.busy {
            return;
        }
        if let Some(mut draft) = self.trouble.take_if(over) {
            draft.recovered = Some(now);
            draft.after = self.windows;
            self.done.push(draft);
        }
    }
}
