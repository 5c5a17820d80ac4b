//! Names of public sites: what may be asked about, and in which one form it is written down.
//!
//! Pure text rules. Whether a name resolves, and to what, is `door`'s business; it uses the same
//! [`HostName`] for every hop, so a name refused here is refused everywhere.

mod input;
mod reserved;

use std::borrow::Borrow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

pub use input::{Asked, MAX_INPUT_BYTES};

/// What an operator lets through although the public rules refuse it. Empty on the real internet;
/// a lab names its own top-level domain here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamePolicy {
    /// Suffixes (without a leading dot) under which names are taken as public.
    pub allow_suffixes: Vec<String>,
    /// Ports a URL may name besides 80 and 443.
    pub allow_ports: Vec<u16>,
}

/// Why a name is not one of a public site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum NameRefusal {
    #[error("no domain was given")]
    Empty,
    #[error("the domain is too long")]
    TooLong,
    #[error("the domain holds a control character, a space or a backslash")]
    BadCharacter,
    #[error("only http and https addresses can be read")]
    Scheme,
    #[error("an address with a user name or password is not taken")]
    UserInfo,
    #[error("this port is not read; only the web's own ports are")]
    Port,
    #[error("an IP address is not a domain")]
    IpAddress,
    #[error("the domain is not a valid host name")]
    Syntax,
    #[error("a name with a single label is not a public domain")]
    SingleLabel,
    #[error("the domain has too many labels")]
    TooManyLabels,
    #[error("the name is reserved and belongs to no public site")]
    Reserved,
    #[error("the top-level domain does not exist")]
    UnknownTld,
    #[error("this is a public suffix, not a domain")]
    PublicSuffix,
}

impl NameRefusal {
    /// A stable word for machines.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooLong => "too_long",
            Self::BadCharacter => "bad_character",
            Self::Scheme => "scheme",
            Self::UserInfo => "userinfo",
            Self::Port => "port",
            Self::IpAddress => "ip_address",
            Self::Syntax => "syntax",
            Self::SingleLabel => "single_label",
            Self::TooManyLabels => "too_many_labels",
            Self::Reserved => "reserved_name",
            Self::UnknownTld => "unknown_tld",
            Self::PublicSuffix => "public_suffix",
        }
    }
}

/// A checked public host name: lower case, A-labels, no trailing dot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostName(String);

/// The longest host name, and the most labels one may have.
const MAX_HOST_BYTES: usize = 253;
const MAX_LABELS: usize = 10;

impl HostName {
    /// Checks one host name (no scheme, port or path).
    pub fn parse(text: &str, policy: &NamePolicy) -> Result<Self, NameRefusal> {
        if text.is_empty() {
            return Err(NameRefusal::Empty);
        }
        // Generous before mapping: full-width forms are longer than what they stand for.
        if text.len() > MAX_HOST_BYTES * 4 {
            return Err(NameRefusal::TooLong);
        }
        if text.contains(['[', ']', ':', '%']) {
            return Err(if text.contains(':') {
                NameRefusal::IpAddress
            } else {
                NameRefusal::Syntax
            });
        }
        let text = text.strip_suffix('.').unwrap_or(text);
        let ascii = idna::uts46::Uts46::new()
            .to_ascii(
                text.as_bytes(),
                idna::AsciiDenyList::STD3,
                idna::uts46::Hyphens::Check,
                idna::uts46::DnsLength::Verify,
            )
            .map_err(|_| {
                if text.len() > MAX_HOST_BYTES { NameRefusal::TooLong } else { NameRefusal::Syntax }
            })?
            .into_owned();
        if ascii.len() > MAX_HOST_BYTES {
            return Err(NameRefusal::TooLong);
        }
        let name = Self(ascii);
        name.check(policy)?;
        Ok(name)
    }

    fn check(&self, policy: &NamePolicy) -> Result<(), NameRefusal> {
        let labels: Vec<&str> = self.0.split('.').collect();
        if labels.last().is_some_and(|last| looks_like_a_number(last)) {
            return Err(NameRefusal::IpAddress);
        }
        if labels.len() > MAX_LABELS {
            return Err(NameRefusal::TooManyLabels);
        }
        for suffix in &policy.allow_suffixes {
            if self.0 == *suffix {
                return Err(NameRefusal::PublicSuffix);
            }
            if is_under(&self.0, suffix) {
                return Ok(());
            }
        }
        if reserved::is_reserved(&self.0) {
            return Err(NameRefusal::Reserved);
        }
        if labels.len() < 2 {
            return Err(NameRefusal::SingleLabel);
        }
        let suffix = psl::suffix(self.0.as_bytes()).ok_or(NameRefusal::Syntax)?;
        match suffix.typ() {
            None => Err(NameRefusal::UnknownTld),
            // A private suffix (a hosting provider's own name) is a site as well; only the suffixes
            // that registries run are not.
            Some(psl::Type::Icann) if suffix.as_bytes() == self.0.as_bytes() => {
                Err(NameRefusal::PublicSuffix)
            }
            Some(_) => Ok(()),
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name without a leading `www.`, as long as what is left is still a public name.
    #[must_use]
    pub fn to_domain(&self, policy: &NamePolicy) -> Domain {
        let bare = self
            .0
            .strip_prefix("www.")
            .and_then(|rest| Self::parse(rest, policy).ok())
            .unwrap_or_else(|| self.clone());
        Domain(bare.0)
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A domain as it is hashed, kept and compared: a [`HostName`] without a leading `www.`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, ToSchema)]
#[schema(value_type = String, example = "shop.example")]
pub struct Domain(String);

impl Domain {
    /// Reads what a caller typed: a bare domain or a full http(s) address.
    pub fn parse(input: &str, policy: &NamePolicy) -> Result<Self, NameRefusal> {
        Asked::parse(input, policy).map(|asked| asked.domain)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The hosts on which a site of this domain may answer, the likelier first.
    #[must_use]
    pub fn hosts(&self) -> [String; 2] {
        [self.0.clone(), format!("www.{}", self.0)]
    }
}

/// Hashed and compared as its text is, so that what is kept by domain is found by name.
impl Borrow<str> for Domain {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Domain {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Reading back a kept record: only the shape is checked, because the rules for what may be asked
/// about can have changed since it was written.
impl<'de> Deserialize<'de> for Domain {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let shaped = (1..=MAX_HOST_BYTES).contains(&text.len())
            && text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b".-".contains(&b));
        if shaped { Ok(Self(text)) } else { Err(serde::de::Error::custom("not a domain")) }
    }
}

/// Whether `name` is a proper subdomain of `suffix`.
fn is_under(name: &str, suffix: &str) -> bool {
    name.strip_suffix(suffix).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
}

/// WHATWG's "ends in a number": such a host is an IPv4 address in one of its many notations.
fn looks_like_a_number(label: &str) -> bool {
    let hex = label.strip_prefix("0x").or_else(|| label.strip_prefix("0X"));
    match hex {
        Some(digits) => digits.bytes().all(|b| b.is_ascii_hexdigit()),
        None => !label.is_empty() && label.bytes().all(|b| b.is_ascii_digit()),
    }
}

#[cfg(test)]
mod tests;
