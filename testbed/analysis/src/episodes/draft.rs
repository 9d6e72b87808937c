//! An episode while it goes on, and until its verdicts are known.

use windlull_units::{Span, Time};

use super::causes::{Cause, Causes};
use super::changes::{Change, Setting};
use super::declared::Declarations;
use super::record::{
    Cost, DetectorStep, Episode, Outstanding, Reaction, ReactionKind, ResentCounts, ResponseRecord, Windows,
};
use super::repeats::sentences;
use super::story::{Drops, Moment, Verdicts};
use super::view::Waiting;
use super::words::{Sentence, seconds};
use crate::result::Ends;
use crate::verdict::{Truth, Verdict};

/// Sentences of one story, but for the last one.
const MOST_MOMENTS: usize = 199;

/// Why a timer of the SYN runs out where nothing happened to the link.
const LATE_ANSWER: &str = "The SYN was answered later than its timer had been set for, which is before any round trip is \
                           measured: the link did nothing unusual that is known.";

/// The cause of an episode of such a timer.
const INITIAL_TIMEOUT: &str = "initial-timeout";

/// An episode whose verdicts are not all known.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) onset: Time,
    pub(super) recovered: Option<Time>,
    pub(super) outstanding: Outstanding,
    /// The episode is over when all below is acknowledged.
    pub(super) mark: u64,
    pub(super) causes: Causes,
    pub(super) reaction: Option<Reaction>,
    /// Places in the run's lists.
    pub(super) timeouts: Vec<usize>,
    pub(super) fast_retransmits: Vec<usize>,
    pub(super) counts: ResentCounts,
    pub(super) detector: Vec<DetectorStep>,
    pub(super) responses: Vec<ResponseRecord>,
    pub(super) before: Option<Windows>,
    pub(super) after: Option<Windows>,
    pub(super) packets_lost: u64,
    pub(super) octets_unnecessary: u64,
    /// The longest time so far in which nothing new was delivered.
    pub(super) silence: Span,
    pub(super) moments: Vec<(Time, Moment)>,
    pub(super) untold: u64,
}

impl Draft {
    pub(super) fn new(onset: Time, outstanding: Outstanding, mark: u64, before: Option<Windows>) -> Self {
        Self {
            onset,
            recovered: None,
            outstanding,
            mark,
            causes: Causes::default(),
            reaction: None,
            timeouts: Vec::new(),
            fast_retransmits: Vec::new(),
            counts: ResentCounts::default(),
            detector: Vec::new(),
            responses: Vec::new(),
            before,
            after: None,
            packets_lost: 0,
            octets_unnecessary: 0,
            silence: Span::ZERO,
            moments: Vec::new(),
            untold: 0,
        }
    }

    /// What happened before may have caused it: then it began with that.
    pub(super) fn explain(&mut self, possible: impl Iterator<Item = Cause>) {
        for cause in possible {
            self.onset = self.onset.min(cause.from_ns());
            if let Some(moment) = moment_of(&cause) {
                self.tell(cause.from_ns(), moment);
            }
            self.causes.add(cause);
        }
    }

    pub(super) fn react(&mut self, now: Time, kind: ReactionKind) {
        self.reaction.get_or_insert(Reaction { kind, at_ns: now });
    }

    /// What the story told last, if nothing has been left out since.
    pub(super) fn last_moment(&mut self) -> Option<&mut Moment> {
        self.moments
            .last_mut()
            .filter(|_| self.untold == 0)
            .map(|(_, moment)| moment)
    }

    /// The last moment but declarations of loss, which go on beside it, and its place.
    pub(super) fn last_beside_declarations(&mut self) -> Option<(usize, &mut Moment)> {
        let whole = self.untold == 0;
        let mut moments = self.moments.iter_mut().enumerate().rev();
        let last = moments.find(|(_, (_, moment))| !matches!(moment, Moment::Declared(_)));
        last.filter(|_| whole).map(|(place, (_, moment))| (place, moment))
    }

    /// The last declarations of loss, if since then packets were only sent again and lost.
    pub(super) fn last_declarations(&mut self) -> Option<&mut Declarations> {
        let whole = self.untold == 0;
        let mut moments = self.moments.iter_mut().rev();
        let last = moments.find(|(_, moment)| !matches!(moment, Moment::Resent(_) | Moment::Drops(_)));
        match last {
            Some((_, Moment::Declared(declarations))) if whole => Some(declarations),
            _ => None,
        }
    }

    /// Tells of a change, as one with the last ones if nothing else was told since.
    pub(super) fn tell_change(&mut self, now: Time, setting: Setting, change: Change, outstanding: Option<Waiting>) {
        let whole = self.untold == 0;
        let last = self.moments.iter_mut().rev().map(|(_, moment)| moment);
        let same = last
            .take_while(|moment| matches!(moment, Moment::Changed { .. }))
            .find(|moment| {
                matches!(moment, Moment::Changed { setting: its, change: known, .. }
                if setting != Setting::Other && *its == setting && known.direction == change.direction)
            });
        if let (true, Some(Moment::Changed { change: known, .. })) = (whole, same) {
            known.go_on(&change);
            return;
        }
        self.tell(
            now,
            Moment::Changed {
                setting,
                change,
                outstanding,
            },
        );
    }

    /// Adds to the story and says where; `None` if it is full.
    pub(super) fn tell(&mut self, now: Time, moment: Moment) -> Option<usize> {
        if self.moments.len() >= MOST_MOMENTS {
            self.untold += 1;
            return None;
        }
        self.moments.push((now, moment));
        Some(self.moments.len() - 1)
    }

    pub(super) fn finished(self, number: u64, end: Time, verdicts: Verdicts<'_>) -> Episode {
        // The link may have had the last word, after the last packet.
        let latest = self.moments.last().map_or(self.onset, |(at, _)| *at);
        let last = self.recovered.unwrap_or(end.max(latest));
        let known = |count| (verdicts.ends == Ends::Both).then_some(count);
        let cost = Cost {
            packets_lost: known(self.packets_lost),
            octets_unnecessary: known(self.octets_unnecessary),
            silence_ns: self.silence,
            duration_ns: last.since(self.onset),
        };
        let mut story = sentences(&self.moments, verdicts);
        // A detector may answer after the recovery.
        let recovered = story.iter().take_while(|sentence| sentence.at_ns <= last).count();
        let afterwards = story.split_off(recovered);
        let cause = self.cause(verdicts);
        if cause == INITIAL_TIMEOUT {
            story.push(Sentence {
                at_ns: last,
                text: LATE_ANSWER.to_owned(),
            });
        }
        story.push(Sentence {
            at_ns: last,
            text: self.conclusion(cost),
        });
        story.extend(afterwards);
        Episode {
            number,
            cause,
            onset_ns: self.onset,
            ended_ns: self.causes.over(),
            recovered_ns: self.recovered,
            outstanding: self.outstanding,
            reaction: self.reaction,
            timeouts: self
                .timeouts
                .iter()
                .map(|&place| verdicts.timeouts[place].clone())
                .collect(),
            fast_retransmits: self
                .fast_retransmits
                .iter()
                .map(|&place| verdicts.fast_retransmits[place].clone())
                .collect(),
            retransmissions: self.counts,
            detector: self.detector,
            responses: self.responses,
            before: self.before,
            after: self.after,
            cost,
            story,
            untold: self.untold,
            causes: self.causes.0,
        }
    }

    /// What the episode began with, as in files: what the link did; if that is nothing, what one of the ends did.
    fn cause(&self, verdicts: Verdicts<'_>) -> &'static str {
        let withheld = |&place: &usize| {
            let timeout = &verdicts.timeouts[place];
            timeout.verdict == Truth::Spurious && timeout.withheld_ns.is_some()
        };
        if let Some(first) = self.causes.0.first() {
            first.kind()
        } else if self.moments.iter().any(|(_, it)| it.is_hasty_of_syn(verdicts)) {
            INITIAL_TIMEOUT
        } else if self.timeouts.iter().any(withheld) {
            "delayed-ack"
        } else {
            "unknown"
        }
    }

    fn conclusion(&self, cost: Cost) -> String {
        let Cost {
            packets_lost,
            octets_unnecessary,
            silence_ns,
            duration_ns,
        } = cost;
        let how = match (self.recovered, self.reaction) {
            (None, _) => "The run ended before the recovery".to_owned(),
            (Some(_), None) => format!(
                "All was acknowledged {} after the onset; the sender had not reacted",
                seconds(duration_ns)
            ),
            (Some(_), Some(_)) => format!("The sender had recovered {} after the onset", seconds(duration_ns)),
        };
        let number = |count: Option<u64>| count.map_or("not known".to_owned(), |count| count.to_string());
        format!(
            "{how}. Lost packets: {}; octets sent unnecessarily: {}; longest silence: {}.",
            number(packets_lost),
            number(octets_unnecessary),
            seconds(silence_ns)
        )
    }
}

/// What is told of something that was only a possible cause when it happened.
fn moment_of(cause: &Cause) -> Option<Moment> {
    match cause {
        Cause::Drops {
            by,
            direction,
            to_ns,
            packets,
            segments,
            ..
        } => Some(Moment::Drops(Drops {
            by,
            direction: *direction,
            to: *to_ns,
            segments: *segments,
            others: packets - segments,
            octets: None,
        })),
        Cause::Rate(change) => Some(changed(Setting::Rate, change)),
        Cause::Delay(change) => Some(changed(Setting::Delay, change)),
        Cause::Change(change) => Some(changed(Setting::Other, change)),
        Cause::Hold {
            direction,
            name,
            from_ns,
            to_ns,
        }
        | Cause::Outage {
            direction,
            name,
            from_ns,
            to_ns,
        } => to_ns.map(|to| Moment::SpellBegan {
            hold: matches!(cause, Cause::Hold { .. }),
            direction: *direction,
            name: name.clone(),
            length: to.since(*from_ns),
            outstanding: None,
        }),
    }
}

fn changed(setting: Setting, change: &Change) -> Moment {
    Moment::Changed {
        setting,
        change: change.clone(),
        outstanding: None,
    }
}

impl ResentCounts {
    pub(super) fn count(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Necessary => self.necessary += 1,
            Verdict::Unnecessary => self.unnecessary += 1,
            Verdict::Unknown => self.unknown += 1,
        }
    }

    /// Adds those of other segments.
    pub(super) fn add(&mut self, others: Self) {
        self.segments += others.segments;
        self.necessary += others.necessary;
        self.unnecessary += others.unnecessary;
        self.unknown += others.unknown;
    }
}
