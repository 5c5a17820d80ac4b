//! Public keys and strict Ed25519 verification.
//!
//! Ed25519 libraries differ on crafted keys and signatures. This module applies the strictest rule
//! in use: RFC 8032 with canonical encodings and S below the group order (checked by aws-lc), and
//! neither a key nor an R of small order, because with such a key one signature is valid for many
//! messages.

use std::fmt;

use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use data_encoding::BASE64URL_NOPAD;
use serde_json::{Value, json};

use crate::json_view::View;
use crate::{ProofError, sha256};

/// An Ed25519 public key that passed the checks of this module, and its RFC 7638 thumbprint.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    bytes: [u8; 32],
    kid: String,
}

impl PublicKey {
    pub fn from_bytes(bytes: [u8; 32]) -> Result<Self, ProofError> {
        if !is_canonical(&bytes) {
            return Err(refused("its encoding is not canonical"));
        }
        if is_small_order(&bytes) {
            return Err(refused("it is a point of small order"));
        }
        let x = BASE64URL_NOPAD.encode(&bytes);
        // RFC 7638 and RFC 8037: the required members, in order, without white space.
        let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
        let kid = BASE64URL_NOPAD.encode(sha256(members.as_bytes()).as_bytes());
        Ok(Self { bytes, kid })
    }

    /// From the `x` of a JWK: base64url without padding.
    pub fn from_x(x: &str) -> Result<Self, ProofError> {
        let bytes = BASE64URL_NOPAD
            .decode(x.as_bytes())
            .map_err(|_| refused("its x is not base64url without padding"))?;
        Self::from_bytes(bytes.try_into().map_err(|_| refused("its x is not 32 bytes long"))?)
    }

    /// From a JWK of type OKP and curve Ed25519; other members are ignored.
    pub fn from_jwk(jwk: &Value) -> Result<Self, ProofError> {
        Self::from_jwk_view(View::Value(jwk))
    }

    /// Like [`Self::from_jwk`], for a JWK in a document.
    pub(crate) fn from_jwk_view(jwk: View<'_>) -> Result<Self, ProofError> {
        let member = |name| jwk.get(name).and_then(View::as_str);
        if member("kty") != Some("OKP") || member("crv") != Some("Ed25519") {
            return Err(refused("it is not of type OKP and curve Ed25519"));
        }
        Self::from_x(member("x").ok_or_else(|| refused("x is missing"))?)
    }

    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// The RFC 7638 thumbprint.
    #[must_use]
    pub fn kid(&self) -> &str {
        &self.kid
    }

    #[must_use]
    pub fn x(&self) -> String {
        BASE64URL_NOPAD.encode(&self.bytes)
    }

    #[must_use]
    pub fn jwk(&self) -> Value {
        json!({ "kty": "OKP", "crv": "Ed25519", "x": self.x() })
    }

    /// Whether `signature` is a valid signature of `message` by this key, by the strict rule.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        let Some((r, s)) = signature.split_first_chunk::<32>() else { return false };
        s.len() == 32
            && is_canonical(r)
            && !is_small_order(r)
            && UnparsedPublicKey::new(&ED25519, &self.bytes).verify(message, signature).is_ok()
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.kid)
    }
}

fn refused(why: &str) -> ProofError {
    ProofError::Key(why.to_owned())
}

/// The field's prime, 2^255 − 19, least byte first.
const PRIME: [u8; 32] = {
    let mut bytes = [0xFF; 32];
    bytes[0] = 0xED;
    bytes[31] = 0x7F;
    bytes
};

/// The y of the eight points whose order divides eight: 0 (order 4), 1 (the neutral point),
/// −1 (order 2), and the two of order 8. With the sign of x these five give eight points.
const SMALL_ORDER_Y: [[u8; 32]; 5] = [
    [0; 32],
    {
        let mut one = [0; 32];
        one[0] = 1;
        one
    },
    {
        let mut minus_one = PRIME;
        minus_one[0] = 0xEC;
        minus_one
    },
    [
        0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98,
        0xF0, 0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53,
        0xFC, 0x05,
    ],
    [
        0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67,
        0x0F, 0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC,
        0x03, 0x7A,
    ],
];

/// The point's y, without the sign of x in the highest bit.
fn y_of(encoded: &[u8; 32]) -> [u8; 32] {
    let mut y = *encoded;
    if let Some(last) = y.last_mut() {
        *last &= 0x7F;
    }
    y
}

/// Whether y is below the prime: every y has one encoding only.
fn is_canonical(encoded: &[u8; 32]) -> bool {
    y_of(encoded).iter().rev().lt(PRIME.iter().rev())
}

fn is_small_order(encoded: &[u8; 32]) -> bool {
    SMALL_ORDER_Y.contains(&y_of(encoded))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8037, appendix A.
    const RFC_X: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

    #[test]
    fn thumbprint_is_that_of_rfc_8037() {
        let key = PublicKey::from_x(RFC_X).unwrap();
        assert_eq!(key.kid(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
        assert_eq!(PublicKey::from_jwk(&key.jwk()).unwrap(), key);
        assert_eq!(key.x(), RFC_X);
    }

    #[test]
    fn refuses_what_is_no_key() {
        for x in [
            "",
            "AAAA",
            &format!("{RFC_X}="),
            &RFC_X.replace('_', "/"),
            // The last character carries bits beyond the 32 bytes.
            &RFC_X.replace("URo", "URp"),
            &format!("{RFC_X}AAAA"),
        ] {
            assert!(PublicKey::from_x(x).is_err(), "{x}");
        }
        let key = PublicKey::from_x(RFC_X).unwrap();
        for (member, value) in [("kty", "EC"), ("crv", "Ed448"), ("x", "")] {
            let mut jwk = key.jwk();
            jwk[member] = value.into();
            assert!(PublicKey::from_jwk(&jwk).is_err(), "{member}");
        }
    }

    #[test]
    fn refuses_small_order_and_second_encodings() {
        for y in SMALL_ORDER_Y {
            for sign in [0, 0x80] {
                let mut bytes = y;
                bytes[31] |= sign;
                assert!(PublicKey::from_bytes(bytes).is_err(), "{bytes:02x?}");
            }
        }
        // p itself to 2^255 − 1: second encodings of 0 to 18.
        for low in 0xED..=0xFF_u8 {
            let mut bytes = PRIME;
            bytes[0] = low;
            assert!(PublicKey::from_bytes(bytes).is_err(), "{low:02x}");
            assert!(!is_canonical(&bytes));
        }
        let mut below = PRIME;
        below[0] = 0xEB;
        assert!(is_canonical(&below));
    }

    #[test]
    fn the_small_order_points_are_eight_in_number_and_closed_under_negation() {
        // −y of each is in the table as well: p − 0x26e8… is 0xc717….
        let [.., a, b] = SMALL_ORDER_Y;
        let mut carry = 0_u16;
        let sum: Vec<u8> = a
            .iter()
            .zip(b)
            .map(|(a, b)| {
                let sum = u16::from(*a) + u16::from(b) + carry;
                carry = sum >> 8;
                (sum & 0xFF) as u8
            })
            .collect();
        assert_eq!(sum, PRIME);
    }
}
