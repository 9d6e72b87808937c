//! The emulator's process: a link that stands between two devices, for as long as the process lives.
//!
//! Two hosts that have the emulator for their router reach each other through the link alone. It is shown, replaced and
//! changed by hand over HTTP, watched by Prometheus, and lent to runs, which play links of their own on the same devices.
//!
//! ```text
//!     server --- server-side device [ link ] client-side device --- client
//!                                      |
//!                        HTTP: /link, /link/changes, /link/history, /captures, /metrics
//! ```
//!
//! [`run`] is the whole of it. One thread plays the link ([`windlull_plane::model::stand`], or
//! [`windlull_plane::netem::stand`]); another one serves HTTP.

mod address;
mod answer;
mod capture;
mod captures;
mod changes;
mod devices;
mod history;
mod http;
mod kept;
mod lending;
mod logs;
mod manager;
mod metrics;
mod opening;
mod plane;
mod profile;
mod service;

pub use capture::{CaptureOrder, Capturer, Capturing};
pub use captures::DEFAULT_CAPTURE_BYTES;
pub use devices::{DeviceError, Network, Side, SideError};
pub use metrics::METRICS;
pub use plane::StandError;
pub use service::{AgentError, Settings, run};
pub use windlull_units::{Build, Pace, PlaneKind};

/// Adds the schemas of what is answered over HTTP.
pub fn add_answers(generator: &mut schemars::SchemaGenerator) {
    generator.subschema_for::<answer::LinkAnswer>();
    generator.subschema_for::<answer::ErrorAnswer<'_>>();
    generator.subschema_for::<changes::ChangeAnswer>();
    generator.subschema_for::<history::HistoryAnswer>();
    generator.subschema_for::<captures::CapturesAnswer>();
}
