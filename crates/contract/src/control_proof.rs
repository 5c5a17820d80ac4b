//! Where a claimant publishes the proof of control, and what it says. The reader and the page that
//! tells the claimant what to publish use the same functions, so that they cannot disagree.

use crate::records::ControlMethod;
use crate::{Brand, Domain};

/// Where the proof is published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProofPlace {
    /// A TXT record at this name.
    TxtRecord { name: String },
    /// A meta element of this name in the head of this page.
    MetaTag { url: String, name: String },
    /// A line of this file.
    File { url: String },
}

impl ProofPlace {
    /// The DNS name or the URL.
    #[must_use]
    pub fn address(&self) -> &str {
        match self {
            Self::TxtRecord { name } => name,
            Self::MetaTag { url, .. } | Self::File { url } => url,
        }
    }

    /// What is published there, as it can be copied: the value of the record, the whole element, the
    /// content of the file.
    #[must_use]
    pub fn text_to_publish(&self, value: &str) -> String {
        match self {
            Self::MetaTag { name, .. } => format!("<meta name=\"{name}\" content=\"{value}\">"),
            Self::TxtRecord { .. } | Self::File { .. } => value.to_owned(),
        }
    }
}

/// Where this method publishes the proof of control of a domain. `None` for a method that this build
/// does not know.
#[must_use]
pub fn proof_place(domain: &Domain, method: &ControlMethod, brand: &Brand) -> Option<ProofPlace> {
    Some(match method {
        ControlMethod::DnsTxt => {
            ProofPlace::TxtRecord { name: format!("{}.{domain}", brand.challenge_label()) }
        }
        ControlMethod::MetaTag => ProofPlace::MetaTag {
            url: format!("https://{domain}/"),
            name: brand.verification_name(),
        },
        ControlMethod::WellKnownFile => {
            ProofPlace::File { url: format!("https://{domain}{}", brand.challenge_path()) }
        }
        ControlMethod::Unrecognised(_) => return None,
    })
}

/// What the proof says: the value of the TXT record, the content of the meta element, the line of the
/// file. `None` for a method that this build does not know.
#[must_use]
pub fn proof_value(method: &ControlMethod, token: &str) -> Option<String> {
    Some(match method {
        ControlMethod::DnsTxt => format!("token={token}"),
        ControlMethod::MetaTag | ControlMethod::WellKnownFile => token.to_owned(),
        ControlMethod::Unrecognised(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NamePolicy;

    #[test]
    fn each_method_has_its_place_and_value() {
        let domain = Domain::parse("shop.example.com", &NamePolicy::default()).unwrap();
        let brand = Brand::new("crawlcheck").unwrap();
        for (method, address, text) in [
            (ControlMethod::DnsTxt, "_crawlcheck-challenge.shop.example.com", "token=t0k"),
            (
                ControlMethod::MetaTag,
                "https://shop.example.com/",
                "<meta name=\"crawlcheck-verification\" content=\"t0k\">",
            ),
            (
                ControlMethod::WellKnownFile,
                "https://shop.example.com/.well-known/crawlcheck-challenge.txt",
                "t0k",
            ),
        ] {
            let place = proof_place(&domain, &method, &brand).unwrap();
            assert_eq!(place.address(), address);
            assert_eq!(place.text_to_publish(&proof_value(&method, "t0k").unwrap()), text);
        }
        let later: ControlMethod = serde_json::from_str("\"dns_cname\"").unwrap();
        assert_eq!(proof_place(&domain, &later, &brand), None);
        assert_eq!(proof_value(&later, "t0k"), None);
    }
}
