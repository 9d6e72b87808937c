//! One end of a connection.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use windlull_transport::{Answer, Answers, Broken, Datagram, MAX_DATAGRAM, Role, Said, Start, Transport, Write};
use windlull_units::{Ecn, Span, Time};

use super::config::Given;
use super::log::Log;
use super::mtu_probe::{MtuProbe, Probes};
use super::options::Options;
use super::streams::Streams;
use super::{config, tls};
use crate::dialect::{self, NAME};
use crate::proto::{
    ApplicationClose, ClientConfig, Connection, ConnectionClose, ConnectionError, ConnectionHandle, DatagramEvent,
    EcnCodepoint, Endpoint, Event, Incoming, Transmit, TransportErrorCode, VarInt,
};

/// The client of the network for tests of RFC 2544, appendix C.2.2.
const CLIENT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(198, 18, 0, 2)), 50_000);

/// The server of that network.
const SERVER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(198, 18, 0, 1)), 4_433);

/// How often in a row quinn may ask to be woken at once and then do nothing, before it has to wait for `AGAIN`. In real time it
/// would find that time has passed; here time stands still until it is done.
const FRUITLESS_WAKES: u32 = 4;
const AGAIN: Span = Span::from_us(1);

/// An end of a connection, with the endpoint that it belongs to.
pub(crate) struct End {
    /// The instant that is the run's start. quinn only ever sees differences to it.
    base: Instant,
    peer: SocketAddr,
    endpoint: Endpoint,
    state: State,
    streams: Streams,
    probe: MtuProbe,
    log: Log,
    /// Where quinn writes a datagram.
    buffer: Vec<u8>,
}

/// Where the connection stands, as far as the run was told.
enum State {
    /// A client that has not been asked to connect.
    Unconnected(Box<ClientConfig>),
    /// A server that nobody has reached.
    Listening,
    Handshake(Box<Held>),
    Open(Box<Held>),
    /// It is over; quinn may still answer what arrives.
    Closed(Option<Box<Held>>),
}

/// quinn's connection, and what its endpoint calls it.
struct Held {
    handle: ConnectionHandle,
    connection: Connection,
}

impl End {
    /// # Errors
    /// Only if quinn or rustls no longer have what this crate was written for.
    pub(crate) fn new(start: &Start, options: &Options) -> Result<Self, Broken> {
        let base = Instant::now();
        let log = Log::new(start.is_recorded, start.is_data_sender);
        let given = Given {
            seed: &start.seed,
            options,
            log: &log,
            base,
        };
        let (state, server, peer) = match start.role {
            Role::Client => {
                let client = config::client(given)?;
                (State::Unconnected(Box::new(client)), None, SERVER)
            }
            Role::Server => {
                let server = config::server(given)?;
                (State::Listening, Some(Arc::new(server)), CLIENT)
            }
        };
        let endpoint = dialect::endpoint(config::endpoint(&start.seed), server);
        Ok(Self {
            base,
            peer,
            endpoint,
            state,
            streams: Streams::new(start.role, options.send_window),
            probe: MtuProbe::default(),
            log,
            buffer: Vec::with_capacity(MAX_DATAGRAM),
        })
    }

    fn instant(&self, now: Time) -> Instant {
        self.base + Duration::from_nanos(now.as_ns())
    }

    fn time(&self, instant: Instant) -> Time {
        let ns = instant.saturating_duration_since(self.base).as_nanos();
        Time::from_ns(u64::try_from(ns).unwrap_or(u64::MAX))
    }

    fn held(&mut self) -> Option<&mut Held> {
        match &mut self.state {
            State::Unconnected(_) | State::Listening => None,
            State::Handshake(held) | State::Open(held) => Some(held),
            State::Closed(held) => held.as_deref_mut(),
        }
    }

    /// A client reaches this server.
    fn accept(&mut self, now: Time, incoming: Incoming, answers: &mut Answers) -> Result<(), Broken> {
        if !matches!(self.state, State::Listening) {
            // A late copy of the first packet of a connection that is gone.
            self.endpoint.ignore(incoming);
            return Ok(());
        }
        self.buffer.clear();
        let at = self.instant(now);
        match self.endpoint.accept(incoming, at, &mut self.buffer, None) {
            Ok((handle, connection)) => {
                self.state = State::Handshake(Box::new(Held { handle, connection }));
                Ok(())
            }
            Err(refused) => match refused.response {
                Some(transmit) => {
                    self.send(&transmit, answers)?;
                    self.close_with(&refused.cause, answers);
                    Ok(())
                }
                // It was not a client's packet, or not as the client sent it; the client sends it again.
                None => Ok(()),
            },
        }
    }

    /// Lets quinn do all that it has to do by now, in the order in which quinn's own driver asks it: so acknowledgements leave
    /// before the application hears of what arrived.
    fn drive(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        let at = self.instant(now);
        let mut fruitless = 0;
        answers.wake = loop {
            if self.transmit(at, answers)? {
                fruitless = 0;
            }
            let Some(held) = self.held() else {
                break None;
            };
            if held.connection.poll_timeout().is_some_and(|wake| wake <= at) {
                if fruitless == FRUITLESS_WAKES {
                    break Some(now + AGAIN);
                }
                fruitless += 1;
                held.connection.handle_timeout(at);
                self.tell_lost_probe();
            } else if !self.exchange_with_endpoint() && !self.handle_events(answers)? {
                let wake = self.held().and_then(|held| held.connection.poll_timeout());
                break wake.map(|wake| self.time(wake));
            }
        };
        self.streams.tell_reads(&mut answers.items);
        self.log.move_to(&mut answers.items)
    }

    /// Hears what quinn tells its application, and writes what there is room for. Says whether there was any of it.
    fn handle_events(&mut self, answers: &mut Answers) -> Result<bool, Broken> {
        let mut has_heard = false;
        while let Some(event) = self.held().and_then(|held| held.connection.poll()) {
            has_heard = true;
            match event {
                Event::Connected => {
                    self.state = match std::mem::replace(&mut self.state, State::Listening) {
                        State::Handshake(held) => {
                            self.log.move_to(&mut answers.items)?;
                            answers.push(Answer::Connected);
                            self.streams.on_connected();
                            State::Open(held)
                        }
                        other => other,
                    };
                }
                Event::ConnectionLost { reason } => {
                    self.log.move_to(&mut answers.items)?;
                    self.close_with(&reason, answers);
                }
                Event::Stream(event) => {
                    if let State::Handshake(held) | State::Open(held) = &mut self.state {
                        self.streams.on_event(&event, &mut held.connection);
                    }
                }
                // Of the handshake, of datagrams (RFC 9221), of paths: none of it concerns an application of streams.
                _ => {}
            }
        }
        // Not before the handshake is done: who uses quinn has no connection to write to until then.
        let has_written = match &mut self.state {
            State::Open(held) => self.streams.pump(&mut held.connection)?,
            _ => false,
        };
        Ok(has_heard || has_written)
    }

    /// Sends all that quinn has to send, and says whether it had something.
    fn transmit(&mut self, at: Instant, answers: &mut Answers) -> Result<bool, Broken> {
        let mut has_sent = false;
        loop {
            let mut buffer = std::mem::take(&mut self.buffer);
            buffer.clear();
            let transmit = self
                .held()
                .and_then(|held| dialect::poll_transmit(&mut held.connection, at, &mut buffer));
            self.buffer = buffer;
            let Some(transmit) = transmit else {
                return Ok(has_sent);
            };
            has_sent = true;
            let ping = self.log.take_padded_ping();
            if let Some((number, probes)) = ping.and_then(|number| Some((number, self.probes()?))) {
                self.probe.on_padded_ping(number, probes);
            }
            self.send(&transmit, answers)?;
        }
    }

    /// Tells what was said of this datagram's packets, and sends it.
    fn send(&mut self, transmit: &Transmit, answers: &mut Answers) -> Result<(), Broken> {
        if transmit.size > MAX_DATAGRAM || transmit.segment_size.is_some() {
            return Err(Broken(format!("{NAME} sends {} octets at once", transmit.size)));
        }
        self.log.move_to(&mut answers.items)?;
        answers.push(Answer::Send(Datagram {
            octets: self.buffer[..transmit.size].to_vec(),
            ecn: match transmit.ecn {
                None => Ecn::NotEct,
                Some(EcnCodepoint::Ect0) => Ecn::Ect0,
                Some(EcnCodepoint::Ect1) => Ecn::Ect1,
                Some(EcnCodepoint::Ce) => Ecn::Ce,
            },
        }));
        Ok(())
    }

    /// Tells the loss of a probe of the MTU, which quinn does not tell itself.
    fn tell_lost_probe(&mut self) {
        if !self.probe.is_out() {
            return;
        }
        let lost = self.probes().and_then(|probes| self.probe.lost(probes));
        if let Some(lost) = lost {
            self.log.say(Said::PacketLost(lost));
        }
    }

    fn probes(&mut self) -> Option<Probes> {
        self.held().map(|held| dialect::probes(&mut held.connection))
    }

    /// Passes events between the connection and its endpoint, and says whether there was one for the connection.
    fn exchange_with_endpoint(&mut self) -> bool {
        let (State::Handshake(held) | State::Open(held) | State::Closed(Some(held))) = &mut self.state else {
            return false;
        };
        let mut has_answered = false;
        while let Some(event) = held.connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(held.handle, event) {
                held.connection.handle_event(event);
                has_answered = true;
            }
        }
        has_answered
    }

    /// The connection is over, for this reason.
    fn close_with(&mut self, reason: &ConnectionError, answers: &mut Answers) {
        let is_in_order = match reason {
            ConnectionError::LocallyClosed => true,
            ConnectionError::ApplicationClosed(ApplicationClose { error_code, .. }) => error_code.into_inner() == 0,
            // RFC 9000, section 20.1: this is no error either.
            ConnectionError::ConnectionClosed(ConnectionClose { error_code, .. }) => {
                *error_code == TransportErrorCode::NO_ERROR
            }
            _ => false,
        };
        self.close_state((!is_in_order).then(|| reason.to_string()), answers);
    }

    /// Tells that the connection is over, unless it was told.
    fn close_state(&mut self, error: Option<String>, answers: &mut Answers) {
        self.state = match std::mem::replace(&mut self.state, State::Listening) {
            State::Closed(held) => State::Closed(held),
            before => {
                self.streams.tell_reads(&mut answers.items);
                answers.push(Answer::Closed { error });
                match before {
                    State::Handshake(held) | State::Open(held) => State::Closed(Some(held)),
                    _ => State::Closed(None),
                }
            }
        };
    }
}

impl Transport for End {
    fn connect(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        let State::Unconnected(client) = &self.state else {
            return Err(Broken(format!(
                "{NAME} was asked to connect what is no client or has connected"
            )));
        };
        let client = ClientConfig::clone(client);
        let (handle, connection) = self
            .endpoint
            .connect(self.instant(now), client, self.peer, tls::SERVER_NAME)
            .map_err(|error| Broken(format!("{NAME} does not connect: {error}")))?;
        self.state = State::Handshake(Box::new(Held { handle, connection }));
        self.drive(now, answers)
    }

    fn datagram(&mut self, now: Time, octets: &[u8], ecn: Ecn, answers: &mut Answers) -> Result<(), Broken> {
        let ecn = EcnCodepoint::from_bits(ecn.bits());
        let at = self.instant(now);
        self.buffer.clear();
        let octets = BytesMut::from(octets);
        match dialect::handle(&mut self.endpoint, at, self.peer, ecn, octets, &mut self.buffer) {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some(held) = self.held() {
                    held.connection.handle_event(event);
                    self.tell_lost_probe();
                }
            }
            Some(DatagramEvent::NewConnection(incoming)) => self.accept(now, incoming, answers)?,
            Some(DatagramEvent::Response(transmit)) => self.send(&transmit, answers)?,
            None => {}
        }
        self.drive(now, answers)
    }

    fn wake(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.drive(now, answers)
    }

    fn write(&mut self, now: Time, write: Write, answers: &mut Answers) -> Result<(), Broken> {
        // What is written when the connection is over goes nowhere.
        if !matches!(self.state, State::Closed(_)) {
            self.streams.write(write)?;
        }
        self.drive(now, answers)
    }

    fn close(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        let at = self.instant(now);
        if let Some(held) = self.held() {
            held.connection.close(at, VarInt::from_u32(0), Bytes::new());
        }
        // quinn tells the peer, and not who asked for it.
        self.close_state(None, answers);
        self.drive(now, answers)
    }
}
