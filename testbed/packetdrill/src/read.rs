//! Reads a script strictly: what packetdrill's grammar does not have is refused, and so is what of it Windlull does not
//! know, with the line, the column and what would be right.

mod call;
mod packet;
mod tokens;

use windlull_units::Span;

use crate::lex::Kind;
use crate::script::{Action, Direction, Event, EventTime, Script, ScriptOption};

pub use tokens::ReadError;

use tokens::Tokens;

/// The options that packetdrill takes.
const OPTIONS: [&str; 32] = [
    "bind_port",
    "code_command",
    "code_format",
    "code_sockopt",
    "connect_port",
    "debug",
    "define",
    "dry_run",
    "gateway_ip",
    "init_scripts",
    "ip_version",
    "local_ip",
    "mss",
    "mtu",
    "netmask_ip",
    "non_fatal",
    "remote_ip",
    "send_omit_free",
    "so_filename",
    "so_flags",
    "speed",
    "strict_segments",
    "tcp_ts_ecr_scaled",
    "tcp_ts_tick_usecs",
    "tolerance_percent",
    "tolerance_usecs",
    "verbose",
    "wire_client",
    "wire_client_dev",
    "wire_server",
    "wire_server_dev",
    "wire_server_ip",
];

/// Reads a script.
///
/// # Errors
/// The first thing that is wrong.
pub fn read(text: &str) -> Result<Script, ReadError> {
    Reader {
        tokens: Tokens::new(text)?,
        depth: 0,
    }
    .script()
}

/// The parts of the grammar take the words one by one.
struct Reader<'a> {
    tokens: Tokens<'a>,
    /// Values that the one being read stands in.
    depth: usize,
}

impl Reader<'_> {
    fn script(mut self) -> Result<Script, ReadError> {
        let mut script = Script::default();
        while let Some(Kind::Option(_)) = self.tokens.peek() {
            script.options.push(self.option()?);
        }
        if let Some(Kind::Shell(_)) = self.tokens.peek() {
            script.first_command = self.tokens.shell();
        }
        // What stands above all is of the script, not of its first event.
        let begins_with_event = script.options.is_empty() && script.first_command.is_none();
        if begins_with_event {
            script.head = self.tokens.comments();
        } else {
            script.head = self.tokens.heard();
        }
        while let Some(kind) = self.tokens.peek() {
            if matches!(kind, Kind::Shell(_)) {
                script.last_command = self.tokens.shell();
                if self.tokens.peek().is_some() {
                    return self
                        .tokens
                        .wrong("the last command ends the script; one between events has a time before it");
                }
                break;
            }
            let comments = self.tokens.comments();
            let event = self.event(comments)?;
            script.events.push(event);
        }
        if script.events.is_empty() {
            return self
                .tokens
                .wrong("a script has at least one event, as `0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3`");
        }
        script.foot = self.tokens.comments();
        Ok(script)
    }

    fn option(&mut self) -> Result<ScriptOption, ReadError> {
        let Some(Kind::Option(name)) = self.tokens.peek() else {
            return self.tokens.wrong("an option as `--tolerance_usecs=4000` is expected");
        };
        let name = name.clone();
        if !OPTIONS.contains(&name.as_str()) {
            return self.tokens.unknown("option", &name, &OPTIONS);
        }
        self.tokens.skip();
        let value = if self.tokens.takes('=') {
            Some(self.option_value()?)
        } else {
            None
        };
        Ok(ScriptOption { name, value })
    }

    fn option_value(&mut self) -> Result<String, ReadError> {
        let value = match self.tokens.peek() {
            Some(Kind::Integer(text) | Kind::Address(text)) => text.clone(),
            Some(Kind::Text(text)) => format!("\"{text}\""),
            Some(Kind::Word(word)) => {
                let word = word.clone();
                self.tokens.skip();
                if !self.tokens.takes('=') {
                    return Ok(word);
                }
                match self.tokens.peek() {
                    Some(Kind::Word(value)) => format!("{word}={value}"),
                    Some(Kind::Text(value)) => format!("{word}=\"{value}\""),
                    Some(Kind::Shell(value)) => format!("{word}=`{value}`"),
                    _ => {
                        return self
                            .tokens
                            .wrong("a word, a text or a shell command is expected behind `=`");
                    }
                }
            }
            _ => {
                return self
                    .tokens
                    .wrong("a whole number, a word, a text or an IPv4 address is expected");
            }
        };
        self.tokens.skip();
        Ok(value)
    }

    fn event(&mut self, comments: Vec<String>) -> Result<Event, ReadError> {
        let line = self.tokens.line();
        let time_at = self.tokens.position();
        let time = self.event_time()?;
        let action = self.action()?;
        let expects = matches!(action, Action::Packet(Direction::Outbound, _));
        if !expects && !matches!(time, EventTime::Relative(_) | EventTime::Absolute(_)) {
            let message = "only a segment that is expected (`>`) may have `*` or a range for its time";
            return Err(self.tokens.error_at(time_at, message));
        }
        Ok(Event {
            line,
            comments,
            time,
            action,
        })
    }

    fn event_time(&mut self) -> Result<EventTime, ReadError> {
        if self.tokens.takes('*') {
            return Ok(EventTime::Any);
        }
        let relative = self.tokens.takes('+');
        let from = self.time()?;
        let at = self.tokens.position();
        if !self.tokens.takes('~') {
            return Ok(if relative {
                EventTime::Relative(from)
            } else {
                EventTime::Absolute(from)
            });
        }
        if relative {
            self.tokens.expect(
                '+',
                "a range from the event before has `+` on both sides, as `+0.1~+0.2`",
            )?;
        }
        let to = self.time()?;
        if to < from {
            return Err(self.tokens.error_at(at, "the range ends before it begins"));
        }
        Ok(if relative {
            EventTime::RelativeRange(from, to)
        } else {
            EventTime::AbsoluteRange(from, to)
        })
    }

    /// A time in seconds, to the nanosecond. packetdrill itself counts in microseconds.
    fn time(&mut self) -> Result<Span, ReadError> {
        let Some(Kind::Integer(text) | Kind::Decimal(text)) = self.tokens.peek() else {
            return self
                .tokens
                .wrong("a time in seconds is expected, as `0`, `0.25`, `+0.1` or `*`");
        };
        let Some(ns) = nanoseconds(text) else {
            return self.tokens.wrong("a time is not negative, and less than 1000000000 s");
        };
        self.tokens.skip();
        Ok(Span::from_ns(ns))
    }

    fn action(&mut self) -> Result<Action, ReadError> {
        match self.tokens.peek() {
            Some(Kind::Symbol('<')) => {
                self.tokens.skip();
                Ok(Action::Packet(Direction::Inbound, self.packet(Direction::Inbound)?))
            }
            Some(Kind::Symbol('>')) => {
                self.tokens.skip();
                Ok(Action::Packet(Direction::Outbound, self.packet(Direction::Outbound)?))
            }
            Some(Kind::Shell(command)) => {
                let command = command.clone();
                self.tokens.skip();
                Ok(Action::Command(command))
            }
            Some(Kind::Code(code)) => {
                let code = code.clone();
                self.tokens.skip();
                Ok(Action::Code(code))
            }
            Some(Kind::Word(_) | Kind::Ellipsis) => Ok(Action::Call(self.call()?)),
            _ => self.tokens.wrong(
                "a segment (`<` or `>`), a system call, a shell command in back quotes or code in `%{ }%` is expected \
                 behind the time",
            ),
        }
    }
}

/// Whole nanoseconds of seconds in decimal digits; `None` if there are too many, or a minus.
fn nanoseconds(text: &str) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let part: String = part.chars().chain("000000000".chars()).take(9).collect();
    let ns = whole.checked_mul(1_000_000_000)?.checked_add(part.parse().ok()?)?;
    (whole < 1_000_000_000).then_some(ns)
}
