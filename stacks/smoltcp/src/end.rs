//! One end of a connection.

use std::net::SocketAddr;

use smoltcp::iface::{Config, Interface, SocketHandle, SocketSet};
use smoltcp::socket::tcp::{RecvError, Socket, SocketBuffer, State};
use smoltcp::time::Instant;
use smoltcp::wire::{HardwareAddress, IpCidr};
use windlull_capture::address_in;
use windlull_transport::{Answer, Answers, Broken, Datagram, Role, Start, StreamId, Transport, Write};
use windlull_units::{Ecn, Network, Span, Time};

use crate::device::Device;
use crate::options::Options;

/// What every stream consists of.
static ZEROS: [u8; 65_536] = [0; 65_536];

/// How often in a row smoltcp may ask to be polled at once and then do nothing, before it has to wait for its clock's next tick.
const FRUITLESS_POLLS: u32 = 4;
const TICK: Span = Span::from_us(1);

/// An end of a connection: an interface with one socket.
pub(crate) struct End {
    role: Role,
    network: Network,
    interface: Interface,
    device: Device,
    sockets: SocketSet<'static>,
    socket: SocketHandle,
    /// Octets that the application has written and the socket has not taken.
    unwritten: u64,
    /// Whether the application writes no more.
    ends: bool,
    /// What the run was told.
    is_connected: bool,
    has_read_all: bool,
    is_closed: bool,
}

impl End {
    pub(crate) fn new(start: &Start, options: &Options) -> Self {
        let mut device = Device::new(options.mtu);
        let mut config = Config::new(HardwareAddress::Ip);
        let [first, ..] = start.seed.as_chunks::<8>().0 else {
            unreachable!("a seed has 32 octets");
        };
        config.random_seed = u64::from_be_bytes(*first);
        let mut interface = Interface::new(config, &mut device, Instant::ZERO);
        let (own, peer) = addresses(start.role, start.network);
        // Both ends are in one network, so that no router is asked for.
        let prefix = match start.network {
            Network::Ipv4 => 24,
            Network::Ipv6 => 64,
        };
        interface.update_ip_addrs(|addresses| {
            let own = IpCidr::new(own.ip().into(), prefix);
            addresses.push(own).expect("an interface has room for one address");
        });
        debug_assert!(
            interface
                .ip_addrs()
                .iter()
                .any(|net| net.contains_addr(&peer.ip().into()))
        );
        let buffer = |octets| SocketBuffer::new(vec![0; octets]);
        let mut socket = Socket::new(buffer(options.receive_buffer), buffer(options.send_buffer));
        socket.set_congestion_control(options.congestion);
        socket.set_ack_delay(options.ack_delay);
        socket.set_nagle_enabled(options.has_nagle);
        if start.role == Role::Server {
            socket.listen(own).expect("a new socket listens");
        }
        let mut sockets = SocketSet::new(Vec::new());
        let socket = sockets.add(socket);
        Self {
            role: start.role,
            network: start.network,
            interface,
            device,
            sockets,
            socket,
            unwritten: 0,
            ends: false,
            is_connected: false,
            has_read_all: false,
            is_closed: false,
        }
    }

    fn socket(&mut self) -> &mut Socket<'static> {
        self.sockets.get_mut(self.socket)
    }

    /// Lets smoltcp do all that it has to do by now.
    fn drive(&mut self, now: Time, answers: &mut Answers) {
        let at = instant(now);
        let mut fruitless = 0;
        answers.wake = loop {
            let before = answers.items.len();
            self.write();
            self.interface.poll(at, &mut self.device, &mut self.sockets);
            answers.items.extend(self.device.sent.drain(..).map(send));
            self.tell(answers);
            let next = self.interface.poll_at(at, &self.sockets);
            // What was read opens the window, and what was sent makes room for more to write.
            if answers.items.len() > before {
                fruitless = 0;
                continue;
            }
            match next {
                Some(next) if next <= at && fruitless < FRUITLESS_POLLS => fruitless += 1,
                Some(next) if next <= at => break Some(time(at) + TICK),
                next => break next.map(time),
            }
        };
    }

    /// Writes what the socket has room for, and closes it behind all.
    fn write(&mut self) {
        let (mut unwritten, ends) = (self.unwritten, self.ends);
        let socket = self.socket();
        while unwritten > 0 && socket.can_send() {
            let most = usize::try_from(unwritten).map_or(ZEROS.len(), |left| left.min(ZEROS.len()));
            let Ok(written @ 1..) = socket.send_slice(&ZEROS[..most]) else {
                break;
            };
            unwritten -= written as u64;
        }
        if unwritten == 0 && ends && socket.may_send() {
            socket.close();
        }
        self.unwritten = unwritten;
    }

    /// Reads what has arrived, and tells what the run does not know yet.
    fn tell(&mut self, answers: &mut Answers) {
        let state = self.socket().state();
        let is_open = !matches!(
            state,
            State::Closed | State::Listen | State::SynSent | State::SynReceived
        );
        if is_open && !self.is_connected {
            self.is_connected = true;
            answers.push(Answer::Connected);
        }
        self.read(answers);
        let is_over = matches!(state, State::TimeWait) || state == State::Closed && self.is_connected;
        if is_over && !self.is_closed {
            self.is_closed = true;
            let is_whole = self.has_read_all && self.ends && self.unwritten == 0;
            let error = (!is_whole).then(|| "the connection was reset".to_owned());
            answers.push(Answer::Closed { error });
        }
    }

    fn read(&mut self, answers: &mut Answers) {
        let stream = StreamId::one_way(self.role.peer(), 0);
        let (mut length, mut ends) = (0, false);
        loop {
            match self.socket().recv(|octets| (octets.len(), octets.len())) {
                Ok(0) | Err(RecvError::InvalidState) => break,
                Ok(read) => length += read as u64,
                Err(RecvError::Finished) => {
                    ends = !self.has_read_all;
                    self.has_read_all = true;
                    break;
                }
            }
        }
        if length > 0 || ends {
            answers.push(Answer::Read { stream, length, ends });
        }
    }
}

impl Transport for End {
    fn connect(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        let (own, peer) = addresses(self.role, self.network);
        if self.role != Role::Client {
            return Err(Broken("smoltcp was asked to connect what is no client".to_owned()));
        }
        let socket = self.sockets.get_mut::<Socket<'static>>(self.socket);
        socket
            .connect(self.interface.context(), peer, own)
            .map_err(|error| Broken(format!("smoltcp does not connect: {error}")))?;
        self.drive(now, answers);
        Ok(())
    }

    fn datagram(&mut self, now: Time, octets: &[u8], _: Ecn, answers: &mut Answers) -> Result<(), Broken> {
        self.device.arrived.push_back(octets.to_vec());
        self.drive(now, answers);
        Ok(())
    }

    fn wake(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.drive(now, answers);
        Ok(())
    }

    fn write(&mut self, now: Time, write: Write, answers: &mut Answers) -> Result<(), Broken> {
        let stream = write.stream;
        if stream != StreamId::one_way(self.role, 0) {
            return Err(Broken(format!(
                "the {} cannot write to stream {}; a connection of TCP has one stream each way",
                self.role.name(),
                stream.0
            )));
        }
        if self.ends {
            return Err(Broken(format!(
                "something was written behind the end of stream {}",
                stream.0
            )));
        }
        self.unwritten += write.length;
        self.ends = write.ends;
        self.drive(now, answers);
        Ok(())
    }

    fn close(&mut self, now: Time, answers: &mut Answers) -> Result<(), Broken> {
        self.ends = true;
        self.drive(now, answers);
        Ok(())
    }
}

/// An end's own address, and its peer's.
fn addresses(role: Role, network: Network) -> (SocketAddr, SocketAddr) {
    let host = role.host();
    (address_in(network, host), address_in(network, host.peer()))
}

fn send(octets: Vec<u8>) -> Answer {
    // smoltcp marks no packet as capable of congestion marks.
    let ecn = Ecn::NotEct;
    Answer::Send(Datagram { octets, ecn })
}

fn instant(now: Time) -> Instant {
    Instant::from_micros(i64::try_from(now.as_ns() / 1_000).unwrap_or(i64::MAX))
}

fn time(at: Instant) -> Time {
    let us = u64::try_from(at.total_micros()).unwrap_or(0);
    Time::from_ns(us.saturating_mul(1_000))
}
