//! C2SP cosignatures, version 1: a witness states that, at this time, this was the largest tree of
//! the log it had seen, and that it was consistent with all trees it had seen before.

use contract::Timestamp;

use super::checkpoint::Checkpoint;
use super::note_signature::NoteSignature;
use super::verifier_key::{SignatureType, VerifierKey};
use crate::{KeyPurpose, ProofError, PublicKey, SigningKey};

/// The signed message. Its first line distinguishes it from notes and signed documents.
#[must_use]
pub fn cosigned_message(text: &str, time: u64) -> String {
    format!("cosignature/v1\ntime {time}\n{text}")
}

/// A witness's signature line for a checkpoint, by a key for log heads. Call
/// [`super::witness::decide_cosignature`] first to check that the checkpoint may be cosigned.
pub fn cosign(
    checkpoint: &Checkpoint,
    name: &str,
    key: &SigningKey,
    at: Timestamp,
) -> Result<NoteSignature, ProofError> {
    if key.purpose() != KeyPurpose::LogHeads {
        return Err(ProofError::Key(format!(
            "the key for {} must not cosign a checkpoint",
            key.purpose()
        )));
    }
    if at < key.signs_from() {
        return Err(ProofError::Key(format!("it must not sign before {}", key.signs_from())));
    }
    let time = u64::try_from(at.as_millis() / 1000).map_err(|_| ProofError::Malformed {
        what: "cosignature",
        why: "its time is before 1970",
    })?;
    let verifier = VerifierKey::new(name, SignatureType::Cosignature, key.public().clone())?;
    let signature = key.sign(cosigned_message(&checkpoint.text(), time).as_bytes())?;
    let mut bytes = time.to_be_bytes().to_vec();
    bytes.extend_from_slice(&signature);
    Ok(NoteSignature::new(&verifier, bytes))
}

/// Verifies a cosignature and returns its time in Unix seconds, as the witness states it. `None` if
/// the text is not a checkpoint or the signature (the bytes after the key id) is invalid.
#[must_use]
pub fn verified_cosignature_time(text: &str, key: &PublicKey, signature: &[u8]) -> Option<u64> {
    let (time, signature) = signature.split_first_chunk::<8>()?;
    let time = u64::from_be_bytes(*time);
    // The specification limits times to 63 bits.
    if i64::try_from(time).is_err() || Checkpoint::parse(text).is_err() {
        return None;
    }
    key.verifies(cosigned_message(text, time).as_bytes(), signature).then_some(time)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::sha256;

    fn key(purpose: KeyPurpose) -> SigningKey {
        SigningKey::from_seed(&[3; 32], purpose, Timestamp::from_millis(5000)).unwrap()
    }

    fn checkpoint() -> Checkpoint {
        Checkpoint::new("log.example/a", 7, sha256(b"root")).unwrap()
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millis(second * 1000 + 999)
    }

    #[test]
    fn signs_the_header_the_time_and_the_checkpoint() {
        let key = key(KeyPurpose::LogHeads);
        let signature = cosign(&checkpoint(), "w.example", &key, at(1_679_315_147)).unwrap();
        assert_eq!(signature.bytes().len(), 72);
        assert_eq!(signature.bytes()[..8], 1_679_315_147_u64.to_be_bytes());
        let text = checkpoint().text();
        let message = format!("cosignature/v1\ntime 1679315147\n{text}");
        assert!(key.public().verifies(message.as_bytes(), &signature.bytes()[8..]));
        assert_eq!(
            verified_cosignature_time(&text, key.public(), signature.bytes()),
            Some(1_679_315_147)
        );
        let id = VerifierKey::new("w.example", SignatureType::Cosignature, key.public().clone());
        assert_eq!(signature.id(), id.unwrap().id());
    }

    #[test]
    fn another_time_text_or_key_is_not_what_was_signed() {
        let key = key(KeyPurpose::LogHeads);
        let good = cosign(&checkpoint(), "w.example", &key, at(9)).unwrap().bytes().to_vec();
        let text = checkpoint().text();
        for bit in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(verified_cosignature_time(&text, key.public(), &bad), None, "bit {bit}");
        }
        assert_eq!(verified_cosignature_time(&format!("{text}x\n"), key.public(), &good), None);
        let from = Timestamp::from_millis(0);
        let other = SigningKey::from_seed(&[4; 32], KeyPurpose::LogHeads, from).unwrap();
        assert_eq!(verified_cosignature_time(&text, other.public(), &good), None);
        assert_eq!(verified_cosignature_time(&text, key.public(), &good[8..]), None);
        // A text that is no checkpoint, though the signature fits.
        let text = "no checkpoint\n";
        let message = cosigned_message(text, 9);
        let bytes = [&9_u64.to_be_bytes()[..], &key.sign(message.as_bytes()).unwrap()].concat();
        assert_eq!(verified_cosignature_time(text, key.public(), &bytes), None);
        // A time beyond what the specification allows.
        let message = cosigned_message(&checkpoint().text(), u64::MAX);
        let bytes = [&u64::MAX.to_be_bytes()[..], &key.sign(message.as_bytes()).unwrap()].concat();
        assert_eq!(verified_cosignature_time(&checkpoint().text(), key.public(), &bytes), None);
    }

    #[test]
    fn refuses_other_keys_and_times() {
        for purpose in KeyPurpose::ALL {
            let signed = cosign(&checkpoint(), "w.example", &key(purpose), at(9));
            assert_eq!(signed.is_ok(), purpose == KeyPurpose::LogHeads, "{purpose}");
        }
        let heads = key(KeyPurpose::LogHeads);
        assert!(cosign(&checkpoint(), "w.example", &heads, at(4)).is_err());
        assert!(cosign(&checkpoint(), "w example", &heads, at(9)).is_err());
        let early = SigningKey::from_seed(&[3; 32], KeyPurpose::LogHeads, at(-9)).unwrap();
        assert!(cosign(&checkpoint(), "w.example", &early, at(-5)).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            let key = key(KeyPurpose::LogHeads);
            prop_assert_eq!(verified_cosignature_time(&checkpoint().text(), key.public(), &bytes), None);
        }
    }
}
