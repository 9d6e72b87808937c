//! What must hold for any input. A panic here is a finding: the input is kept under `artifacts/`, and once the bug is
//! fixed it belongs into `regressions/TARGET/`, where every `make test` tries it again.

mod capture;
mod wire;

pub use capture::{events, fates, pcap};
pub use wire::{packet, tcp_options};
