//! The `control` section of a resolve answer.

use contract::records::{ClaimState, ControlProof, ControlSummary};
use contract::{Domain, Issuer, Timestamp};

use super::claim::{Claim, leading_claim, state_at};
use super::texts::describe_state;
use crate::resolve::unclaimed_control;

/// What an answer says about who controls the domain. `organization` is what the claimants call
/// themselves, one for each claim.
#[must_use]
pub fn control_summary(
    domain: &Domain,
    claims: &[Claim],
    organizations: &[Option<String>],
    now: Timestamp,
    issuer: &Issuer,
) -> ControlSummary {
    let unclaimed = unclaimed_control(domain, issuer);
    let Some(leading) = leading_claim(claims, now) else { return unclaimed };
    let Some(claim) = claims.get(leading) else { return unclaimed };
    let state = state_at(claim, now);
    if state == ClaimState::Unproven {
        return unclaimed;
    }
    let mut proofs: Vec<ControlProof> = claims
        .iter()
        .filter(|claim| state_at(claim, now) == ClaimState::Proven)
        .map(|claim| ControlProof {
            method: claim.method.clone(),
            last_verified_at: claim.last_verified_at,
        })
        .collect();
    proofs.sort_by_key(|proof| std::cmp::Reverse(proof.last_verified_at));
    let organization = match state {
        ClaimState::Proven => organizations.get(leading).cloned().flatten(),
        _ => None,
    };
    ControlSummary {
        why: describe_state(&state).to_owned(),
        note: match organization {
            Some(_) => {
                "Control changes no decision. organization is what the claimant calls itself; nobody has checked it."
                    .to_owned()
            }
            None => unclaimed.note,
        },
        state,
        proofs,
        organization,
        claim: unclaimed.claim,
    }
}
