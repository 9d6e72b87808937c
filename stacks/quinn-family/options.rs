//! What a variant's file may set for quinn. What is absent stays as quinn has it.

use std::collections::BTreeMap;

use windlull_transport::{Broken, set_options, within};

use crate::dialect;
use crate::proto::VarInt;

/// The options: a name, and what it may be, what it is by default, and what it means.
pub(crate) const LIST: &[(&str, &str)] = &[
    ("congestion", dialect::CONGESTION),
    ("initial-window", dialect::INITIAL_WINDOW),
    (
        "packet-threshold",
        "packets, at least 1; 3 by default: how far reordered is lost (RFC 9002, 6.1.1)",
    ),
    (
        "time-threshold",
        "a factor above 1; 1.125 by default: how many round trips late is lost (RFC 9002, 6.1.2)",
    ),
    (
        "initial-rtt-ms",
        "milliseconds, at least 1; 333 by default: the round trip before the first sample",
    ),
    (
        "max-idle-ms",
        "milliseconds, 0 for never; 30000 by default: silence after which the connection ends",
    ),
    (
        "ack-frequency",
        "packets, from 0; not asked for by default: the peer may leave so many unacknowledged \
         (draft-ietf-quic-ack-frequency)",
    ),
    (
        "stream-receive-window",
        "bytes, at least 1; 1250000 by default: the peer's credit on each stream",
    ),
    (
        "receive-window",
        "bytes, at least 1; no limit by default: the peer's credit on all streams together",
    ),
    (
        "send-window",
        "bytes, at least 1; 10000000 by default: what may be written and not yet acknowledged",
    ),
];

/// A congestion controller of quinn's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Congestion {
    #[default]
    Cubic,
    NewReno,
    Bbr,
}

/// The options that are set.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Options {
    pub(crate) congestion: Congestion,
    pub(crate) initial_window: Option<u64>,
    pub(crate) packet_threshold: Option<u32>,
    pub(crate) time_threshold: Option<f32>,
    pub(crate) initial_rtt_ms: Option<u64>,
    pub(crate) max_idle_ms: Option<VarInt>,
    pub(crate) ack_frequency: Option<VarInt>,
    pub(crate) stream_receive_window: Option<VarInt>,
    pub(crate) receive_window: Option<VarInt>,
    pub(crate) send_window: Option<u64>,
}

/// The greatest variable-length integer (RFC 9000, section 16).
const VARINT_MAX: u64 = VarInt::MAX.into_inner();

/// The least 32-bit float above one: RFC 9002, section 6.1.2, asks for more than a round trip.
const ABOVE_ONE: f32 = 1.0 + f32::EPSILON;

/// A day. Longer would be no round trip, and far longer would overflow quinn's instants.
const INITIAL_RTT_MS_MAX: u64 = 86_400_000;

impl Options {
    /// # Errors
    /// If an option is not known, or has a value that it cannot have.
    pub(crate) fn parse(given: &BTreeMap<String, String>) -> Result<Self, Broken> {
        let mut options = Self::default();
        set_options(dialect::NAME, LIST, given, |name, value| options.set(name, value))?;
        Ok(options)
    }

    /// `None` if there is no such option or it cannot have this value.
    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match name {
            "congestion" => {
                self.congestion = match value {
                    "cubic" => Congestion::Cubic,
                    "newreno" => Congestion::NewReno,
                    dialect::BBR => Congestion::Bbr,
                    _ => return None,
                };
            }
            // Two packets: RFC 9002, section 7.2. quinn sends nothing at all in a window of one.
            "initial-window" => self.initial_window = Some(within(value, 2_400, u64::MAX)?),
            "packet-threshold" => self.packet_threshold = Some(within(value, 1, u32::MAX)?),
            "time-threshold" => self.time_threshold = Some(within(value, ABOVE_ONE, 1_000.0)?),
            "initial-rtt-ms" => self.initial_rtt_ms = Some(within(value, 1, INITIAL_RTT_MS_MAX)?),
            "max-idle-ms" => self.max_idle_ms = Some(varint(value, 0)?),
            "ack-frequency" => self.ack_frequency = Some(varint(value, 0)?),
            "stream-receive-window" => self.stream_receive_window = Some(varint(value, 1)?),
            "receive-window" => self.receive_window = Some(varint(value, 1)?),
            "send-window" => self.send_window = Some(within(value, 1, VARINT_MAX)?),
            _ => return None,
        }
        Some(())
    }
}

fn varint(value: &str, least: u64) -> Option<VarInt> {
    VarInt::from_u64(within(value, least, VARINT_MAX)?).ok()
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
            let value = if *name == "congestion" { dialect::BBR } else { "5000" };
            let value = if *name == "time-threshold" { "1.5" } else { value };
            let set = parse(&[(name, value)]).unwrap_or_else(|broken| panic!("{broken}"));
            assert_ne!(set, Options::default(), "{name} sets nothing");
        }
    }

    #[test]
    fn bounds_hold() {
        for (name, below, least) in [
            ("initial-window", "2399", "2400"),
            ("packet-threshold", "0", "1"),
            ("time-threshold", "1", "1.0000002"),
            ("initial-rtt-ms", "0", "1"),
            ("max-idle-ms", "-1", "0"),
            ("stream-receive-window", "0", "1"),
            ("receive-window", "4611686018427387904", "4611686018427387903"),
            ("send-window", "0", "1"),
        ] {
            assert!(parse(&[(name, below)]).is_err(), "{name} = {below}");
            assert!(parse(&[(name, least)]).is_ok(), "{name} = {least}");
        }
        assert!(parse(&[("time-threshold", "NaN")]).is_err());
    }

    #[test]
    fn a_refusal_says_what_there_is() {
        let unknown = parse(&[("congestion", "cubic"), ("cwnd", "10")]).err();
        let unknown = unknown.map(|broken| broken.0).unwrap_or_default();
        assert!(
            unknown.starts_with(&format!(
                "{} has no option `cwnd`; it has congestion, initial-window, ",
                dialect::NAME
            )),
            "{unknown}"
        );
        let value = parse(&[("congestion", "vegas")]).err().map(|broken| broken.0);
        let expected = format!(
            "{}'s option `congestion` cannot be `vegas`; it is {}",
            dialect::NAME,
            dialect::CONGESTION
        );
        assert_eq!(value, Some(expected));
    }
}
