//! From what was counted to the metrics.

use windlull_units::{Replayed, Span, Time};
use windlull_wire::DetectorAnswer;

use crate::analyzer::Analyzer;
use crate::episodes::{Verdicts, counted};
use crate::metrics::{Meter, Metrics, Run};
use crate::quantile::{median, quantile};
use crate::result::{Ends, Extent, RunAnalysis, TimeoutRecord};
use crate::rtt::RoundTripMeter;
use crate::totals::Totals;
use crate::verdict::Truth;

impl Analyzer {
    /// The run is over: judges what is still open by what is known now.
    pub fn finish(&mut self) -> RunAnalysis {
        self.cases.close_all();
        self.settle();
        summarize(self)
    }
}

fn summarize(analyzer: &mut Analyzer) -> RunAnalysis {
    add_notes(analyzer);
    let ends = analyzer.ends;
    let totals = std::mem::take(&mut analyzer.totals);
    let mut metrics = Metrics {
        segments_sent: totals.segments_sent,
        retransmissions: totals.retransmissions,
        fast_retransmits: totals.fast_retransmits.len() as u64,
        ..Metrics::default()
    };
    rates(&mut metrics, &totals, ends);
    tasks(&mut metrics, &totals);
    if ends == Ends::Both {
        metrics.packets_lost = Some(totals.packets_lost);
        metrics.congestion_losses = Some(totals.congestion_losses);
        verdicts(&mut metrics, &totals);
        // Of a sender that says nothing of itself nobody knows what it detected.
        // QUIC has no detector of spurious timeouts: it takes nothing for lost when one fires (RFC 9002, section 6.2).
        if analyzer.reported && analyzer.losses.is_none() {
            score(&mut metrics, &totals.timeouts);
        }
    } else if ends == Ends::Receiver {
        // What arrives twice was sent once too often; what was sent unnecessarily is not seen.
        metrics.unnecessary_retransmissions = Some(unnecessary(&totals));
    }
    let run = Run {
        data_sender: analyzer.data_sender,
        ends,
        totals: &totals,
    };
    analyzer.meters.tell(&run, &mut metrics);
    if let Some(replayed) = &analyzer.replayed {
        beside_the_recording(&mut metrics, replayed);
    }
    metrics.unmet_entries = analyzer.unmet.as_ref().map(|unmet| unmet.len() as u64);
    let extent = Extent {
        began: totals.began,
        ended: totals.end(),
        sent: totals.payload_sent,
        payload: totals.payload_arrived,
        octets: totals.octets_arrived,
    };
    let end = totals.last;
    let episodes = analyzer.episodes.take();
    let verdicts = Verdicts {
        ends,
        timeouts: &totals.timeouts,
        fast_retransmits: &totals.fast_retransmits,
        losses: analyzer.losses.as_deref(),
    };
    let episodes = episodes.map(|tracker| tracker.finish(end, verdicts));
    RunAnalysis {
        data_sender: analyzer.data_sender,
        ends,
        complete: totals.closed.is_some(),
        metrics,
        retransmissions: totals.by_verdict,
        control_retransmissions: totals.control_retransmissions,
        window_probes: totals.window_probes,
        round_trips: analyzer.round_trips.as_ref().and_then(RoundTripMeter::summary),
        timeouts: totals.timeouts,
        fast_retransmits: totals.fast_retransmits,
        episodes,
        course: analyzer.course.take(),
        replayed: analyzer.replayed,
        unmet: analyzer.unmet.take().unwrap_or_default(),
        notes: totals.notes,
        extent,
    }
}

impl Totals {
    /// The connection's end: closed in order, its time up, or else its last packet.
    pub(crate) fn end(&self) -> Time {
        self.closed.or(self.time_up).unwrap_or(self.last)
    }
}

fn rates(metrics: &mut Metrics, totals: &Totals, ends: Ends) {
    let Some(began) = totals.began else { return };
    let elapsed = totals.end().since(began);
    metrics.elapsed_s = Some(elapsed.as_secs_f64());
    if ends != Ends::Receiver {
        metrics.sent_bps = rate(totals.payload_sent, elapsed);
    }
    if ends != Ends::Sender {
        metrics.throughput_bps = rate(totals.payload_arrived, elapsed);
        metrics.goodput_bps = rate(totals.octets_arrived, elapsed);
    }
}

/// How far a run left the recording that its link replayed.
fn beside_the_recording(metrics: &mut Metrics, replayed: &Replayed) {
    let all = replayed.together();
    metrics.replayed_packets = Some(all.packets);
    metrics.unrecorded_packets = Some(all.unrecorded);
    metrics.unrecorded_from_s = all.unrecorded_from_ns.map(|from| from.since(Time::ZERO).as_secs_f64());
    metrics.resized_packets = Some(all.resized);
}

#[expect(clippy::cast_precision_loss, reason = "reports show far fewer digits")]
fn tasks(metrics: &mut Metrics, totals: &Totals) {
    let mut took = totals.tasks_took.clone();
    took.sort_unstable();
    let all: Span = took.iter().fold(Span::ZERO, |all, &one| all.saturating_add(one));
    metrics.task_completion_s = (!took.is_empty()).then(|| all.as_secs_f64() / took.len() as f64);
    metrics.task_completion_p95_s = quantile(&took, 0.95);
    metrics.task_completion_max_s = quantile(&took, 1.0);
}

#[expect(clippy::cast_precision_loss, reason = "reports show far fewer digits")]
pub(crate) fn rate(octets: u64, elapsed: Span) -> Option<f64> {
    (!elapsed.is_zero()).then(|| octets as f64 * 8.0 / elapsed.as_secs_f64())
}

fn unnecessary(totals: &Totals) -> u64 {
    let counts = &totals.by_verdict;
    counts.unnecessary_delayed + counts.unnecessary_ack_lost + counts.unnecessary_other
}

fn verdicts(metrics: &mut Metrics, totals: &Totals) {
    let timeouts = |verdict| {
        totals
            .timeouts
            .iter()
            .filter(|record| record.verdict == verdict)
            .count() as u64
    };
    metrics.unnecessary_retransmissions = Some(unnecessary(totals));
    metrics.spurious_timeouts = Some(timeouts(Truth::Spurious));
    metrics.genuine_timeouts = Some(timeouts(Truth::Genuine));
    let spurious = totals
        .fast_retransmits
        .iter()
        .filter(|record| record.verdict == Truth::Spurious);
    let spurious = spurious.count();
    metrics.spurious_fast_retransmits = Some(spurious as u64);
    #[expect(clippy::cast_precision_loss, reason = "reports show far fewer digits")]
    let share = spurious as f64 / totals.fast_retransmits.len() as f64;
    metrics.spurious_fast_retransmit_share = (!totals.fast_retransmits.is_empty()).then_some(share);
}

/// The detector's answers against the truth. A timeout that another one of the same segment follows before any answer is
/// not scored: the detector was asked anew before it had seen anything.
fn score(metrics: &mut Metrics, timeouts: &[TimeoutRecord]) {
    let next = timeouts.iter().skip(1).map(Some).chain([None]);
    let asked_anew = |it: &TimeoutRecord, next: Option<&TimeoutRecord>| {
        it.answer.is_none() && next.is_some_and(|next| next.una == it.una)
    };
    let scored: Vec<&TimeoutRecord> = timeouts
        .iter()
        .zip(next)
        .filter(|&(it, next)| !asked_anew(it, next))
        .map(|(it, _)| it)
        .collect();
    let count = |is: fn(&TimeoutRecord) -> bool| Some(scored.iter().filter(|record| is(record)).count() as u64);
    metrics.detector_true_positives = count(|it| called_spurious(it) && it.verdict == Truth::Spurious);
    metrics.detector_false_positives = count(|it| called_spurious(it) && it.verdict == Truth::Genuine);
    metrics.detector_false_negatives = count(|it| !called_spurious(it) && it.verdict == Truth::Spurious);
    metrics.detector_true_negatives = count(|it| !called_spurious(it) && it.verdict == Truth::Genuine);
    metrics.detector_undecided = count(|it| it.answer == Some(DetectorAnswer::Undecided));
    metrics.detection_delay_s = detection_delay(scored.into_iter());
}

/// The median time to the detector's answers `spurious` and `genuine`, seconds.
pub(crate) fn detection_delay<'a>(scored: impl Iterator<Item = &'a TimeoutRecord>) -> Option<f64> {
    let mut delays: Vec<Span> = scored
        .filter(|it| matches!(it.answer, Some(DetectorAnswer::Spurious | DetectorAnswer::Genuine)))
        .filter_map(|it| it.answered_ns.map(|at: Time| at.since(it.at_ns)))
        .collect();
    delays.sort_unstable();
    median(&delays)
}

fn called_spurious(record: &TimeoutRecord) -> bool {
    record.answer == Some(DetectorAnswer::Spurious)
}

fn add_notes(analyzer: &mut Analyzer) {
    let totals = &analyzer.totals;
    let mut notes = Vec::new();
    if totals.closed.is_none() && totals.time_up.is_none() && totals.began.is_some() {
        notes
            .push("The data sender's FIN was not acknowledged: the elapsed time ends with the last packet.".to_owned());
    }
    let inferred = totals.timeouts.iter().filter(|record| record.inferred).count();
    if inferred > 0 {
        notes.push(format!(
            "The sender says nothing of itself: {inferred} timeouts are inferred from retransmissions of the first \
             unacknowledged octet after silence. A tail loss probe can look the same."
        ));
    }
    if totals.fast_retransmits.iter().any(|record| record.inferred) {
        notes.push(
            "The sender says nothing of itself: fast retransmits are inferred from retransmissions of the first \
             unacknowledged octet after three duplicate or any selective acknowledgements."
                .to_owned(),
        );
    }
    let counts = &totals.by_verdict;
    if analyzer.ends == Ends::Sender && counts.unknown > 0 {
        notes.push(format!(
            "With the data sender's end alone, the verdicts of {} are not certain; the receiver's reports suggest that \
             {} of them were unnecessary.",
            counted(counts.unknown, "retransmission", "retransmissions"),
            counts.inferred_unnecessary
        ));
    }
    if analyzer.ends == Ends::Receiver {
        notes.push(
            "Without the data sender's capture only what arrived is seen: segments sent and retransmissions are \
             those that arrived, losses and timeouts are not known."
                .to_owned(),
        );
    }
    for note in notes {
        analyzer.note(note);
    }
}
