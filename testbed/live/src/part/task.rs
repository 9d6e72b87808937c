//! What the parts of a run are to do, and how far they are.

use rand_chacha::rand_core::Rng as _;
use serde::{Deserialize, Serialize};
use windlull_capture::Snaplen;
use windlull_link::model::{ImpairmentKind, LinkModel};
use windlull_stack::Stack;
use windlull_units::{ConstantRate, Host, Network, Pace, PlaneKind, Seed, Span};
use windlull_wire::SeqNumber;

use crate::commands::Command;
use crate::hosts::Settings;
use crate::{Connection, Setup, Task, Work};

/// What a host is to do in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostTask {
    /// Of its programs, or of the connection that is shown.
    pub(crate) stack: Stack,
    /// What its ends do.
    pub(crate) does: Does,
    /// The version of IP that it speaks.
    pub(crate) network: Network,
    /// The run's.
    pub(crate) seed: Seed,
    /// How much of each packet is spooled.
    pub(crate) snaplen: Snaplen,
    pub(crate) pace: Pace,
}

/// What a host's ends do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Does {
    /// Ends of connections, in the run's order.
    Converses(Vec<EndTask>),
    /// Starts a program when the run begins; the run lasts until it ends.
    Runs(Command),
    /// Has a program serve during the run.
    Serves {
        /// Started when the host is prepared; none if it is there by itself.
        command: Option<Command>,
        /// Something must listen at this port before the run begins.
        port: Option<u16>,
    },
}

/// What an end of a connection is to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EndTask {
    pub(crate) stack: Stack,
    pub(crate) task: Task,
    /// The initial sequence number, if the TCP is ours.
    pub(crate) isn: SeqNumber,
}

/// What the link is to do in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkTask {
    pub(crate) link: LinkModel,
    /// What the links between it and the client are, if there are any.
    pub(crate) access: Option<LinkModel>,
    /// How many flows there are, of which each has one.
    pub(crate) flows: u16,
    /// What crosses the link besides the hosts' packets.
    pub(crate) crossing: Vec<ConstantRate>,
    /// The version of IP of the hosts' packets.
    pub(crate) network: Network,
    pub(crate) seed: Seed,
    /// What carries the packets.
    pub(crate) plane: PlaneKind,
    /// Whether the hosts have it for their router, and not for a wire: where they keep their addresses of IPv4.
    pub(crate) routes: bool,
    pub(crate) pace: Pace,
    /// Beyond that nothing of it is asked.
    pub(crate) horizon: Span,
    /// A capture at both of its devices, if one is wanted.
    pub(crate) capture: Option<LinkCaptureTask>,
}

/// A capture at the link's devices that is part of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkCaptureTask {
    /// Says in the file where it comes from.
    pub(crate) comment: String,
    /// The version of who writes it.
    pub(crate) version: String,
    pub(crate) snaplen: Snaplen,
    /// Octets that the file may have.
    pub(crate) limit_bytes: u64,
}

/// How far an end is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Progress {
    /// Whether all that it sent, its FINs too, was acknowledged, or its time was up.
    pub(crate) closed_in_order: bool,
    /// Whether there is no connection any more.
    pub(crate) closed: bool,
    /// Whether it waits for nothing but packets.
    pub(crate) idle: bool,
    /// Octets of data that its applications have read.
    pub(crate) received: u64,
}

impl Progress {
    /// Of a host, from those of its connections.
    pub(crate) fn of_all(each: impl IntoIterator<Item = Self>) -> Self {
        let none = Self {
            closed_in_order: true,
            closed: true,
            idle: true,
            received: 0,
        };
        each.into_iter().fold(none, |all, one| Self {
            closed_in_order: all.closed_in_order && one.closed_in_order,
            closed: all.closed && one.closed,
            idle: all.idle && one.idle,
            received: all.received + one.received,
        })
    }
}

/// How a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkState {
    /// Whether it still carries packets as it should.
    pub(crate) alive: bool,
    /// Whether no packet is in it, if it tells.
    pub(crate) empty: Option<bool>,
}

impl HostTask {
    /// What a run asks of a host.
    pub(crate) fn of(setup: &Setup<'_>, host: Host) -> Self {
        let does = match (setup.work, host) {
            (Work::Connections(connections), host) => Does::Converses(
                (connections.iter().enumerate())
                    .map(|(number, connection)| EndTask::of(setup, number, connection, host))
                    .collect(),
            ),
            (
                Work::Commands {
                    commands, environment, ..
                },
                Host::Client,
            ) => Does::Runs(Command {
                program: commands.client.clone(),
                environment: environment.clone(),
            }),
            (
                Work::Commands {
                    commands, environment, ..
                },
                Host::Server,
            ) => Does::Serves {
                command: commands.server.as_ref().map(|program| Command {
                    program: program.clone(),
                    environment: environment.clone(),
                }),
                port: commands.port,
            },
        };
        let mut stack = setup.work.stack(host).clone();
        if let (Work::Commands { ends, .. }, Stack::Linux(linux)) = (setup.work, &mut stack) {
            linux.mss = smallest_mss(ends);
        }
        Self {
            stack,
            does,
            network: setup.network,
            seed: setup.seed,
            snaplen: snaplen(setup),
            pace: setup.pace,
        }
    }
}

impl EndTask {
    /// What a run asks of an end of the connection with this number, from 0. It draws what it would in the simulator.
    fn of(setup: &Setup<'_>, number: usize, connection: &Connection, host: Host) -> Self {
        let seed = setup.seed.of_flow(number);
        let stream = match host {
            Host::Server => "server/isn",
            Host::Client => "client/isn",
        };
        let task = if host == connection.data_sender {
            Task::sends(connection.purpose)
        } else {
            Task::receives(connection.purpose, setup.pause)
        };
        Self {
            stack: connection.ends[host as usize].clone(),
            task: task.beginning(connection.start),
            isn: SeqNumber(setup.isn.unwrap_or_else(|| seed.stream(stream).next_u32())),
        }
    }
}

impl HostTask {
    /// Whether an end is on sockets of the host's kernel, which then has an address and answers.
    pub(crate) fn has_sockets(&self) -> bool {
        match &self.does {
            Does::Converses(ends) => ends.iter().any(|end| end.stack.has_sockets()),
            Does::Runs(_) | Does::Serves { .. } => self.stack.has_sockets(),
        }
    }

    /// Whether the host keeps its addresses: its programs listen and connect there. In a lab of its own it has no others.
    pub(crate) const fn keeps_addresses(&self) -> bool {
        matches!(self.does, Does::Runs(_) | Does::Serves { .. })
    }

    /// Tells its program what has come of the other hosts' preparation: the server's address.
    pub(crate) fn knows(&mut self, settings: &Settings) {
        let (Does::Runs(command), Some(server)) = (&mut self.does, settings.get("server.address")) else {
            return;
        };
        for word in &mut command.program {
            *word = with_server(word, server);
        }
        command.environment.insert("WINDLULL_SERVER".to_owned(), server.clone());
    }
}

impl LinkTask {
    /// What a run asks of the link.
    pub(crate) fn of(setup: &Setup<'_>) -> Self {
        Self {
            link: setup.link.clone(),
            access: setup.access.cloned(),
            flows: u16::try_from(setup.work.connections().len()).unwrap_or(u16::MAX),
            crossing: setup.crossing.to_vec(),
            network: setup.network,
            seed: setup.seed,
            plane: setup.plane,
            routes: matches!(setup.work, Work::Commands { .. }) && setup.network == Network::Ipv4,
            pace: setup.pace,
            horizon: setup.time_limit,
            capture: setup.link_capture.map(|wanted| LinkCaptureTask {
                comment: wanted.comment.to_owned(),
                version: wanted.version.to_owned(),
                snaplen: snaplen(setup),
                limit_bytes: wanted.limit_bytes,
            }),
        }
    }
}

/// A word of a command with the server's address in place of `{server}`. In a URL, and before a port, an address of IPv6 stands in
/// brackets (RFC 3986, section 3.2.2; RFC 5952, section 6).
fn with_server(word: &str, server: &str) -> String {
    let (mut filled, mut rest) = (String::new(), word);
    while let Some((before, after)) = rest.split_once("{server}") {
        filled += before;
        let is_bracketed = server.contains(':') && (filled.ends_with("//") || after.starts_with(':'));
        filled += &if is_bracketed {
            format!("[{server}]")
        } else {
            server.to_owned()
        };
        rest = after;
    }
    filled + rest
}

/// The segment size of programs' connections, which either host may bound: sockets of ours are bounded both ways by the
/// size that one end asks for, and those of programs by what both hosts tell each other.
fn smallest_mss(ends: &[Stack; 2]) -> Option<u16> {
    let of = |stack: &Stack| match stack {
        Stack::Linux(linux) => linux.mss,
        Stack::Windlull(_) | Stack::Transport(_) => None,
    };
    ends.iter().filter_map(of).min()
}

/// How much the captures keep: all of it where the link corrupts some packets, since their checksums are to show it. Of IPv6
/// every header, by which packets are known again; the run's files keep no more than they are to.
fn snaplen(setup: &Setup<'_>) -> Snaplen {
    /// Ethernet, IPv6 without extension headers, and TCP with all the options that it has room for.
    const HEADERS: u32 = 14 + 40 + 60;
    if corrupts(setup.link) || setup.access.is_some_and(corrupts) {
        return Snaplen::Full;
    }
    match setup.snaplen {
        Snaplen::Octets(octets) if setup.network == Network::Ipv6 => Snaplen::Octets(octets.max(HEADERS)),
        other => other,
    }
}

fn corrupts(link: &LinkModel) -> bool {
    link.impairments
        .iter()
        .any(|impairment| matches!(impairment.kind, ImpairmentKind::Corrupt { .. }))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use windlull_experiment::{Disk, Kind, Library, Link, list};

    use super::*;

    #[test]
    fn an_address_of_ipv6_is_bracketed_where_it_must_be() {
        for (word, four, six) in [
            ("{server}", "198.18.0.1", "2001:2::1"),
            ("user@{server}", "user@198.18.0.1", "user@2001:2::1"),
            ("{server}:443", "198.18.0.1:443", "[2001:2::1]:443"),
            (
                "http://{server}/100k",
                "http://198.18.0.1/100k",
                "http://[2001:2::1]/100k",
            ),
            (
                "http://{server}:8080/100k",
                "http://198.18.0.1:8080/100k",
                "http://[2001:2::1]:8080/100k",
            ),
            (
                "{server} {server}:1",
                "198.18.0.1 198.18.0.1:1",
                "2001:2::1 [2001:2::1]:1",
            ),
            ("nothing", "nothing", "nothing"),
        ] {
            assert_eq!(with_server(word, "198.18.0.1"), four);
            assert_eq!(with_server(word, "2001:2::1"), six);
        }
    }

    /// Another process must play the very same link: every shipped one, each float to the last bit.
    #[test]
    fn every_shipped_link_is_read_as_it_was_written() {
        let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles");
        let library = Library::of(vec![profiles], Disk);
        let names: Vec<String> = list(&library, Kind::Link)
            .into_iter()
            .map(|listed| listed.name)
            .collect();
        assert!(names.len() > 10, "{names:?}");
        for name in names {
            let task = LinkTask {
                link: Link::load(&library, &name).expect("what is shipped is valid").model,
                access: None,
                flows: 1,
                crossing: Vec::new(),
                network: Network::Ipv4,
                seed: Seed::new(u64::MAX),
                plane: PlaneKind::Model,
                routes: false,
                pace: Pace::Precise,
                horizon: Span::from_secs(60),
                capture: None,
            };
            let text = serde_json::to_string(&task).expect("tasks have string keys and finite numbers");
            assert_eq!(
                serde_json::from_str::<LinkTask>(&text).expect("it is one"),
                task,
                "{name}"
            );
        }
    }
}
