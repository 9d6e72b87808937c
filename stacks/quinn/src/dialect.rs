//! quinn's words for what its forks say otherwise.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use quinn_proto::{
    Connection, ConnectionId, ConnectionIdGenerator, DatagramEvent, EcnCodepoint, Endpoint, EndpointConfig, QlogConfig,
    SendStream, ServerConfig, Transmit, TransportConfig, WriteError,
};
use ring::hkdf;
use windlull_transport::Broken;

use crate::family::log::Log;
use crate::family::mtu_probe::Probes;
use crate::family::qlog::{Lines, Words};

/// The stack, as errors name it.
pub(crate) const NAME: &str = "quinn";

/// What the option `congestion` means.
pub(crate) const CONGESTION: &str = "cubic (the default), newreno or bbr: the congestion controller";

/// What its BBR is called there.
pub(crate) const BBR: &str = "bbr";

/// What the option `initial-window` means.
pub(crate) const INITIAL_WINDOW: &str =
    "bytes, at least 2400; 12000 by default, 240000 with bbr: the congestion window at the start";

/// A connection ID as quinn's cryptography is given one.
pub(crate) type Id<'a> = &'a ConnectionId;

/// quinn's qlog.
///
/// Round trips are seconds in 32-bit floats: exact to a part in 16 million, 4 ns of 100 ms. Two things are not as one might take
/// them:
///
/// - The trigger of a loss is passed on as quinn tells it, and in 0.11.19 it tells `reordering_threshold` always: its
///   `emit_packet_lost` subtracts in the wrong order (`info.time_sent.saturating_duration_since(now)`), which gives zero. That a
///   packet was lost, and when, is right.
/// - The pacing rate, which only BBR has, is not told. quinn's pacer does not use it (it paces by the window and the smoothed
///   round trip), and in part it follows from a random number that cannot be seeded.
pub(crate) const QLOG: Words = Words {
    lost: "recovery:packet_lost",
    metrics: "recovery:metrics_updated",
    received: "transport:packet_received",
    taken: "transport:packet_received",
    unread: &["transport:packet_sent"],
    rtt_unit_s: 1.0,
    pacing_unit_bps: None,
};

/// Has quinn write its qlog, with times since this instant, to where it is read into the log.
///
/// # Errors
/// Only if quinn refuses the writer.
pub(crate) fn set_qlog(config: &mut TransportConfig, log: &Log, base: Instant) -> Result<(), Broken> {
    let mut qlog = QlogConfig::default();
    qlog.start_time(base).writer(Box::new(Lines::new(log.clone())));
    let stream = qlog
        .into_stream()
        .ok_or_else(|| Broken("quinn does not begin its qlog".to_owned()))?;
    config.qlog_stream(Some(stream));
    Ok(())
}

/// Has an endpoint take its connection IDs from what this makes.
pub(crate) fn set_connection_ids(
    config: &mut EndpointConfig,
    make: impl Fn() -> Box<dyn ConnectionIdGenerator> + Send + Sync + 'static,
) {
    config.cid_generator(make);
}

/// What makes the keys of a server's tokens.
pub(crate) fn token_key(key: hkdf::Prk) -> hkdf::Prk {
    key
}

/// An endpoint on a path that never fragments, so that its MTU may be discovered.
pub(crate) fn endpoint(config: EndpointConfig, server: Option<Arc<ServerConfig>>) -> Endpoint {
    Endpoint::new(Arc::new(config), server, true, None)
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
    endpoint.handle(at, peer, None, ecn, octets, answer)
}

/// The next datagram that a connection has to send.
pub(crate) fn poll_transmit(connection: &mut Connection, at: Instant, buffer: &mut Vec<u8>) -> Option<Transmit> {
    connection.poll_transmit(at, 1, buffer)
}

/// Writes to a stream without copying, and says how many octets it took.
///
/// # Errors
/// Those of `write_chunks`.
pub(crate) fn write(stream: &mut SendStream<'_>, octets: Bytes) -> Result<usize, WriteError> {
    stream.write_chunks(&mut [octets]).map(|written| written.bytes)
}

/// The probes of a connection's MTU.
pub(crate) fn probes(connection: &mut Connection) -> Probes {
    let stats = connection.stats();
    Probes {
        sent: stats.path.sent_plpmtud_probes,
        lost: stats.path.lost_plpmtud_probes,
    }
}
