//! Which TCP a host runs: one of ours, or the kernel's with its settings.

#![forbid(unsafe_code)]

mod linux;

pub use linux::Linux;

use windlull_tcp::Variant;

/// A host's TCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stack {
    /// Ours.
    Windlull(Box<Variant>),
    /// The kernel's.
    Linux(Linux),
}
