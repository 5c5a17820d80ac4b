//! Claims of control as they are stored: the claim that `judge::control` decides about, with what else belongs
//! to it.

use bytes::Bytes;
use contract::records::{ClaimState, ControlMethod, ControlSummary};
use contract::{Domain, Issuer, Timestamp};
use judge::control::{self, Claim, RegistryFacts};
use serde::{Deserialize, Serialize};
use store::{Digest, StoreError, StoredClaim};

/// A claim that was proven at least once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldClaim {
    pub id: String,
    pub domain: Domain,
    pub secret_sha256: Digest,
    /// The published value that proves it.
    pub token: String,
    /// What the claimant calls itself. Nobody checked it.
    pub organization: Option<String>,
    /// How the operator can reach the claimant.
    pub contact: Option<String>,
    pub claim: Claim,
}

/// The stored form. Members are only ever added, each with a default.
#[derive(Serialize, Deserialize)]
struct ClaimBody {
    state: ClaimState,
    method: ControlMethod,
    claimed_at: Timestamp,
    last_verified_at: Timestamp,
    last_check_at: Timestamp,
    grace_ends_at: Option<Timestamp>,
    access_until: Timestamp,
    absent_since: Option<Timestamp>,
    unreadable_since: Option<Timestamp>,
    unregistered_since: Option<Timestamp>,
    token_is_spent: bool,
    registry: Option<RegistryFacts>,
    token: String,
    organization: Option<String>,
    contact: Option<String>,
}

impl HeldClaim {
    pub(crate) fn to_stored(&self) -> Result<StoredClaim, StoreError> {
        let claim = self.claim.clone();
        let body = ClaimBody {
            state: claim.state,
            method: claim.method,
            claimed_at: claim.claimed_at,
            last_verified_at: claim.last_verified_at,
            last_check_at: claim.last_check_at,
            grace_ends_at: claim.grace_ends_at,
            access_until: claim.access_until,
            absent_since: claim.absent_since,
            unreadable_since: claim.unreadable_since,
            unregistered_since: claim.unregistered_since,
            token_is_spent: claim.token_is_spent,
            registry: claim.registry,
            token: self.token.clone(),
            organization: self.organization.clone(),
            contact: self.contact.clone(),
        };
        let body = serde_json::to_vec(&body).map_err(|error| StoreError::Failed {
            doing: "writing a claim",
            why: error.to_string(),
        })?;
        Ok(StoredClaim {
            id: self.id.clone(),
            domain: self.domain.clone(),
            secret_sha256: self.secret_sha256,
            next_check_at: self.claim.next_check_at,
            body: Bytes::from(body),
        })
    }

    pub(crate) fn from_stored(stored: &StoredClaim) -> Result<Self, StoreError> {
        let body: ClaimBody = serde_json::from_slice(&stored.body).map_err(|error| {
            StoreError::Damaged { what: format!("the claim {}", stored.id), why: error.to_string() }
        })?;
        Ok(Self {
            id: stored.id.clone(),
            domain: stored.domain.clone(),
            secret_sha256: stored.secret_sha256,
            token: body.token,
            organization: body.organization,
            contact: body.contact,
            claim: Claim {
                state: body.state,
                method: body.method,
                claimed_at: body.claimed_at,
                last_verified_at: body.last_verified_at,
                last_check_at: body.last_check_at,
                next_check_at: stored.next_check_at,
                grace_ends_at: body.grace_ends_at,
                access_until: body.access_until,
                absent_since: body.absent_since,
                unreadable_since: body.unreadable_since,
                unregistered_since: body.unregistered_since,
                token_is_spent: body.token_is_spent,
                registry: body.registry,
            },
        })
    }
}

/// All claims of a list, or an error if one of them cannot be read: without it somebody would be taken for
/// the owner who is not, or the other way round.
pub(crate) fn read_claims(stored: &[StoredClaim]) -> Result<Vec<HeldClaim>, StoreError> {
    stored.iter().map(HeldClaim::from_stored).collect()
}

/// What an answer says about who controls a domain.
pub(crate) fn summarise_claims(
    domain: &Domain,
    stored: &[StoredClaim],
    now: Timestamp,
    issuer: &Issuer,
) -> Result<ControlSummary, StoreError> {
    let held = read_claims(stored)?;
    let organizations: Vec<Option<String>> =
        held.iter().map(|held| held.organization.clone()).collect();
    let claims: Vec<Claim> = held.into_iter().map(|held| held.claim).collect();
    Ok(control::control_summary(domain, &claims, &organizations, now, issuer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_read_as_it_was_written() {
        let at = |s: i64| Timestamp::from_millis(1_790_000_000_000 + s * 1000);
        let facts = RegistryFacts { registrar: Some("Lab".to_owned()), ..Default::default() };
        let outcome = control::accept_proof(
            &ClaimState::Unproven,
            ControlMethod::MetaTag,
            at(0),
            at(1),
            Some(facts),
            "seen",
        );
        let mut claim = outcome.claim;
        claim.absent_since = Some(at(2));
        claim.unregistered_since = Some(at(3));
        let held = HeldClaim {
            id: "c".to_owned(),
            domain: Domain::parse("open.com", &contract::NamePolicy::default()).unwrap(),
            secret_sha256: Digest::of(b"s"),
            token: "t".to_owned(),
            organization: Some("o".to_owned()),
            contact: None,
            claim,
        };
        let stored = held.to_stored().unwrap();
        assert_eq!(HeldClaim::from_stored(&stored), Ok(held));
        let damaged = StoredClaim { body: Bytes::from_static(b"{}"), ..stored };
        assert!(HeldClaim::from_stored(&damaged).is_err());
    }
}
