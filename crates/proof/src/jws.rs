//! JSON Web Signatures (RFC 7515) of other parties: verification with Ed25519 and P-256 keys.

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use data_encoding::BASE64URL_NOPAD;
use serde_json::Value;

use crate::keys::PublicKey;

/// The result of checking one signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JwsResult {
    Verified,
    /// The signature does not belong to this payload and key.
    Invalid,
    /// The key is not of the algorithm's type, or is malformed.
    WrongKey,
    /// An algorithm other than EdDSA and ES256.
    UnknownAlgorithm,
}

/// Verifies a signature over `protected` (as sent, in base64url) and a detached payload.
#[must_use]
pub fn verify_detached(
    algorithm: &str,
    key: &Value,
    protected: &str,
    payload: &[u8],
    signature: &str,
) -> JwsResult {
    let input = format!("{protected}.{}", BASE64URL_NOPAD.encode(payload));
    let Ok(signature) = BASE64URL_NOPAD.decode(signature.as_bytes()) else {
        return JwsResult::Invalid;
    };
    let text = |name: &str| key.get(name).and_then(Value::as_str);
    let verified = match algorithm {
        "EdDSA" | "Ed25519" => {
            let is_key = text("kty") == Some("OKP") && text("crv") == Some("Ed25519");
            let key = text("x").filter(|_| is_key).and_then(|x| PublicKey::from_x(x).ok());
            let Some(key) = key else { return JwsResult::WrongKey };
            key.verifies(input.as_bytes(), &signature)
        }
        "ES256" => {
            let Some(point) = p256_point(key) else { return JwsResult::WrongKey };
            UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point)
                .verify(input.as_bytes(), &signature)
                .is_ok()
        }
        _ => return JwsResult::UnknownAlgorithm,
    };
    if verified { JwsResult::Verified } else { JwsResult::Invalid }
}

/// The uncompressed point of a P-256 key.
fn p256_point(key: &Value) -> Option<Vec<u8>> {
    let text = |name: &str| key.get(name).and_then(Value::as_str);
    if text("kty") != Some("EC") || text("crv") != Some("P-256") {
        return None;
    }
    let mut point = vec![4];
    for name in ["x", "y"] {
        let bytes = BASE64URL_NOPAD.decode(text(name)?.as_bytes()).ok()?;
        (bytes.len() == 32).then_some(())?;
        point.extend(bytes);
    }
    Some(point)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// RFC 8037, appendix A.4 and A.5: payload, key and signature of the RFC.
    #[test]
    fn the_example_of_rfc_8037_verifies() {
        let key = json!({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"});
        let protected = "eyJhbGciOiJFZERTQSJ9";
        let payload = b"Example of Ed25519 signing";
        let signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
        let check = |algorithm, payload: &[u8]| {
            verify_detached(algorithm, &key, protected, payload, signature)
        };
        assert_eq!(check("EdDSA", payload), JwsResult::Verified);
        assert_eq!(check("EdDSA", b"Example of Ed25519 signinG"), JwsResult::Invalid);
        assert_eq!(check("ES256", payload), JwsResult::WrongKey);
        assert_eq!(check("none", payload), JwsResult::UnknownAlgorithm);
    }

    /// RFC 7515, appendix A.3: payload, key and signature of the RFC.
    #[test]
    fn the_example_of_rfc_7515_verifies() {
        let key = json!({"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"});
        let payload =
            b"{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}";
        let signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
        let check = |key: &Value, payload: &[u8]| {
            verify_detached("ES256", key, "eyJhbGciOiJFUzI1NiJ9", payload, signature)
        };
        assert_eq!(check(&key, payload), JwsResult::Verified);
        assert_eq!(check(&key, b"{}"), JwsResult::Invalid);
        assert_eq!(
            check(&json!({"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}), payload),
            JwsResult::WrongKey
        );
    }
}
