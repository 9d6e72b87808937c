//! One end of a connection: quinn-proto's endpoint and connection, and an application that writes or reads.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use quinn_proto::crypto::rustls::QuicClientConfig;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, ConnectionStats, DatagramEvent, Dir, EcnCodepoint, Endpoint,
    EndpointConfig, Event, ServerConfig, StreamEvent, StreamId, Transmit, TransportConfig,
};
use rustls::RootCertStore;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, UnixTime};
use rustls::time_provider::TimeProvider;
use windlull_link::{Datagram, Direction, Ecn};

/// The client, in the network for tests of RFC 2544, appendix C.2.2.
const CLIENT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(198, 18, 0, 2)), 50_000);

/// The server in that network.
const SERVER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(198, 18, 0, 1)), 4_433);

/// Whom the certificate names.
const SERVER_NAME: &str = "windlull.test";
const CERTIFICATE: &[u8] = include_bytes!("../../../../stacks/certificate/certificate.der");
const KEY: &[u8] = include_bytes!("../../../../stacks/certificate/key.der");

/// What the streams consist of, a piece at a time.
static ZEROS: [u8; 65_536] = [0; 65_536];

/// How often in a row quinn may ask to be woken at once and then do nothing; then time passes.
const FRUITLESS_WAKES: u32 = 4;

/// The least time that passes then.
const AGAIN: Duration = Duration::from_micros(1);

/// A day in 2027 on which the certificate is valid, whatever the machine's clock says.
#[derive(Debug)]
struct FixedTime;

impl TimeProvider for FixedTime {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(Duration::from_secs(1_800_000_000)))
    }
}

pub(crate) struct End {
    sends: Direction,
    peer: SocketAddr,
    endpoint: Endpoint,
    connection: Option<(ConnectionHandle, Connection)>,
    is_connected: bool,
    /// Octets that the application has still to write, and the stream that it writes them to.
    left: u64,
    stream: Option<StreamId>,
    /// Octets that the application has still to read.
    unread: u64,
    /// What quinn has sent outside of a connection.
    answers: Vec<Datagram>,
}

impl End {
    pub(crate) fn server(transport: Arc<TransportConfig>) -> Result<Self, Box<dyn Error>> {
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(KEY));
        let mut config = ServerConfig::with_single_cert(vec![CertificateDer::from(CERTIFICATE)], key)?;
        config.transport_config(transport);
        Ok(Self::new(Direction::Down, CLIENT, Some(Arc::new(config))))
    }

    pub(crate) fn client(now: Instant, transport: Arc<TransportConfig>) -> Result<Self, Box<dyn Error>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from(CERTIFICATE))?;
        let tls = rustls::ClientConfig::builder_with_details(Arc::new(ring::default_provider()), Arc::new(FixedTime))
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let mut config = ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls)?));
        config.transport_config(transport);
        let mut end = Self::new(Direction::Up, SERVER, None);
        end.connection = Some(end.endpoint.connect(now, config, SERVER, SERVER_NAME)?);
        Ok(end)
    }

    fn new(sends: Direction, peer: SocketAddr, server: Option<Arc<ServerConfig>>) -> Self {
        let mut config = EndpointConfig::default();
        // What quinn draws for its recovery is the same each time.
        config.rng_seed(Some([sends as u8; 32]));
        Self {
            sends,
            peer,
            endpoint: Endpoint::new(Arc::new(config), server, true, None),
            connection: None,
            is_connected: false,
            left: 0,
            stream: None,
            unread: 0,
            answers: Vec::new(),
        }
    }

    /// The way in which it sends.
    pub(crate) const fn sends(&self) -> Direction {
        self.sends
    }

    /// The application will write so many octets, on a stream of their own.
    pub(crate) fn write(&mut self, octets: u64) {
        self.left = octets;
        self.stream = None;
    }

    /// The application will read so many octets.
    pub(crate) fn expect(&mut self, octets: u64) {
        self.unread = octets;
    }

    pub(crate) const fn has_read_all(&self) -> bool {
        self.unread == 0
    }

    pub(crate) fn stats(&self) -> ConnectionStats {
        let connection = self.connection.as_ref();
        connection.map_or_else(ConnectionStats::default, |(_, connection)| connection.stats())
    }

    /// When it wants to be driven next; it was driven until `at`.
    pub(crate) fn wake(&mut self, at: Instant) -> Option<Instant> {
        let (_, connection) = self.connection.as_mut()?;
        let wake = connection.poll_timeout()?;
        Some(wake.max(at + AGAIN))
    }

    pub(crate) fn on_datagram(&mut self, at: Instant, datagram: &Datagram) {
        let ecn = EcnCodepoint::from_bits(datagram.ecn.bits());
        let octets = BytesMut::from(datagram.payload.as_slice());
        let mut buffer = Vec::new();
        let event = self.endpoint.handle(at, self.peer, None, ecn, octets, &mut buffer);
        match event {
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some((_, connection)) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            // A late copy of the client's first datagram.
            Some(DatagramEvent::NewConnection(incoming)) if self.connection.is_some() => {
                self.endpoint.ignore(incoming);
            }
            Some(DatagramEvent::NewConnection(incoming)) => {
                buffer.clear();
                match self.endpoint.accept(incoming, at, &mut buffer, None) {
                    Ok(accepted) => self.connection = Some(accepted),
                    Err(refused) => {
                        self.answers
                            .extend(refused.response.map(|transmit| sent(&transmit, &buffer)));
                    }
                }
            }
            Some(DatagramEvent::Response(transmit)) => self.answers.push(sent(&transmit, &buffer)),
            None => {}
        }
    }

    /// Lets quinn and the application do all that they have to do by `at`, and gives what they send.
    pub(crate) fn drive(&mut self, at: Instant) -> Vec<Datagram> {
        let mut out = std::mem::take(&mut self.answers);
        let mut fruitless = 0;
        let mut buffer = Vec::new();
        while let Some((_, connection)) = &mut self.connection {
            buffer.clear();
            if let Some(transmit) = connection.poll_transmit(at, 1, &mut buffer) {
                out.push(sent(&transmit, &buffer));
                fruitless = 0;
            } else if fruitless < FRUITLESS_WAKES && connection.poll_timeout().is_some_and(|wake| wake <= at) {
                connection.handle_timeout(at);
                fruitless += 1;
            } else if !self.exchange_with_endpoint() && !self.run_application() {
                break;
            }
        }
        out
    }

    /// Passes events between the connection and its endpoint, and says whether there was one for the connection.
    fn exchange_with_endpoint(&mut self) -> bool {
        let Some((handle, connection)) = &mut self.connection else {
            return false;
        };
        let mut has_answered = false;
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(*handle, event) {
                connection.handle_event(event);
                has_answered = true;
            }
        }
        has_answered
    }

    /// Hears what quinn tells its application, reads and writes, and says whether there was any of it.
    ///
    /// # Panics
    /// If the connection is lost.
    fn run_application(&mut self) -> bool {
        let mut has_acted = false;
        while let Some(event) = self.connection.as_mut().and_then(|(_, connection)| connection.poll()) {
            has_acted = true;
            match event {
                Event::Connected => self.is_connected = true,
                Event::ConnectionLost { reason } => panic!("the connection is lost: {reason}"),
                Event::Stream(StreamEvent::Opened { dir }) => {
                    while let Some(stream) = self.streams_accept(dir) {
                        self.read(stream);
                    }
                }
                Event::Stream(StreamEvent::Readable { id }) => self.read(id),
                _ => {}
            }
        }
        self.pump() || has_acted
    }

    fn streams_accept(&mut self, dir: Dir) -> Option<StreamId> {
        let (_, connection) = self.connection.as_mut()?;
        connection.streams().accept(dir)
    }

    fn read(&mut self, stream: StreamId) {
        let Some((_, connection)) = &mut self.connection else {
            return;
        };
        let mut stream = connection.recv_stream(stream);
        let Ok(mut chunks) = stream.read(true) else {
            return;
        };
        while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
            self.unread = self.unread.saturating_sub(chunk.bytes.len() as u64);
        }
        // It asks to be driven, which is done next.
        let _ = chunks.finalize();
    }

    /// Writes what quinn takes of what is left, and says whether that was anything.
    fn pump(&mut self) -> bool {
        let Some((_, connection)) = self.connection.as_mut().filter(|_| self.is_connected && self.left > 0) else {
            return false;
        };
        if self.stream.is_none() {
            self.stream = connection.streams().open(Dir::Uni);
        }
        let Some(stream) = self.stream else {
            return false;
        };
        let mut has_written = false;
        while self.left > 0 {
            let piece = usize::try_from(self.left).map_or(ZEROS.len(), |left| left.min(ZEROS.len()));
            let octets = Bytes::from_static(&ZEROS[..piece]);
            let Ok(written) = connection.send_stream(stream).write_chunks(&mut [octets]) else {
                return has_written;
            };
            self.left -= written.bytes as u64;
            has_written = true;
        }
        // A stream that the peer has stopped ends by itself.
        let _ = connection.send_stream(stream).finish();
        has_written
    }
}

/// A datagram that quinn wrote into this buffer.
fn sent(transmit: &Transmit, buffer: &[u8]) -> Datagram {
    Datagram {
        ecn: match transmit.ecn {
            None => Ecn::NotEct,
            Some(EcnCodepoint::Ect0) => Ecn::Ect0,
            Some(EcnCodepoint::Ect1) => Ecn::Ect1,
            Some(EcnCodepoint::Ce) => Ecn::Ce,
        },
        ..Datagram::new(&buffer[..transmit.size])
    }
}
