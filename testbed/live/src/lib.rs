//! Real time: hosts, link and captures in network namespaces.
//!
//! [`run`] makes one run: three namespaces, the link between them, a TCP of ours or the kernel's at either end, a capture
//! at both. When it is over, what was captured is told to an `Observer` as the simulator tells it.

mod application;
mod assembly;
mod calibrate;
pub mod capture;
mod certificate;
pub mod commands;
mod endpoint;
mod ends;
pub mod hosts;
pub mod orders;
mod part;
mod plane;
mod ports;
mod run;
mod running;
mod setup;
mod transports;

pub use application::Task;
pub use calibrate::{CalibrateError, Calibration, Delays, Effort, Loss, RateCheck, calibrate};
pub use certificate::{Certificate, Rate, Rates, Spread, Stalls, tolerance};
pub use run::{HowFar, run, run_watched};
pub use setup::{
    CommandReport, Connection, LinkCaptureFile, LinkCaptureSetup, LiveError, Outcome, ReadingPause, Received, Setup,
    Work,
};
pub use windlull_units::{Ending, Pace, PlaneKind, Transfer};
