//! What is wrapped around quinn's cryptography: the family's tap, on the traits as quinn has them.

use std::sync::Arc;

use bytes::BytesMut;
use quinn_proto::crypto::{ClientConfig, CryptoError, Keys, PacketKey, ServerConfig, Session, UnsupportedVersion};
use quinn_proto::transport_parameters::TransportParameters;
use quinn_proto::{ConnectError, ConnectionId};
use windlull_transport::Space;

use crate::family::random::lend;
use crate::family::tapped::{Tap, TappedKey, tapped};

impl ClientConfig for Tap<dyn ClientConfig> {
    fn start_session(
        self: Arc<Self>,
        version: u32,
        server_name: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        let inner = Arc::clone(&self.inner);
        let session = lend(&self.random, || inner.start_session(version, server_name, params))?;
        Ok(self.session(session))
    }
}

impl ServerConfig for Tap<dyn ServerConfig> {
    /// The client's first packet is decrypted with these, before there is a session.
    fn initial_keys(&self, version: u32, dst_cid: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        let keys = self.inner.initial_keys(version, dst_cid)?;
        Ok(tapped(keys, Space::Initial, &self.log))
    }

    fn retry_tag(&self, version: u32, orig_dst_cid: &ConnectionId, packet: &[u8]) -> [u8; 16] {
        self.inner.retry_tag(version, orig_dst_cid, packet)
    }

    fn start_session(self: Arc<Self>, version: u32, params: &TransportParameters) -> Box<dyn Session> {
        let inner = Arc::clone(&self.inner);
        let session = lend(&self.random, || inner.start_session(version, params));
        self.session(session)
    }
}

impl PacketKey for TappedKey {
    fn encrypt(&self, packet: u64, buf: &mut [u8], header_len: usize) {
        self.encrypts(packet, buf, header_len);
        self.inner.encrypt(packet, buf, header_len);
    }

    fn decrypt(&self, packet: u64, header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let length = header.len() + payload.len();
        self.inner.decrypt(packet, header, payload)?;
        self.decrypted(packet, length, payload);
        Ok(())
    }

    fn tag_len(&self) -> usize {
        self.inner.tag_len()
    }

    fn confidentiality_limit(&self) -> u64 {
        self.inner.confidentiality_limit()
    }

    fn integrity_limit(&self) -> u64 {
        self.inner.integrity_limit()
    }
}
