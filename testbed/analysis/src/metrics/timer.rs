//! The retransmission timer over time, as far as the sender tells of it: what its minimum costs (psaras2007, section 2), and
//! what becomes of it after a spurious timeout (gurtov2003, section III.C).

use windlull_units::{Span, Time};
use windlull_wire::{SenderEvent, SenderState};

use super::{Meter, Metrics, Run};
use crate::result::TimeoutRecord;
use crate::verdict::Truth;

/// For how long the timer is watched after a timeout.
const WATCHED: Span = Span::from_secs(30);

/// Watches the timer of the data sender. Its memory is bounded by what 30 seconds of one timeout change.
#[derive(Debug, Default)]
pub(super) struct TimerMeter {
    /// What holds, and since when.
    current: Option<(Time, Span, Span)>,
    /// Seconds for which it was known, and with them as weights the sums of the estimated timeout and of its minimum's cost.
    known_s: f64,
    estimated: f64,
    cost: f64,
    flight: u64,
    /// Octets outstanding at the first loss that was found, at all of them, and how many that were.
    first_loss: Option<u64>,
    loss_sum: u64,
    losses: u64,
    aftermath: Option<Aftermath>,
}

/// What became of the timer after a timeout.
#[derive(Debug)]
struct Aftermath {
    /// Which timeout of the list.
    place: usize,
    at: Time,
    before: Span,
    /// Whether a round trip was measured since.
    measured: bool,
    /// The timeout in force at each change since that measurement.
    course: Vec<(Time, Span)>,
}

impl Meter for TimerMeter {
    fn said(&mut self, now: Time, event: &SenderEvent) {
        match event {
            SenderEvent::State(state) => self.state(now, state),
            // What the sender says next of its timer follows from it.
            SenderEvent::RttSample { .. } => {
                if let Some(aftermath) = &mut self.aftermath {
                    aftermath.measured = true;
                }
            }
            _ => {}
        }
    }

    fn timed_out(&mut self, timeouts: &[TimeoutRecord]) {
        let Some((last, before)) = timeouts.split_last() else {
            return;
        };
        let (Some(rto), Some(0)) = (last.rto_ns, last.backoff) else {
            return;
        };
        self.loss();
        // The first spurious one is wanted: what proved genuine makes room.
        let is_taken = self
            .aftermath
            .as_ref()
            .is_some_and(|aftermath| timeouts[aftermath.place].verdict != Truth::Genuine);
        if !is_taken {
            self.aftermath = Some(Aftermath {
                place: before.len(),
                at: last.at_ns,
                before: rto,
                measured: false,
                course: Vec::new(),
            });
        }
    }

    fn fast_retransmitted(&mut self) {
        self.loss();
    }

    fn tell(&mut self, run: &Run<'_>, metrics: &mut Metrics) {
        let (end, timeouts) = (run.totals.last, &run.totals.timeouts);
        if self.current.is_some_and(|(since, ..)| since < end) {
            self.close(end);
        }
        if self.known_s > 0.0 {
            metrics.estimated_rto_s = Some(self.estimated / self.known_s);
            metrics.minimum_rto_cost = Some(self.cost / self.known_s);
        }
        #[expect(clippy::cast_precision_loss, reason = "reports show far fewer digits")]
        if let Some(first) = self.first_loss {
            metrics.flight_at_first_loss_bytes = Some(first as f64);
            metrics.flight_at_loss_bytes = Some(self.loss_sum as f64 / self.losses as f64);
        }
        let spurious = |aftermath: &Aftermath| timeouts[aftermath.place].verdict == Truth::Spurious;
        if let Some(aftermath) = self.aftermath.take().filter(spurious) {
            aftermath.tell(end, metrics);
        }
    }
}

impl TimerMeter {
    /// The sender's variables changed.
    fn state(&mut self, now: Time, state: &SenderState) {
        self.flight = state.flight_bytes;
        self.close(now);
        self.current = state
            .estimated_rto
            .zip(state.minimum_rto)
            .filter(|(estimated, _)| !estimated.is_zero())
            .map(|(estimated, minimum)| (now, estimated, minimum));
        let Some(aftermath) = &mut self.aftermath else { return };
        if aftermath.measured
            && now.since(aftermath.at) <= WATCHED
            && aftermath.course.last().is_none_or(|&(_, rto)| rto != state.rto)
        {
            aftermath.course.push((now, state.rto));
        }
    }

    /// The sender found that something is lost, or believes so.
    fn loss(&mut self) {
        if self.flight == 0 {
            // Of the handshake, or of a sender that does not tell.
            return;
        }
        self.first_loss.get_or_insert(self.flight);
        self.loss_sum = self.loss_sum.saturating_add(self.flight);
        self.losses += 1;
    }

    /// Adds what held until now.
    fn close(&mut self, now: Time) {
        if let Some((since, estimated, minimum)) = self.current.take() {
            let seconds = now.since(since).as_secs_f64();
            self.known_s += seconds;
            self.estimated += seconds * estimated.as_secs_f64();
            self.cost += seconds * minimum.as_secs_f64() / estimated.as_secs_f64();
        }
    }
}

impl Aftermath {
    fn tell(&self, end: Time, metrics: &mut Metrics) {
        metrics.rto_at_spurious_s = Some(self.before.as_secs_f64());
        let Some(&(_, after)) = self.course.first() else { return };
        metrics.rto_after_spurious_s = Some(after.as_secs_f64());
        let rtos = self.course.iter().map(|&(_, rto)| rto);
        metrics.rto_peak_after_spurious_s = rtos.max().map(Span::as_secs_f64);
        metrics.rto_mean_after_spurious_s = self.mean(end.min(self.at + WATCHED));
        metrics.rto_settling_s = self.settled().map(|at| at.since(self.at).as_secs_f64());
    }

    /// The mean over time until then, seconds.
    fn mean(&self, until: Time) -> Option<f64> {
        let ends = self.course.iter().skip(1).map(|&(at, _)| at).chain([until]);
        let (mut known_s, mut sum) = (0.0, 0.0);
        for (&(from, rto), to) in self.course.iter().zip(ends) {
            let seconds = to.since(from).as_secs_f64();
            known_s += seconds;
            sum += seconds * rto.as_secs_f64();
        }
        (known_s > 0.0).then(|| sum / known_s)
    }

    /// When it was lowest after its peak: from then on it follows the path, which queues make longer, and the spike no more.
    fn settled(&self) -> Option<Time> {
        let peak = self
            .course
            .iter()
            .rposition(|it| self.course.iter().all(|other| other.1 <= it.1))?;
        self.course[peak..]
            .iter()
            .min_by_key(|&&(_, rto)| rto)
            .map(|&(at, _)| at)
    }
}
