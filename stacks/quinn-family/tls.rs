//! TLS, as quinn configures it by default, but with every draw from the seed, a fixed clock, and any certificate accepted.

use std::sync::Arc;
use std::time::Duration;

use crate::proto::crypto;
use crate::proto::crypto::rustls::{NoInitialCipherSuite, QuicClientConfig, QuicServerConfig};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, ring as rings, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::{DigitallySignedStruct, Error, KeyLog, SignatureScheme};
use windlull_transport::Broken;

use super::key_exchange::X25519;
use super::log::Log;
use super::random::Lent;

/// The server's name. RFC 6761, section 6.2: nobody has it.
pub(crate) const SERVER_NAME: &str = "windlull.test";

/// The application protocol (RFC 7301). quinn needs none, but other stacks refuse a connection without (RFC 9001, section 8.1).
const PROTOCOL: &[u8] = b"windlull";

/// A self-signed certificate and its key. Ed25519, as its signatures have one length and no randomness. Made once with
///
/// ```text
/// openssl genpkey -algorithm ed25519 -outform DER -out key.der
/// openssl req -x509 -key key.der -keyform DER -outform DER -out certificate.der -subj /CN=windlull.test \
///     -days 36500 -addext subjectAltName=DNS:windlull.test -addext basicConstraints=critical,CA:FALSE
/// ```
const CERTIFICATE: &[u8] = include_bytes!("../certificate/certificate.der");
const KEY: &[u8] = include_bytes!("../certificate/key.der");

/// The client's TLS.
///
/// # Errors
/// Only if rustls no longer has what this crate was written for.
pub(crate) fn client(log: &Log) -> Result<Arc<dyn crypto::ClientConfig>, Broken> {
    let provider = provider();
    let certificates = AnyCertificate(provider.signature_verification_algorithms);
    let mut tls = rustls::ClientConfig::builder_with_details(provider, Arc::new(FixedTime))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| broken(&error))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(certificates))
        .with_no_client_auth();
    tls.alpn_protocols = vec![PROTOCOL.to_vec()];
    tls.enable_early_data = true;
    tls.key_log = Arc::new(KeyLines(log.clone()));
    let tls = QuicClientConfig::try_from(tls).map_err(|error| no_initial_suite(&error))?;
    Ok(Arc::new(tls))
}

/// The server's TLS.
///
/// # Errors
/// Only if rustls no longer has what this crate was written for.
pub(crate) fn server(log: &Log) -> Result<Arc<dyn crypto::ServerConfig>, Broken> {
    let certificate = CertificateDer::from(CERTIFICATE);
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(KEY));
    let mut tls = rustls::ServerConfig::builder_with_details(provider(), Arc::new(FixedTime))
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(|error| broken(&error))?
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .map_err(|error| broken(&error))?;
    tls.alpn_protocols = vec![PROTOCOL.to_vec()];
    tls.max_early_data_size = u32::MAX;
    tls.key_log = Arc::new(KeyLines(log.clone()));
    let tls = QuicServerConfig::try_from(tls).map_err(|error| no_initial_suite(&error))?;
    Ok(Arc::new(tls))
}

fn broken(error: &Error) -> Broken {
    Broken(format!("rustls refuses its configuration: {error}"))
}

fn no_initial_suite(error: &NoInitialCipherSuite) -> Broken {
    Broken(format!("rustls lacks what QUIC begins with: {error}"))
}

/// *ring*'s suites and groups, with draws from the connection's stream.
fn provider() -> Arc<CryptoProvider> {
    Arc::new(CryptoProvider {
        kx_groups: vec![&X25519, rings::kx_group::SECP256R1, rings::kx_group::SECP384R1],
        secure_random: &Lent,
        ..rings::default_provider()
    })
}

/// A day in 2027, as long as a run lasts. TLS asks for the time when it makes a session ticket, whose octets it changes.
#[derive(Debug)]
struct FixedTime;

/// Seconds since 1970.
pub(crate) const FIXED_TIME: Duration = Duration::from_secs(1_800_000_000);

impl TimeProvider for FixedTime {
    fn current_time(&self) -> Option<UnixTime> {
        Some(UnixTime::since_unix_epoch(FIXED_TIME))
    }
}

/// Accepts whatever certificate a server has: it is the run's own server, and may be of another stack with a certificate of its
/// own. That the server has the certificate's key is verified as always, since that is part of what a handshake costs.
#[derive(Debug)]
struct AnyCertificate(WebPkiSupportedAlgorithms);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _message: &[u8],
        _cert: &CertificateDer<'_>,
        _dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        // RFC 9001, section 4.2: QUIC has no TLS before 1.3.
        Err(Error::PeerIncompatible(
            rustls::PeerIncompatible::Tls12NotOfferedOrEnabled,
        ))
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.0)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_schemes()
    }
}

/// Tells each secret as a line of a key log (draft-ietf-tls-keylogfile). Both ends tell them, as the other end may be of a
/// stack that does not; who writes the file may drop what is there already.
#[derive(Debug)]
struct KeyLines(Log);

impl KeyLog for KeyLines {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        let mut line = format!("{label} ");
        hex(client_random, &mut line);
        line.push(' ');
        hex(secret, &mut line);
        self.0.secret(line);
    }
}

fn hex(octets: &[u8], line: &mut String) {
    for octet in octets {
        for digit in [octet >> 4, octet & 0x0f] {
            line.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
        }
    }
}
