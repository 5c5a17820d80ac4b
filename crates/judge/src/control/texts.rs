//! What the states mean, for people.

use contract::records::ClaimState;

/// The meaning of a state, as the control record states it.
#[must_use]
pub fn describe_state(state: &ClaimState) -> &'static str {
    match state {
        ClaimState::Proven => {
            "Somebody has proven control of this domain, and the last check found the proof in place. The proof is \
             checked again every 30 days."
        }
        ClaimState::ProofMissing => {
            "Control was proven, but the proof is gone or does not count any more. The claim lapses at grace_ends_at \
             unless control is proven before."
        }
        ClaimState::Lapsed => {
            "Control was proven once, and that proof is no longer valid. Nobody acts as the owner here until control \
             is proven again with a new token."
        }
        ClaimState::SuspendedTransfer => {
            "The registry shows that the domain changed hands, or may have, after control was proven. Nobody acts as \
             the owner here until control is proven again with a new token."
        }
        ClaimState::SuspendedExpired => {
            "The registration of the domain ended after control was proven. Nobody acts as the owner here until \
             control is proven again with a new token."
        }
        ClaimState::ZoneNotRechecked => {
            "Control was proven, but the proof could not be read at the last checks. This does not say that the proof \
             is gone. The claim lapses if it cannot be read for 30 days."
        }
        ClaimState::Unproven => "Nobody has proven control of this domain to this service.",
        ClaimState::Unrecognised(_) => "This version does not know the state of the claim.",
    }
}
