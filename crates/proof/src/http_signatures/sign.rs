//! The signature base, and signing it.

use data_encoding::BASE64;
use sfv::{FieldType, InnerList, KeyRef, List, ListEntry};

use super::component::Component;
use super::error::HttpSignatureError;
use super::limits::{MAX_BASE_BYTES, MAX_COMPONENTS};
use super::message::Message;
use super::params::SignatureParams;
use crate::SigningKey;

/// The values of Signature-Input and Signature: one member each, or several separated by commas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureFields {
    pub input: String,
    pub signature: String,
}

/// Signs the components. `keyid` is always the key's thumbprint, even if `params` has another.
pub fn sign(
    message: &Message<'_>,
    label: &str,
    components: &[Component],
    params: &SignatureParams,
    key: &SigningKey,
) -> Result<SignatureFields, HttpSignatureError> {
    // An invalid label would break both fields.
    KeyRef::from_str(label).map_err(|_| HttpSignatureError::Malformed("a label"))?;
    let params = SignatureParams { keyid: Some(key.kid().to_owned()), ..params.clone() };
    let items = components.iter().map(|component| component.item().clone()).collect();
    let covered = serialize_inner_list(&InnerList::with_params(items, params.to_parameters()?))?;
    let base = signature_base(message, components, &covered)?;
    let signature = key.sign(base.as_bytes()).map_err(|_| HttpSignatureError::Crypto)?;
    Ok(SignatureFields {
        input: format!("{label}={covered}"),
        signature: format!("{label}=:{}:", BASE64.encode(&signature)),
    })
}

/// The signature base (RFC 9421, 2.5). `covered` is the serialised component list with parameters.
pub(super) fn signature_base(
    message: &Message<'_>,
    components: &[Component],
    covered: &str,
) -> Result<String, HttpSignatureError> {
    if components.len() > MAX_COMPONENTS {
        return Err(HttpSignatureError::TooLarge("the list of components"));
    }
    let mut base = String::new();
    for (place, component) in components.iter().enumerate() {
        if components.iter().take(place).any(|earlier| earlier == component) {
            return Err(HttpSignatureError::CoveredTwice(component.to_string()));
        }
        base.push_str(&format!("{component}: {}\n", message.component_value(component)?));
        if base.len() > MAX_BASE_BYTES {
            return Err(HttpSignatureError::TooLarge("what the signature covers"));
        }
    }
    base.push_str(&format!("\"@signature-params\": {covered}"));
    Ok(base)
}

/// Serialises one inner list (structured fields).
pub(super) fn serialize_inner_list(list: &InnerList) -> Result<String, HttpSignatureError> {
    let list: List = vec![ListEntry::InnerList(list.clone())];
    list.serialize().ok_or(HttpSignatureError::Malformed("the list of components"))
}
