//! What is known about a visitor. Look-ups and signature checks happen elsewhere; their results are
//! handed in.

use std::net::IpAddr;

use contract::Timestamp;

use crate::ranges::untranslated;

/// A visitor, as a site saw it, and what was found out about it.
#[derive(Debug, Clone, Copy)]
pub struct VisitorEvidence<'a> {
    pub user_agent: &'a [u8],
    pub address: Option<IpAddr>,
    pub reverse_dns: &'a ReverseDns,
    pub signature: &'a SignatureEvidence,
    pub now: Timestamp,
}

impl VisitorEvidence<'_> {
    /// With an IPv4 address in place of one that was mapped or translated to IPv6.
    pub(super) fn untranslated(self) -> Self {
        Self { address: self.address.map(untranslated), ..self }
    }
}

/// The forward-confirmed reverse look-up of the visitor's address, for the agent that the visitor
/// claims to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReverseDns {
    NotLookedUp,
    /// A name below a suffix that the operator documents, and the name has the address.
    Confirmed {
        name: String,
    },
    Denied(NameDenial),
    /// The look-up got no answer; the reason completes "the look-up …".
    Failed {
        why: &'static str,
    },
}

/// Why the name of an address does not confirm an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameDenial {
    /// The address has no name.
    NoName,
    /// Its name is not below a documented suffix.
    OtherName(String),
    /// Its name is below a documented suffix, but does not have the address: whoever has an address can
    /// give it any name.
    NotConfirmed(String),
}

/// The HTTP message signature that the visitor's request carried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignatureEvidence {
    NotGiven,
    /// Valid, and its key is in the directory of this origin.
    Valid {
        origin: String,
    },
    /// Wrong, expired, of another site, or by a key that the directory does not have. The reason
    /// completes "the signature …".
    Invalid {
        origin: Option<String>,
        why: String,
    },
    /// The directory could not be read. The reason completes "the signature …".
    Unverified {
        origin: String,
        why: String,
    },
}

impl SignatureEvidence {
    /// The origin whose key the signature claims to be made with.
    #[must_use]
    pub fn origin(&self) -> Option<&str> {
        match self {
            Self::NotGiven => None,
            Self::Valid { origin } | Self::Unverified { origin, .. } => Some(origin),
            Self::Invalid { origin, .. } => origin.as_deref(),
        }
    }
}
