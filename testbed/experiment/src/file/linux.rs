//! The `[linux]` table of a variant file: settings of the kernel's TCP.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_profile::text::Text;
use windlull_units::{Bytes, Span};

/// Whose TCP a variant is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StackName {
    /// Ours.
    #[default]
    Windlull,
    /// The Linux kernel's.
    Linux,
}

/// Settings of the Linux kernel's TCP. What is not given is the kernel's own; a run records every value.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinuxFile {
    /// The congestion control, as the kernel names it (socket option `TCP_CONGESTION`): `reno`, `cubic`, `bbr`.
    #[schemars(length(min = 1))]
    pub congestion_control: Option<String>,
    /// F-RTO, RFC 5682 (`net.ipv4.tcp_frto`).
    pub frto: Option<bool>,
    /// Offer selective acknowledgements (`net.ipv4.tcp_sack`).
    pub sack: Option<bool>,
    /// Report duplicates by selective acknowledgements (`net.ipv4.tcp_dsack`).
    pub dsack: Option<bool>,
    /// Offer timestamps (`net.ipv4.tcp_timestamps`). With them the kernel finds spurious timeouts as Eifel does, with or
    /// without F-RTO.
    pub timestamps: Option<bool>,
    /// Offer window scaling (`net.ipv4.tcp_window_scaling`).
    pub window_scale: Option<bool>,
    /// Find losses by time, RFC 8985 (`net.ipv4.tcp_recovery`). Needs `sack`.
    pub rack: Option<bool>,
    /// Tail loss probes, RFC 8985, section 7 (`net.ipv4.tcp_early_retrans`). Needs `sack`.
    pub tail_loss_probe: Option<bool>,
    /// Lower bound of the retransmission timeout, whole milliseconds (the route's `rto_min`).
    #[schemars(extend("atLeast" = "1 ms", "atMost" = "120 s"))]
    pub minimum_rto: Option<Text<Span>>,
    /// The largest segment to receive, header options included (socket option `TCP_MAXSEG`).
    #[schemars(extend("atLeast" = "88 B", "atMost" = "32767 B"))]
    pub mss: Option<Text<Bytes>>,
    /// The receive buffer, without auto-tuning (all three fields of `net.ipv4.tcp_rmem`). The kernel offers about half
    /// of it as its window.
    #[schemars(extend("atLeast" = "4 KiB", "atMost" = "2147483647 B"))]
    pub receive_buffer: Option<Text<Bytes>>,
    /// The send buffer, without auto-tuning (all three fields of `net.ipv4.tcp_wmem`).
    #[schemars(extend("atLeast" = "4 KiB", "atMost" = "2147483647 B"))]
    pub send_buffer: Option<Text<Bytes>>,
    /// Segments in the initial window (the route's `initcwnd`).
    #[schemars(range(min = 1, max = 1000))]
    pub initial_window: Option<u32>,
}
