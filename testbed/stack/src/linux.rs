//! Settings of the Linux kernel's TCP, by sysctl, socket option or route.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use windlull_units::{Bytes, Span};

/// What is set. `None` leaves the kernel's own value, which a run records all the same. Field names are the keys of the
/// `[linux]` table in variant files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
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
        self.check_ranges()
    }

    fn check_ranges(&self) -> Result<(), LinuxError> {
        let range = |holds: bool, key, range| {
            if holds {
                Ok(())
            } else {
                Err(LinuxError::OutOfRange { key, range })
            }
        };
        // TCP_MIN_MSS and MAX_TCP_WINDOW: what the socket option takes.
        range(
            self.mss.is_none_or(|mss| (88..=32_767).contains(&mss)),
            "mss",
            "from 88 B to 32767 B",
        )?;
        // The route counts milliseconds; above TCP_RTO_MAX the bounds would cross.
        range(
            self.minimum_rto.is_none_or(|rto| {
                rto.as_ns() % 1_000_000 == 0 && (Span::from_ms(1)..=Span::from_secs(120)).contains(&rto)
            }),
            "minimum_rto",
            "from 1 ms to 120 s, in whole milliseconds",
        )?;
        // Below a page nothing moves; the fields are signed 32-bit numbers.
        for (key, buffer) in [
            ("receive_buffer", self.receive_buffer),
            ("send_buffer", self.send_buffer),
        ] {
            range(
                buffer.is_none_or(|buffer| (4096..=i32::MAX.unsigned_abs().into()).contains(&buffer.get())),
                key,
                "from 4 KiB to 2147483647 B",
            )?;
        }
        range(
            self.initial_window
                .is_none_or(|segments| (1..=1000).contains(&segments)),
            "initial_window",
            "from 1 to 1000 segments",
        )?;
        range(
            self.congestion_control.as_deref().is_none_or(is_algorithm),
            "congestion_control",
            "the name of an algorithm, as in \"reno\", \"cubic\" or \"bbr\"",
        )
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
