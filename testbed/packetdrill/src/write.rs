//! A script as text.

use std::fmt::{self, Display, Formatter};

use windlull_units::{Ecn, Span};
use windlull_wire::Flags;

use crate::script::{
    Action, Call, Direction, Event, EventTime, ExpectedOptions, Expression, Ip, Packet, Script, ScriptOption, TcpOption,
};

/// The letters of the flags, in the order in which they are written; ACK is the dot behind them.
pub(crate) const LETTERS: [(char, Flags); 8] = [
    ('S', Flags::SYN),
    ('F', Flags::FIN),
    ('R', Flags::RST),
    ('E', Flags::ECE),
    ('W', Flags::CWR),
    ('A', Flags::AE),
    ('P', Flags::PSH),
    ('U', Flags::URG),
];

impl Display for Script {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        comments(f, &self.head)?;
        for ScriptOption { name, value } in &self.options {
            match value {
                None => writeln!(f, "--{name}")?,
                Some(value) => writeln!(f, "--{name}={value}")?,
            }
        }
        if let Some(command) = &self.first_command {
            writeln!(f, "\n`{command}`")?;
        }
        if !self.events.is_empty() {
            writeln!(f)?;
        }
        for event in &self.events {
            write!(f, "{event}")?;
        }
        if let Some(command) = &self.last_command {
            writeln!(f, "\n`{command}`")?;
        }
        comments(f, &self.foot)
    }
}

fn comments(f: &mut Formatter<'_>, comments: &[String]) -> fmt::Result {
    for comment in comments {
        writeln!(f, "//{}{comment}", if comment.is_empty() { "" } else { " " })?;
    }
    Ok(())
}

impl Display for Event {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        comments(f, &self.comments)?;
        writeln!(f, "{} {}", self.time, self.action)
    }
}

impl Display for EventTime {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Relative(time) => write!(f, "+{}", seconds(time)),
            Self::Absolute(time) => f.write_str(&seconds(time)),
            Self::Any => f.write_str("*"),
            Self::RelativeRange(from, to) => write!(f, "+{}~+{}", seconds(from), seconds(to)),
            Self::AbsoluteRange(from, to) => write!(f, "{}~{}", seconds(from), seconds(to)),
        }
    }
}

/// A time in seconds, to the nanosecond. packetdrill reads it as a floating-point number and cuts off what is less than a
/// microsecond: where that would lose one, a digit behind the nanoseconds keeps it.
fn seconds(time: Span) -> String {
    let ns = time.as_ns();
    let (whole, part) = (ns / 1_000_000_000, ns % 1_000_000_000);
    if part == 0 {
        return whole.to_string();
    }
    let digits = format!("{whole}.{part:09}");
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "what packetdrill does"
    )]
    let is_kept = digits
        .parse::<f64>()
        .is_ok_and(|secs| (secs * 1.0e6) as u64 == ns / 1_000);
    if is_kept {
        digits.trim_end_matches('0').to_owned()
    } else {
        digits + "1"
    }
}

impl Display for Action {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packet(Direction::Inbound, packet) => write!(f, "< {packet}"),
            Self::Packet(Direction::Outbound, packet) => write!(f, "> {packet}"),
            Self::Call(call) => call.fmt(f),
            Self::Command(command) => write!(f, "`{command}`"),
            Self::Code(code) => write!(f, "%{{ {code} }}%"),
        }
    }
}

impl Display for Packet {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(ip) = self.ip {
            let word = match ip {
                Ip::Ecn(Ecn::NotEct) => "noecn",
                Ip::Ecn(Ecn::Ect0) => "ect0",
                Ip::Ecn(Ecn::Ect1) => "ect1",
                Ip::Ecn(Ecn::Ce) => "ce",
                Ip::AnyCapable => "ect01",
            };
            write!(f, "[{word}] ")?;
        }
        f.write_str(&flags(self.flags))?;
        let (seq, len) = (u64::from(self.seq), u64::from(self.payload_len));
        write!(f, " {seq}:{}({len})", seq + len)?;
        if let Some(ack) = self.ack {
            write!(f, " ack {ack}")?;
        }
        if let Some(window) = self.window {
            write!(f, " win {window}")?;
        }
        match &self.options {
            ExpectedOptions::Any => f.write_str(" <...>"),
            ExpectedOptions::These(options) if options.is_empty() => Ok(()),
            ExpectedOptions::These(options) => {
                let words: Vec<String> = options.iter().map(TcpOption::to_string).collect();
                write!(f, " <{}>", words.join(","))
            }
        }
    }
}

/// The flags of a segment.
pub(crate) fn flags(flags: Flags) -> String {
    let mut text: String = LETTERS
        .iter()
        .filter_map(|&(letter, flag)| flags.has(flag).then_some(letter))
        .collect();
    if flags.has(Flags::ACK) {
        text.push('.');
    }
    if text.is_empty() { "-".to_owned() } else { text }
}

impl Display for TcpOption {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nop => f.write_str("nop"),
            Self::EndOfList => f.write_str("eol"),
            Self::Mss(mss) => write!(f, "mss {mss}"),
            Self::WindowScale(shift) => write!(f, "wscale {shift}"),
            Self::SackPermitted => f.write_str("sackOK"),
            Self::Sack(blocks) => {
                f.write_str("sack")?;
                blocks.iter().try_for_each(|(left, right)| write!(f, " {left}:{right}"))
            }
            Self::Timestamps { value, echo } => write!(f, "TS val {value} ecr {echo}"),
        }
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(returns) = self.returns {
            write!(f, "...{} ", seconds(returns))?;
        }
        write!(f, "{}({}) = {}", self.name, joined(&self.arguments, ", "), self.result)?;
        if let Some(errno) = &self.errno {
            write!(f, " {} ({})", errno.name, errno.words)?;
        }
        if let Some(note) = &self.note {
            write!(f, " ({note})")?;
        }
        Ok(())
    }
}

fn joined(expressions: &[Expression], between: &str) -> String {
    let words: Vec<String> = expressions.iter().map(Expression::to_string).collect();
    words.join(between)
}

impl Display for Expression {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ellipsis => f.write_str("..."),
            Self::Integer(number) => number.fmt(f),
            Self::Hexadecimal(number) => write!(f, "{number:#x}"),
            Self::Word(word) => f.write_str(word),
            Self::Text(text) => write!(f, "\"{text}\""),
            Self::Or(operands) => f.write_str(&joined(operands, "|")),
            Self::Named(name, value) => write!(f, "{name}={value}"),
            Self::Applied(name, value) => write!(f, "{name}({value})"),
            Self::List(elements) => write!(f, "[{}]", joined(elements, ", ")),
            Self::Structure(fields) => write!(f, "{{{}}}", joined(fields, ", ")),
        }
    }
}
