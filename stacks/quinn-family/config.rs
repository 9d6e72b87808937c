//! quinn's configuration: its defaults, the options, and all randomness from the seed.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use ring::{hkdf, hmac};
use windlull_transport::Broken;

use super::log::Log;
use super::options::Options;
use super::random::{Random, Shared};
use super::tapped::Tap;
use super::tls;
use crate::proto::{
    AckFrequencyConfig, ClientConfig, ConnectionId, ConnectionIdGenerator, EndpointConfig, ServerConfig, TimeSource,
    TransportConfig, ValidationTokenConfig,
};
use crate::{congestion, dialect};

/// Octets of a connection ID that quinn issues, as its default generator makes them.
const CONNECTION_ID_LENGTH: usize = 8;

/// Octets of the client's first destination ID, as quinn has it by default: the most there may be (RFC 9000, section 17.2).
const FIRST_DESTINATION_LENGTH: usize = 20;

/// What an end's configuration follows from.
#[derive(Clone, Copy)]
pub(crate) struct Given<'a> {
    pub(crate) seed: &'a [u8; 32],
    pub(crate) options: &'a Options,
    pub(crate) log: &'a Log,
    /// The instant that is the run's start.
    pub(crate) base: Instant,
}

/// The endpoint of an end: a socket, as far as quinn is concerned.
pub(crate) fn endpoint(seed: &[u8; 32]) -> EndpointConfig {
    let reset: [u8; 64] = Random::new(seed, "reset").array();
    let mut config = EndpointConfig::new(Arc::new(hmac::Key::new(hmac::HMAC_SHA256, &reset)));
    let ids = Random::new(seed, "connection-ids");
    config.rng_seed(Some(Random::new(seed, "endpoint").array()));
    dialect::set_connection_ids(&mut config, move || Box::new(ConnectionIds(ids.clone())));
    config
}

/// The client's side of a connection.
///
/// # Errors
/// Only if quinn or rustls no longer have what this crate was written for.
pub(crate) fn client(given: Given<'_>) -> Result<ClientConfig, Broken> {
    let mut config = ClientConfig::new(Arc::new(Tap {
        inner: tls::client(given.log)?,
        log: given.log.clone(),
        random: tls_random(given.seed),
    }));
    let destination: [u8; FIRST_DESTINATION_LENGTH] = Random::new(given.seed, "first-destination").array();
    let destination = ConnectionId::new(&destination);
    config
        .transport_config(Arc::new(transport(given)?))
        .initial_dst_cid_provider(Arc::new(move || destination));
    Ok(config)
}

/// The server's side of a connection.
///
/// # Errors
/// Only if quinn or rustls no longer have what this crate was written for.
pub(crate) fn server(given: Given<'_>) -> Result<ServerConfig, Broken> {
    let token: [u8; 64] = Random::new(given.seed, "token").array();
    let token = hkdf::Salt::new(hkdf::HKDF_SHA256, &[]).extract(&token);
    let tls = Tap {
        inner: tls::server(given.log)?,
        log: given.log.clone(),
        random: tls_random(given.seed),
    };
    // quinn as most build it (with its feature `bloom`) sends two tokens for later connections (RFC 9000, section 8.1.3). No
    // later connection comes here, so that the filter of used ones is left out, but not the tokens.
    let mut tokens = ValidationTokenConfig::default();
    tokens.sent(2);
    let mut config = ServerConfig::new(Arc::new(tls), Arc::new(dialect::token_key(token)));
    config
        .transport_config(Arc::new(transport(given)?))
        .validation_token_config(tokens)
        .time_source(Arc::new(FixedTime));
    Ok(config)
}

fn tls_random(seed: &[u8; 32]) -> Shared {
    Arc::new(Mutex::new(Random::new(seed, "tls")))
}

fn transport(given: Given<'_>) -> Result<TransportConfig, Broken> {
    let Given { options, log, base, .. } = given;
    let mut config = TransportConfig::default();
    config
        // Each answer is one datagram. What quinn sends is the same: a batch is cut into datagrams by whoever sends it.
        .enable_segmentation_offload(false)
        .congestion_controller_factory(congestion::factory(given));
    // quinn makes an event of every packet; where nobody needs them it is spared that.
    if log.needs_qlog() {
        dialect::set_qlog(&mut config, log, base)?;
    }
    if let Some(packets) = options.packet_threshold {
        config.packet_threshold(packets);
    }
    if let Some(factor) = options.time_threshold {
        config.time_threshold(factor);
    }
    if let Some(ms) = options.initial_rtt_ms {
        config.initial_rtt(Duration::from_millis(ms));
    }
    if let Some(ms) = options.max_idle_ms {
        // RFC 9000, section 10.1: zero is no timeout.
        config.max_idle_timeout((ms.into_inner() > 0).then(|| ms.into()));
    }
    if let Some(packets) = options.ack_frequency {
        let mut frequency = AckFrequencyConfig::default();
        frequency.ack_eliciting_threshold(packets);
        config.ack_frequency_config(Some(frequency));
    }
    if let Some(octets) = options.stream_receive_window {
        config.stream_receive_window(octets);
    }
    if let Some(octets) = options.receive_window {
        config.receive_window(octets);
    }
    if let Some(octets) = options.send_window {
        config.send_window(octets);
    }
    Ok(config)
}

/// Connection IDs from the seed; quinn's own generators draw from the machine.
struct ConnectionIds(Random);

impl ConnectionIdGenerator for ConnectionIds {
    fn generate_cid(&mut self) -> ConnectionId {
        ConnectionId::new(&self.0.array::<CONNECTION_ID_LENGTH>())
    }

    fn cid_len(&self) -> usize {
        CONNECTION_ID_LENGTH
    }

    fn cid_lifetime(&self) -> Option<Duration> {
        None
    }
}

/// The server asks for the time when it makes a token, whose octets it changes.
struct FixedTime;

impl TimeSource for FixedTime {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + tls::FIXED_TIME
    }
}
