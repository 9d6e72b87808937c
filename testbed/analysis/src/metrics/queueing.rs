//! What fates tell of the queues.

use windlull_units::{Direction, Fate};

use super::{Meter, Metrics, Run};
use crate::result::Ends;

/// Marks and waits, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Queueing {
    /// Whether any fate was told.
    any_fate: bool,
    marked: u64,
    /// Of each direction: packets that left the queue, and how long they had waited, ns.
    waits: [(u64, u128); 2],
}

impl Meter for Queueing {
    fn fate(&mut self, fate: &Fate) {
        self.any_fate = true;
        // A copy was made behind the queue.
        if fate.duplicate_of.is_some() {
            return;
        }
        self.marked += u64::from(fate.marked);
        if let Some(started) = fate.started {
            let (packets, waited) = &mut self.waits[usize::from(fate.direction == Direction::Up)];
            *packets += 1;
            *waited += u128::from(started.since(fate.entered).as_ns());
        }
    }

    fn tell(&mut self, run: &Run<'_>, metrics: &mut Metrics) {
        if run.ends == Ends::Both && self.any_fate {
            metrics.packets_marked = Some(self.marked);
            metrics.queue_delay_s = self.mean_wait_s(run.data_sender.sends());
        }
    }
}

impl Queueing {
    /// The mean wait of packets that left the queue of this direction, seconds.
    #[expect(clippy::cast_precision_loss, reason = "reports show far fewer digits")]
    fn mean_wait_s(&self, direction: Direction) -> Option<f64> {
        let (packets, waited) = self.waits[usize::from(direction == Direction::Up)];
        (packets > 0).then(|| waited as f64 / packets as f64 / 1e9)
    }
}
