//! What must hold for any input. A panic here is a finding: the input is kept under `artifacts/`, and once the bug is
//! fixed it belongs into `regressions/TARGET/`, where every `make test` tries it again.

mod capture;
mod files;
mod packetdrill;
mod tcp;
mod wire;

pub use capture::{events, fates, pcap};
pub use files::{experiment_toml, link_toml, variant_toml, workload_toml};
pub use packetdrill::packetdrill;
pub use tcp::tcp;
pub use wire::{packet, tcp_options};
