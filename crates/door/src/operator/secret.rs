//! A secret that is sent to a server, and the header field that has it.

use std::fmt;
use std::sync::Arc;

use http::{HeaderName, HeaderValue};

use super::call::CallError;

/// A secret, such as the key of an API. Nothing prints it: its debug output is a constant.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Arc<str>);

impl Secret {
    /// `None` if it is empty or has characters that a header field cannot have.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let is_sendable = !text.is_empty() && text.bytes().all(|byte| matches!(byte, 0x20..=0x7e));
        is_sendable.then(|| Self(text.into()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// The header field that has the key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum KeyHeader {
    /// `authorization: Bearer KEY`
    #[default]
    Bearer,
    /// `NAME: KEY`
    Named(HeaderName),
}

impl KeyHeader {
    /// The field of this name, which has the key alone. `None` if there can be no such field, or if we
    /// send it for another purpose.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        const OWN: [&str; 8] = [
            "host",
            "user-agent",
            "accept",
            "content-type",
            "content-length",
            "connection",
            "transfer-encoding",
            "te",
        ];
        let name = HeaderName::try_from(name).ok()?;
        (!OWN.contains(&name.as_str())).then_some(Self::Named(name))
    }

    /// Name and value of the field.
    pub(super) fn field(&self, key: &Secret) -> Result<(HeaderName, HeaderValue), CallError> {
        let (name, value) = match self {
            Self::Bearer => (http::header::AUTHORIZATION, format!("Bearer {}", key.0)),
            Self::Named(name) => (name.clone(), key.0.to_string()),
        };
        let mut value = HeaderValue::try_from(value).map_err(|_| CallError::Token)?;
        value.set_sensitive(true);
        Ok((name, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_output_has_the_secret() {
        let key = Secret::new("sk-very-secret").unwrap();
        let (name, value) = KeyHeader::Bearer.field(&key).unwrap();
        assert_eq!(
            (name.as_str(), value.to_str().unwrap()),
            ("authorization", "Bearer sk-very-secret")
        );
        for shown in [format!("{key:?}"), format!("{:#?}", Some(&key)), format!("{value:?}")] {
            assert!(!shown.contains("secret"), "{shown}");
        }
    }

    #[test]
    fn what_no_header_can_have_is_no_secret() {
        for text in ["", "a\nb", "a\r\nx: y", "schlüssel", "a\u{0}"] {
            assert!(Secret::new(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn a_key_has_a_field_of_its_own() {
        let key = Secret::new("k").unwrap();
        let (name, value) = KeyHeader::named("API-Key").unwrap().field(&key).unwrap();
        assert_eq!((name.as_str(), value.to_str().unwrap()), ("api-key", "k"));
        for name in ["", "a b", "Host", "content-length", "a:b", "ü"] {
            assert!(KeyHeader::named(name).is_none(), "{name}");
        }
    }
}
