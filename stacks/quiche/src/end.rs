//! One end of a connection.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use quiche::{Config, Connection, ConnectionError, ConnectionId, Error, Header, QlogLevel, RecvInfo, Type};
use windlull_transport::{Answer, Answers, Broken, Datagram, MAX_DATAGRAM, Role, Start, Transport, Write};
use windlull_units::{Ecn, Span, Time};

use crate::config::{SERVER_NAME, config};
use crate::log::{KeyLog, Log};
use crate::machine::{self, Machine};
use crate::options::Options;
use crate::protection::{self, Tap, heard};
use crate::qlog::Lines;
use crate::streams::Streams;

/// The client of the network for tests of RFC 2544, appendix C.2.2.
const CLIENT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(198, 18, 0, 2)), 50_000);

/// The server of that network.
const SERVER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(198, 18, 0, 1)), 4_433);

/// How often in a row quiche may ask to be woken at once and then do nothing, before it has to wait for `AGAIN`. In real time it
/// would find that time has passed; here time stands still until it is done.
const FRUITLESS_WAKES: u32 = 4;
const AGAIN: Duration = Duration::from_micros(1);

/// An end of a connection, and what it has in place of a machine.
pub(crate) struct End {
    machine: Machine,
    tap: Option<Tap>,
    inner: Inner,
}

/// All of an end that computes within the machine.
struct Inner {
    role: Role,
    config: Config,
    /// The instant that is the run's start.
    base: Instant,
    state: State,
    streams: Streams,
    log: Log,
    /// Where quiche writes a datagram.
    buffer: [u8; MAX_DATAGRAM],
}

/// Where the connection stands, as far as the run was told.
enum State {
    /// A client that has not been asked to connect, or a server that nobody has reached.
    Waiting,
    Handshake(Box<Connection>),
    Open(Box<Connection>),
    /// It is over; quiche may still answer what arrives.
    Closed(Option<Box<Connection>>),
}

impl End {
    /// # Errors
    /// If this program is not linked as it must be, or quiche no longer has what this crate was written for.
    pub(crate) fn new(start: &Start, options: &Options) -> Result<Self, Broken> {
        machine::check()?;
        protection::check()?;
        let log = Log::new(start.role, start.is_recorded, start.is_data_sender);
        let mut machine = Machine::new(&start.seed);
        let inner = machine.run(Time::ZERO, || {
            Ok(Inner {
                role: start.role,
                config: config(start.role, options)?,
                base: Instant::now(),
                state: State::Waiting,
                streams: Streams::new(start.role),
                log: log.clone(),
                buffer: [0; MAX_DATAGRAM],
            })
        })?;
        Ok(Self {
            machine,
            tap: Some(Tap::new(log)),
            inner,
        })
    }

    /// Makes a call at this time, within the machine, and with its packets heard.
    fn run(&mut self, now: Time, call: impl FnOnce(&mut Inner) -> Result<(), Broken>) -> Result<(), Broken> {
        self.machine.run(now, || heard(&mut self.tap, || call(&mut self.inner)))
    }
}

impl State {
    fn connection(&mut self) -> Option<&mut Connection> {
        match self {
            Self::Waiting => None,
            Self::Handshake(connection) | Self::Open(connection) => Some(connection),
            Self::Closed(connection) => connection.as_deref_mut(),
        }
    }
}

impl Inner {
    /// A connection that has just begun.
    fn begin(&mut self) -> Result<(), Broken> {
        // As long as quiche's applications make them.
        let mut id = [0; quiche::MAX_CONN_ID_LEN];
        boring::rand::rand_bytes(&mut id).map_err(|error| Broken(format!("there are no random octets: {error}")))?;
        let id = ConnectionId::from_ref(&id);
        let connection = match self.role {
            Role::Client => quiche::connect(Some(SERVER_NAME), &id, CLIENT, SERVER, &mut self.config),
            Role::Server => quiche::accept(&id, None, SERVER, CLIENT, &mut self.config),
        };
        let mut connection = connection.map_err(|error| Broken(format!("quiche begins no connection: {error}")))?;
        connection.set_keylog(Box::new(KeyLog(self.log.clone())));
        if self.log.needs_recovery() {
            let lines = Box::new(Lines::new(self.log.clone()));
            // The next level adds what passes between the application and the streams, which the run knows, and nothing of
            // recovery but the state of congestion control.
            let level = if self.log.is_recorded() {
                QlogLevel::Base
            } else {
                QlogLevel::Core
            };
            connection.set_qlog_with_level(lines, String::new(), String::new(), level);
        }
        self.state = State::Handshake(Box::new(connection));
        Ok(())
    }

    fn connect(&mut self, answers: &mut Answers) -> Result<(), Broken> {
        if self.role != Role::Client || !matches!(self.state, State::Waiting) {
            return Err(Broken(
                "quiche was asked to connect what is no client or has connected".to_owned(),
            ));
        }
        self.begin()?;
        self.drive(answers)
    }

    fn datagram(&mut self, octets: &[u8], answers: &mut Answers) -> Result<(), Broken> {
        let mut octets = octets.to_vec();
        let is_first = self.role == Role::Server && matches!(self.state, State::Waiting);
        if is_first && !self.accept(&mut octets, answers)? {
            return Ok(());
        }
        let (from, to) = match self.role {
            Role::Server => (CLIENT, SERVER),
            Role::Client => (SERVER, CLIENT),
        };
        if let Some(connection) = self.state.connection() {
            // What is wrong with it quiche tells the peer, and `tell_end` the run.
            connection.recv(&mut octets, RecvInfo { from, to }).ok();
            if is_first && connection.is_closed() {
                // It was not what a client sent; the client sends it again.
                self.state = State::Waiting;
            }
        }
        self.drive(answers)
    }

    /// Begins a connection with whoever sent the first datagram, if that is how one begins. Says whether it did.
    fn accept(&mut self, octets: &mut [u8], answers: &mut Answers) -> Result<bool, Broken> {
        let Ok(header) = Header::from_slice(octets, quiche::MAX_CONN_ID_LEN) else {
            return Ok(false);
        };
        if header.ty != Type::Initial {
            return Ok(false);
        }
        if quiche::version_is_supported(header.version) {
            self.begin()?;
            return Ok(true);
        }
        if let Ok(length) = quiche::negotiate_version(&header.scid, &header.dcid, &mut self.buffer) {
            self.send(length, answers)?;
        }
        Ok(false)
    }

    fn close(&mut self, answers: &mut Answers) -> Result<(), Broken> {
        if let Some(connection) = self.state.connection() {
            // It is an error only if it was closed before.
            connection.close(true, 0, &[]).ok();
        }
        self.close_state(None, answers);
        self.drive(answers)
    }

    /// Lets quiche do all that it has to do by now, in the order in which its applications do it: they read and write before they
    /// send.
    fn drive(&mut self, answers: &mut Answers) -> Result<(), Broken> {
        let now = Instant::now();
        let mut fruitless = 0;
        let wake = loop {
            self.exchange(answers)?;
            let sent = answers.items.len();
            let release = self.transmit(now, answers)?;
            if answers.items.len() > sent {
                fruitless = 0;
            }
            self.tell_end(answers)?;
            let log = self.log.clone();
            let Some(connection) = self.state.connection() else {
                break None;
            };
            let timeout = connection.timeout_instant();
            if timeout.is_none_or(|timeout| timeout > now) {
                break timeout.into_iter().chain(release).min();
            }
            if fruitless == FRUITLESS_WAKES {
                break Some(now + AGAIN);
            }
            fruitless += 1;
            log.in_timer(|| connection.on_timeout());
        };
        answers.wake = wake.map(|wake| self.time(wake));
        self.log.move_to(&mut answers.items)
    }

    fn time(&self, instant: Instant) -> Time {
        let ns = instant.saturating_duration_since(self.base).as_nanos();
        Time::ZERO + Span::from_ns(u64::try_from(ns).unwrap_or(u64::MAX))
    }

    /// Tells that the handshake is complete, reads what has arrived and writes what there is room for.
    fn exchange(&mut self, answers: &mut Answers) -> Result<(), Broken> {
        self.log.move_to(&mut answers.items)?;
        self.state = match std::mem::replace(&mut self.state, State::Waiting) {
            State::Handshake(connection) if connection.is_established() => {
                answers.push(Answer::Connected);
                State::Open(connection)
            }
            other => other,
        };
        // Not before the handshake is done: applications of quiche wait for it.
        if let State::Open(connection) = &mut self.state {
            self.streams.read(connection, &mut answers.items);
            self.streams.pump(connection)?;
        }
        Ok(())
    }

    /// Sends what quiche has to send by now, and says when more may leave, if quiche holds it until then.
    ///
    /// quiche tells with each datagram when it should leave (`SendInfo::at`), but counts it as sent now, and what it tells is
    /// computed after that: it is the time of the next. So quiche is asked for a datagram only when its time has come, as
    /// Cloudflare's own `tokio-quiche` does it (`quic/io/worker.rs`), and what may leave in one burst leaves at once.
    fn transmit(&mut self, now: Instant, answers: &mut Answers) -> Result<Option<Instant>, Broken> {
        loop {
            let Some(connection) = self.state.connection().filter(|connection| !connection.is_closed()) else {
                return Ok(None);
            };
            let first = connection.get_next_release_time();
            if let Some(release) = first.and_then(|first| first.time(now)) {
                return Ok(Some(release));
            }
            loop {
                let Some(connection) = self.state.connection() else {
                    return Ok(None);
                };
                let length = match connection.send(&mut self.buffer) {
                    Ok((length, _)) => length,
                    Err(Error::Done) => return Ok(None),
                    Err(_) => {
                        // As quiche's applications answer it: an error of theirs, for a reason that they do not know.
                        connection.close(false, 0x1, b"fail").ok();
                        return Ok(None);
                    }
                };
                let is_burst = first
                    .zip(connection.get_next_release_time())
                    .is_none_or(|(first, next)| next.can_burst() || next.time_eq(&first, now));
                self.send(length, answers)?;
                if !is_burst {
                    break;
                }
            }
        }
    }

    /// Tells what was said of the packets in the buffer, and sends it.
    fn send(&mut self, length: usize, answers: &mut Answers) -> Result<(), Broken> {
        self.log.move_to(&mut answers.items)?;
        answers.push(Answer::Send(Datagram {
            octets: self.buffer[..length].to_vec(),
            ecn: Ecn::NotEct,
        }));
        Ok(())
    }

    /// Tells that the connection is over, if it is.
    fn tell_end(&mut self, answers: &mut Answers) -> Result<(), Broken> {
        let over = self
            .state
            .connection()
            .filter(|connection| connection.is_draining() || connection.is_closed());
        if let Some(error) = over.map(|connection| error(connection)) {
            self.log.move_to(&mut answers.items)?;
            self.close_state(error, answers);
        }
        Ok(())
    }

    /// Tells that the connection is over, unless it was told.
    fn close_state(&mut self, error: Option<String>, answers: &mut Answers) {
        self.state = match std::mem::replace(&mut self.state, State::Waiting) {
            State::Closed(connection) => State::Closed(connection),
            before => {
                answers.push(Answer::Closed { error });
                match before {
                    State::Handshake(connection) | State::Open(connection) => State::Closed(Some(connection)),
                    _ => State::Closed(None),
                }
            }
        };
    }
}

/// Why a connection is over; `None` if it was closed in order.
fn error(connection: &Connection) -> Option<String> {
    if connection.is_timed_out() {
        return Some("timed out".to_owned());
    }
    let (by, error) = match (connection.peer_error(), connection.local_error()) {
        (Some(error), _) => ("the peer", error),
        (None, Some(error)) => ("quiche", error),
        (None, None) => return Some("the peer reset the connection".to_owned()),
    };
    let ConnectionError {
        is_app,
        error_code,
        reason,
    } = error;
    // RFC 9000, section 20.1: zero is no error. The application's zero is how runs end.
    (*error_code != 0).then(|| {
        let whose = if *is_app { "application" } else { "transport" };
        let reason = String::from_utf8_lossy(reason);
        format!("{by} closed the connection with {whose} error {error_code:#x} {reason}")
            .trim_end()
            .to_owned()
    })
}

impl Transport for End {
    fn connect(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.run(now, |end| end.connect(answers))
    }

    fn datagram(&mut self, now: Time, octets: &[u8], _ecn: Ecn, answers: &mut Answers) -> Result<(), Broken> {
        self.run(now, |end| end.datagram(octets, answers))
    }

    fn wake(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.run(now, |end| end.drive(answers))
    }

    fn write(&mut self, now: Time, write: Write, answers: &mut Answers) -> Result<(), Broken> {
        self.run(now, |end| {
            // What is written when the connection is over goes nowhere.
            if !matches!(end.state, State::Closed(_)) {
                end.streams.write(write)?;
            }
            end.drive(answers)
        })
    }

    fn close(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.run(now, |end| end.close(answers))
    }
}
