//! One command.

use std::fmt;

use windlull_units::Seed;

/// A command on the router. As text it is a line for the shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Ip(Vec<String>),
    /// `tc` with these arguments.
    Tc {
        arguments: Vec<String>,
        /// Further arguments `seed N` for a kernel and an iproute2 that know them (both from 6.6 on).
        seed: Option<Seed>,
    },
    /// `nft` with this text, in one transaction.
    Nft(String),
    /// A device is to say nothing by IPv6, where the kernel speaks it.
    NoIpv6 {
        device: String,
    },
    /// A setting of the kernel, as `sysctl` names it.
    Sysctl {
        name: String,
        value: &'static str,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Devices {
    pub to_server: String,
    pub to_client: String,
}

impl Default for Devices {
    /// Those of a live run's router.
    fn default() -> Self {
        Self {
            to_server: "to-server".to_owned(),
            to_client: "to-client".to_owned(),
        }
    }
}

impl Step {
    pub(crate) fn ip(arguments: &str) -> Self {
        Self::Ip(words(arguments))
    }

    pub(crate) fn tc(arguments: &str) -> Self {
        Self::Tc {
            arguments: words(arguments),
            seed: None,
        }
    }

    /// The program and its arguments; `None` for a setting. `seeds` says whether `tc` and the kernel know `seed`.
    pub fn command(&self, seeds: bool) -> Option<(&'static str, Vec<String>)> {
        match self {
            Self::Ip(arguments) => Some(("ip", arguments.clone())),
            Self::Tc { arguments, seed } => {
                let seed = seed.filter(|_| seeds);
                let mut arguments = arguments.clone();
                arguments.extend(seed.into_iter().flat_map(|seed| ["seed".to_owned(), seed.to_string()]));
                Some(("tc", arguments))
            }
            Self::Nft(text) => Some(("nft", vec![text.clone()])),
            Self::NoIpv6 { device } => Some(("ip", words(&format!("link set dev {device} addrgenmode none")))),
            Self::Sysctl { .. } => None,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(arguments) => write!(f, "ip {}", quoted(arguments)),
            Self::Tc { arguments, seed: None } => write!(f, "tc {}", quoted(arguments)),
            Self::Tc {
                arguments,
                seed: Some(seed),
            } => write!(f, "tc {} seed {seed}", quoted(arguments)),
            Self::Nft(text) => write!(f, "nft '{text}'"),
            Self::NoIpv6 { device } => write!(
                f,
                "ip link set dev {} addrgenmode none",
                quoted(std::slice::from_ref(device))
            ),
            Self::Sysctl { name, value } => write!(f, "sysctl -qw {name}={value}"),
        }
    }
}

fn words(arguments: &str) -> Vec<String> {
    arguments.split_whitespace().map(str::to_owned).collect()
}

/// As the shell reads them back; variables keep their meaning.
pub(crate) fn quoted(arguments: &[String]) -> String {
    let quoted = arguments.iter().map(|argument| {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:%".contains(letter);
        match argument.strip_prefix('$') {
            Some(_) => format!("\"{argument}\""),
            None if argument.chars().all(plain) => argument.clone(),
            None => format!("'{}'", argument.replace('\'', r"'\''")),
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}
