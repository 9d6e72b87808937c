//! Makes a script of what a capture of a run shows at one end of a connection.
//!
//! The script begins with the connection, wherever the episode lies: a host under test comes to the same state in no other
//! way. What arrived there is handed in, what left is expected. Times are the run's to the nanosecond, of which packetdrill
//! takes the microseconds; a simulation takes all, as its links make coincidences that a microsecond would undo.

mod calls;
mod error;
mod numbers;
mod side;

use windlull_capture::Seen;
use windlull_tcp::Variant;
use windlull_units::{Ecn, Network, Span, Time};
use windlull_wire::Flags;

use crate::options::written;
use crate::script::{Action, Direction, Event, EventTime, ExpectedOptions, Ip, Packet, Script, ScriptOption};

pub use error::ExportError;
pub use side::Side;

use calls::Application;
use numbers::Numbers;

/// Something that is said at its time, above the segments that follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    pub at: Time,
    pub text: String,
}

/// What a script is made of.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// All segments of the connection at the host under test, in order of time.
    pub seen: &'a [Seen],
    pub side: Side,
    /// What comes later is left out.
    pub until: Time,
    /// How far a segment may be from its time.
    pub tolerance: Span,
    /// Comments above all.
    pub head: Vec<String>,
    /// Comments between the events, in order of time.
    pub remarks: &'a [Remark],
    /// The shell command before all.
    pub first_command: String,
    /// The TCP that made the run, if it is of ours.
    pub variant: Option<&'a Variant>,
}

/// Makes the script.
///
/// # Errors
/// [`ExportError`].
pub fn export(request: &Request<'_>) -> Result<Script, ExportError> {
    let seen = request.seen;
    let end = seen.partition_point(|seen| seen.at <= request.until);
    let (shown, _) = seen.split_at(end);
    let first = shown.first().ok_or(ExportError::Nothing { until: request.until })?;
    if !first.segment.flags.has(Flags::SYN) || first.segment.flags.has(Flags::ACK) {
        return Err(ExportError::NoSyn);
    }
    let application = Application::of(request.side, seen, shown)?;
    let mut numbers = Numbers::of(shown);
    let mut events = Events::default();
    for call in application.opening(request.variant) {
        events.push(Time::ZERO, Action::Call(call));
    }
    let mut remarks = request.remarks.iter().peekable();
    for (place, seen) in shown.iter().enumerate() {
        // What is said of an instant stands behind what arrived in it, and above what was sent.
        while let Some(remark) =
            remarks.next_if(|remark| remark.at < seen.at || (remark.at == seen.at && seen.is_outbound))
        {
            events.remark(remark.text.clone());
        }
        for call in application.before(place) {
            events.push(seen.at, Action::Call(call));
        }
        if let Some(comment) = &seen.comment {
            events.remark(comment.clone());
        }
        let direction = if seen.is_outbound {
            Direction::Outbound
        } else {
            Direction::Inbound
        };
        events.push(seen.at, Action::Packet(direction, packet(seen, &mut numbers)?));
        for call in application.after(place) {
            events.push(seen.at, Action::Call(call));
        }
    }
    let left = remarks.filter(|remark| remark.at <= request.until);
    Ok(Script {
        head: request.head.clone(),
        options: script_options(request, shown),
        first_command: Some(request.first_command.clone()),
        events: events.list,
        last_command: None,
        foot: left.map(|remark| remark.text.clone()).collect(),
    })
}

fn script_options(request: &Request<'_>, shown: &[Seen]) -> Vec<ScriptOption> {
    let option = |name: &str, value: u64| ScriptOption {
        name: name.to_owned(),
        value: Some(value.to_string()),
    };
    let mut options = vec![option("tolerance_usecs", request.tolerance.as_ns() / 1_000)];
    let own = shown.iter().find(|seen| seen.is_outbound);
    let network = own.map_or(Network::default(), |seen| seen.network);
    if !network.is_default() {
        options.push(ScriptOption {
            name: "ip_version".to_owned(),
            value: Some(network.name().to_owned()),
        });
    }
    // A kernel's own MSS follows from the device's MTU: 20 octets of IPv4 header, or 40 of IPv6, and 20 of TCP.
    if let Some(mss) = own.and_then(|seen| seen.segment.options.mss) {
        options.push(option("mtu", u64::from(mss) + u64::from(network.header_len()) + 20));
    }
    // Linux' timestamps tick in milliseconds; of other clocks, packetdrill could not compare them.
    let has_stamps = own.is_some_and(|seen| seen.segment.options.timestamps.is_some());
    let in_ms = request
        .variant
        .is_none_or(|variant| variant.timer.granularity <= Span::from_ms(1));
    if has_stamps && in_ms {
        options.push(option("tcp_ts_tick_usecs", 1_000));
    }
    options
}

fn packet(seen: &Seen, numbers: &mut Numbers) -> Result<Packet, ExportError> {
    let segment = &seen.segment;
    let (seq, ack) = numbers.of_segment(seen).ok_or(ExportError::TooLong)?;
    let mut options = segment.options;
    numbers.relate(seen.is_outbound, segment.flags.has(Flags::ACK), &mut options);
    Ok(Packet {
        ip: (segment.ecn != Ecn::NotEct).then_some(Ip::Ecn(segment.ecn)),
        flags: segment.flags,
        seq,
        payload_len: u16::try_from(segment.payload_len).unwrap_or(u16::MAX),
        ack,
        // A kernel's own window follows its buffers, and is not what is tested.
        window: (!seen.is_outbound).then_some(segment.window),
        options: ExpectedOptions::These(written(&options)),
    })
}

/// Events in order of time, each counted from the one before.
#[derive(Debug, Default)]
struct Events {
    list: Vec<Event>,
    /// The last event's time.
    at: Time,
    comments: Vec<String>,
}

impl Events {
    fn remark(&mut self, text: String) {
        self.comments.push(text);
    }

    fn push(&mut self, at: Time, action: Action) {
        let at = at.max(self.at);
        let since = at.since(self.at);
        // packetdrill wants the first event at time 0.
        let time = if self.list.is_empty() {
            EventTime::Absolute(since)
        } else {
            EventTime::Relative(since)
        };
        self.at = at;
        self.list.push(Event {
            line: 0,
            comments: std::mem::take(&mut self.comments),
            time,
            action,
        });
    }
}
