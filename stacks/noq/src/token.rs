//! The key of a server's tokens (RFC 9000, section 8.1.3), from the seed.
//!
//! noq encrypts each token under a key of its own, which follows from a key of the server and a nonce that stands in the token. It
//! offers its implementation of that only with a server's key from the machine, so that this one does the same by the seed's.

use noq_proto::crypto::{CryptoError, HandshakeTokenKey};
use ring::{aead, hkdf};

/// The server's key.
pub(crate) struct TokenKey(pub(crate) hkdf::Prk);

/// No key encrypts twice, so that there is one nonce for all.
fn nonce() -> aead::Nonce {
    aead::Nonce::assume_unique_for_key([0; aead::NONCE_LEN])
}

impl TokenKey {
    fn of_token(&self, token_nonce: u128) -> Result<aead::LessSafeKey, CryptoError> {
        let info = token_nonce.to_le_bytes();
        let info = [&info[..]];
        let key = self.0.expand(&info, &aead::AES_256_GCM).map_err(|_| CryptoError)?;
        Ok(aead::LessSafeKey::new(key.into()))
    }
}

impl HandshakeTokenKey for TokenKey {
    fn seal(&self, token_nonce: u128, data: &mut Vec<u8>) -> Result<(), CryptoError> {
        self.of_token(token_nonce)?
            .seal_in_place_append_tag(nonce(), aead::Aad::empty(), data)
            .map_err(|_| CryptoError)
    }

    fn open<'a>(&self, token_nonce: u128, data: &'a mut [u8]) -> Result<&'a [u8], CryptoError> {
        self.of_token(token_nonce)?
            .open_in_place(nonce(), aead::Aad::empty(), data)
            .map(|data| &*data)
            .map_err(|_| CryptoError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_with_its_nonce_alone() {
        let key = TokenKey(hkdf::Salt::new(hkdf::HKDF_SHA256, &[]).extract(&[7; 64]));
        let mut token = b"a token".to_vec();
        key.seal(1, &mut token).expect("it is short");
        assert_ne!(&token[..7], b"a token");
        assert!(key.open(2, &mut token.clone()).is_err());
        assert_eq!(key.open(1, &mut token).ok(), Some(&b"a token"[..]));
    }
}
