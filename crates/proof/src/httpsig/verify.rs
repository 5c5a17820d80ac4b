//! Whether a message carries a signature that holds.

use contract::Timestamp;
use sfv::{BareItem, Dictionary, InnerList, Item, ListEntry, Parser};

use super::{Component, HttpSigError, MOST_SIGNATURES, Message, Params, sign};
use crate::PublicKey;

/// What the verifier wants of a signature.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    pub now: Timestamp,
    /// How far the clocks may be apart.
    pub skew_seconds: i64,
    /// How old a signature may be that does not say when it expires; nothing: it must say.
    pub max_age_seconds: Option<i64>,
    /// Signatures with another tag are not looked at.
    pub tag: Option<&'a str>,
    /// Every one of these must be covered.
    pub covers: &'a [Component],
}

/// A signature that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    pub label: String,
    pub components: Vec<Component>,
    pub params: Params,
}

/// The first signature of the message that is as expected and holds; otherwise what is wrong with
/// the last one looked at. `key` finds a key by its `keyid`.
pub fn verify(
    message: &Message<'_>,
    expected: &Expected<'_>,
    key: &dyn Fn(&str) -> Option<PublicKey>,
) -> Result<Verified, HttpSigError> {
    let inputs = members(message, "signature-input")?;
    let signatures = members(message, "signature")?;
    let mut found = Err(HttpSigError::NoSignature);
    for (label, input) in &inputs {
        let one = match (input, signatures.get(label)) {
            (ListEntry::InnerList(list), Some(ListEntry::Item(signature))) => {
                check(message, expected, key, list, signature)
            }
            _ => Err(HttpSigError::Malformed("a signature")),
        };
        match one {
            Ok(Some((components, params))) => {
                return Ok(Verified { label: label.as_str().to_owned(), components, params });
            }
            // Of another tag: as if it were not there.
            Ok(None) => {}
            Err(error) => found = Err(error),
        }
    }
    found
}

fn members(message: &Message<'_>, name: &'static str) -> Result<Dictionary, HttpSigError> {
    let field = message.own_field(name)?.ok_or(HttpSigError::NoSignature)?;
    let members: Dictionary =
        Parser::new(&field).parse().map_err(|_| HttpSigError::Malformed(name))?;
    if members.len() > MOST_SIGNATURES {
        return Err(HttpSigError::TooLarge(name));
    }
    Ok(members)
}

fn check(
    message: &Message<'_>,
    expected: &Expected<'_>,
    key: &dyn Fn(&str) -> Option<PublicKey>,
    list: &InnerList,
    signature: &Item,
) -> Result<Option<(Vec<Component>, Params)>, HttpSigError> {
    let params = Params::read(&list.params)?;
    if expected.tag.is_some() && params.tag.as_deref() != expected.tag {
        return Ok(None);
    }
    let BareItem::ByteSequence(bytes) = &signature.bare_item else {
        return Err(HttpSigError::Malformed("a signature"));
    };
    if list.items.len() > super::MOST_COMPONENTS {
        return Err(HttpSigError::TooLarge("the list of components"));
    }
    let components: Vec<Component> =
        list.items.iter().map(Component::from_item).collect::<Result<_, _>>()?;
    if let Some(missing) = expected.covers.iter().find(|wanted| !components.contains(wanted)) {
        return Err(HttpSigError::NotCovered(missing.to_string()));
    }
    in_time(expected, &params)?;
    let keyid = params.keyid.as_deref().ok_or(HttpSigError::NotSaid("its key"))?;
    let key = key(keyid).ok_or(HttpSigError::UnknownKey)?;
    let base = sign::base(message, &components, &sign::written(list)?)?;
    if !key.verifies(base.as_bytes(), bytes) {
        return Err(HttpSigError::Wrong);
    }
    Ok(Some((components, params)))
}

/// Structured integers have at most 15 digits, so these sums cannot overflow.
fn in_time(expected: &Expected<'_>, params: &Params) -> Result<(), HttpSigError> {
    let now = expected.now.as_millis().div_euclid(1000);
    let created = params.created.ok_or(HttpSigError::NotSaid("when it was made"))?;
    if created > now.saturating_add(expected.skew_seconds) {
        return Err(HttpSigError::NotYet);
    }
    let end = match (params.expires, expected.max_age_seconds) {
        (Some(expires), Some(age)) => expires.min(created.saturating_add(age)),
        (Some(expires), None) => expires,
        (None, Some(age)) => created.saturating_add(age),
        (None, None) => return Err(HttpSigError::NotSaid("when it expires")),
    };
    if end.saturating_add(expected.skew_seconds) < now {
        return Err(HttpSigError::Expired);
    }
    Ok(())
}
