//! System calls, made of a TCP of ours.

use windlull_tcp::ConnectionState;
use windlull_units::{Span, Time};

use crate::play::Player;
use crate::play::sockets::Receiving;
use crate::play::stop::{Step, differs, seconds, unplayable};
use crate::script::{Action, Call, Event, EventTime, Expression};

/// Socket options without a meaning here: the variant says what they would, or there is no other host.
const IDLE_OPTIONS: [&str; 9] = [
    "SO_REUSEADDR",
    "SO_RCVBUF",
    "SO_SNDBUF",
    "TCP_NODELAY",
    "TCP_QUICKACK",
    "TCP_CONGESTION",
    "TCP_MAXSEG",
    "IP_MTU_DISCOVER",
    "SO_LINGER",
];

impl Player {
    /// Whether an event is what the application does at the instant of the event before, and the TCP waits for it before it
    /// answers: it takes what arrived, closes once the peer has, or writes where `TCP_QUICKACK` is off.
    pub(super) fn acts_at_once(&self, next: &Event) -> bool {
        let Action::Call(call) = &next.action else { return false };
        if next.time != EventTime::Relative(Span::ZERO) {
            return false;
        }
        match call.name.as_str() {
            "accept" | "read" | "recv" => true,
            "close" | "shutdown" => self.endpoint.peer_closed() || self.sockets.is_patient,
            "write" | "send" => self.sockets.is_patient,
            _ => false,
        }
    }

    pub(super) fn call(&mut self, line: usize, call: &Call, counted_from: Time) -> Step {
        match call.name.as_str() {
            "socket" => self.socket(line, call),
            "bind" | "fcntl" | "getsockopt" => Ok(()),
            "setsockopt" => self.set_option(line, call),
            "listen" => {
                self.sockets.listening = descriptor(call);
                self.endpoint.listen();
                Ok(())
            }
            "connect" => {
                self.sockets.connection = descriptor(call);
                self.endpoint.connect(self.now);
                Ok(())
            }
            "accept" => self.accept(line, call),
            "write" | "send" => self.write(line, call),
            "read" | "recv" => self.read(line, call, counted_from),
            "shutdown" => match call.arguments.get(1) {
                Some(Expression::Word(how)) if how == "SHUT_WR" => {
                    self.endpoint.close(self.now);
                    Ok(())
                }
                _ => Err(unplayable(line, "a simulation knows `shutdown(..., SHUT_WR)` alone")),
            },
            "close" => {
                if descriptor(call) == self.sockets.connection {
                    self.endpoint.close(self.now);
                }
                Ok(())
            }
            other => Err(unplayable(
                line,
                format!("a simulation does not have the system call `{other}`"),
            )),
        }
    }

    fn socket(&mut self, line: usize, call: &Call) -> Step {
        let is_tcp = call.arguments.iter().any(|argument| match argument {
            Expression::Word(word) => word == "SOCK_STREAM",
            Expression::Or(words) => words.contains(&Expression::Word("SOCK_STREAM".to_owned())),
            _ => false,
        });
        if !is_tcp {
            return Err(unplayable(
                line,
                "a simulation has sockets of TCP (`SOCK_STREAM`) alone",
            ));
        }
        if self.sockets.connection.is_some() || self.sockets.listening.is_some() {
            return Err(unplayable(line, "a simulation has one connection"));
        }
        Ok(())
    }

    fn set_option(&mut self, line: usize, call: &Call) -> Step {
        let Some(Expression::Word(name)) = call.arguments.get(2) else {
            return Err(unplayable(line, "`setsockopt` names an option, as `SO_REUSEADDR`"));
        };
        if !IDLE_OPTIONS.contains(&name.as_str()) {
            return Err(unplayable(
                line,
                format!("a simulation does not have the socket option `{name}`"),
            ));
        }
        if name == "TCP_QUICKACK" {
            self.sockets.is_patient = call.arguments.get(3) == Some(&Expression::List(vec![Expression::Integer(0)]));
        }
        Ok(())
    }

    fn accept(&mut self, line: usize, call: &Call) -> Step {
        if matches!(
            self.endpoint.state(),
            ConnectionState::Closed | ConnectionState::Listen | ConnectionState::SynReceived
        ) {
            return Err(differs(
                line,
                format!("nobody can be accepted: the state is {:?}", self.endpoint.state()),
            ));
        }
        if let Expression::Integer(number) = call.result {
            self.sockets.connection = Some(number);
        }
        Ok(())
    }

    fn write(&mut self, line: usize, call: &Call) -> Step {
        match (call.arguments.get(2), &call.result) {
            (Some(Expression::Integer(asked)), Expression::Integer(written)) if asked == written => {
                self.endpoint.write(self.now, u64::try_from(*written).unwrap_or(0));
                Ok(())
            }
            _ => Err(unplayable(
                line,
                "a simulation takes all that is written: `write(4, ..., 1000) = 1000`",
            )),
        }
    }

    fn read(&mut self, line: usize, call: &Call, counted_from: Time) -> Step {
        let result = match call.result {
            Expression::Integer(number) => number,
            _ => return Err(unplayable(line, "a number is expected that the call returns")),
        };
        let Ok(octets) = u64::try_from(result) else {
            let there = self.endpoint.readable();
            return if there == 0 {
                Ok(())
            } else {
                Err(differs(
                    line,
                    format!("expected nothing to read; there are {there} octets"),
                ))
            };
        };
        if let Some(returns) = call.returns {
            self.sockets.receiving = Some(Receiving {
                line,
                left: octets,
                returns: counted_from + returns,
            });
            return self.receive();
        }
        let asked = match call.arguments.get(2) {
            Some(Expression::Integer(asked)) => u64::try_from(*asked).unwrap_or(0),
            _ => octets,
        };
        let got = self.endpoint.read(self.now, asked);
        if got == octets {
            Ok(())
        } else {
            Err(differs(line, format!("expected to read {octets} octets; read {got}")))
        }
    }

    /// Hands what has arrived to the call that waits for it.
    pub(super) fn receive(&mut self) -> Step {
        let Some(receiving) = &mut self.sockets.receiving else {
            return Ok(());
        };
        // An application that waits is woken by data alone.
        if self.endpoint.readable() > 0 {
            receiving.left -= self.endpoint.read(self.now, receiving.left);
        }
        if receiving.left > 0 {
            return Ok(());
        }
        let Receiving { line, returns, .. } = *receiving;
        self.sockets.receiving = None;
        if self.now + self.tolerance < returns || self.now > returns + self.tolerance {
            let what = format!(
                "expected to return at {}, returned at {}",
                seconds(returns),
                seconds(self.now)
            );
            return Err(differs(line, what));
        }
        Ok(())
    }

    /// Whether no call waits any more.
    pub(super) fn all_received(&self) -> Step {
        match self.sockets.receiving {
            None => Ok(()),
            Some(Receiving { line, left, .. }) => Err(differs(line, format!("{left} octets did not arrive"))),
        }
    }
}

/// The descriptor that a call is about.
fn descriptor(call: &Call) -> Option<i64> {
    match call.arguments.first() {
        Some(Expression::Integer(number)) => Some(*number),
        _ => None,
    }
}
