//! Puts signed documents, as the bytes that are stored and served, into another document.
//!
//! Signing appends `sha256` and `signature` to the canonical form. Inside another canonical document they have to
//! be at their place among the other members; everything else is copied as it is.

use crate::ProofError;
use crate::canonical::{UNSIGNED_MEMBERS, parse_strict, read_object, value_to_vec};

/// Where the parts of a signed document are. Found once, it serves every copy of the same bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignedLayout {
    /// Where `sha256` and `signature` belong: the end of the member before them.
    place: usize,
    /// Where they are.
    appended: usize,
}

impl SignedLayout {
    /// `None` if the bytes are not a canonical document to which signing appended its two members, or if they do
    /// not belong next to each other.
    #[must_use]
    pub fn find(bytes: &[u8]) -> Option<Self> {
        let [digest, signature] = UNSIGNED_MEMBERS;
        let tree = read_object(bytes)?;
        let mut members: Vec<_> = tree.root()?.children().collect();
        let is_signed = members.pop()?.name() == signature && members.pop()?.name() == digest;
        let (before, after): (Vec<_>, Vec<_>) =
            members.into_iter().partition(|member| member.name() < digest);
        let belong_together = after.iter().all(|member| member.name() > signature);
        if !is_signed || !belong_together {
            return None;
        }
        let last = after.last().or(before.last())?;
        Some(Self { place: before.last()?.end(), appended: last.end() })
    }

    /// Appends the canonical form of the signed document in these bytes. `false` if they are not those whose layout
    /// this is; then nothing is appended.
    #[must_use]
    pub fn write_canonical(&self, bytes: &[u8], out: &mut Vec<u8>) -> bool {
        let Some((document, appended)) = bytes.split_at_checked(self.appended) else {
            return false;
        };
        let Some((before, after)) = document.split_at_checked(self.place) else { return false };
        let Some(appended) = appended.trim_ascii_end().strip_suffix(b"}") else { return false };
        for part in [before, appended, after, b"}"] {
            out.extend_from_slice(part);
        }
        true
    }
}

/// Appends the canonical form of a document that may be written in any way.
pub fn write_canonical(bytes: &[u8], out: &mut Vec<u8>) -> Result<(), ProofError> {
    out.append(&mut value_to_vec(&parse_strict(bytes)?)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use contract::{Brand, Timestamp};
    use serde_json::json;

    use super::*;
    use crate::{KeyPurpose, SigningKey, sign_document};

    fn sign(document: serde_json::Value) -> Vec<u8> {
        let at = Timestamp::from_millis(1000);
        let key = SigningKey::from_seed(&[1; 32], KeyPurpose::Documents, at).unwrap();
        sign_document(document, &key, "https://svc.example/keys", &Brand::default(), at)
            .unwrap()
            .bytes
    }

    #[test]
    fn the_members_are_put_in_order_without_parsing_again() {
        for (document, is_moved) in [
            (json!({ "kind": "svc-resolve" }), false),
            (
                json!({ "kind": "svc-resolve", "text": "\"sha256\":\"x\"", "a": [{ "v": 1.5 }] }),
                true,
            ),
            (
                json!({ "kind": "svc-resolve", "o": { "sha256": "0", "signature": {} }, "v": null }),
                true,
            ),
        ] {
            let bytes = sign(document);
            let layout = SignedLayout::find(&bytes).unwrap();
            let (mut quick, mut slow) = (b"[".to_vec(), b"[".to_vec());
            assert!(layout.write_canonical(&bytes, &mut quick));
            write_canonical(&bytes, &mut slow).unwrap();
            assert_eq!(quick, slow);
            assert_eq!(slow.get(1..).unwrap() != bytes, is_moved);
        }
    }

    #[test]
    fn other_bytes_have_no_such_layout() {
        let between = sign(json!({ "kind": "svc-resolve", "shop": 1 }));
        for bytes in [
            &b"{}"[..],
            b"[]",
            b"{\"kind\":\"svc-resolve\"}",
            b"{\"kind\":\"svc-resolve\",\"v\":1, \"sha256\":\"\",\"signature\":{}}",
            &between,
        ] {
            assert_eq!(SignedLayout::find(bytes), None, "{}", String::from_utf8_lossy(bytes));
        }
        let layout = SignedLayout::find(&sign(json!({ "kind": "svc-resolve", "v": 1 }))).unwrap();
        let mut out = Vec::new();
        assert!(!layout.write_canonical(b"{}", &mut out) && out.is_empty());
    }
}
