//! Host names and domains in the one form in which they are compared, hashed and stored.

use std::borrow::Borrow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use super::policy::{NamePolicy, NameRefusal};
use super::reserved::{is_reserved, is_under};

/// A valid public host name: lower case, A-labels, no trailing dot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostName(String);

/// The longest host name and the maximum number of labels.
const MAX_HOST_BYTES: usize = 253;
const MAX_LABELS: usize = 10;

impl HostName {
    /// Checks one host name (no scheme, port or path).
    pub fn parse(text: &str, policy: &NamePolicy) -> Result<Self, NameRefusal> {
        if text.is_empty() {
            return Err(NameRefusal::Empty);
        }
        // A loose limit before mapping: full-width forms take more bytes than the letters they map
        // to.
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
        if labels.last().is_some_and(|last| is_ipv4_number(last)) {
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
        if is_reserved(&self.0) {
            return Err(NameRefusal::Reserved);
        }
        if labels.len() < 2 {
            return Err(NameRefusal::SingleLabel);
        }
        let suffix = psl::suffix(self.0.as_bytes()).ok_or(NameRefusal::Syntax)?;
        match suffix.typ() {
            None => Err(NameRefusal::UnknownTld),
            // A private suffix (such as a hosting provider's own domain) can be a site; a
            // registry's suffix cannot.
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

    /// The name without a leading `www.`, unless the rest would not be a public name.
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

/// A domain in the form in which it is hashed, stored and compared: a [`HostName`] without a
/// leading `www.`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, ToSchema)]
#[schema(value_type = String, example = "shop.example")]
pub struct Domain(String);

impl Domain {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The registrable domain: the public suffix and one more label. The name itself if it has none.
    #[must_use]
    pub fn registrable(&self) -> &str {
        psl::domain_str(&self.0).unwrap_or(&self.0)
    }

    /// The domain that somebody registered at a registry: the registry's suffix and one more label. Other than
    /// for [`Domain::registrable`], suffixes of private operators do not count: a customer's name under
    /// `host.example` belongs to the registration of `host.example`.
    #[must_use]
    pub fn registered_domain(&self) -> Self {
        let mut name = self.0.as_str();
        loop {
            let Some(suffix) = psl::suffix(name.as_bytes()) else { return self.clone() };
            let labels = suffix.as_bytes().split(|byte| *byte == b'.').count();
            if suffix.typ() != Some(psl::Type::Private) || labels < 2 {
                return Self(last_labels(&self.0, labels + 1).to_owned());
            }
            // The registry's suffix is somewhere in the private one.
            name = last_labels(&self.0, labels - 1);
        }
    }

    /// The hosts on which the site of this domain may answer, the more likely one first.
    #[must_use]
    pub fn hosts(&self) -> [String; 2] {
        [self.0.clone(), format!("www.{}", self.0)]
    }
}

/// The last so many labels of a name, or the whole name if it has fewer.
fn last_labels(name: &str, count: usize) -> &str {
    let dot = name.rmatch_indices('.').nth(count.saturating_sub(1));
    dot.and_then(|(at, _)| name.get(at + 1..)).unwrap_or(name)
}

/// `Domain` hashes and compares like its text, so a map keyed by `Domain` can be searched by
/// `&str`.
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

/// Checks only the characters and the length, because a stored record must stay readable after the
/// rules for accepted names have changed.
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

/// The WHATWG URL rule "ends in a number": such a host is an IPv4 address in some notation.
fn is_ipv4_number(label: &str) -> bool {
    let hex = label.strip_prefix("0x").or_else(|| label.strip_prefix("0X"));
    match hex {
        Some(digits) => digits.bytes().all(|b| b.is_ascii_hexdigit()),
        None => !label.is_empty() && label.bytes().all(|b| b.is_ascii_digit()),
    }
}
