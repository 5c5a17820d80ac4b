//! Private keys. The seed stays inside the crypto library and is written only to the key store's
//! files.

use std::fmt;

use aws_lc_rs::encoding::{AsBigEndian, Curve25519SeedBin};
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair};
use contract::Timestamp;
use data_encoding::BASE64URL_NOPAD;
use zeroize::Zeroizing;

use super::{KeyPurpose, PublicKey};
use crate::ProofError;

/// An Ed25519 key that signs for one purpose, from a given time on.
pub struct SigningKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
    purpose: KeyPurpose,
    signs_from: Timestamp,
}

impl SigningKey {
    /// Generates a new key.
    pub fn generate(purpose: KeyPurpose, signs_from: Timestamp) -> Result<Self, ProofError> {
        let pair = Ed25519KeyPair::generate().map_err(|_| ProofError::Crypto("generate a key"))?;
        Self::from_pair(pair, purpose, signs_from)
    }

    /// The key with a known seed: for tests and for keys stored elsewhere.
    pub fn from_seed(
        seed: &[u8; 32],
        purpose: KeyPurpose,
        signs_from: Timestamp,
    ) -> Result<Self, ProofError> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed)
            .map_err(|_| ProofError::Key("its seed is not a valid Ed25519 seed".to_owned()))?;
        Self::from_pair(pair, purpose, signs_from)
    }

    fn from_pair(
        pair: Ed25519KeyPair,
        purpose: KeyPurpose,
        signs_from: Timestamp,
    ) -> Result<Self, ProofError> {
        let bytes: Result<[u8; 32], _> = pair.public_key().as_ref().try_into();
        let bytes = bytes.map_err(|_| ProofError::Crypto("return a 32-byte public key"))?;
        Ok(Self { public: PublicKey::from_bytes(bytes)?, pair, purpose, signs_from })
    }

    #[must_use]
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    #[must_use]
    pub fn kid(&self) -> &str {
        self.public.kid()
    }

    #[must_use]
    pub fn purpose(&self) -> KeyPurpose {
        self.purpose
    }

    #[must_use]
    pub fn signs_from(&self) -> Timestamp {
        self.signs_from
    }

    /// The 64-byte signature over `message`, which is not hashed before.
    pub fn sign(&self, message: &[u8]) -> Result<[u8; 64], ProofError> {
        let failed = ProofError::Crypto("sign");
        let signature = self.pair.try_sign(message).map_err(|_| failed.clone())?;
        signature.as_ref().try_into().map_err(|_| failed)
    }

    /// The seed in base64url, for the key's own file. Wiped from memory when dropped.
    pub(super) fn encoded_seed(&self) -> Result<Zeroizing<String>, ProofError> {
        let failed = |_| ProofError::Crypto("return the seed");
        let seed = self.pair.seed().map_err(failed)?;
        let seed: Curve25519SeedBin<'_> = seed.as_be_bytes().map_err(failed)?;
        Ok(Zeroizing::new(BASE64URL_NOPAD.encode(seed.as_ref())))
    }
}

/// Shows which key it is, never the seed.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({}, for {})", self.kid(), self.purpose)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_seed(seed: [u8; 32]) -> SigningKey {
        SigningKey::from_seed(&seed, KeyPurpose::Documents, Timestamp::from_millis(0)).unwrap()
    }

    #[test]
    fn signs_the_examples_of_rfc_8032() {
        // RFC 8032, 7.1, test 1 (also the key of RFC 8037).
        let seed = data_encoding::HEXLOWER
            .decode(b"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
            .unwrap();
        let key = from_seed(seed.try_into().unwrap());
        assert_eq!(key.public().x(), "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo");
        let signature = key.sign(b"").unwrap();
        assert_eq!(
            data_encoding::HEXLOWER.encode(&signature),
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155\
             5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        );
        assert!(key.public().verifies(b"", &signature));
    }

    #[test]
    fn what_it_signs_is_verified_and_nothing_near_it() {
        let key = from_seed([7; 32]);
        let signature = key.sign(b"message").unwrap();
        assert!(key.public().verifies(b"message", &signature));
        assert!(!key.public().verifies(b"massage", &signature));
        assert!(!from_seed([8; 32]).public().verifies(b"message", &signature));
        for bit in 0..512 {
            let mut other = signature;
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(!key.public().verifies(b"message", &other), "bit {bit}");
        }
        for length in [0, 1, 32, 63] {
            assert!(!key.public().verifies(b"message", &signature[..length]));
        }
        assert!(!key.public().verifies(b"message", &[&signature[..], &[0]].concat()));
    }

    #[test]
    fn debug_output_has_no_seed() {
        let key = from_seed([7; 32]);
        let shown = format!("{key:?} {key:#?}");
        assert_eq!(*key.encoded_seed().unwrap(), BASE64URL_NOPAD.encode(&[7; 32]));
        assert!(!shown.contains(key.encoded_seed().unwrap().as_str()));
        assert!(!shown.contains("7, 7"));
        assert!(shown.contains(key.kid()));
    }
}
