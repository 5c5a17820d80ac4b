//! Accept-Signature (RFC 9421, 5): a caller asks for its answer to be signed.

use contract::Timestamp;
use sfv::{BareItem, Dictionary, InnerList, ListEntry, Parser};

use super::{
    ALG, Component, DIRECTORY_TAG, HttpSigError, LONGEST_FIELD, MOST_COMPONENTS, Message, Params,
    SignatureFields, sign,
};
use crate::{KeyPurpose, SigningKey};

/// As many signatures are made for one answer.
const MOST_ASKED: usize = 4;
/// The longest nonce and the longest tag that are repeated.
const LONGEST_TEXT: usize = 256;
/// How long a signed answer may be shown around.
const GOOD_FOR_SECONDS: i64 = 300;
/// Tags with a meaning of their own: whoever could have any answer signed under one of these could
/// pass it off as a key directory or as a request of ours.
const RESERVED_TAGS: [&str; 2] = [DIRECTORY_TAG, "web-bot-auth"];

/// One signature that a caller wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub label: String,
    pub components: Vec<Component>,
    keyid: Option<String>,
    nonce: Option<String>,
    tag: Option<String>,
}

/// What a caller asks for and could be given for a response. What is not understood, or asks for
/// what is not given, is passed over: an answer without a signature is still an answer.
#[must_use]
pub fn read_accept_signature<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<Asked> {
    let mut field = String::new();
    for line in lines {
        if !field.is_empty() {
            field.push_str(", ");
        }
        field.push_str(line);
        if field.len() > LONGEST_FIELD {
            return Vec::new();
        }
    }
    let Ok(members) = Parser::new(&field).parse::<Dictionary>() else { return Vec::new() };
    let asked = members.iter().filter_map(|(label, member)| match member {
        ListEntry::InnerList(list) => Asked::read(label.as_str(), list),
        ListEntry::Item(_) => None,
    });
    asked.take(MOST_ASKED).collect()
}

impl Asked {
    fn read(label: &str, list: &InnerList) -> Option<Self> {
        if list.items.len() > MOST_COMPONENTS {
            return None;
        }
        let components: Vec<Component> =
            list.items.iter().map(Component::from_item).collect::<Result<_, _>>().ok()?;
        // Without one of these a signed answer could be taken for a signed request.
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
                (text.len() <= LONGEST_TEXT).then(|| text.to_owned())
            };
            match name.as_str() {
                // Both are always there.
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

    /// Signs the response as asked. The key must be the one for HTTP signatures.
    pub fn sign(
        &self,
        message: &Message<'_>,
        key: &SigningKey,
        now: Timestamp,
    ) -> Result<SignatureFields, HttpSigError> {
        if key.purpose() != KeyPurpose::Requests {
            return Err(HttpSigError::Purpose);
        }
        if self.keyid.as_deref().is_some_and(|wanted| wanted != key.kid()) {
            return Err(HttpSigError::UnknownKey);
        }
        let created = now.as_millis().div_euclid(1000);
        let params = Params {
            created: Some(created),
            expires: Some(created.saturating_add(GOOD_FOR_SECONDS)),
            keyid: None,
            nonce: self.nonce.clone(),
            tag: self.tag.clone(),
        };
        sign(message, &self.label, &self.components, &params, key)
    }
}
