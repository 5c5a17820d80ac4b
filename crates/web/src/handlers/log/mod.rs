//! The transparency log: described, shown head by head, proved, and as files.

pub(crate) mod files;
pub(crate) mod gossip;
pub(crate) mod heads;
pub(crate) mod page;
pub(crate) mod proofs;
pub(crate) mod record;
pub(crate) mod witness;

use std::collections::BTreeMap;

use contract::errors::ErrorCode;
use proof::Digest;
use serde::Serialize;
use service::SealError;

use crate::{
    documents::{Document, JSON},
    errors::ApiError,
};

type Asked = BTreeMap<&'static str, String>;

/// A number as it must be written: digits, no zero in front, no more than JSON holds exactly.
fn whole(text: &str) -> Option<u64> {
    let plain = !text.is_empty()
        && text.len() <= 16
        && text.bytes().all(|digit| digit.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'));
    text.parse().ok().filter(|number| plain && *number < 1 << 53)
}

pub(super) fn number(asked: &Asked, name: &'static str) -> Result<Option<u64>, ApiError> {
    let Some(text) = asked.get(name) else { return Ok(None) };
    let sentence = || format!("`{name}` is a whole number, written in digits.");
    let number = whole(text).ok_or_else(|| ApiError::bad_request(sentence()).param(name))?;
    Ok(Some(number))
}

/// A number from 1 to `most`.
pub(super) fn count(
    asked: &Asked,
    name: &'static str,
    most: usize,
) -> Result<Option<usize>, ApiError> {
    let Some(number) = number(asked, name)? else { return Ok(None) };
    let number = usize::try_from(number).ok().filter(|number| (1..=most).contains(number));
    let sentence = || format!("`{name}` is a number from 1 to {most}.");
    number.map(Some).ok_or_else(|| ApiError::bad_request(sentence()).param(name))
}

fn leaf(asked: &Asked) -> Result<Option<Digest>, ApiError> {
    let Some(text) = asked.get("leaf") else { return Ok(None) };
    let sentence = "`leaf` is the hash of a leaf: 64 hexadecimal digits, in lower case.";
    text.parse().map(Some).map_err(|_| ApiError::bad_request(sentence).param("leaf"))
}

pub(super) fn needed<T>(value: Option<T>, name: &'static str) -> Result<T, ApiError> {
    value.ok_or_else(|| ApiError::bad_request(format!("`{name}` is missing.")).param(name))
}

fn no_such_batch() -> ApiError {
    ApiError::new(ErrorCode::NotFound, "The log has no batch of this number yet.").param("batch")
}

fn hex(digests: &[Digest]) -> Vec<String> {
    digests.iter().map(Digest::to_hex).collect()
}

fn document(value: &impl Serialize, cache: &'static str) -> Result<Document, ApiError> {
    let bytes = serde_json::to_vec(value).map_err(|e| ApiError::internal(e.to_string()))?;
    Ok(Document::new(bytes, JSON, cache))
}

/// What the caller is told; why is for whoever runs the service.
pub(super) fn failed(error: SealError) -> ApiError {
    let said = error.to_string();
    match error {
        SealError::NotKept(_) => {
            ApiError::new(ErrorCode::StoreUnreadable, "The log cannot be read now; try again.")
                .retry_after(5)
        }
        SealError::Busy => ApiError::overloaded(),
        SealError::NotSigned(_) => {
            ApiError::new(ErrorCode::SigningUnavailable, "This could not be signed or read.")
                .retry_after(30)
        }
        SealError::Halted(_) | SealError::NotOpen => {
            ApiError::new(ErrorCode::SigningUnavailable, "The log is not open; try again later.")
                .retry_after(30)
        }
        SealError::TooLarge => return ApiError::internal(said),
    }
    .because(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_leaves_have_one_spelling() {
        for (text, number) in
            [("0", Some(0)), ("7", Some(7)), ("9007199254740991", Some(9_007_199_254_740_991))]
        {
            assert_eq!(whole(text), number, "{text}");
        }
        for bad in ["", "07", "00", "+1", "-1", " 1", "1 ", "1.0", "1e3", "٣", "9007199254740992"]
        {
            assert_eq!(whole(bad), None, "{bad}");
        }
        let asked = |text: &str| BTreeMap::from([("leaf", text.to_owned())]);
        assert!(leaf(&asked(&"ab".repeat(32))).unwrap().is_some());
        for bad in ["", &"ab".repeat(31), &"AB".repeat(32), &"zz".repeat(32), &"ab".repeat(33)] {
            assert_eq!(leaf(&asked(bad)).unwrap_err().status(), 400, "{bad}");
        }
    }

    #[test]
    fn what_is_wrong_inside_is_not_told() {
        let secret = || "/data/secret".to_owned();
        for (error, status, code) in [
            (SealError::Halted(secret()), 503, "signing_unavailable"),
            (SealError::NotOpen, 503, "signing_unavailable"),
            (SealError::Busy, 503, "overloaded"),
            (
                SealError::NotSigned(proof::ProofError::Document(secret())),
                503,
                "signing_unavailable",
            ),
        ] {
            let error = failed(error);
            assert_eq!((error.status().as_u16(), error.code().as_str()), (status, code));
            assert!(!error.sentence().contains("secret"));
        }
    }
}
