//! A host's socket with its options, before there is a connection.

use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;

use nix::sys::socket::sockopt::{RcvBuf, ReuseAddr, SndBuf, TcpCongestion, TcpMaxSeg};
use nix::sys::socket::{
    AddressFamily, GetSockOpt, SockFlag, SockProtocol, SockType, SockaddrStorage, bind, getsockopt, setsockopt, socket,
};
use windlull_netns::{Namespace, Node, Site};
use windlull_stack::Linux;
use windlull_units::{Host, Network, Span, Time};
use windlull_wire::content::{Content, PERIOD};

use super::sampler::Occasion;
use super::settings::{SettingError, Settings};
use super::triggers::SharedTriggers;
use super::waiting::{Ended, Progress};
use crate::Received;
use crate::ports::address_on;

/// A socket bound to its host's address and port.
#[derive(Debug)]
pub struct Opened {
    pub(super) socket: OwnedFd,
    pub(super) namespace: Namespace,
    pub(super) host: Host,
    pub(super) device: String,
    /// The version of IP that it is for.
    pub(super) network: Network,
    /// Of its connection, from 0: which ports it has.
    pub(super) number: u16,
    /// When a sender's state is asked for.
    pub(super) occasion: Occasion,
    /// Whether no other connection of the host counts in its kernel's counters.
    pub(super) is_alone: bool,
    /// Who tells the link the state of its sender.
    pub(super) triggers: Option<Arc<SharedTriggers>>,
}

impl Opened {
    /// The socket addresses of its own end and of the peer's.
    pub(super) const fn addresses(&self) -> (SocketAddr, SocketAddr) {
        let (network, number) = (self.network, self.number);
        (
            address_on(network, number, self.host),
            address_on(network, number, self.host.peer()),
        )
    }

    /// The same, and a sender's state will be asked for whenever a packet passes, instead of every 5 ms.
    #[must_use]
    pub fn sampled_at_packets(self) -> Self {
        Self {
            occasion: Occasion::Packet,
            ..self
        }
    }

    /// The same, and the link is told the state of its sender.
    #[must_use]
    pub(crate) fn triggering(self, triggers: Option<&Arc<SharedTriggers>>) -> Self {
        Self {
            triggers: triggers.cloned(),
            ..self
        }
    }

    /// The same, beside other connections: the counters of its kernel tell nothing of it.
    #[must_use]
    pub fn among_others(self) -> Self {
        Self {
            is_alone: false,
            ..self
        }
    }
}

/// What became of an end.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Its socket's options, by their names: `server.socket.TCP_CONGESTION`.
    pub settings: Settings,
    /// What the application read.
    pub received: Received,
    /// When its responses were complete, and how long each took.
    pub tasks: Vec<(Time, Span)>,
    /// Octets that the application wrote and the kernel took.
    pub written: u64,
    /// Whether it came to its end by itself.
    pub orderly: bool,
    /// What the kernel said when it failed, `connection reset by peer` and the like.
    pub failure: Option<String>,
}

impl Report {
    /// The end's conversation is over.
    pub(super) fn end(&mut self, conversation: Result<(), Ended>, progress: &Progress) {
        match conversation {
            Ok(()) => {
                self.orderly = true;
                progress.is_closed();
            }
            Err(Ended::Stopped) => {}
            Err(Ended::Failed(error)) => self.failure = Some(error.to_string()),
        }
        progress.is_over();
    }
}

/// The content repeats: two periods hold every piece of one period's length.
pub(super) fn two_periods() -> Vec<u8> {
    let mut content = Vec::with_capacity(2 * PERIOD);
    Content::shared().copy_to(0, 2 * PERIOD, &mut content);
    content
}

/// Opens a socket with its options in the host's namespace and binds it to the host's address and to the port of the
/// connection with this number, from 0.
///
/// # Errors
/// [`SettingError::NotTaken`] if the kernel does not take an option; [`SettingError::Read`] if there is no such socket.
pub fn open(linux: &Linux, site: &Site, number: u16) -> Result<Opened, SettingError> {
    let Site {
        host,
        namespace,
        device,
        ..
    } = site;
    let host = *host;
    let name = Node::from(host).name();
    let failed = |source: io::Error| SettingError::Read { host: name, source };
    let not_taken = |setting: &str, wanted: String, because: String| SettingError::NotTaken {
        host: name,
        setting: setting.to_owned(),
        wanted,
        because,
    };
    let socket = namespace
        .run(|| bound(site.network(), number, host))
        .and_then(|socket| socket)
        .map_err(failed)?;
    if let Some(wanted) = &linux.congestion_control {
        setsockopt(&socket, TcpCongestion, &OsString::from(wanted))
            .map_err(|error| not_taken("TCP_CONGESTION", wanted.clone(), error.desc().to_owned()))?;
    }
    if let Some(wanted) = linux.mss {
        setsockopt(&socket, TcpMaxSeg, &u32::from(wanted))
            .map_err(|error| not_taken("TCP_MAXSEG", wanted.to_string(), error.desc().to_owned()))?;
    }
    Ok(Opened {
        socket,
        namespace: namespace.clone(),
        host,
        device: device.clone(),
        network: site.network(),
        number,
        occasion: Occasion::Period,
        is_alone: true,
        triggers: None,
    })
}

pub(super) fn bound(network: Network, number: u16, host: Host) -> io::Result<OwnedFd> {
    let family = match network {
        Network::Ipv4 => AddressFamily::Inet,
        Network::Ipv6 => AddressFamily::Inet6,
    };
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let socket = socket(family, SockType::Stream, flags, SockProtocol::Tcp)?;
    // A connection of an earlier run that the kernel has not forgotten must not be in the way.
    setsockopt(&socket, ReuseAddr, &true)?;
    bind(
        socket.as_raw_fd(),
        &SockaddrStorage::from(address_on(network, number, host)),
    )?;
    Ok(socket)
}

/// The options of a connected socket that matter to its TCP.
pub(super) fn options(socket: &impl AsFd, host: Host) -> Settings {
    let mut settings = Settings::new();
    let mut record = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            settings.insert(format!("{}.socket.{name}", Node::from(host).name()), value);
        }
    };
    let text = |name: OsString| name.to_string_lossy().trim_end_matches('\0').to_owned();
    record("TCP_CONGESTION", getsockopt(socket, TcpCongestion).ok().map(text));
    record("TCP_MAXSEG", number(socket, TcpMaxSeg));
    record("SO_SNDBUF", number(socket, SndBuf));
    record("SO_RCVBUF", number(socket, RcvBuf));
    settings
}

fn number<O: GetSockOpt<Val: ToString>>(socket: &impl AsFd, option: O) -> Option<String> {
    getsockopt(socket, option).ok().map(|value| value.to_string())
}
