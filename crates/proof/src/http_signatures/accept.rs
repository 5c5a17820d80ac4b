//! Accept-Signature (RFC 9421, 5): a client requests a signed response.

use contract::Timestamp;
use sfv::{BareItem, Dictionary, InnerList, ListEntry, Parser};

use super::component::Component;
use super::directory::DIRECTORY_TAG;
use super::error::HttpSignatureError;
use super::limits::{MAX_COMPONENTS, MAX_FIELD_BYTES};
use super::message::Message;
use super::params::{ALG, SignatureParams};
use super::sign::{SignatureFields, sign};
use crate::{KeyPurpose, SigningKey};

/// The most signatures for one response.
const MAX_REQUESTED: usize = 4;
/// The longest nonce, tag or keyid that is accepted.
const MAX_TEXT_BYTES: usize = 256;
/// How long the signature of a response is valid.
const VALIDITY_SECONDS: i64 = 300;
/// Tags with a defined meaning. If a client could choose one of these, it could pass a response off
/// as a key directory or as a request by this service.
const RESERVED_TAGS: [&str; 2] = [DIRECTORY_TAG, "web-bot-auth"];

/// One signature that a client requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedSignature {
    pub label: String,
    pub components: Vec<Component>,
    keyid: Option<String>,
    nonce: Option<String>,
    tag: Option<String>,
}

/// The requested signatures that can be made for a response. Malformed and unsupported requests are
/// ignored: the response is then sent without that signature.
#[must_use]
pub fn parse_accept_signature<'a>(
    lines: impl IntoIterator<Item = &'a str>,
) -> Vec<RequestedSignature> {
    let mut field = String::new();
    for line in lines {
        if !field.is_empty() {
            field.push_str(", ");
        }
        field.push_str(line);
        if field.len() > MAX_FIELD_BYTES {
            return Vec::new();
        }
    }
    let Ok(members) = Parser::new(&field).parse::<Dictionary>() else { return Vec::new() };
    let asked = members.iter().filter_map(|(label, member)| match member {
        ListEntry::InnerList(list) => RequestedSignature::parse(label.as_str(), list),
        ListEntry::Item(_) => None,
    });
    asked.take(MAX_REQUESTED).collect()
}

impl RequestedSignature {
    fn parse(label: &str, list: &InnerList) -> Option<Self> {
        if list.items.len() > MAX_COMPONENTS {
            return None;
        }
        let components: Vec<Component> =
            list.items.iter().map(Component::from_item).collect::<Result<_, _>>().ok()?;
        // Without one of these a signed response could be taken for a signed request.
        let only_of_a_response =
            |component: &Component| component.is_of_request() || component.name() == "@status";
        if !components.iter().any(only_of_a_response) {
            return None;
        }
        let mut asked =
            Self { label: label.to_owned(), components, keyid: None, nonce: None, tag: None };
        for (name, value) in &list.params {
            let text = || {
                let text = value.as_string()?.as_str();
                (text.len() <= MAX_TEXT_BYTES).then(|| text.to_owned())
            };
            match name.as_str() {
                // Both are always included.
                "created" | "expires" if *value == BareItem::Boolean(true) => {}
                "keyid" => asked.keyid = Some(text()?),
                "nonce" => asked.nonce = Some(text()?),
                "tag" => {
                    let tag = text()?;
                    if RESERVED_TAGS.contains(&tag.as_str()) {
                        return None;
                    }
                    asked.tag = Some(tag);
                }
                "alg" if text()? == ALG => {}
                _ => return None,
            }
        }
        Some(asked)
    }

    /// Signs the response as requested. The key's purpose must be HTTP signatures.
    pub fn sign(
        &self,
        message: &Message<'_>,
        key: &SigningKey,
        now: Timestamp,
    ) -> Result<SignatureFields, HttpSignatureError> {
        if key.purpose() != KeyPurpose::Requests {
            return Err(HttpSignatureError::WrongKeyPurpose);
        }
        if self.keyid.as_deref().is_some_and(|wanted| wanted != key.kid()) {
            return Err(HttpSignatureError::UnknownKey);
        }
        let created = now.as_millis().div_euclid(1000);
        let params = SignatureParams {
            created: Some(created),
            expires: Some(created.saturating_add(VALIDITY_SECONDS)),
            keyid: None,
            nonce: self.nonce.clone(),
            tag: self.tag.clone(),
        };
        sign(message, &self.label, &self.components, &params, key)
    }
}
