//! The signature base, and signing it.

use data_encoding::BASE64;
use sfv::{FieldType, InnerList, KeyRef, List, ListEntry};

use super::{Component, HttpSigError, LONGEST_BASE, MOST_COMPONENTS, Message, Params};
use crate::SigningKey;

/// One member of Signature-Input and one of Signature, or several with commas between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureFields {
    pub input: String,
    pub signature: String,
}

/// Signs what the components cover. The key's thumbprint is the `keyid`, whatever `params` say.
pub fn sign(
    message: &Message<'_>,
    label: &str,
    components: &[Component],
    params: &Params,
    key: &SigningKey,
) -> Result<SignatureFields, HttpSigError> {
    // A label that is no key would break both fields.
    KeyRef::from_str(label).map_err(|_| HttpSigError::Malformed("a label"))?;
    let params = Params { keyid: Some(key.kid().to_owned()), ..params.clone() };
    let items = components.iter().map(|component| component.item().clone()).collect();
    let covered = written(&InnerList::with_params(items, params.write()?))?;
    let base = base(message, components, &covered)?;
    let signature = key.sign(base.as_bytes()).map_err(|_| HttpSigError::Crypto)?;
    Ok(SignatureFields {
        input: format!("{label}={covered}"),
        signature: format!("{label}=:{}:", BASE64.encode(&signature)),
    })
}

/// RFC 9421, 2.5. `covered` is the list of components with its parameters, as it is written.
pub(super) fn base(
    message: &Message<'_>,
    components: &[Component],
    covered: &str,
) -> Result<String, HttpSigError> {
    if components.len() > MOST_COMPONENTS {
        return Err(HttpSigError::TooLarge("the list of components"));
    }
    let mut base = String::new();
    for (place, component) in components.iter().enumerate() {
        if components.iter().take(place).any(|earlier| earlier == component) {
            return Err(HttpSigError::Twice(component.to_string()));
        }
        base.push_str(&format!("{component}: {}\n", message.value(component)?));
        if base.len() > LONGEST_BASE {
            return Err(HttpSigError::TooLarge("what the signature covers"));
        }
    }
    base.push_str(&format!("\"@signature-params\": {covered}"));
    Ok(base)
}

/// An inner list alone, as structured fields write it.
pub(super) fn written(list: &InnerList) -> Result<String, HttpSigError> {
    let list: List = vec![ListEntry::InnerList(list.clone())];
    list.serialize().ok_or(HttpSigError::Malformed("the list of components"))
}
