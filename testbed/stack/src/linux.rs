//! Settings of the Linux kernel's TCP, by sysctl, socket option or route.

use windlull_units::{Bytes, Span};

/// What is set. `None` leaves the kernel's own value, which a run records all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linux {
    /// `TCP_CONGESTION`: `reno`, `cubic`, `bbr`, or whatever the kernel has.
    pub congestion_control: Option<String>,
    /// `net.ipv4.tcp_frto`: F-RTO (RFC 5682).
    pub frto: Option<bool>,
    /// `net.ipv4.tcp_sack`.
    pub sack: Option<bool>,
    /// `net.ipv4.tcp_dsack`.
    pub dsack: Option<bool>,
    /// `net.ipv4.tcp_timestamps`.
    pub timestamps: Option<bool>,
    /// `net.ipv4.tcp_window_scaling`.
    pub window_scale: Option<bool>,
    /// `net.ipv4.tcp_recovery`, bit 0: RACK (RFC 8985).
    pub rack: Option<bool>,
    /// `net.ipv4.tcp_early_retrans`, 3 or 0: tail loss probes (RFC 8985, section 7).
    pub tail_loss_probe: Option<bool>,
    /// `rto_min` of the route: the lower bound of the retransmission timeout.
    pub minimum_rto: Option<Span>,
    /// `TCP_MAXSEG`.
    pub mss: Option<u16>,
    /// `net.ipv4.tcp_rmem`, all three fields: the receive buffer without auto-tuning.
    pub receive_buffer: Option<Bytes>,
    /// `net.ipv4.tcp_wmem`, all three fields: the send buffer without auto-tuning.
    pub send_buffer: Option<Bytes>,
    /// `initcwnd` of the route, segments.
    pub initial_window: Option<u32>,
}
