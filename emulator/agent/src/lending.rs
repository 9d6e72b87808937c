//! The manager as runs see it: it lends, and takes back.

use std::sync::Arc;

use windlull_plane::lend::{Ended, LendError, Lender, Loan};
use windlull_plane::model::{Monitor, Visible};
use windlull_plane::netem::Devices;

use crate::manager::DeviceManager;

/// Lends what the manager keeps.
pub(crate) struct DeviceLender(pub(crate) Arc<DeviceManager>);

impl Lender for DeviceLender {
    fn lend(&self, run: &str) -> Result<Box<dyn Loan>, LendError> {
        let manager = &self.0;
        manager.lend(run)?;
        Ok(Box::new(Lent {
            manager: Arc::clone(manager),
            ended: Ended::Failed,
        }))
    }
}

/// What a run has of the manager's. Dropped, it is given back.
struct Lent {
    manager: Arc<DeviceManager>,
    ended: Ended,
}

impl Loan for Lent {
    fn devices(&self) -> &Devices {
        &self.manager.devices
    }

    fn visible(&self) -> Arc<Visible> {
        Arc::clone(&self.manager.visible)
    }

    fn monitor(&self) -> Arc<Monitor> {
        Arc::clone(&self.manager.monitor)
    }

    fn give_back(mut self: Box<Self>, ended: Ended) {
        self.ended = ended;
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.manager.give_back(self.ended);
    }
}
