//! A receipt as it is stored: compressed, and then encrypted so that only someone who knows its digest can read it.
//! Receipts from before they were compressed are plain JSON.

use bytes::Bytes;
use proof::{Digest, ProofError, SignedRecord, envelope};
use store::StoreError;
use store::compression::{Dictionary, compress_with, decompress};

/// The encrypted bytes of a signed receipt. The same receipt gives the same bytes.
pub(super) fn encrypt_receipt(receipt: &SignedRecord) -> Result<Bytes, StoreError> {
    let failed = |doing, why| StoreError::Failed { doing, why };
    let packed = compress_with(Dictionary::Receipt, &receipt.bytes)
        .map_err(|error| failed("compressing a receipt", error.to_string()))?;
    envelope::encrypt(&receipt.digest, &packed)
        .map(Bytes::from)
        .map_err(|error| failed("encrypting a receipt", error.to_string()))
}

/// The receipt with this digest, as it was signed.
pub(super) fn decrypt_receipt(digest: &Digest, sealed: &[u8]) -> Result<Bytes, ProofError> {
    let packed = envelope::decrypt(digest, sealed)?;
    if packed.first() == Some(&b'{') {
        return Ok(packed.into());
    }
    decompress(&packed)
        .map_err(|why| ProofError::Document(format!("receipt {digest} cannot be unpacked: {why}")))
}

#[cfg(test)]
mod tests {
    use contract::{Brand, Timestamp};
    use proof::{KeyPurpose, SigningKey};
    use serde_json::json;

    use super::*;

    fn receipt(why: &str) -> SignedRecord {
        let at = Timestamp::from_millis(1_800_000_000_000);
        let key = SigningKey::from_seed(&[3; 32], KeyPurpose::Decisions, at).unwrap();
        let record = json!({ "kind": "svc-decision", "why": why });
        proof::sign_record(&record, &key, "https://svc.example/keys", &Brand::default(), at)
            .unwrap()
    }

    #[test]
    fn receipts_are_stored_small_and_come_back_as_they_were_signed() {
        for why in ["", "ä\u{0}", &"x".repeat(100_000)] {
            let receipt = receipt(why);
            let sealed = encrypt_receipt(&receipt).unwrap();
            assert!(sealed.len() < 700, "{}", sealed.len());
            assert_eq!(sealed, encrypt_receipt(&receipt).unwrap());
            assert_eq!(decrypt_receipt(&receipt.digest, &sealed).unwrap(), receipt.bytes);
            assert!(decrypt_receipt(&Digest::of(b"another"), &sealed).is_err());
        }
    }

    #[test]
    fn receipts_from_before_they_were_compressed_are_read() {
        let receipt = receipt("as it was");
        let sealed = envelope::encrypt(&receipt.digest, &receipt.bytes).unwrap();
        assert_eq!(decrypt_receipt(&receipt.digest, &sealed).unwrap(), receipt.bytes);
        let damaged = envelope::encrypt(&receipt.digest, b"\x05neither").unwrap();
        assert!(decrypt_receipt(&receipt.digest, &damaged).is_err());
    }
}
