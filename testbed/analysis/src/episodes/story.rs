//! The story of an episode: sentences made from what happened.

use windlull_units::{Direction, Span, Time};
use windlull_wire::DetectorAnswer;

use super::changes::{Change, Setting};
use super::declared::Declarations;
use super::record::{DetectorStep, ResentCounts, ResponseRecord};
use super::view::Waiting;
use super::words::{Sentence, counted, seconds, way, went};
use crate::result::{Ends, FastRetransmitRecord, TimeoutRecord};
use crate::verdict::{Evidence, Reason, Truth};

/// What happened, before verdicts are known.
#[derive(Clone, Debug)]
pub(super) enum Moment {
    SpellBegan {
        hold: bool,
        direction: Direction,
        name: String,
        length: Span,
        /// `None` where it was not looked at.
        outstanding: Option<Waiting>,
    },
    SpellEnded {
        hold: bool,
        direction: Direction,
        name: String,
    },
    Drops(Drops),
    Changed {
        setting: Setting,
        change: Change,
        /// `None` where it was not looked at.
        outstanding: Option<Waiting>,
    },
    /// By its place in the run's list.
    Timeout {
        place: usize,
        outstanding: Waiting,
    },
    /// By its place in the run's list.
    FastRetransmit {
        place: usize,
    },
    Declared(Declarations),
    Resent(Resends),
    Detector(DetectorStep),
    Response(ResponseRecord),
    RecoveryEnded {
        una: u64,
    },
    Undone(Undone),
    /// A tail loss probe was sent.
    Probed,
    /// One had repaired a loss.
    ProbeRepaired,
}

/// A fast recovery that was taken back.
#[derive(Clone, Debug)]
pub(super) struct Undone {
    /// The place of its fast retransmit in the run's list, if it is known.
    pub(super) place: Option<usize>,
    pub(super) rule: String,
    /// The congestion window before and after, octets.
    pub(super) windows: (u64, u64),
}

/// Packets lost one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drops {
    pub(super) by: &'static str,
    pub(super) direction: Direction,
    pub(super) to: Time,
    pub(super) segments: u64,
    pub(super) others: u64,
    /// The octets of the stream that the data segments held, from the lowest to behind the highest.
    pub(super) octets: Option<(u64, u64)>,
}

impl Drops {
    /// Whether they follow upon these; then they are one.
    pub(super) fn joined(&mut self, next: &Self) -> bool {
        if self.by != next.by || self.direction != next.direction {
            return false;
        }
        self.to = next.to;
        self.segments += next.segments;
        self.others += next.others;
        self.octets = match (self.octets, next.octets) {
            (Some(ours), Some(theirs)) => Some((ours.0.min(theirs.0), ours.1.max(theirs.1))),
            (ours, theirs) => ours.or(theirs),
        };
        true
    }
}

/// Segments sent again one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resends {
    /// Octets; none of them where SYN or FIN was sent again.
    pub(super) start: u64,
    pub(super) end: u64,
    /// When the last of them was sent.
    to: Time,
    /// How many were sent in the instant of the first.
    at_once: u64,
    pub(super) counts: ResentCounts,
}

impl Resends {
    pub(super) fn begin(now: Time, (start, end): (u64, u64)) -> Self {
        let counts = ResentCounts {
            segments: 1,
            ..ResentCounts::default()
        };
        Self {
            start,
            end,
            to: now,
            at_once: 1,
            counts,
        }
    }

    /// Joins what was sent again later, as one span of time.
    pub(super) fn go_on(&mut self, later: &Self) {
        self.to = later.to;
        self.at_once = 1;
        self.start = self.start.min(later.start);
        self.end = self.end.max(later.end);
        self.counts.add(later.counts);
    }

    /// Whether it is segments of data that were sent again.
    pub(super) const fn is_of_data(&self) -> bool {
        self.start < self.end
    }

    pub(super) fn join(&mut self, now: Time, (start, end): (u64, u64)) {
        if self.to == now && self.at_once == self.counts.segments {
            self.at_once += 1;
        }
        self.to = now;
        self.start = self.start.min(start);
        self.end = self.end.max(end);
        self.counts.segments += 1;
    }
}

/// The run's lists, with their verdicts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verdicts<'a> {
    pub(crate) ends: Ends,
    pub(crate) timeouts: &'a [TimeoutRecord],
    pub(crate) fast_retransmits: &'a [FastRetransmitRecord],
    /// Of QUIC, whether each packet that was declared lost was; `None` of a TCP.
    pub(crate) losses: Option<&'a [Truth]>,
}

impl Verdicts<'_> {
    /// Whether it is told in the terms of QUIC (RFC 9002).
    pub(super) const fn is_quic(&self) -> bool {
        self.losses.is_some()
    }
}

impl Moment {
    /// Whether it is a timeout that was spurious because the answer to the SYN took longer.
    pub(super) fn is_hasty_of_syn(&self, verdicts: Verdicts<'_>) -> bool {
        let Self::Timeout { place, outstanding } = self else {
            return false;
        };
        let spurious = |timeout: &TimeoutRecord| timeout.verdict == Truth::Spurious;
        outstanding.syn && verdicts.timeouts.get(*place).is_some_and(spurious)
    }

    /// The timeout that it is.
    pub(super) fn timeout<'a>(&self, verdicts: Verdicts<'a>) -> Option<&'a TimeoutRecord> {
        match self {
            Self::Timeout { place, .. } => verdicts.timeouts.get(*place),
            _ => None,
        }
    }

    /// Whether it is the same as another, but for the time and for how long a timer had been set.
    pub(super) fn is_like(&self, other: &Self, verdicts: Verdicts<'_>) -> bool {
        match (self, other) {
            (Self::Timeout { .. }, Self::Timeout { .. }) => {
                let key = |moment: &Self| {
                    let timeout = moment.timeout(verdicts)?;
                    Some((
                        timeout.una,
                        timeout.verdict,
                        timeout.reason,
                        timeout.evidence,
                        timeout.inferred,
                    ))
                };
                key(self).is_some() && key(self) == key(other)
            }
            (Self::Resent(one), Self::Resent(other)) => {
                (one.start, one.end, one.counts) == (other.start, other.end, other.counts)
            }
            // Each has packets of its own.
            (Self::Declared(_), Self::Declared(_)) => false,
            (Self::Drops(one), Self::Drops(other)) => {
                let key = |it: &Drops| (it.by, it.direction, it.segments, it.others, it.octets);
                key(one) == key(other)
            }
            (Self::Detector(one), Self::Detector(other)) => {
                let key = |it: &DetectorStep| (it.rule.clone(), it.answer, it.ack, it.duplicate);
                key(one) == key(other)
            }
            _ => false,
        }
    }

    pub(super) fn sentence(&self, at: Time, verdicts: Verdicts<'_>) -> Sentence {
        let text = match self {
            Self::SpellBegan {
                hold,
                direction,
                name,
                length,
                outstanding,
            } => {
                let does = if *hold {
                    "held packets back"
                } else {
                    "began to lose everything"
                };
                let outstanding = outstanding.map_or(String::new(), |waiting| format!("; {}", waiting.in_words()));
                format!(
                    "The link {does} {}, for {} ({name}){outstanding}.",
                    way(*direction),
                    seconds(*length)
                )
            }
            Self::SpellEnded { hold, direction, name } => {
                let what = if *hold {
                    "let packets go on"
                } else {
                    "carried packets again"
                };
                format!("The link {what} {} ({name} was over).", way(*direction))
            }
            Self::Drops(drops) => drops_in_words(at, drops, verdicts.is_quic()),
            Self::Changed {
                setting,
                change,
                outstanding,
            } => {
                let outstanding = outstanding.map_or(String::new(), |waiting| format!("; {}", waiting.in_words()));
                format!("{}{outstanding}.", change.in_words(*setting))
            }
            Self::Timeout { place, outstanding } => match verdicts.timeouts.get(*place) {
                Some(timeout) => {
                    let next = verdicts.timeouts.get(place + 1);
                    timeout_in_words(timeout, *outstanding, next, verdicts.is_quic())
                }
                None => "The timer fired.".to_owned(),
            },
            Self::FastRetransmit { place } => match verdicts.fast_retransmits.get(*place) {
                Some(record) if verdicts.is_quic() => recovery_in_words(record),
                Some(record) => fast_retransmit_in_words(record),
                None => "Fast retransmit.".to_owned(),
            },
            Self::Declared(declarations) => declarations.in_words(verdicts.losses.unwrap_or_default()),
            Self::Resent(resends) => resent_in_words(at, resends, verdicts.is_quic()),
            Self::Detector(step) => step_in_words(step, verdicts.timeouts),
            Self::Response(response) => response_in_words(response),
            Self::RecoveryEnded { .. } if verdicts.is_quic() => {
                "The recovery period ended: a packet that was sent during it was acknowledged.".to_owned()
            }
            Self::RecoveryEnded { una } => {
                format!("The sender's recovery ended: {} was acknowledged.", all_before(*una))
            }
            Self::Undone(undone) => {
                let record = undone.place.and_then(|place| verdicts.fast_retransmits.get(place));
                undone_in_words(undone, record)
            }
            Self::Probed => "The sender sent a tail loss probe (RFC 8985, section 7.3).".to_owned(),
            Self::ProbeRepaired => {
                "The sender learnt that its tail loss probe had repaired a loss (RFC 8985, section 7.4.2).".to_owned()
            }
        };
        Sentence { at_ns: at, text }
    }
}

/// What an acknowledgement up to this octet tells of: before the first one there is SYN alone.
fn all_before(octet: u64) -> String {
    match octet {
        0 => "the SYN".to_owned(),
        _ => format!("all before octet {octet}"),
    }
}

fn drops_in_words(at: Time, drops: &Drops, is_quic: bool) -> String {
    let data = if is_quic {
        counted(drops.segments, "packet of stream data", "packets of stream data")
    } else {
        counted(drops.segments, "data segment", "data segments")
    };
    let others = counted(drops.others, "packet without data", "packets without data");
    let what = match (drops.segments, drops.others) {
        (_, 0) => data,
        (0, _) => others,
        _ => format!("{data} and {others}"),
    };
    let octets = drops.octets.map_or(String::new(), |(start, end)| {
        if drops.segments > 1 {
            format!(", between octets {start} and {end}")
        } else {
            format!(", octets {start} to {end}")
        }
    });
    let within = match drops.to.since(at) {
        span if drops.segments + drops.others < 2 || span.is_zero() => String::new(),
        span => format!(" within {}", seconds(span)),
    };
    let by = match drops.by {
        "unknown" => String::new(),
        by => format!(" ({by})"),
    };
    format!("The link lost {what} {}{within}{by}{octets}.", way(drops.direction))
}

fn timeout_in_words(
    timeout: &TimeoutRecord,
    outstanding: Waiting,
    next: Option<&TimeoutRecord>,
    is_quic: bool,
) -> String {
    let TimeoutRecord { ordinal, una, .. } = timeout;
    let (first, rest) = match outstanding.flag() {
        Some(flag) => (flag.to_owned(), String::new()),
        None => (format!("octet {una}"), format!(", {}", outstanding.in_words())),
    };
    let rule = if is_quic {
        probe_rule_in_words(timeout)
    } else {
        rule_in_words(timeout)
    };
    let name = if is_quic { "Probe timeout" } else { "Timeout" };
    let fired = match (timeout.rto_ns, timeout.inferred) {
        (_, true) => format!("{name} {ordinal}, as the packets show: {first} was sent again after silence"),
        (Some(rto), false) => format!(
            "{name} {ordinal}: the timer fired after {}{rule}; {first} was the first unacknowledged",
            seconds(rto)
        ),
        (None, false) => format!("{name} {ordinal}: {first} was the first unacknowledged"),
    };
    let verdict = match (timeout.verdict, timeout.reason, timeout.evidence) {
        (Truth::Spurious, ..) => match timeout.withheld_ns {
            Some(span) => &format!(
                " It was spurious: the receiver had the segment, and had delayed its acknowledgement for {}.",
                seconds(span)
            ),
            None => " It was spurious: what it waited for was only late.",
        },
        (Truth::Genuine, Some(Reason::AckLost), _) => {
            " It was genuine: the segment had arrived, but every acknowledgement of it was lost."
        }
        (Truth::Genuine, ..) => " It was genuine: the segment was lost.",
        (Truth::Unknown, _, Some(Evidence::DSack)) => " It was probably spurious: a D-SACK block says so.",
        (Truth::Unknown, _, Some(Evidence::Timestamps)) => " It was probably spurious: the echoed timestamp says so.",
        (Truth::Unknown, ..) => " Whether it was spurious is not known.",
    };
    let unanswered = match (timeout.answer, next) {
        (None, Some(next)) if is_same_again(timeout, next) => " The timer fired again before anything was heard.",
        _ => "",
    };
    format!("{fired}{rest}.{verdict}{unanswered}")
}

/// Whether the next timeout is of the same segment: SYN and the first octet have one number, but the timer for the octet
/// is not backed off from that for SYN.
fn is_same_again(timeout: &TimeoutRecord, next: &TimeoutRecord) -> bool {
    let backed_off = timeout.backoff.zip(next.backoff).is_none_or(|(was, is)| is > was);
    next.una == timeout.una && backed_off
}

/// Why the timer had been set to that, in brackets: by which rule, from which round trip, after which back-off.
fn rule_in_words(timeout: &TimeoutRecord) -> String {
    let estimate = timeout.estimate.map(|known| {
        let deviation = known.rttvar_ns.map_or(String::new(), |deviation| {
            format!(", mean deviation {}", seconds(deviation))
        });
        format!("smoothed round trip {}{deviation}", seconds(known.srtt_ns))
    });
    let backed_off = timeout.backoff.filter(|&times| times > 0);
    let backed_off = backed_off.map(|times| format!("backed off {}", counted(u64::from(times), "time", "times")));
    let parts: Vec<String> = [timeout.rule.clone(), estimate, backed_off]
        .into_iter()
        .flatten()
        .collect();
    if parts.is_empty() {
        return String::new();
    }
    format!(" ({})", parts.join("; "))
}

/// The same of a probe timeout, in the terms of RFC 9002, section 6.2.1.
fn probe_rule_in_words(timeout: &TimeoutRecord) -> String {
    let Some(known) = timeout.estimate else {
        return String::new();
    };
    let variation = known.rttvar_ns.map_or(String::new(), |variation| {
        format!(" + 4 rttvar of {}", seconds(variation))
    });
    let doubled = timeout.backoff.filter(|&times| times > 0);
    let doubled = doubled.map_or(String::new(), |times| {
        format!(", doubled {} for pto_count", counted(u64::from(times), "time", "times"))
    });
    format!(
        " (smoothed_rtt {}{variation} + max_ack_delay{doubled}; RFC 9002, section 6.2.1)",
        seconds(known.srtt_ns)
    )
}

fn fast_retransmit_in_words(record: &FastRetransmitRecord) -> String {
    let una = record.una;
    let how = if record.inferred { ", as the packets show" } else { "" };
    let verdict = match record.verdict {
        Truth::Genuine => " It was genuine: the segment was lost.",
        Truth::Spurious => " It was spurious: the segment was not lost, but came later than what was sent after it.",
        Truth::Unknown => " Whether it was spurious is not known.",
    };
    format!("Fast retransmit of octet {una}{how}: acknowledgements told that later segments had arrived.{verdict}")
}

fn response_in_words(response: &ResponseRecord) -> String {
    // A kernel's threshold that is undone to what it was may never have been set.
    let threshold = match response.ssthresh_after {
        u64::MAX => "none".to_owned(),
        octets => octets.to_string(),
    };
    format!(
        "Response {} to timeout {}: the congestion window went from {} to {} octets, the threshold to {threshold}.",
        response.name, response.ordinal, response.cwnd_before, response.cwnd_after
    )
}

fn undone_in_words(undone: &Undone, record: Option<&FastRetransmitRecord>) -> String {
    let truth = match record.map(|record| record.verdict) {
        Some(Truth::Spurious) => ", which was right",
        Some(Truth::Genuine) => ", which was wrong",
        Some(Truth::Unknown) | None => "",
    };
    let (before, after) = undone.windows;
    format!(
        "The sender found its fast retransmit spurious{truth}: {}. The congestion window {}.",
        undone.rule,
        went(before, after)
    )
}

/// RFC 9002, section 7.3.2: once for all packets that were sent before it.
fn recovery_in_words(record: &FastRetransmitRecord) -> String {
    let verdict = match record.verdict {
        Truth::Genuine => " for a genuine loss",
        Truth::Spurious => " for a spurious loss: what was declared lost arrived",
        Truth::Unknown => "",
    };
    format!("A recovery period began{verdict}; the congestion window is reduced once for it.")
}

fn resent_in_words(at: Time, resends: &Resends, is_quic: bool) -> String {
    let Resends {
        start,
        end,
        to,
        at_once,
        counts,
    } = *resends;
    let ResentCounts {
        segments,
        necessary,
        unnecessary,
        unknown,
    } = counts;
    let within = match (to.since(at), at_once) {
        (span, _) if span.is_zero() => String::new(),
        (span, 1) => format!(" within {}", seconds(span)),
        (span, _) => format!(" within {}, {at_once} of them at once,", seconds(span)),
    };
    let were = if segments == 1 { "was" } else { "were" };
    let what = if is_quic {
        counted(segments, "packet of stream data", "packets of stream data")
    } else {
        counted(segments, "segment", "segments")
    };
    let verdict = match (necessary, unnecessary, unknown) {
        (_, 0, 0) => "needed".to_owned(),
        (0, _, 0) => "unnecessary".to_owned(),
        (0, 0, _) => "whether needed is not known".to_owned(),
        (_, _, 0) => format!("{necessary} needed, {unnecessary} unnecessary"),
        _ => format!("{necessary} needed, {unnecessary} unnecessary, {unknown} not known"),
    };
    match (start, end, segments) {
        (0, 0, 1) => format!("The SYN was sent again: {verdict}."),
        (0, 0, _) => format!("The SYN was sent again {segments} times{within}: {verdict}."),
        (start, end, 1) if start == end => format!("The FIN was sent again: {verdict}."),
        (start, end, _) if start == end => format!("The FIN was sent again {segments} times{within}: {verdict}."),
        _ => format!("{what} {were} sent again{within} between octets {start} and {end}: {verdict}."),
    }
}

fn step_in_words(step: &DetectorStep, timeouts: &[TimeoutRecord]) -> String {
    let asked = timeouts.iter().rev().find(|timeout| timeout.ordinal == step.ordinal);
    let on = if asked.is_some_and(|timeout| timeout.at_ns == step.at_ns) {
        "At the timeout".to_owned()
    } else if step.duplicate {
        format!("On a duplicate acknowledgement ({})", all_before(step.ack))
    } else {
        format!("On the acknowledgement of {}", all_before(step.ack))
    };
    let truth = match (step.answer, asked.map(|timeout| timeout.verdict)) {
        (Some(DetectorAnswer::Spurious), Some(Truth::Spurious))
        | (Some(DetectorAnswer::Genuine), Some(Truth::Genuine)) => ", which was right",
        (Some(DetectorAnswer::Spurious), Some(Truth::Genuine))
        | (Some(DetectorAnswer::Genuine), Some(Truth::Spurious)) => ", which was wrong",
        _ => "",
    };
    let answer = step.answer.map_or(String::new(), |answer| {
        format!(" Its answer: {}{truth}.", answer.name())
    });
    format!("{on}, the detector: {}.{answer}", step.rule)
}
