//! Hosts whose TCP is the kernel's: its settings, a sender and a receiver on its sockets, and what it says of itself.
//!
//! Nothing is ours but the octets: the settings are the kernel's own (sysctl, socket option, route), each is read back
//! and recorded, and the sender's state is asked of the kernel every few milliseconds.
//!
//! ```text
//!     apply(linux, site)                      settings that are there before any socket
//!     open(linux, site, number)               a bound socket with its options, of the connection with this number
//!         .receive(task, epoch)               listens from now on                     -> Receiving -> stop() -> Report
//!         .send(task, epoch)                  connects when its time comes, is sampled -> Sending  -> stop() -> SenderReport
//!     date(&report.seen, resent)              timeouts at the time of the packet that each of them sent
//! ```

mod conversation;
mod date;
mod diag;
mod netstat;
mod receiving;
mod sampler;
mod sending;
mod settings;
mod silence;
mod socket;
mod tcp_info;
mod triggers;
mod undo;
mod waiting;
mod watcher;

pub use date::date;
pub use receiving::Receiving;
pub use sampler::{SAMPLING_PERIOD, Sampled};
pub use sending::{SenderReport, Sending};
pub use settings::{SettingError, Settings, apply, apply_to_programs};
pub use silence::silence_port;
pub use socket::{Opened, Report, open};
pub(crate) use triggers::SharedTriggers;
pub use waiting::Progress;
pub use watcher::Seen;
