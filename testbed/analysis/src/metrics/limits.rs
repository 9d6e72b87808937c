//! What held the data sender from sending more, as shares of the time: our senders tell of each change, kernels count
//! (`tcp_info`, from the kernel's `tcp_chrono`).

use windlull_units::{Span, Time};
use windlull_wire::{LimitedBy, SenderEvent};

use super::{Meter, Metrics, Run};

#[derive(Debug, Default)]
pub(super) struct LimitMeter {
    /// When the sender had data for the first time.
    began: Option<Time>,
    /// What limits it, and since when.
    current: Option<(Time, LimitedBy)>,
    /// For how long each limit held, in the order of [`LimitedBy::ALL`].
    held: [Span; LimitedBy::ALL.len()],
    /// What a kernel counted last: that the peer's window had no room, and that the send buffer had none.
    counted: Option<[Span; 2]>,
}

impl Meter for LimitMeter {
    #[inline]
    fn said(&mut self, now: Time, event: &SenderEvent) {
        match *event {
            SenderEvent::Limited { by } => {
                self.close(now);
                self.current = Some((now, by));
            }
            SenderEvent::LimitedFor {
                receive_window,
                send_buffer,
                ..
            } => self.counted = Some([receive_window, send_buffer]),
            _ => return,
        }
        self.began.get_or_insert(now);
    }

    fn tell(&mut self, run: &Run<'_>, metrics: &mut Metrics) {
        let end = run.totals.end();
        let Some(began) = self.began.filter(|&began| began < end) else {
            return;
        };
        let of_all = end.since(began).as_secs_f64();
        let share = |held: Span| Some((held.as_secs_f64() / of_all).min(1.0));
        if let Some([receive_window, send_buffer]) = self.counted {
            metrics.limited_by_receive_window = share(receive_window);
            metrics.limited_by_send_buffer = share(send_buffer);
        }
        if self.current.is_none() {
            return;
        }
        self.close(end);
        for (by, held) in LimitedBy::ALL.into_iter().zip(self.held) {
            let metric = match by {
                LimitedBy::CongestionWindow => &mut metrics.limited_by_congestion_window,
                LimitedBy::ReceiveWindow => &mut metrics.limited_by_receive_window,
                LimitedBy::Application => &mut metrics.limited_by_application,
                LimitedBy::Pacing => &mut metrics.limited_by_pacing,
                LimitedBy::Recovery => &mut metrics.limited_by_recovery,
            };
            *metric = share(held);
        }
    }
}

impl LimitMeter {
    /// Adds what held until now.
    fn close(&mut self, now: Time) {
        if let Some((since, by)) = self.current.take().filter(|&(since, _)| since < now) {
            let held = &mut self.held[by as usize];
            *held = held.saturating_add(now.since(since));
        }
    }
}
