//! The keys of the signing bot.

use aws_lc_rs::{
    digest,
    signature::{Ed25519KeyPair, KeyPair},
};
use data_encoding::BASE64URL_NOPAD;
use serde_json::{Value, json};

/// A key that can sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BotKey {
    /// The key in the directory of `signing-bot.lab`.
    Published,
    /// The key in the directory of `signing-other-key.lab`.
    Other,
    /// One of many keys that only fill a directory.
    Filler(u16),
}

impl BotKey {
    /// The thumbprint (RFC 7638), which is the `keyid` of its signatures.
    #[must_use]
    pub fn key_id(self) -> String {
        let canonical = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{}"}}"#, self.public_key());
        let hash = digest::digest(&digest::SHA256, canonical.as_bytes());
        BASE64URL_NOPAD.encode(hash.as_ref())
    }

    /// The public key as in a JWK (`x`).
    #[must_use]
    pub fn public_key(self) -> String {
        let pair = self.pair();
        pair.map(|pair| BASE64URL_NOPAD.encode(pair.public_key().as_ref())).unwrap_or_default()
    }

    pub(super) fn jwk(self) -> Value {
        self.jwk_with_id(&self.key_id())
    }

    /// The public key under any id.
    pub(super) fn jwk_with_id(self, kid: &str) -> Value {
        json!({ "kty": "OKP", "crv": "Ed25519", "x": self.public_key(), "kid": kid, "use": "sig" })
    }

    pub(super) fn sign(self, message: &[u8]) -> Vec<u8> {
        self.pair().map(|pair| pair.sign(message).as_ref().to_vec()).unwrap_or_default()
    }

    /// Never `None`: every 32 bytes are a seed.
    fn pair(self) -> Option<Ed25519KeyPair> {
        let text = match self {
            Self::Published => "the key of the signing bot of the lab".to_owned(),
            Self::Other => "another key of the signing bot of the lab".to_owned(),
            Self::Filler(number) => format!("key {number} of the lab that signs nothing"),
        };
        let seed = digest::digest(&digest::SHA256, text.as_bytes());
        Ed25519KeyPair::from_seed_unchecked(seed.as_ref()).ok()
    }
}
