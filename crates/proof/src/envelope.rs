//! Keeping a document so that only whoever has its digest can read it: it is encrypted under a key
//! that is derived from that digest, and the digest itself is not kept.
//!
//! Whoever gets hold of the store alone learns neither path nor agent nor operation of a receipt.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, Prk, Salt};

use crate::{Digest, ProofError};

/// Stands in every derivation, so that a key made here is of no use anywhere else.
const SALT: &[u8] = b"wayleave envelope 1";
const KEY: &[u8] = b"key";
const NONCE: &[u8] = b"nonce";

/// Encrypts a document under its own digest. The same document gives the same bytes; two that share
/// a digest and differ (in their signatures) get different nonces.
pub fn seal(digest: &Digest, document: &[u8]) -> Result<Vec<u8>, ProofError> {
    let secret = Salt::new(HKDF_SHA256, SALT).extract(digest.as_bytes());
    let of_document = Digest::of(document);
    let nonce = derived(&secret, &[NONCE, of_document.as_bytes()])?;
    let (nonce, _) = nonce.split_first_chunk::<NONCE_LEN>().ok_or(FAILED_TO_SEAL)?;
    let mut body = document.to_vec();
    key(&secret)?
        .seal_in_place_append_tag(
            Nonce::assume_unique_for_key(*nonce),
            Aad::from(digest.as_bytes()),
            &mut body,
        )
        .map_err(|_| FAILED_TO_SEAL)?;
    let mut sealed = nonce.to_vec();
    sealed.append(&mut body);
    Ok(sealed)
}

/// The document that was sealed under this digest; an error for any other digest, and for bytes that
/// were changed.
pub fn open(digest: &Digest, sealed: &[u8]) -> Result<Vec<u8>, ProofError> {
    let refused = ProofError::Form { what: "sealed document", why: "it does not open" };
    let secret = Salt::new(HKDF_SHA256, SALT).extract(digest.as_bytes());
    let (nonce, body) = sealed.split_first_chunk::<NONCE_LEN>().ok_or_else(|| refused.clone())?;
    let mut body = body.to_vec();
    let opened = key(&secret)?
        .open_in_place(
            Nonce::assume_unique_for_key(*nonce),
            Aad::from(digest.as_bytes()),
            &mut body,
        )
        .map_err(|_| refused)?;
    Ok(opened.to_vec())
}

const FAILED_TO_SEAL: ProofError = ProofError::Crypto("seal");

fn key(secret: &Prk) -> Result<LessSafeKey, ProofError> {
    let bytes = derived(secret, &[KEY])?;
    UnboundKey::new(&AES_256_GCM, &bytes).map(LessSafeKey::new).map_err(|_| FAILED_TO_SEAL)
}

fn derived(secret: &Prk, info: &[&[u8]]) -> Result<[u8; 32], ProofError> {
    let mut bytes = [0; 32];
    let made = secret.expand(info, HKDF_SHA256).and_then(|okm| okm.fill(&mut bytes));
    made.map_err(|_| ProofError::Crypto("derive a key"))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn another_digest_or_another_byte_opens_nothing() {
        let digest = Digest::of(b"receipt");
        let document = br#"{"path":"/secret"}"#;
        let sealed = seal(&digest, document).unwrap();
        assert_eq!(open(&digest, &sealed).unwrap(), document);
        assert!(open(&Digest::of(b"other"), &sealed).is_err());
        for at in 0..sealed.len() {
            let mut flipped = sealed.clone();
            flipped[at] ^= 1;
            assert!(open(&digest, &flipped).is_err(), "{at}");
        }
        for length in 0..sealed.len() {
            assert!(open(&digest, &sealed[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn nothing_of_the_document_shows_and_nonces_differ() {
        let digest = Digest::of(b"receipt");
        let one = seal(&digest, b"the path is /secret, one").unwrap();
        let two = seal(&digest, b"the path is /secret, two").unwrap();
        assert!(!one.windows(6).any(|part| part == b"secret"));
        assert_ne!(one[..NONCE_LEN], two[..NONCE_LEN]);
        assert_eq!(one, seal(&digest, b"the path is /secret, one").unwrap());
    }

    proptest! {
        #[test]
        fn what_was_sealed_opens(name: Vec<u8>, document: Vec<u8>) {
            let digest = Digest::of(&name);
            let sealed = seal(&digest, &document).unwrap();
            prop_assert_eq!(open(&digest, &sealed).unwrap(), document);
        }
    }
}
