//! Verifies the signatures of a message.

use contract::Timestamp;
use sfv::{BareItem, Dictionary, InnerList, Item, ListEntry, Parser};

use super::component::Component;
use super::error::HttpSignatureError;
use super::limits::{MAX_COMPONENTS, MAX_SIGNATURES};
use super::message::Message;
use super::params::SignatureParams;
use super::sign;
use crate::PublicKey;

/// The verifier's requirements for a signature.
#[derive(Debug, Clone, Copy)]
pub struct SignatureRequirements<'a> {
    pub now: Timestamp,
    /// The allowed difference between the clocks.
    pub skew_seconds: i64,
    /// The maximum age of a signature. If `None`, the signature must have `expires`.
    pub max_age_seconds: Option<i64>,
    /// Signatures with another tag are ignored.
    pub tag: Option<&'a str>,
    /// Every one of these must be covered.
    pub covers: &'a [Component],
}

/// A signature that was verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedSignature {
    pub label: String,
    pub components: Vec<Component>,
    pub params: SignatureParams,
}

/// Returns the first signature that meets the requirements and is valid; otherwise the error of the
/// last one checked. `key` finds a key by its `keyid`.
pub fn verify(
    message: &Message<'_>,
    expected: &SignatureRequirements<'_>,
    key: &dyn Fn(&str) -> Option<PublicKey>,
) -> Result<VerifiedSignature, HttpSignatureError> {
    let inputs = dictionary_field(message, "signature-input")?;
    let signatures = dictionary_field(message, "signature")?;
    let mut found = Err(HttpSignatureError::NoSignature);
    for (label, input) in &inputs {
        let one = match (input, signatures.get(label)) {
            (ListEntry::InnerList(list), Some(ListEntry::Item(signature))) => {
                check_signature(message, expected, key, list, signature)
            }
            _ => Err(HttpSignatureError::Malformed("a signature")),
        };
        match one {
            Ok(Some((components, params))) => {
                return Ok(VerifiedSignature {
                    label: label.as_str().to_owned(),
                    components,
                    params,
                });
            }
            // It has another tag: ignored.
            Ok(None) => {}
            Err(error) => found = Err(error),
        }
    }
    found
}

fn dictionary_field(
    message: &Message<'_>,
    name: &'static str,
) -> Result<Dictionary, HttpSignatureError> {
    let field = message.own_field(name)?.ok_or(HttpSignatureError::NoSignature)?;
    let members: Dictionary =
        Parser::new(&field).parse().map_err(|_| HttpSignatureError::Malformed(name))?;
    if members.len() > MAX_SIGNATURES {
        return Err(HttpSignatureError::TooLarge(name));
    }
    Ok(members)
}

fn check_signature(
    message: &Message<'_>,
    expected: &SignatureRequirements<'_>,
    key: &dyn Fn(&str) -> Option<PublicKey>,
    list: &InnerList,
    signature: &Item,
) -> Result<Option<(Vec<Component>, SignatureParams)>, HttpSignatureError> {
    let params = SignatureParams::from_parameters(&list.params)?;
    if expected.tag.is_some() && params.tag.as_deref() != expected.tag {
        return Ok(None);
    }
    let BareItem::ByteSequence(bytes) = &signature.bare_item else {
        return Err(HttpSignatureError::Malformed("a signature"));
    };
    if list.items.len() > MAX_COMPONENTS {
        return Err(HttpSignatureError::TooLarge("the list of components"));
    }
    let components: Vec<Component> =
        list.items.iter().map(Component::from_item).collect::<Result<_, _>>()?;
    if let Some(missing) = expected.covers.iter().find(|wanted| !components.contains(wanted)) {
        return Err(HttpSignatureError::NotCovered(missing.to_string()));
    }
    check_times(expected, &params)?;
    let keyid = params.keyid.as_deref().ok_or(HttpSignatureError::MissingParameter("keyid"))?;
    let key = key(keyid).ok_or(HttpSignatureError::UnknownKey)?;
    let base = sign::signature_base(message, &components, &sign::serialize_inner_list(list)?)?;
    if !key.verifies(base.as_bytes(), bytes) {
        return Err(HttpSignatureError::BadSignature);
    }
    Ok(Some((components, params)))
}

/// Structured integers have at most 15 digits, so these sums cannot overflow.
fn check_times(
    expected: &SignatureRequirements<'_>,
    params: &SignatureParams,
) -> Result<(), HttpSignatureError> {
    let now = expected.now.as_millis().div_euclid(1000);
    let created = params.created.ok_or(HttpSignatureError::MissingParameter("created"))?;
    if created > now.saturating_add(expected.skew_seconds) {
        return Err(HttpSignatureError::NotYetValid);
    }
    let end = match (params.expires, expected.max_age_seconds) {
        (Some(expires), Some(age)) => expires.min(created.saturating_add(age)),
        (Some(expires), None) => expires,
        (None, Some(age)) => created.saturating_add(age),
        (None, None) => return Err(HttpSignatureError::MissingParameter("expires")),
    };
    if end.saturating_add(expected.skew_seconds) < now {
        return Err(HttpSignatureError::Expired);
    }
    Ok(())
}
