//! The desk as runs see it: it lends, and takes back.

use std::sync::Arc;

use windlull_plane::lend::{Ended, LendError, Lender, Loan};
use windlull_plane::model::{Monitor, Visible};
use windlull_plane::netem::Devices;

use crate::desk::Desk;

/// Lends what the desk keeps.
pub(crate) struct Counter(pub(crate) Arc<Desk>);

impl Lender for Counter {
    fn lend(&self, run: &str) -> Result<Box<dyn Loan>, LendError> {
        let desk = &self.0;
        desk.lend(run)?;
        Ok(Box::new(Lent {
            desk: Arc::clone(desk),
            ended: Ended::Failed,
        }))
    }
}

/// What a run has of the desk's. Dropped, it is given back.
struct Lent {
    desk: Arc<Desk>,
    ended: Ended,
}

impl Loan for Lent {
    fn devices(&self) -> &Devices {
        &self.desk.devices
    }

    fn visible(&self) -> Arc<Visible> {
        Arc::clone(&self.desk.visible)
    }

    fn monitor(&self) -> Arc<Monitor> {
        Arc::clone(&self.desk.monitor)
    }

    fn give_back(mut self: Box<Self>, ended: Ended) {
        self.ended = ended;
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.desk.give_back(self.ended);
    }
}
