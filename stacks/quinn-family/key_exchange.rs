//! X25519 (RFC 7748) with a private key from the end's seed, for TLS.

use rustls::crypto::{ActiveKeyExchange, SharedSecret, SupportedKxGroup};
use rustls::{Error, NamedGroup, PeerMisbehaved};
use x25519_dalek::{X25519_BASEPOINT_BYTES, x25519};

use super::random::draw;

/// The group, in place of *ring*'s, which draws its private keys from the machine.
#[derive(Debug)]
pub(crate) struct X25519;

impl SupportedKxGroup for X25519 {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let mut private = [0; 32];
        draw(&mut private)?;
        Ok(Box::new(Exchange {
            private,
            public: x25519(private, X25519_BASEPOINT_BYTES),
        }))
    }

    fn ffdhe_group(&self) -> Option<rustls::ffdhe_groups::FfdheGroup<'static>> {
        None
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

struct Exchange {
    private: [u8; 32],
    public: [u8; 32],
}

impl ActiveKeyExchange for Exchange {
    fn complete(self: Box<Self>, theirs: &[u8]) -> Result<SharedSecret, Error> {
        let invalid = || Error::from(PeerMisbehaved::InvalidKeyShare);
        let theirs = theirs.try_into().map_err(|_| invalid())?;
        let secret = x25519(self.private, theirs);
        // RFC 8446, section 7.4.2: a share of small order gives zero, and is refused.
        if secret == [0; 32] {
            return Err(invalid());
        }
        Ok(SharedSecret::from(&secret[..]))
    }

    fn pub_key(&self) -> &[u8] {
        &self.public
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn octets(hex: &str) -> [u8; 32] {
        let mut octets = [0; 32];
        for (place, octet) in octets.iter_mut().enumerate() {
            *octet = u8::from_str_radix(&hex[2 * place..2 * place + 2], 16).expect("the RFC prints hexadecimal digits");
        }
        octets
    }

    #[test]
    fn as_rfc_7748_has_it() {
        // Section 6.1: Alice's private key, her public key, Bob's public key, what they share.
        let private = octets("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a");
        let public = octets("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a");
        let theirs = octets("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f");
        let shared = octets("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
        assert_eq!(x25519(private, X25519_BASEPOINT_BYTES), public);
        let secret = Box::new(Exchange { private, public }).complete(&theirs);
        assert_eq!(
            secret.ok().map(|secret| secret.secret_bytes().to_vec()),
            Some(shared.to_vec())
        );
    }

    #[test]
    fn it_agrees_with_rings() {
        let private = [9; 32];
        let ours = Exchange {
            private,
            public: x25519(private, X25519_BASEPOINT_BYTES),
        };
        let public = ours.public;
        let rings = rustls::crypto::ring::kx_group::X25519
            .start()
            .expect("the machine has random octets");
        let to_us = rings.pub_key().to_vec();
        let here = Box::new(ours).complete(&to_us).expect("ring's share is valid");
        let there = rings.complete(&public).expect("our share is valid");
        assert_eq!(here.secret_bytes(), there.secret_bytes());
    }

    #[test]
    fn a_share_that_gives_zero_or_is_cut_short_is_refused() {
        for theirs in [&[0; 32][..], &[1; 31][..]] {
            let ours = Box::new(Exchange {
                private: [9; 32],
                public: [0; 32],
            });
            assert!(ours.complete(theirs).is_err());
        }
    }
}
