//! What passes through packet protection: every packet's number and frames, before it is encrypted and after it was decrypted.
//!
//! quinn's cryptography is wrapped, from the configuration down to the keys: a key's wrapper knows the packet number space, as it
//! was made where the key was, and reads the plaintext where it lies. Nothing is encrypted twice, and header protection is left
//! alone. The wrappers of configurations and of keys, whose traits differ between packages, are in `tap`.

use std::any::Any;
use std::sync::Arc;

use windlull_transport::Space;

use super::log::Log;
use super::random::{Shared, lend};
use crate::dialect::Id;
use crate::proto::crypto::{ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, Session};
use crate::proto::transport_parameters::TransportParameters;
use crate::proto::{Side, TransportError};

/// The TLS of an end, with its packets noted in a log and its randomness drawn from a stream.
pub(crate) struct Tap<T: ?Sized> {
    pub(crate) inner: Arc<T>,
    pub(crate) log: Log,
    pub(crate) random: Shared,
}

impl<T: ?Sized> Tap<T> {
    /// A session that has just begun, with what passes noted.
    pub(crate) fn session(&self, inner: Box<dyn Session>) -> Box<dyn Session> {
        Box::new(TappedSession {
            inner,
            log: self.log.clone(),
            random: Arc::clone(&self.random),
            next: Space::Handshake,
        })
    }
}

struct TappedSession {
    inner: Box<dyn Session>,
    log: Log,
    random: Shared,
    /// What the next keys that the handshake yields are for (RFC 9001, section 4.1.4).
    next: Space,
}

impl Session for TappedSession {
    fn initial_keys(&self, dst_cid: Id<'_>, side: Side) -> Keys {
        tapped(self.inner.initial_keys(dst_cid, side), Space::Initial, &self.log)
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        self.inner.handshake_data()
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        self.inner.peer_identity()
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        let (header, packet) = self.inner.early_crypto()?;
        // 0-RTT shares its packet numbers with 1-RTT (RFC 9000, section 12.3).
        Some((header, tapped_key(packet, Space::Data, &self.log)))
    }

    fn early_data_accepted(&self) -> Option<bool> {
        self.inner.early_data_accepted()
    }

    fn is_handshaking(&self) -> bool {
        self.inner.is_handshaking()
    }

    fn read_handshake(&mut self, buf: &[u8]) -> Result<bool, TransportError> {
        lend(&self.random, || self.inner.read_handshake(buf))
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        self.inner.transport_parameters()
    }

    fn write_handshake(&mut self, buf: &mut Vec<u8>) -> Option<Keys> {
        let keys = lend(&self.random, || self.inner.write_handshake(buf))?;
        // The first keys are the handshake's, the second those of 1-RTT; more come from `next_1rtt_keys` alone.
        let space = std::mem::replace(&mut self.next, Space::Data);
        Some(tapped(keys, space, &self.log))
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        Some(tapped_pair(self.inner.next_1rtt_keys()?, Space::Data, &self.log))
    }

    fn is_valid_retry(&self, orig_dst_cid: Id<'_>, header: &[u8], payload: &[u8]) -> bool {
        self.inner.is_valid_retry(orig_dst_cid, header, payload)
    }

    fn export_keying_material(
        &self,
        output: &mut [u8],
        label: &[u8],
        context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        self.inner.export_keying_material(output, label, context)
    }
}

pub(crate) fn tapped(keys: Keys, space: Space, log: &Log) -> Keys {
    Keys {
        header: keys.header,
        packet: tapped_pair(keys.packet, space, log),
    }
}

fn tapped_pair(pair: KeyPair<Box<dyn PacketKey>>, space: Space, log: &Log) -> KeyPair<Box<dyn PacketKey>> {
    KeyPair {
        local: tapped_key(pair.local, space, log),
        remote: tapped_key(pair.remote, space, log),
    }
}

fn tapped_key(inner: Box<dyn PacketKey>, space: Space, log: &Log) -> Box<dyn PacketKey> {
    Box::new(TappedKey {
        inner,
        space,
        log: log.clone(),
    })
}

/// A key that notes what passes.
pub(crate) struct TappedKey {
    pub(crate) inner: Box<dyn PacketKey>,
    space: Space,
    log: Log,
}

impl TappedKey {
    /// A packet is about to be encrypted: its header, its payload, and room for the tag.
    pub(crate) fn encrypts(&self, packet: u64, buf: &[u8], header_len: usize) {
        let payload = &buf[header_len..buf.len() - self.inner.tag_len()];
        self.log.sent(self.space, packet, buf.len(), payload);
    }

    /// A packet of this length was decrypted.
    pub(crate) fn decrypted(&self, packet: u64, length: usize, payload: &[u8]) {
        self.log.decrypted(self.space, packet, length, payload);
    }
}
