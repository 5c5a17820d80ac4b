//! Text encodings of numbers and digests in notes, checkpoints and witness requests.

use data_encoding::BASE64;

use crate::digest::Digest;

/// Parses an integer in ASCII digits without leading zeros.
pub(super) fn parse_decimal(text: &str) -> Option<u64> {
    // `parse` alone would also accept a plus sign and leading zeros.
    let canonical = match text.as_bytes() {
        [b'0'] => true,
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if canonical { text.parse().ok() } else { None }
}

/// Decodes standard base64 with padding. Every sequence of bytes has exactly one form.
pub(super) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    // `decode` alone would also accept several padded texts, one after the other.
    let padded_inside = text.trim_end_matches('=').contains('=');
    if padded_inside { None } else { BASE64.decode(text.as_bytes()).ok() }
}

/// Parses a digest in standard base64 with padding.
pub(super) fn parse_base64_digest(text: &str) -> Option<Digest> {
    // 32 bytes are 44 characters, so other lengths need not be decoded.
    let bytes = if text.len() == 44 { decode_base64(text)? } else { return None };
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
        assert_eq!(parse_decimal("0"), Some(0));
        assert_eq!(parse_decimal("20"), Some(20));
        assert_eq!(parse_decimal("18446744073709551615"), Some(u64::MAX));
        for bad in ["", "00", "01", "+1", "-1", " 1", "1 ", "1_0", "0x1", "18446744073709551616"] {
            assert_eq!(parse_decimal(bad), None, "{bad}");
        }
    }

    #[test]
    fn base64_has_one_form() {
        assert_eq!(decode_base64(""), Some(vec![]));
        assert_eq!(decode_base64("+/8="), Some(vec![0xfb, 0xff]));
        for bad in [
            "-_8=",
            "+/8",
            "+/9=",
            "+/8==",
            "+/8= ",
            " +/8=",
            "+/8=\n",
            "+/\n8=",
            "+/8=\0",
            "=",
            "====",
            "A",
            "AA",
            "AA=",
            "AA===",
            "AB==",
            "A===",
            "AA==AA==",
            "AA%3D%3D",
            "ＡＡ==",
            "AA\u{200b}==",
        ] {
            assert_eq!(decode_base64(bad), None, "{bad:?}");
        }
        // Long texts: refused at the end, and only padding.
        assert_eq!(decode_base64(&format!("{}*", "A".repeat(1 << 20))), None);
        assert_eq!(decode_base64(&"=".repeat(1 << 20)), None);
    }

    #[test]
    fn digests_have_one_form() {
        let digest = sha256(b"x");
        let text = to_base64(&digest);
        assert_eq!(parse_base64_digest(&text), Some(digest));
        let unpadded = text.trim_end_matches('=').to_owned();
        for bad in ["", &unpadded, &format!("{text}="), &text.replace('=', "A"), &digest.to_hex()] {
            assert_eq!(parse_base64_digest(bad), None, "{bad}");
        }
        // The last character before the padding carries bits beyond the 32 bytes.
        let zeros = to_base64(&Digest([0; 32]));
        assert_eq!(parse_base64_digest(&zeros.replace("A=", "B=")), None);
        // Two padded texts, together as long as one digest.
        let split = format!("{}={}", "A".repeat(39), "A".repeat(4));
        assert_eq!(BASE64.decode(split.as_bytes()).unwrap(), [0; 32]);
        assert_eq!(parse_base64_digest(&split), None);
    }
}
