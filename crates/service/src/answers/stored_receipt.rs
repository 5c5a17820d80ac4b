//! A receipt as it is stored: compressed, and then encrypted (`proof::envelope`), because encrypted bytes cannot be
//! compressed. Receipts from before they were compressed are plain JSON.

use bytes::Bytes;
use store::compression::{Dictionary, compress_with, decompress};
use store::{MAX_VALUE_BYTES, StoreError};

/// The bytes of a signed receipt, compressed. The same receipt gives the same bytes. Refuses one that is too large to be
/// decompressed again.
pub(super) fn compress_receipt(receipt: &[u8]) -> Result<Vec<u8>, StoreError> {
    let (bytes, limit) = (receipt.len(), MAX_VALUE_BYTES);
    if bytes > limit {
        return Err(StoreError::TooLarge { what: "receipt", bytes, limit });
    }
    compress_with(Dictionary::Receipt, receipt).map_err(|error| StoreError::Failed {
        doing: "compressing a receipt",
        why: error.to_string(),
    })
}

/// The receipt as it was signed, from what was decrypted; or why it cannot be read.
pub(super) fn decompress_receipt(packed: Vec<u8>) -> Result<Bytes, String> {
    match packed.first() {
        Some(b'{') => Ok(packed.into()),
        _ => decompress(&packed),
    }
}

#[cfg(test)]
mod tests {
    use contract::{Brand, Timestamp};
    use proof::{KeyPurpose, SigningKey};
    use serde_json::json;

    use super::*;

    fn receipt(why: &str) -> Vec<u8> {
        let at = Timestamp::from_millis(1_800_000_000_000);
        let key = SigningKey::from_seed(&[3; 32], KeyPurpose::Decisions, at).unwrap();
        let record = json!({ "kind": "svc-decision", "why": why });
        let signed =
            proof::sign_record(&record, &key, "https://svc.example/keys", &Brand::default(), at);
        signed.unwrap().bytes
    }

    #[test]
    fn receipts_become_small_and_come_back_as_they_were_signed() {
        for why in ["", "ä\u{0}", &"x".repeat(100_000)] {
            let receipt = receipt(why);
            let packed = compress_receipt(&receipt).unwrap();
            assert!(packed.len() < 700, "{}", packed.len());
            assert_eq!(packed, compress_receipt(&receipt).unwrap());
            assert_eq!(decompress_receipt(packed).unwrap(), receipt);
        }
        assert!(compress_receipt(&vec![b' '; MAX_VALUE_BYTES + 1]).is_err());
    }

    #[test]
    fn receipts_from_before_they_were_compressed_are_read() {
        let receipt = receipt("as it was");
        assert_eq!(decompress_receipt(receipt.clone()).unwrap(), receipt);
        for neither in [&b"\x05neither"[..], b"neither", b""] {
            assert!(decompress_receipt(neither.to_vec()).is_err());
        }
    }
}
