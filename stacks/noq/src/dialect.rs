//! noq's words for what quinn says otherwise.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use noq_proto::{
    Connection, ConnectionId, ConnectionIdGenerator, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, FourTuple,
    PathId, QlogConfig, QlogFactory, SendStream, ServerConfig, Side, Transmit, TransportConfig, WriteError,
};
use ring::hkdf;
use windlull_transport::Broken;

use crate::family::log::Log;
use crate::family::mtu_probe::Probes;
use crate::family::qlog::{Lines, Words};
use crate::token::TokenKey;

/// The stack, as errors name it.
pub(crate) const NAME: &str = "noq";

/// What the option `congestion` means.
pub(crate) const CONGESTION: &str = "cubic (the default), newreno or bbr3: the congestion controller";

/// What its BBR is called there.
pub(crate) const BBR: &str = "bbr3";

/// What the option `initial-window` means.
pub(crate) const INITIAL_WINDOW: &str = "bytes, at least 2400; 12000 by default: the congestion window at the start";

/// A connection ID as noq's cryptography is given one.
pub(crate) type Id<'a> = ConnectionId;

/// noq's qlog.
///
/// Round trips are milliseconds, to the microsecond, in 32-bit floats. Three things are not as one might take them:
///
/// - The variables of recovery are told when something was sent, or when there was something that could not be sent. What changes
///   when there is nothing to send is told with what is sent next, or never.
/// - The line of a packet that came is written for copies and for what is dropped, too; of these it names no frames.
/// - The pacing rate is that of bytes in a second, where qlog has bits.
pub(crate) const QLOG: Words = Words {
    lost: "quic:packet_lost",
    metrics: "quic:recovery_metrics_updated",
    received: "quic:packet_received",
    taken: "frames",
    unread: &["quic:packet_sent", "quic:timer_updated"],
    rtt_unit_s: 1e-3,
    pacing_unit_bps: Some(8),
};

/// Has noq write its qlog, with times since this instant, to where it is read into the log.
///
/// # Errors
/// None.
pub(crate) fn set_qlog(config: &mut TransportConfig, log: &Log, base: Instant) -> Result<(), Broken> {
    config.qlog_factory(Arc::new(Qlogs { log: log.clone(), base }));
    Ok(())
}

struct Qlogs {
    log: Log,
    base: Instant,
}

impl QlogFactory for Qlogs {
    fn for_connection(
        &self,
        _side: Side,
        _remote: SocketAddr,
        _initial_dst_cid: ConnectionId,
        _now: Instant,
    ) -> Option<QlogConfig> {
        let mut config = QlogConfig::new(Box::new(Lines::new(self.log.clone())));
        config.start_time(self.base);
        Some(config)
    }
}

/// Has an endpoint take its connection IDs from what this makes.
pub(crate) fn set_connection_ids(
    config: &mut EndpointConfig,
    make: impl Fn() -> Box<dyn ConnectionIdGenerator> + Send + Sync + 'static,
) {
    config.cid_generator(Arc::new(make));
}

/// What makes the keys of a server's tokens.
pub(crate) fn token_key(key: hkdf::Prk) -> TokenKey {
    TokenKey(key)
}

/// An endpoint on a path that never fragments, so that its MTU may be discovered.
pub(crate) fn endpoint(config: EndpointConfig, server: Option<Arc<ServerConfig>>) -> Endpoint {
    Endpoint::new(Arc::new(config), server, true)
}

/// A datagram arrives at an endpoint, which may write an answer.
pub(crate) fn handle(
    endpoint: &mut Endpoint,
    at: Instant,
    peer: SocketAddr,
    ecn: Option<EcnCodepoint>,
    octets: BytesMut,
    answer: &mut Vec<u8>,
) -> Option<DatagramEvent> {
    endpoint.handle(at, FourTuple::from_remote(peer), ecn, octets, answer)
}

/// The next datagram that a connection has to send.
pub(crate) fn poll_transmit(connection: &mut Connection, at: Instant, buffer: &mut Vec<u8>) -> Option<Transmit> {
    connection.poll_transmit(at, NonZeroUsize::MIN, buffer)
}

/// Writes to a stream without copying, and says how many octets it took.
///
/// # Errors
/// Those of `write_chunks`.
pub(crate) fn write(stream: &mut SendStream<'_>, octets: Bytes) -> Result<usize, WriteError> {
    stream.write_chunks(&mut &mut [octets][..])
}

/// The probes of the MTU of a connection's path. There is one: more need an extension that is off.
pub(crate) fn probes(connection: &mut Connection) -> Probes {
    connection
        .path_stats(PathId::ZERO)
        .map_or_else(Probes::default, |stats| Probes {
            sent: stats.sent_plpmtud_probes,
            lost: stats.lost_plpmtud_probes,
        })
}
