//! What a variant's file may set for smoltcp. What is absent is as smoltcp has it, but for congestion control, which it has none of
//! unless it is asked to, and for its buffers, which it leaves to whoever makes a socket.

use std::collections::BTreeMap;

use smoltcp::socket::tcp::CongestionControl;
use smoltcp::time::Duration;
use windlull_transport::{Broken, set_options, within};
use windlull_units::{Carries, Network};

/// The options: a name, and what it may be, what it is by default, and what it means.
pub(crate) const LIST: &[(&str, &str)] = &[
    (
        "congestion",
        "cubic (the default), reno or none: the congestion control",
    ),
    (
        "ack-delay-ms",
        "milliseconds, from 0 to 500, or never; 10 by default: how long an acknowledgement may wait",
    ),
    ("nagle", "on (the default) or off: Nagle's algorithm"),
    (
        "receive-buffer",
        "bytes, from 1024 to 1073741824; 1048576 by default: the largest window that is offered",
    ),
    (
        "send-buffer",
        "bytes, from 1024 to 1073741824; 1048576 by default: what is written and not acknowledged",
    ),
    (
        "mtu",
        "bytes, from 576 to 1500; 1500 by default: the largest IP packet that is sent and taken",
    ),
];

/// The options, with their defaults where nothing was set.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    pub(crate) congestion: CongestionControl,
    pub(crate) ack_delay: Option<Duration>,
    pub(crate) has_nagle: bool,
    pub(crate) receive_buffer: usize,
    pub(crate) send_buffer: usize,
    pub(crate) mtu: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            congestion: CongestionControl::Cubic,
            ack_delay: Some(Duration::from_millis(10)),
            has_nagle: true,
            receive_buffer: 1 << 20,
            send_buffer: 1 << 20,
            mtu: MTU_MAX,
        }
    }
}

/// What a link of IPv4 must carry (RFC 791, section 3.2), and the most that ours does.
const MTU_MIN: usize = 576;
const MTU_MAX: usize = Carries::Packets.most_octets(Network::Ipv4);

/// The largest window that TCP can offer (RFC 7323, section 2.3), and one that still takes a few segments.
const BUFFER_MAX: usize = 1 << 30;
const BUFFER_MIN: usize = 1 << 10;

impl Options {
    /// # Errors
    /// If an option is not known, or has a value that it cannot have.
    pub(crate) fn parse(given: &BTreeMap<String, String>) -> Result<Self, Broken> {
        let mut options = Self::default();
        set_options("smoltcp", LIST, given, |name, value| options.set(name, value))?;
        Ok(options)
    }

    /// `None` if there is no such option or it cannot have this value.
    fn set(&mut self, name: &str, value: &str) -> Option<()> {
        match (name, value) {
            ("congestion", "cubic") => self.congestion = CongestionControl::Cubic,
            ("congestion", "reno") => self.congestion = CongestionControl::Reno,
            ("congestion", "none") => self.congestion = CongestionControl::None,
            ("ack-delay-ms", "never") => self.ack_delay = None,
            ("ack-delay-ms", value) => self.ack_delay = Some(Duration::from_millis(within(value, 0, 500)?)),
            ("nagle", "on") => self.has_nagle = true,
            ("nagle", "off") => self.has_nagle = false,
            ("receive-buffer", value) => self.receive_buffer = within(value, BUFFER_MIN, BUFFER_MAX)?,
            ("send-buffer", value) => self.send_buffer = within(value, BUFFER_MIN, BUFFER_MAX)?,
            ("mtu", value) => self.mtu = within(value, MTU_MIN, MTU_MAX)?,
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, value: &str) -> Result<Options, Broken> {
        Options::parse(&BTreeMap::from([(name.to_owned(), value.to_owned())]))
    }

    #[test]
    fn every_option_of_the_list_can_be_set() {
        for (name, _) in LIST {
            let set = ["reno", "never", "off", "1280"].into_iter();
            let changed = set
                .filter_map(|value| parse(name, value).ok())
                .filter(|set| *set != Options::default());
            assert!(changed.count() > 0, "{name} sets nothing");
        }
    }

    #[test]
    fn bounds_hold() {
        for (name, outside, bound) in [
            ("ack-delay-ms", "501", "500"),
            ("receive-buffer", "1073741825", "1073741824"),
            ("send-buffer", "1023", "1024"),
            ("mtu", "575", "576"),
            ("mtu", "1501", "1500"),
        ] {
            assert!(parse(name, outside).is_err(), "{name} = {outside}");
            assert!(parse(name, bound).is_ok(), "{name} = {bound}");
        }
        assert!(parse("congestion", "vegas").is_err());
    }
}
