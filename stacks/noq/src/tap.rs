//! What is wrapped around noq's cryptography: the family's tap, on the traits as noq has them.

use bytes::BytesMut;
use noq_proto::crypto::{ClientConfig, CryptoError, Keys, PacketKey, ServerConfig, Session, UnsupportedVersion};
use noq_proto::transport_parameters::TransportParameters;
use noq_proto::{ConnectError, ConnectionId, PathId};
use windlull_transport::Space;

use crate::family::random::lend;
use crate::family::tapped::{Tap, TappedKey, tapped};

impl ClientConfig for Tap<dyn ClientConfig> {
    fn start_session(
        &self,
        version: u32,
        server_name: &str,
        params: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        let session = lend(&self.random, || self.inner.start_session(version, server_name, params))?;
        Ok(self.session(session))
    }
}

impl ServerConfig for Tap<dyn ServerConfig> {
    /// The client's first packet is decrypted with these, before there is a session.
    fn initial_keys(&self, version: u32, dst_cid: ConnectionId) -> Result<Keys, UnsupportedVersion> {
        let keys = self.inner.initial_keys(version, dst_cid)?;
        Ok(tapped(keys, Space::Initial, &self.log))
    }

    fn retry_tag(&self, version: u32, orig_dst_cid: ConnectionId, packet: &[u8]) -> [u8; 16] {
        self.inner.retry_tag(version, orig_dst_cid, packet)
    }

    fn start_session(&self, version: u32, params: &TransportParameters) -> Box<dyn Session> {
        let session = lend(&self.random, || self.inner.start_session(version, params));
        self.session(session)
    }
}

impl PacketKey for TappedKey {
    fn encrypt(&self, path_id: PathId, packet: u64, buf: &mut [u8], header_len: usize) {
        self.encrypts(packet, buf, header_len);
        self.inner.encrypt(path_id, packet, buf, header_len);
    }

    fn decrypt(&self, path_id: PathId, packet: u64, header: &[u8], payload: &mut BytesMut) -> Result<(), CryptoError> {
        let length = header.len() + payload.len();
        self.inner.decrypt(path_id, packet, header, payload)?;
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
