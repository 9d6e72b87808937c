//! Settings of the Linux kernel's TCP, by sysctl, socket option or route.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use windlull_units::{Bytes, Span, parse_bytes, parse_span};

/// Hands the settings of a [`Linux`] to a macro, behind what it is to be given besides: rows as those of
/// [`windlull_tcp::settings!`], with the words of a summary for a label. What is said behind a range stands after `in`.
#[macro_export]
macro_rules! linux_settings {
    ($callback:ident! $($given:tt)*) => {
        $callback! { $($given)* {
            /// The congestion control, as the kernel names it (socket option `TCP_CONGESTION`): `reno`, `cubic`, `bbr`.
            congestion_control: Option<String> = None, or ""; "", "congestion control";
            /// F-RTO, RFC 5682 (`net.ipv4.tcp_frto`).
            frto: Option<bool> = None, or ""; "", "F-RTO";
            /// Offer selective acknowledgements (`net.ipv4.tcp_sack`).
            sack: Option<bool> = None, or ""; "", "SACK";
            /// Report duplicates by selective acknowledgements (`net.ipv4.tcp_dsack`).
            dsack: Option<bool> = None, or ""; "", "D-SACK";
            /// Offer timestamps (`net.ipv4.tcp_timestamps`). With them the kernel finds spurious timeouts as Eifel does, with or
            /// without F-RTO.
            timestamps: Option<bool> = None, or ""; "", "timestamps";
            /// Offer window scaling (`net.ipv4.tcp_window_scaling`).
            window_scale: Option<bool> = None, or ""; "", "window scale";
            /// Find losses by time, RFC 8985 (`net.ipv4.tcp_recovery`). Needs `sack`.
            rack: Option<bool> = None, or ""; "", "RACK";
            /// Tail loss probes, RFC 8985, section 7 (`net.ipv4.tcp_early_retrans`). Needs `sack`.
            tail_loss_probe: Option<bool> = None, or ""; "", "tail loss probe";
            // The route counts milliseconds; above TCP_RTO_MAX the bounds would cross.
            /// Lower bound of the retransmission timeout, whole milliseconds (the route's `rto_min`).
            minimum_rto: Option<windlull_units::Span> = None, or "", from "1 ms", to "120 s", in ", in whole milliseconds";
                "", "minimum RTO";
            // TCP_MIN_MSS and MAX_TCP_WINDOW: what the socket option takes.
            /// The largest segment to receive, header options included (socket option `TCP_MAXSEG`).
            mss: Option<u16> = None, or "", from "88 B", to "32767 B"; "", "MSS";
            // Below a page nothing moves; the fields are signed 32-bit numbers.
            /// The receive buffer, without auto-tuning (all three fields of `net.ipv4.tcp_rmem`). The kernel offers about half
            /// of it as its window.
            receive_buffer: Option<windlull_units::Bytes> = None, or "", from "4 KiB", to "2147483647 B"; "", "receive buffer";
            /// The send buffer, without auto-tuning (all three fields of `net.ipv4.tcp_wmem`).
            send_buffer: Option<windlull_units::Bytes> = None, or "", from "4 KiB", to "2147483647 B"; "", "send buffer";
            /// Segments in the initial window (the route's `initcwnd`).
            initial_window: Option<u32> = None, or "", from "1", to "1000", in " segments"; "", "initial window";
        } }
    };
}

macro_rules! declare {
    ({ $(
        $(#[$doc:meta])+ $key:ident: $value:ty = $default:expr, or $words:literal
            $(, from $least:literal, to $most:literal $(, in $unit:literal)?)?; $part:literal, $label:literal;
    )+ }) => {
        /// What is set. `None` leaves the kernel's own value, which a run records all the same. Field names are the keys of
        /// the `[linux]` table in variant files.
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields)]
        pub struct Linux {
            $($(#[$doc])+ pub $key: $value,)+
        }

        impl Linux {
            fn check_ranges(&self) -> Result<(), LinuxError> {
                $($(
                    if self.$key.is_some_and(|value| !value.within($least, $most)) {
                        let range = concat!("from ", $least, " to ", $most $(, $unit)?);
                        return Err(LinuxError::OutOfRange { key: stringify!($key), range });
                    }
                )?)+
                Ok(())
            }
        }
    };
}
linux_settings!(declare!);

/// A setting that has a range.
trait Ranged {
    /// Whether it is in this range, which is written as in files.
    fn within(self, least: &str, most: &str) -> bool;
}

macro_rules! ranged {
    ($($type:ty: $value:ident => $amount:expr, $text:ident => $read:expr;)+) => {
        $(impl Ranged for $type {
            fn within(self, least: &str, most: &str) -> bool {
                let $value = self;
                let [least, most] = [least, most].map(|$text| $read.expect("a bound of a setting is one"));
                (least..=most).contains(&$amount)
            }
        })+
    };
}

ranged! {
    u32: number => number, text => text.parse().ok();
    u16: size => Bytes::new(size.into()), text => parse_bytes(text).ok();
    Bytes: size => size, text => parse_bytes(text).ok();
    Span: span => span, text => parse_span(text).ok();
}

/// Why settings cannot be a kernel's.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LinuxError {
    /// A mechanism that the kernel has only together with another one, which is turned off.
    #[error("`{key} = true` needs selective acknowledgements, but `sack = false`: {why}")]
    NeedsSack {
        /// The key that asks for something.
        key: &'static str,
        why: &'static str,
    },
    /// A value that the kernel does not take.
    #[error("`{key}` is out of range; it must be {range}")]
    OutOfRange { key: &'static str, range: &'static str },
}

impl LinuxError {
    /// The key at fault and, where two are in conflict, the other one.
    pub const fn keys(&self) -> (&'static str, Option<&'static str>) {
        match *self {
            Self::NeedsSack { key, .. } => (key, Some("sack")),
            Self::OutOfRange { key, .. } => (key, None),
        }
    }
}

/// `TCP_CA_NAME_MAX` of the kernel's `net/tcp.h`, without the final zero.
const LONGEST_NAME: usize = 15;

impl Linux {
    /// Whether connections with these settings and with those can be on one host: all but the congestion control and the
    /// segment size, which are a socket's own, is the host's.
    pub fn shares_host_with(&self, other: &Self) -> bool {
        let of_host = |linux: &Self| Self {
            congestion_control: None,
            mss: None,
            ..linux.clone()
        };
        of_host(self) == of_host(other)
    }

    /// Checks that the settings go together and that a kernel takes them.
    ///
    /// # Errors
    /// The first contradiction or impossible value, naming its keys.
    pub fn validate(&self) -> Result<(), LinuxError> {
        if self.sack == Some(false) {
            for (key, value, why) in [
                ("dsack", self.dsack, "RFC 2883 reports duplicates in SACK blocks"),
                ("rack", self.rack, "the kernel's RACK reads SACK blocks"),
                (
                    "tail_loss_probe",
                    self.tail_loss_probe,
                    "the kernel sends probes on connections with SACK alone",
                ),
            ] {
                if value == Some(true) {
                    return Err(LinuxError::NeedsSack { key, why });
                }
            }
        }
        self.check_ranges()?;
        let out_of_range = |key, range| Err(LinuxError::OutOfRange { key, range });
        if self.minimum_rto.is_some_and(|rto| rto.as_ns() % 1_000_000 != 0) {
            return out_of_range("minimum_rto", "from 1 ms to 120 s, in whole milliseconds");
        }
        if !self.congestion_control.as_deref().is_none_or(is_algorithm) {
            return out_of_range(
                "congestion_control",
                "the name of an algorithm, as in \"reno\", \"cubic\" or \"bbr\"",
            );
        }
        Ok(())
    }
}

fn is_algorithm(name: &str) -> bool {
    let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
    (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_leaves_alone_is_valid() {
        assert_eq!(Linux::default().validate(), Ok(()));
    }

    #[test]
    fn what_is_of_a_socket_may_differ_on_one_host() {
        let reno = Linux {
            congestion_control: Some("reno".to_owned()),
            mss: Some(536),
            ..Linux::default()
        };
        assert!(reno.shares_host_with(&Linux::default()));
        let without = Linux {
            sack: Some(false),
            ..reno.clone()
        };
        assert!(!without.shares_host_with(&reno));
    }

    #[test]
    fn mechanisms_that_read_sack_blocks_need_sack() {
        let without = Linux {
            sack: Some(false),
            ..Linux::default()
        };
        assert_eq!(without.validate(), Ok(()));
        for (key, contradicting) in [
            (
                "dsack",
                Linux {
                    dsack: Some(true),
                    ..without.clone()
                },
            ),
            (
                "rack",
                Linux {
                    rack: Some(true),
                    ..without.clone()
                },
            ),
            (
                "tail_loss_probe",
                Linux {
                    tail_loss_probe: Some(true),
                    ..without.clone()
                },
            ),
        ] {
            let error = contradicting.validate().expect_err("a contradiction");
            assert_eq!(error.keys(), (key, Some("sack")));
        }
    }

    #[test]
    fn values_at_their_bounds() {
        let valid = |linux: Linux| linux.validate().is_ok();
        let mss = |mss| Linux {
            mss: Some(mss),
            ..Linux::default()
        };
        assert!(valid(mss(88)) && valid(mss(32_767)) && !valid(mss(87)) && !valid(mss(32_768)));
        let rto = |rto| Linux {
            minimum_rto: Some(rto),
            ..Linux::default()
        };
        assert!(valid(rto(Span::from_ms(1))) && valid(rto(Span::from_secs(120))));
        assert!(
            !valid(rto(Span::from_ns(1_500_000))) && !valid(rto(Span::ZERO)) && !valid(rto(Span::from_ms(120_001)))
        );
        let buffer = |octets| Linux {
            receive_buffer: Some(Bytes::new(octets)),
            ..Linux::default()
        };
        assert!(valid(buffer(4096)) && !valid(buffer(4095)) && !valid(buffer(1 << 31)));
        let named = |name: &str| Linux {
            congestion_control: Some(name.to_owned()),
            ..Linux::default()
        };
        assert!(
            valid(named("bbr")) && !valid(named("")) && !valid(named("../reno")) && !valid(named("sixteen-letters-"))
        );
    }
}
