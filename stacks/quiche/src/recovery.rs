//! What follows from quiche's packets and the variables of its recovery: which packets it lost, and its probe timeouts.

use std::time::{Duration, Instant};

use windlull_transport::{Answer, Frame, Metrics, PacketLost, PacketReceived, PacketSent, Role, Said, Space};

use crate::losses::{Cause, Losses};

/// What is known from what was told before.
#[derive(Debug)]
pub(crate) struct Recovery {
    losses: Losses,
    /// The space of the packet that was received last, if it acknowledged any.
    acknowledged: Option<Space>,
    smoothed_rtt: Duration,
    latest_rtt: Duration,
    pto_count: u32,
}

impl Recovery {
    pub(crate) fn new(role: Role) -> Self {
        Self {
            losses: Losses::new(role),
            acknowledged: None,
            smoothed_rtt: Duration::ZERO,
            latest_rtt: Duration::ZERO,
            pto_count: 0,
        }
    }

    /// A packet was sent, which may prove another lost.
    pub(crate) fn on_sent(&mut self, packet: &PacketSent) -> Option<PacketLost> {
        self.losses.on_sent(packet, Instant::now())
    }

    pub(crate) fn on_received(&mut self, packet: &PacketReceived) {
        self.losses.on_received(packet.space, &packet.frames);
        let acknowledges = packet.frames.iter().any(|frame| matches!(frame, Frame::Ack { .. }));
        self.acknowledged = acknowledges.then_some(packet.space);
    }

    /// Tells the variables that changed, which packets were lost if that count rose, and a probe timeout for each that their
    /// count grew by. quiche names its variables whenever it has sent or received a packet or handled a timer and one has
    /// changed.
    ///
    /// # Errors
    /// If more packets are lost than there are.
    pub(crate) fn on_metrics(
        &mut self,
        mut metrics: Metrics,
        lost_count: Option<u64>,
        is_timer: bool,
        answers: &mut Vec<Answer>,
    ) -> Result<(), String> {
        let duration = |span: windlull_units::Span| Duration::from_nanos(span.as_ns());
        self.smoothed_rtt = metrics.smoothed_rtt.map_or(self.smoothed_rtt, duration);
        self.latest_rtt = metrics.latest_rtt.map_or(self.latest_rtt, duration);
        if let Some(total) = lost_count {
            let lost = self.lost(total, is_timer)?;
            answers.extend(lost.into_iter().map(|lost| Answer::Said(Said::PacketLost(lost))));
        }
        if let Some(count) = metrics.pto_count {
            for _ in self.pto_count..count {
                answers.push(Answer::Said(Said::ProbeTimeout { space: None }));
            }
            self.pto_count = count;
        }
        // Before the first congestion event it is infinite, which quiche writes as the greatest integer.
        metrics.ssthresh = metrics.ssthresh.filter(|&octets| octets < u64::MAX);
        if metrics != Metrics::default() {
            answers.push(Answer::Said(Said::Metrics(metrics)));
        }
        Ok(())
    }

    fn lost(&mut self, total: u64, is_timer: bool) -> Result<Vec<PacketLost>, String> {
        let cause = match self.acknowledged {
            Some(space) if !is_timer => Cause::Acknowledgement(space),
            _ => Cause::Timer,
        };
        let round_trip = self.smoothed_rtt.max(self.latest_rtt);
        let lost = self.losses.on_counted(total, cause, Instant::now(), round_trip);
        lost.map_err(|_| "quiche counts more lost packets than there are".to_owned())
    }
}
