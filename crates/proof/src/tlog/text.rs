//! The two small forms that notes, checkpoints and requests share.

use data_encoding::BASE64;

use crate::digest::Digest;

/// A whole number in ASCII digits without a leading zero; nothing else is read.
pub(super) fn decimal(text: &str) -> Option<u64> {
    // `parse` alone would read a plus sign and leading zeros.
    let canonical = match text.as_bytes() {
        [b'0'] => true,
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if canonical { text.parse().ok() } else { None }
}

/// A digest in standard base64 with its padding.
pub(super) fn base64_digest(text: &str) -> Option<Digest> {
    // 32 bytes are 44 characters: what is longer is not decoded first.
    let bytes = if text.len() == 44 { BASE64.decode(text.as_bytes()).ok()? } else { return None };
    bytes.try_into().ok().map(Digest)
}

pub(super) fn to_base64(digest: &Digest) -> String {
    BASE64.encode(&digest.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sha256;

    #[test]
    fn numbers_have_one_form() {
        assert_eq!(decimal("0"), Some(0));
        assert_eq!(decimal("20"), Some(20));
        assert_eq!(decimal("18446744073709551615"), Some(u64::MAX));
        for bad in ["", "00", "01", "+1", "-1", " 1", "1 ", "1_0", "0x1", "18446744073709551616"] {
            assert_eq!(decimal(bad), None, "{bad}");
        }
    }

    #[test]
    fn digests_have_one_form() {
        let digest = sha256(b"x");
        let text = to_base64(&digest);
        assert_eq!(base64_digest(&text), Some(digest));
        let unpadded = text.trim_end_matches('=').to_owned();
        for bad in ["", &unpadded, &format!("{text}="), &text.replace('=', "A"), &digest.to_hex()] {
            assert_eq!(base64_digest(bad), None, "{bad}");
        }
        // The last character before the padding carries bits beyond the 32 bytes.
        let zeros = to_base64(&Digest([0; 32]));
        assert_eq!(base64_digest(&zeros.replace("A=", "B=")), None);
    }
}
