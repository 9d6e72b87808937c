//! Two devices that somebody keeps, and lends to one run at a time.
//!
//! A link may stand on two devices for days, and now and then a run wants the same devices for a link of its own. Who
//! keeps them is a [`Lender`]; what a run gets is a [`Loan`].

use std::sync::Arc;

use thiserror::Error;

use crate::model::{Monitor, Visible};
use crate::netem::Devices;

/// Keeps two devices and plays a link on them while no run has them.
pub trait Lender: Send + Sync {
    /// Stops the link that stands. The devices are the run's until the loan is given back or dropped; `run` is what people
    /// are told of it.
    ///
    /// # Errors
    /// [`LendError`]; the link stands as before.
    fn lend(&self, run: &str) -> Result<Box<dyn Loan>, LendError>;
}

/// Two devices that a run has. Who drops it without a word has failed.
pub trait Loan: Send {
    /// Their names.
    fn devices(&self) -> &Devices;

    /// Opens the ports at which the model carries packets, and shows captures what is sent there: those of the run, and
    /// those of whoever watches the devices.
    fn visible(&self) -> Arc<Visible>;

    /// What counts on while the run has them, and is read by whoever watches the devices.
    fn monitor(&self) -> Arc<Monitor>;

    /// Gives them back: the link that stood before stands again, from its time zero.
    fn give_back(self: Box<Self>, ended: Ended);
}

windlull_units::named! {
    /// What became of a run that had the devices.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Ended {
        /// It came to its end.
        Done = "done",
        Failed = "failed",
        Cancelled = "cancelled",
    }
}

/// Why there is nothing to lend.
#[derive(Debug, Error)]
pub enum LendError {
    /// Another run has the devices.
    #[error("run {run} uses the devices; wait until it has released them")]
    Lent { run: String },
    /// Whoever keeps them ends.
    #[error("the emulator is shutting down")]
    Ending,
    /// The link that stood had failed: the devices do not work.
    #[error("the devices do not work: {why}")]
    Down {
        /// What was the matter.
        why: String,
    },
}
