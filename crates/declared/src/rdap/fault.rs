//! Why a response gives no registration.

use std::fmt;

/// Why a response is not the registration of the requested domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RdapFault {
    /// Larger than [`super::MAX_RESPONSE_BYTES`], too deep, or with too many values.
    TooLarge,
    NotJson,
    /// JSON, but not a domain object.
    NotADomain,
    /// The object does not say which name it is about.
    Unnamed,
    /// The object is about another name.
    OtherName,
    /// An error object in place of a domain, with its code if it has one.
    ErrorObject(Option<u16>),
}

impl fmt::Display for RdapFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLarge => "The registry's response is too large.",
            Self::NotJson => "The registry's response is not valid JSON.",
            Self::NotADomain => "The registry's response does not describe a domain.",
            Self::Unnamed => "The registry's response does not say which name it is about.",
            Self::OtherName => "The registry answered about another name.",
            Self::ErrorObject(Some(code)) => {
                return write!(f, "The registry reported error {code}.");
            }
            Self::ErrorObject(None) => "The registry reported an error.",
        })
    }
}
