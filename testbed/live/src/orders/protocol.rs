//! What the processes of a run say to each other, a line of JSON each.
//!
//! ```text
//!     who asks                                 who attends
//!     hello {protocol, version, commit, run}
//!                                              welcome | busy | refused
//!     (host)  prepare, capture, start                     prepared, done, done
//!                                              progress, whenever it changes, and once a second
//!             fall-silent, stop-capture, finish           done, done, left
//!     (link)  prepare, start                              done, done
//!                                              state, whenever it changes, and once a second
//!             stop, finish                                done, left
//! ```
//!
//! Each order is answered before the next is given; instead of an answer there may be `failed`, and then the connection
//! ends. A key or an order that is not known, or that comes out of turn, ends it too. A hello without a run only asks how
//! things are.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use windlull_plane::Epoch;

pub(super) use super::who::ASKED_TO_END;
pub(super) use super::who::Who;
use crate::hosts::Settings;
use crate::part::{HostTask, LinkState, LinkTask, Progress};

/// While the link plays, and the hosts transfer, each says so often how far it is, also if nothing has changed.
pub(super) const BEAT: Duration = Duration::from_secs(1);

/// To be counted up when a message changes.
pub(super) const PROTOCOL: u32 = 4;

/// The first line of who asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Hello {
    pub(super) protocol: u32,
    pub(super) version: String,
    pub(super) commit: String,
    /// What the run is called; none if there is to be none.
    pub(super) run: Option<String>,
}

/// The first line of who attends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Greeting {
    /// Orders may follow.
    Welcome(Welcome),
    /// There is a run already.
    Busy { run: String },
    Refused {
        /// What is wrong, and what would be right.
        why: String,
    },
}

/// Who attends, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Welcome {
    pub(super) who: Who,
    pub(super) version: String,
    pub(super) commit: String,
    pub(super) kernel: String,
    /// Of the kernel's start: one kernel has one.
    pub(super) boot: String,
    /// What the monotonic clock shows there, ns.
    pub(super) clock_ns: u64,
    /// Why the emulator cannot play the netem plane; absent of one that can, and of hosts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) without_netem: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum HostOrder {
    Prepare(Box<HostTask>),
    Capture(Epoch),
    Start,
    FallSilent,
    StopCapture,
    Finish,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Answer {
    /// A host is, with these settings.
    Prepared(Settings),
    Done,
    /// How far a host is.
    Progress(Progress),
    /// How a link is.
    State(LinkState),
    /// What it leaves is in this file of its directory, and what that names; until the connection ends.
    Left(String),
    Failed(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum LinkOrder {
    Prepare(Box<LinkTask>),
    Start(Epoch),
    Stop,
    Finish,
}

impl Hello {
    /// Reads the first line. One of another protocol is told so, whatever else is in it.
    pub(super) fn read(line: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Any {
            protocol: u32,
        }
        let protocol = serde_json::from_slice::<Any>(line)
            .map_err(|error| format!("the first line must be a hello: {error}"))?
            .protocol;
        if protocol != PROTOCOL {
            return Err(format!(
                "it speaks protocol {PROTOCOL} and was spoken to in {protocol}; take the same version for all processes"
            ));
        }
        serde_json::from_slice(line).map_err(|error| format!("the first line must be a hello: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hello_of_another_protocol_is_told_so() {
        let why = Hello::read(br#"{"protocol":1,"novelty":true}"#).expect_err("it is another");
        assert!(why.contains("protocol 4") && why.contains("in 1"), "{why}");
    }

    #[test]
    fn a_hello_is_read_strictly() {
        let hello = br#"{"protocol":4,"version":"0.1.0","commit":"abc","run":null}"#;
        assert_eq!(Hello::read(hello).expect("it is one").run, None);
        for wrong in [
            &br#"{"protocol":4,"version":"0.1.0","commit":"abc","run":null,"more":1}"#[..],
            br#"{"protocol":4,"version":"0.1.0"}"#,
            br#"{"version":"0.1.0"}"#,
            b"GET / HTTP/1.1",
            b"",
        ] {
            assert!(Hello::read(wrong).is_err(), "{}", String::from_utf8_lossy(wrong));
        }
    }

    #[test]
    fn orders_of_the_link_are_none_of_a_host() {
        assert!(serde_json::from_str::<HostOrder>(r#""stop""#).is_err());
        assert!(serde_json::from_str::<LinkOrder>(r#""stop""#).is_ok());
        assert!(serde_json::from_str::<HostOrder>(r#"{"capture":5,"start":null}"#).is_err());
    }
}
