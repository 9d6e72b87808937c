//! quiche's configuration, and its TLS.

use std::fmt::Display;

use boring::pkey::PKey;
use boring::ssl::{SslContextBuilder, SslMethod, SslSignatureAlgorithm};
use boring::x509::X509;
use quiche::{Config, PROTOCOL_VERSION};
use windlull_transport::{Broken, Role};

use crate::options::Options;

/// The server's name. RFC 6761, section 6.2: nobody has it.
pub(crate) const SERVER_NAME: &str = "windlull.test";

/// The application protocol (RFC 7301).
const PROTOCOL: &[u8] = b"windlull";

/// A self-signed certificate and its key, which all stacks here share. Ed25519, as its signatures have one length and no
/// randomness.
const CERTIFICATE: &[u8] = include_bytes!("../../certificate/certificate.der");
const KEY: &[u8] = include_bytes!("../../certificate/key.der");

/// What BoringSSL accepts of a server by default, and Ed25519 behind it.
const SIGNATURES: &[SslSignatureAlgorithm] = &[
    SslSignatureAlgorithm::ECDSA_SECP256R1_SHA256,
    SslSignatureAlgorithm::RSA_PSS_RSAE_SHA256,
    SslSignatureAlgorithm::RSA_PKCS1_SHA256,
    SslSignatureAlgorithm::ECDSA_SECP384R1_SHA384,
    SslSignatureAlgorithm::RSA_PSS_RSAE_SHA384,
    SslSignatureAlgorithm::RSA_PKCS1_SHA384,
    SslSignatureAlgorithm::RSA_PSS_RSAE_SHA512,
    SslSignatureAlgorithm::RSA_PKCS1_SHA512,
    SslSignatureAlgorithm::RSA_PKCS1_SHA1,
    SslSignatureAlgorithm::ED25519,
];

/// The groups of BoringSSL's default, without the one whose shares it draws from the machine.
const GROUPS_OF_SEED: &str = "X25519:P-256:P-384";

/// Streams of a kind that a peer may have open, as quiche's applications have it.
const MOST_STREAMS: u64 = 100;

/// One end's configuration.
///
/// # Errors
/// Only if quiche or BoringSSL no longer have what this crate was written for.
pub(crate) fn config(role: Role, options: &Options) -> Result<Config, Broken> {
    let tls = tls(role, options).map_err(|error| refused(&error))?;
    let mut config = Config::with_boring_ssl_ctx_builder(PROTOCOL_VERSION, tls).map_err(|error| refused(&error))?;
    config
        .set_application_protos(&[PROTOCOL])
        .map_err(|error| refused(&error))?;
    config.log_keys();
    // The server is the run's own, and may be of another stack with a certificate of its own. That it has the certificate's key
    // is verified all the same, since that is part of what a handshake costs.
    config.verify_peer(false);
    config.set_cc_algorithm(options.congestion);
    config.set_initial_congestion_window_packets(options.initial_window_packets);
    config.enable_hystart(options.has_hystart);
    config.enable_pacing(options.has_pacing);
    config.set_enable_relaxed_loss_threshold(options.has_relaxed_loss);
    config.set_initial_rtt(options.initial_rtt);
    config.set_max_idle_timeout(options.max_idle_ms);
    config.set_max_send_udp_payload_size(options.max_datagram);
    config.set_max_recv_udp_payload_size(options.max_datagram);
    config.discover_pmtu(options.discovers_mtu);
    config.set_initial_max_data(options.receive_window);
    config.set_initial_max_stream_data_bidi_local(options.stream_receive_window);
    config.set_initial_max_stream_data_bidi_remote(options.stream_receive_window);
    config.set_initial_max_stream_data_uni(options.stream_receive_window);
    config.set_max_stream_window(options.max_stream_receive_window.max(options.stream_receive_window));
    config.set_max_connection_window(options.max_receive_window.max(options.receive_window));
    config.set_initial_max_streams_bidi(MOST_STREAMS);
    config.set_initial_max_streams_uni(MOST_STREAMS);
    config.set_disable_active_migration(true);
    Ok(config)
}

fn tls(role: Role, options: &Options) -> Result<SslContextBuilder, boring::error::ErrorStack> {
    let mut tls = SslContextBuilder::new(SslMethod::tls())?;
    match role {
        Role::Server => {
            let certificate = X509::from_der(CERTIFICATE)?;
            let key = PKey::private_key_from_pkcs8(KEY)?;
            tls.set_certificate(&certificate)?;
            tls.set_private_key(&key)?;
        }
        Role::Client => tls.set_verify_algorithm_prefs(SIGNATURES)?,
    }
    if !options.is_post_quantum {
        tls.set_curves_list(GROUPS_OF_SEED)?;
    }
    Ok(tls)
}

fn refused(error: &impl Display) -> Broken {
    Broken(format!("quiche refuses its configuration: {error}"))
}
