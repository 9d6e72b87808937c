//! Three network namespaces, joined, and what is owned on the machine.
//!
//! ```text
//!     server ns                  router ns                  client ns
//!     server0 ===veth=== to-server   to-client ===veth=== client0
//!     198.18.0.1/32, or 2001:2::1/128                   198.18.0.2/32, or 2001:2::2/128
//! ```
//!
//! The namespaces have no names: file descriptors hold them, so that the kernel removes all there is in them when the
//! process ends, however it ends. An ordinary user suffices: [`enter`] makes a user namespace first, which a process
//! can do while it has one thread. A test binary therefore brings its own `main` (`harness = false`), calls [`enter`],
//! and may then start as many threads and build as many labs as it likes; `tests/lab.rs` shows it.
//!
//! A [`Stub`] is made likewise, for a person's own program behind one link.

mod borrowed;
mod capabilities;
mod command;
mod doctor;
mod lab;
mod ledger;
mod namespace;
mod offload;
mod ownership;
mod privilege;
mod relay;
mod site;
mod spawn;
mod stub;

pub use borrowed::{BorrowError, Borrowed, only_device};
pub use capabilities::hand_on_capabilities;
pub use command::{CommandError, tool};
pub use doctor::{Component, Health, examine, has_rack_alone, is_container, tells_what_is_sent};
pub use lab::{Lab, LabError, LabSpec, Node, RouterKind, ethernet_address};
pub use ledger::{Cleaned, Entry, Ledger, Leftover, Ticket, directory as ledger_directory};
pub use namespace::{Namespace, SysctlError};
pub use offload::{OffloadError, offloads_off, turn_off_offloads, turn_on_offloads};
pub use ownership::owns_network;
pub use privilege::{EnterError, Privilege, enter};
pub use site::{Addresses, Site, address, address_in, ip_option};
pub use spawn::{end_with_parent, join};
pub use stub::{Stub, StubError};
