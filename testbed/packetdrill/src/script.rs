//! A script as it is written: options, a first command, events, a last command.

use windlull_units::{Ecn, Network, Span};
use windlull_wire::Flags;

/// A script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Comments before the first event.
    pub head: Vec<String>,
    pub options: Vec<ScriptOption>,
    /// The shell command that runs before time begins.
    pub first_command: Option<String>,
    pub events: Vec<Event>,
    /// The shell command that runs after all, whatever happened.
    pub last_command: Option<String>,
    /// Comments behind the last event.
    pub foot: Vec<String>,
}

impl Script {
    /// The version of IP that the connection is of, by `--ip_version`; packetdrill's own default is IPv4.
    pub fn network(&self) -> Network {
        let said = self.options.iter().rev().find(|option| option.name == "ip_version");
        let is_ipv6 = said.and_then(|option| option.value.as_deref()) == Some(Network::Ipv6.name());
        if is_ipv6 { Network::Ipv6 } else { Network::Ipv4 }
    }
}

/// What the script asks of packetdrill as its command line might: `--name=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptOption {
    /// Without the dashes.
    pub name: String,
    /// As it is written, with its quotes.
    pub value: Option<String>,
}

/// Something that is done or expected.
#[derive(Clone, Debug, Eq)]
pub struct Event {
    /// Where it stands in the file, from 1; 0 of one that was not read. Equal events may stand in different lines.
    pub line: usize,
    /// The comments above it.
    pub comments: Vec<String>,
    pub time: EventTime,
    pub action: Action,
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        (&self.comments, &self.time, &self.action) == (&other.comments, &other.time, &other.action)
    }
}

/// When an event happens. packetdrill counts in microseconds and cuts off what is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventTime {
    /// So long after the event before.
    Relative(Span),
    /// So long after the start.
    Absolute(Span),
    /// Whenever it comes.
    Any,
    /// Between these, counted from the event before.
    RelativeRange(Span, Span),
    /// Between these, counted from the start.
    AbsoluteRange(Span, Span),
}

/// What an event is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Packet(Direction, Packet),
    Call(Call),
    /// A shell command.
    Command(String),
    /// Code that checks the socket's `tcp_info`.
    Code(String),
}

/// Which way a segment goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `<`: to the host under test.
    Inbound,
    /// `>`: from it.
    Outbound,
}

/// What is said of a segment's IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ip {
    Ecn(Ecn),
    /// `ect01`: of a segment that is expected, either ECN-capable codepoint.
    AnyCapable,
}

/// A segment. Sequence numbers count from the initial one of the end that sends the octets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    pub ip: Option<Ip>,
    pub flags: Flags,
    pub seq: u32,
    /// Octets of payload.
    pub payload_len: u16,
    pub ack: Option<u32>,
    /// The window field, not scaled. An inbound segment has one; an expected one without it may have any.
    pub window: Option<u16>,
    pub options: ExpectedOptions,
}

/// The TCP options of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedOptions {
    /// These, in this order.
    These(Vec<TcpOption>),
    /// `<...>`: any, of an expected segment.
    Any,
}

/// A TCP option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TcpOption {
    Nop,
    EndOfList,
    Mss(u16),
    WindowScale(u8),
    SackPermitted,
    /// Blocks, first octet and the octet after the last.
    Sack(Vec<(u32, u32)>),
    Timestamps {
        value: u32,
        echo: u32,
    },
}

/// A system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Of a call that blocks: when it returns, counted as the event's own time is.
    pub returns: Option<Span>,
    pub name: String,
    pub arguments: Vec<Expression>,
    pub result: Expression,
    /// The error that it fails with.
    pub errno: Option<Errno>,
    /// What stands in parentheses behind a result, for readers.
    pub note: Option<String>,
}

/// An error of a system call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errno {
    /// `EINPROGRESS`.
    pub name: String,
    /// `Operation now in progress`.
    pub words: String,
}

/// An argument or a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// `...`: whatever fits.
    Ellipsis,
    Integer(i64),
    /// An integer in hexadecimal digits.
    Hexadecimal(u64),
    Word(String),
    /// Within its quotes, as it is written.
    Text(String),
    /// `A|B`.
    Or(Vec<Expression>),
    /// `name = value`.
    Named(String, Box<Expression>),
    /// `htons(80)`.
    Applied(String, Box<Expression>),
    /// `[...]`.
    List(Vec<Expression>),
    /// `{...}`.
    Structure(Vec<Expression>),
}
