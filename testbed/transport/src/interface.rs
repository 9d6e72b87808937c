//! What a run asks of a transport, and what it is answered.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use windlull_units::{Carries, Ecn, Host, Network, Seed, Time};

use crate::said::Said;

/// The version of this contract. It changes when a stack that was written for the version before could misunderstand.
pub const CONTRACT: u32 = 1;

/// The most octets of a UDP payload over any version of IP; over IPv6 it is less ([`Carries::most_octets`]).
pub const MAX_DATAGRAM: usize = Carries::Datagrams.most_octets(Network::Ipv4);

windlull_units::named! {
    /// Which end of a connection. The client always stands at the link's client, and opens the connection.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum Role {
        Server = "server",
        Client = "client",
    }
}

impl Role {
    /// The end at this host.
    pub const fn at(host: Host) -> Self {
        match host {
            Host::Server => Self::Server,
            Host::Client => Self::Client,
        }
    }

    /// What says in a stream's number who opens it.
    const fn bit(self) -> u64 {
        match self {
            Self::Client => 0,
            Self::Server => 1,
        }
    }

    /// The other end.
    #[must_use]
    pub const fn peer(self) -> Self {
        Self::at(self.host().peer())
    }

    /// The host where this end stands.
    pub const fn host(self) -> Host {
        match self {
            Self::Server => Host::Server,
            Self::Client => Host::Client,
        }
    }
}

/// The number of a stream, as in QUIC (RFC 9000, section 2.1): its low bits say who opens it and whether it goes both ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct StreamId(pub u64);

impl StreamId {
    /// The stream of this number, from 0, among those that go both ways and that this end opens.
    pub const fn two_way(opener: Role, number: u64) -> Self {
        Self(number << 2 | opener.bit())
    }

    /// The stream of this number, from 0, among those that go one way, away from this end.
    pub const fn one_way(from: Role, number: u64) -> Self {
        Self(number << 2 | 0b10 | from.bit())
    }

    /// Its number, from 0, among those of its kind.
    pub const fn number(self) -> u64 {
        self.0 >> 2
    }

    /// Who opens it.
    pub const fn opener(self) -> Role {
        if self.0 & 0b01 == 0 { Role::Client } else { Role::Server }
    }

    pub const fn is_one_way(self) -> bool {
        self.0 & 0b10 != 0
    }
}

/// All that an end knows when it begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Start {
    pub role: Role,
    /// What all its random numbers are to be drawn from; the other end's is another one.
    #[serde(with = "seed_in_hex")]
    #[schemars(with = "String", regex(pattern = "^[0-9a-f]{64}$"))]
    pub seed: [u8; 32],
    /// What the variant's file sets for this stack, by name.
    pub options: BTreeMap<String, String>,
    /// Whether all that it says of itself is written down.
    pub is_recorded: bool,
    /// Whether it sends the data: then [`Said::PacketReceived`], [`Said::PacketLost`], [`Said::Metrics`] and
    /// [`Said::ProbeTimeout`] are of use even if nothing is written down. [`Said::PacketSent`] with its frames always is.
    pub is_data_sender: bool,
    /// The version of IP that its packets have; absent: IPv4. A stack that hands over packets writes their headers.
    #[serde(default, skip_serializing_if = "Network::is_default")]
    pub network: Network,
}

impl Start {
    /// An end of a connection in a run of this seed, over IPv4.
    pub fn of_run(role: Role, seed: Seed, options: BTreeMap<String, String>) -> Self {
        Self {
            role,
            seed: seed.octets(&format!("{}/transport", role.name())),
            options,
            is_recorded: true,
            is_data_sender: true,
            network: Network::default(),
        }
    }
}

/// Octets that the application has for a stream. Their values are the stack's choice: nobody reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Write {
    /// If it is not open yet, it is opened. Streams of a kind are opened in order of their numbers.
    pub stream: StreamId,
    /// How many octets, behind those that were written before.
    pub length: u64,
    /// Whether the stream ends behind them.
    pub ends: bool,
}

/// What one end hands to the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// The UDP payload, or the IP packet, of at most [`Carries::most_octets`].
    pub octets: Vec<u8>,
    pub ecn: Ecn,
}

impl Datagram {
    /// # Errors
    /// If no packet of a stack that carries these over this version of IP can carry it.
    pub fn check(&self, carries: Carries, network: Network) -> Result<(), Broken> {
        let (length, most) = (self.octets.len(), carries.most_octets(network));
        if (1..=most).contains(&length) {
            return Ok(());
        }
        Err(unfit(carries, length, &format!("1 to {most}")))
    }
}

/// A stack sends something of this length, where its length must be in this range.
pub(crate) fn unfit(carries: Carries, length: usize, range: &str) -> Broken {
    Broken(match carries {
        Carries::Datagrams => format!("sends a datagram of {length} octets; {range} fit into a packet"),
        Carries::Packets => format!("sends a packet of {length} octets; the link takes {range}"),
    })
}

/// One answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// Something to send, now.
    Send(Datagram),
    /// The application has read so many octets of a stream, and it ends behind them if it `ends`.
    Read { stream: StreamId, length: u64, ends: bool },
    /// The handshake is complete.
    Connected,
    /// The connection is over for this end; it may still answer what arrives.
    Closed {
        /// What went wrong; `None` if it was closed in order.
        error: Option<String>,
    },
    /// What this end says of itself. What was sent is told before the datagram that holds it.
    Said(Said),
    /// A line as NSS writes its key logs, for those who decrypt captures.
    Secret(String),
}

/// What an end answers to one call, in order.
#[derive(Debug, Default)]
pub struct Answers {
    pub items: Vec<Answer>,
    /// When it wants to be woken next; `None` if only by a datagram or its application.
    pub wake: Option<Time>,
}

impl Answers {
    /// Appends an answer.
    pub fn push(&mut self, answer: Answer) {
        self.items.push(answer);
    }

    /// Appends what the end says of itself.
    pub fn say(&mut self, said: Said) {
        self.items.push(Answer::Said(said));
    }
}

/// A stack that hangs, dies or breaks the contract: what it did, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Broken(pub String);

/// One end of a connection.
///
/// Each call says what happens `now`, which never falls. The end does all that it has to do by then, sets
/// [`Answers::wake`] anew, and returns. What goes wrong within the connection (the peer's error, an idle timeout) is an
/// answer, [`Answer::Closed`], and no error.
///
/// # Errors
/// Every call fails if the stack is at fault; the run ends there.
pub trait Transport: Send {
    /// The client opens the connection.
    fn connect(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken>;

    /// A datagram arrives.
    fn datagram(&mut self, now: Time, octets: &[u8], ecn: Ecn, answers: &mut Answers) -> Result<(), Broken>;

    /// The instant that it asked to be woken at has come.
    fn wake(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken>;

    /// The application writes; at the server it may do so before the connection is open.
    fn write(&mut self, now: Time, write: Write, answers: &mut Answers) -> Result<(), Broken>;

    /// The application closes the connection in order: all has been read.
    fn close(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken>;
}

/// What an application orders at an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Connect,
    Write(Write),
    Close,
}

impl Order {
    /// Orders it.
    ///
    /// # Errors
    /// As those of [`Transport`].
    pub fn give(self, end: &mut dyn Transport, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        match self {
            Self::Connect => end.connect(now, answers),
            Self::Write(write) => end.write(now, write, answers),
            Self::Close => end.close(now, answers),
        }
    }
}

/// A transport's implementation.
pub trait Stack: Sync {
    /// Its name, as variants name it.
    fn name(&self) -> &str;

    /// Which version of which package it is, as in `quinn-proto 0.11.19`.
    fn version(&self) -> String;

    /// Its options: a name, what it may be, what it is by default, and what it means, in a line.
    fn options(&self) -> &'static [(&'static str, &'static str)];

    /// What its ends hand to the link. Packets are of TCP, from and to the addresses of `windlull_capture::address_in`, and one
    /// with a wrong checksum is refused. A stack that carries them has one stream each way, and says nothing of itself.
    fn carries(&self) -> Carries {
        Carries::Datagrams
    }

    /// One end of a new connection.
    ///
    /// # Errors
    /// If an option is not known, or has a value that it cannot have.
    fn begin(&self, start: &Start) -> Result<Box<dyn Transport>, Broken>;
}

mod seed_in_hex {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(seed: &[u8; 32], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&super::Hex(seed))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u8; 32], D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut seed = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return Err(D::Error::custom("a seed is 64 hexadecimal digits"));
        }
        for (place, octet) in seed.iter_mut().enumerate() {
            *octet = u8::from_str_radix(&text[2 * place..2 * place + 2], 16).map_err(D::Error::custom)?;
        }
        Ok(seed)
    }
}

/// Octets as hexadecimal digits.
struct Hex<'a>(&'a [u8]);

impl std::fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|octet| write!(f, "{octet:02x}"))
    }
}
