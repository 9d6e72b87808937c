//! What fates tell of the queues.

use windlull_units::{Direction, Fate};

/// Marks and waits, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Queueing {
    marked: u64,
    /// Of each direction: packets that left the queue, and how long they had waited, ns.
    waits: [(u64, u128); 2],
}

impl Queueing {
    pub(crate) fn add(&mut self, fate: &Fate) {
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

    pub(crate) const fn marked(&self) -> u64 {
        self.marked
    }

    /// The mean wait of packets that left the queue of this direction, seconds.
    #[expect(clippy::cast_precision_loss, reason = "reports show far fewer digits")]
    pub(crate) fn mean_wait_s(&self, direction: Direction) -> Option<f64> {
        let (packets, waited) = self.waits[usize::from(direction == Direction::Up)];
        (packets > 0).then(|| waited as f64 / packets as f64 / 1e9)
    }
}
