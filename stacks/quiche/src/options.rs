//! What a variant's file may set for quiche.
//!
//! What is absent is as quiche's own applications have it (`quiche-client` and `quiche-server`): quiche itself gives a peer no
//! credit and never times out unless it is told to, and sends 1,200 octets at most.

use std::collections::BTreeMap;
use std::time::Duration;

use quiche::CongestionControlAlgorithm;
use windlull_transport::{Broken, MAX_DATAGRAM, set_options, within};

/// The options: a name, and what it may be, what it is by default, and what it means.
pub(crate) const LIST: &[(&str, &str)] = &[
    (
        "congestion",
        "cubic (the default), reno or bbr2: the congestion controller",
    ),
    (
        "initial-window-packets",
        "packets, from 2 to 1000; 10 by default: the congestion window at the start",
    ),
    (
        "hystart",
        "on (the default) or off: whether slow start of cubic and reno ends by HyStart++",
    ),
    (
        "pacing",
        "on (the default) or off: whether packets of bbr2 are spread; cubic and reno never are",
    ),
    (
        "relaxed-loss",
        "on or off (the default): whether bbr2 stops counting packets after a spurious loss, and waits longer",
    ),
    (
        "initial-rtt-ms",
        "milliseconds, from 1 to 86400000; 333 by default: the round trip before the first sample",
    ),
    (
        "max-idle-ms",
        "milliseconds, 0 for never; 30000 by default: silence after which the connection ends",
    ),
    (
        "max-datagram",
        "bytes, from 1200 to 1472; 1350 by default: the largest datagram that is sent and taken",
    ),
    (
        "mtu-discovery",
        "on or off (the default): whether datagrams begin at 1200 bytes and grow by probes to max-datagram",
    ),
    (
        "stream-receive-window",
        "bytes, at least 1; 1000000 by default: the peer's first credit on each stream",
    ),
    (
        "max-stream-receive-window",
        "bytes, at least 1; 16777216 by default: to which a stream's credit grows",
    ),
    (
        "receive-window",
        "bytes, at least 1; 10000000 by default: the peer's first credit on all streams together",
    ),
    (
        "max-receive-window",
        "bytes, at least 1; 25165824 by default: to which the credit on all streams together grows",
    ),
    (
        "post-quantum",
        "on (the default) or off: whether TLS agrees on keys by X25519MLKEM768 where both ends know it",
    ),
];

/// The options, with their defaults where nothing was set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) congestion: CongestionControlAlgorithm,
    pub(crate) initial_window_packets: usize,
    pub(crate) has_hystart: bool,
    pub(crate) has_pacing: bool,
    pub(crate) has_relaxed_loss: bool,
    pub(crate) initial_rtt: Duration,
    pub(crate) max_idle_ms: u64,
    pub(crate) max_datagram: usize,
    pub(crate) discovers_mtu: bool,
    pub(crate) stream_receive_window: u64,
    pub(crate) max_stream_receive_window: u64,
    pub(crate) receive_window: u64,
    pub(crate) max_receive_window: u64,
    pub(crate) is_post_quantum: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            congestion: CongestionControlAlgorithm::CUBIC,
            initial_window_packets: 10,
            has_hystart: true,
            has_pacing: true,
            has_relaxed_loss: false,
            initial_rtt: Duration::from_millis(333),
            max_idle_ms: 30_000,
            max_datagram: 1_350,
            discovers_mtu: false,
            stream_receive_window: 1_000_000,
            max_stream_receive_window: 16_777_216,
            receive_window: 10_000_000,
            max_receive_window: 25_165_824,
            is_post_quantum: true,
        }
    }
}

/// The greatest variable-length integer (RFC 9000, section 16).
const VARINT_MAX: u64 = (1 << 62) - 1;

/// The least datagram that a path must carry (RFC 9000, section 14).
const MIN_DATAGRAM: usize = 1_200;

/// A day. Longer would be no round trip.
const INITIAL_RTT_MS_MAX: u64 = 86_400_000;

impl Options {
    /// # Errors
    /// If an option is not known, or has a value that it cannot have.
    pub(crate) fn parse(given: &BTreeMap<String, String>) -> Result<Self, Broken> {
        let mut options = Self::default();
        set_options("quiche", LIST, given, |name, value| options.set(name, value))?;
        Ok(options)
    }

    /// `None` if there is no such option or it cannot have this value.
    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "congestion" => {
                self.congestion = match value {
                    "cubic" => CongestionControlAlgorithm::CUBIC,
                    "reno" => CongestionControlAlgorithm::Reno,
                    "bbr2" => CongestionControlAlgorithm::Bbr2Gcongestion,
                    _ => return None,
                };
            }
            "initial-window-packets" => self.initial_window_packets = within(value, 2, 1_000)?,
            "hystart" => self.has_hystart = switch(value)?,
            "pacing" => self.has_pacing = switch(value)?,
            "relaxed-loss" => self.has_relaxed_loss = switch(value)?,
            "initial-rtt-ms" => self.initial_rtt = Duration::from_millis(within(value, 1, INITIAL_RTT_MS_MAX)?),
            "max-idle-ms" => self.max_idle_ms = within(value, 0, VARINT_MAX)?,
            "max-datagram" => self.max_datagram = within(value, MIN_DATAGRAM, MAX_DATAGRAM)?,
            "mtu-discovery" => self.discovers_mtu = switch(value)?,
            "stream-receive-window" => self.stream_receive_window = within(value, 1, VARINT_MAX)?,
            "max-stream-receive-window" => self.max_stream_receive_window = within(value, 1, VARINT_MAX)?,
            "receive-window" => self.receive_window = within(value, 1, VARINT_MAX)?,
            "max-receive-window" => self.max_receive_window = within(value, 1, VARINT_MAX)?,
            "post-quantum" => self.is_post_quantum = switch(value)?,
            _ => return None,
        }
        Some(())
    }
}

fn switch(value: &str) -> Option<bool> {
    match value {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(given: &[(&str, &str)]) -> Result<Options, Broken> {
        let given = given
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Options::parse(&given.collect())
    }

    #[test]
    fn every_option_of_the_list_can_be_set() {
        for (name, _) in LIST {
            let set = ["reno", "on", "off", "1300", "20"]
                .into_iter()
                .filter_map(|value| parse(&[(name, value)]).ok());
            let changed = set.filter(|set| *set != Options::default()).count();
            assert!(changed > 0, "{name} sets nothing");
        }
    }

    #[test]
    fn bounds_hold() {
        for (name, outside, bound) in [
            ("initial-window-packets", "1", "2"),
            ("initial-rtt-ms", "0", "1"),
            ("max-idle-ms", "-1", "0"),
            ("max-datagram", "1199", "1200"),
            ("max-datagram", "1473", "1472"),
            ("stream-receive-window", "0", "1"),
            ("receive-window", "4611686018427387904", "4611686018427387903"),
        ] {
            assert!(parse(&[(name, outside)]).is_err(), "{name} = {outside}");
            assert!(parse(&[(name, bound)]).is_ok(), "{name} = {bound}");
        }
        assert!(parse(&[("pacing", "yes")]).is_err());
    }

    #[test]
    fn a_refusal_says_what_there_is() {
        let unknown = parse(&[("congestion", "cubic"), ("cwnd", "10")]).err();
        let unknown = unknown.map(|broken| broken.0).unwrap_or_default();
        assert!(
            unknown.starts_with("quiche has no option `cwnd`; it has congestion, initial-window-packets, "),
            "{unknown}"
        );
        let value = parse(&[("congestion", "vegas")]).err().map(|broken| broken.0);
        assert_eq!(
            value.as_deref(),
            Some(
                "quiche's option `congestion` cannot be `vegas`; it is cubic (the default), reno or bbr2: the \
                 congestion controller"
            )
        );
    }
}
