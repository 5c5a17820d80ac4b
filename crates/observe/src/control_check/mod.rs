//! One check of a proof of control: reads the TXT record, the home page or the file where a claimant
//! publishes the value that we chose, and says whether it is there.
//!
//! The value is in no request, so that no site can pass by repeating what it was asked. A reading says
//! "not found" only if the right place was read and the value was not there; everything that hides the
//! place (errors, challenges, caches, bad certificates) is "unreadable".
//!
//! robots.txt is not asked: whoever claims a domain asks for this one read, and a rule for crawlers
//! must not stop an owner from proving it.

mod challenge;
mod meta_tag;
mod own_hosts;
mod txt_record;
mod web_read;
mod well_known_file;

use std::time::Duration;

use agents::Catalogue;
use contract::control_proof::{ProofPlace, proof_place};
use contract::records::ControlMethod;
use contract::{Brand, Domain};
use door::Door;

/// Everything that a check needs to start.
#[derive(Debug)]
pub struct ControlCheck<'a> {
    pub domain: &'a Domain,
    pub method: &'a ControlMethod,
    pub brand: &'a Brand,
    /// What must be published: [`contract::control_proof::proof_value`].
    pub value: &'a str,
    pub door: &'a Door,
    pub catalogue: &'a Catalogue,
    /// The deadline for all reads together.
    pub deadline: Duration,
}

/// The outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ControlCheckOutcome {
    pub result: ProofResult,
    /// One or two sentences: what was read where, and what was there. Never contains the expected
    /// value.
    pub detail: String,
    /// The URL or the DNS name that was read.
    pub place: String,
    /// Whether the resolver validated the DNS answer; `None` for methods that read pages.
    pub dnssec_validated: Option<bool>,
}

/// Whether the value is where it was to be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProofResult {
    Found,
    /// The place was read, and the value is not there.
    NotFound,
    /// The place could not be read, so nothing is known.
    Unreadable,
}

impl ProofResult {
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::NotFound => "not_found",
            Self::Unreadable => "unreadable",
        }
    }
}

/// A result and the sentence that explains it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Verdict {
    result: ProofResult,
    detail: String,
}

impl Verdict {
    fn found(detail: impl Into<String>) -> Self {
        Self { result: ProofResult::Found, detail: detail.into() }
    }

    fn not_found(detail: impl Into<String>) -> Self {
        Self { result: ProofResult::NotFound, detail: detail.into() }
    }

    fn unreadable(detail: impl Into<String>) -> Self {
        Self { result: ProofResult::Unreadable, detail: detail.into() }
    }

    fn into_outcome(self, place: String) -> ControlCheckOutcome {
        ControlCheckOutcome {
            result: self.result,
            detail: self.detail,
            place,
            dnssec_validated: None,
        }
    }
}

impl ControlCheck<'_> {
    pub async fn run(&self) -> ControlCheckOutcome {
        let Some(place) = proof_place(self.domain, self.method, self.brand) else {
            let detail = format!("This service cannot read proofs of the method {}.", self.method);
            return Verdict::unreadable(detail).into_outcome(self.domain.to_string());
        };
        if self.value.trim().is_empty() {
            let detail = "There is no value to look for.";
            return Verdict::unreadable(detail).into_outcome(place.address().to_owned());
        }
        match place {
            ProofPlace::TxtRecord { name } => self.check_txt_record(name).await,
            ProofPlace::MetaTag { name, .. } => self.check_meta_tag(&name).await,
            ProofPlace::File { .. } => self.check_well_known_file().await,
        }
    }
}
