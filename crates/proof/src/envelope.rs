//! Encrypts a document so that only someone who knows its digest can read it: the key is derived
//! from the digest, and the digest itself is not stored.
//!
//! A copy of the store alone therefore reveals neither the path, the agent nor the operation of a
//! receipt.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::hkdf::{HKDF_SHA256, Prk, Salt};

use crate::{Digest, ProofError};

/// Part of every derivation, so that keys derived here differ from those of any other use.
const SALT: &[u8] = b"wayleave envelope 1";
const KEY_LABEL: &[u8] = b"key";

/// Encrypts a document, or its compressed form, with a key that is derived from the document's digest. The same
/// plaintext gives the same bytes.
///
/// The nonce is the start of the SHA-256 of the plaintext and is stored in clear: whoever guesses all of the plaintext
/// can confirm it. A receipt contains a signature, which nobody without the signing key can guess.
pub fn encrypt(digest: &Digest, plaintext: &[u8]) -> Result<Vec<u8>, ProofError> {
    let secret = Salt::new(HKDF_SHA256, SALT).extract(digest.as_bytes());
    // Each digest has a key of its own, so that the nonce only has to tell plaintexts apart that share a digest.
    let of_plaintext = Digest::of(plaintext);
    let (nonce, _) =
        of_plaintext.as_bytes().split_first_chunk::<NONCE_LEN>().ok_or(ENCRYPTION_FAILED)?;
    let key = encryption_key(&secret)?;
    let mut sealed = Vec::with_capacity(NONCE_LEN + plaintext.len() + key.algorithm().tag_len());
    sealed.extend_from_slice(nonce);
    sealed.extend_from_slice(plaintext);
    let body = sealed.get_mut(NONCE_LEN..).ok_or(ENCRYPTION_FAILED)?;
    let (nonce, aad) = (Nonce::assume_unique_for_key(*nonce), Aad::from(digest.as_bytes()));
    let tag = key.seal_in_place_separate_tag(nonce, aad, body).map_err(|_| ENCRYPTION_FAILED)?;
    sealed.extend_from_slice(tag.as_ref());
    Ok(sealed)
}

/// Decrypts a document that was encrypted under this digest. Fails for any other digest, and for
/// bytes that were changed.
pub fn decrypt(digest: &Digest, sealed: &[u8]) -> Result<Vec<u8>, ProofError> {
    let refused = ProofError::Malformed {
        what: "encrypted document",
        why: "it cannot be decrypted with this digest",
    };
    let secret = Salt::new(HKDF_SHA256, SALT).extract(digest.as_bytes());
    let (nonce, body) = sealed.split_first_chunk::<NONCE_LEN>().ok_or_else(|| refused.clone())?;
    let mut body = body.to_vec();
    let opened = encryption_key(&secret)?
        .open_in_place(
            Nonce::assume_unique_for_key(*nonce),
            Aad::from(digest.as_bytes()),
            &mut body,
        )
        .map_err(|_| refused)?;
    Ok(opened.to_vec())
}

const ENCRYPTION_FAILED: ProofError = ProofError::Crypto("encrypt");

fn encryption_key(secret: &Prk) -> Result<LessSafeKey, ProofError> {
    let mut bytes = [0; 32];
    let made = secret.expand(&[KEY_LABEL], HKDF_SHA256).and_then(|okm| okm.fill(&mut bytes));
    made.map_err(|_| ProofError::Crypto("derive a key"))?;
    UnboundKey::new(&AES_256_GCM, &bytes).map(LessSafeKey::new).map_err(|_| ENCRYPTION_FAILED)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn another_digest_or_another_byte_opens_nothing() {
        let digest = Digest::of(b"receipt");
        let document = br#"{"path":"/secret"}"#;
        let sealed = encrypt(&digest, document).unwrap();
        assert_eq!(decrypt(&digest, &sealed).unwrap(), document);
        assert!(decrypt(&Digest::of(b"other"), &sealed).is_err());
        for at in 0..sealed.len() {
            let mut flipped = sealed.clone();
            flipped[at] ^= 1;
            assert!(decrypt(&digest, &flipped).is_err(), "{at}");
        }
        for length in 0..sealed.len() {
            assert!(decrypt(&digest, &sealed[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn nothing_of_the_document_shows_and_nonces_differ() {
        let digest = Digest::of(b"receipt");
        let one = encrypt(&digest, b"the path is /secret, one").unwrap();
        let two = encrypt(&digest, b"the path is /secret, two").unwrap();
        assert!(!one.windows(6).any(|part| part == b"secret"));
        assert_ne!(one[..NONCE_LEN], two[..NONCE_LEN]);
        assert_eq!(one, encrypt(&digest, b"the path is /secret, one").unwrap());
    }

    proptest! {
        #[test]
        fn what_was_sealed_opens(name: Vec<u8>, document: Vec<u8>) {
            let digest = Digest::of(&name);
            let sealed = encrypt(&digest, &document).unwrap();
            prop_assert_eq!(decrypt(&digest, &sealed).unwrap(), document);
        }
    }
}
