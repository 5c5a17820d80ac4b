//! The table of states and of what leads from one to another.

use contract::records::{ClaimState, ControlEventType};

/// What can happen to a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// A token that was made for this claim, and never published before, was read.
    FreshProof,
    /// The token that proved the claim was read again.
    ProofSeen,
    /// The token was absent in two checks, at least a day apart.
    ProofGone,
    /// The place of the proof could not be read.
    ProofUnreadable,
    /// The time for bringing a missing proof back is over.
    GraceEnded,
    /// The place of the proof could not be read for too long.
    UnreadableTooLong,
    /// All nameservers are others than at the time of the claim.
    NameserversReplaced,
    /// The registry shows another registrar, a later registration, or a transfer since the claim.
    TransferSeen,
    /// The registration is being deleted, or the registry does not know the name any more.
    RegistrationEnded,
    /// The claimant gave the claim up.
    Withdrawn,
    /// The operator of this service ended the claim.
    SuspendedByOperator,
}

/// One row of the table. What it does not list changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransitionRule {
    pub from: &'static [ClaimState],
    pub trigger: Trigger,
    pub to: ClaimState,
    pub event: ControlEventType,
    /// The trigger in words, for people.
    pub when: &'static str,
}

/// The states of a claim that was proven and is not lost.
const HELD: &[ClaimState] =
    &[ClaimState::Proven, ClaimState::ProofMissing, ClaimState::ZoneNotRechecked];
const PROVEN_ONCE: &[ClaimState] = &[
    ClaimState::Proven,
    ClaimState::ProofMissing,
    ClaimState::ZoneNotRechecked,
    ClaimState::Lapsed,
    ClaimState::SuspendedTransfer,
    ClaimState::SuspendedExpired,
];
const ALL: &[ClaimState] = &[
    ClaimState::Unproven,
    ClaimState::Proven,
    ClaimState::ProofMissing,
    ClaimState::ZoneNotRechecked,
    ClaimState::Lapsed,
    ClaimState::SuspendedTransfer,
    ClaimState::SuspendedExpired,
];

/// Every transition. For each state and trigger at most one row applies.
pub const TRANSITIONS: &[TransitionRule] = &[
    TransitionRule {
        from: ALL,
        trigger: Trigger::FreshProof,
        to: ClaimState::Proven,
        event: ControlEventType::Verified,
        when: "A new token was read where it must be published.",
    },
    TransitionRule {
        from: HELD,
        trigger: Trigger::ProofSeen,
        to: ClaimState::Proven,
        event: ControlEventType::Rechecked,
        when: "The token is still published.",
    },
    TransitionRule {
        from: &[ClaimState::Proven, ClaimState::ZoneNotRechecked],
        trigger: Trigger::ProofGone,
        to: ClaimState::ProofMissing,
        event: ControlEventType::ProofMissing,
        when: "The token was not published in two checks, at least 24 hours apart.",
    },
    TransitionRule {
        from: &[ClaimState::Proven, ClaimState::ZoneNotRechecked],
        trigger: Trigger::ProofUnreadable,
        to: ClaimState::ZoneNotRechecked,
        event: ControlEventType::Rechecked,
        when: "The place of the token could not be read.",
    },
    TransitionRule {
        from: &[ClaimState::ProofMissing],
        trigger: Trigger::GraceEnded,
        to: ClaimState::Lapsed,
        event: ControlEventType::GraceEnded,
        when: "The token was not published again within 14 days.",
    },
    TransitionRule {
        from: &[ClaimState::ZoneNotRechecked],
        trigger: Trigger::UnreadableTooLong,
        to: ClaimState::Lapsed,
        event: ControlEventType::Lapsed,
        when: "The place of the token could not be read for 30 days.",
    },
    TransitionRule {
        from: HELD,
        trigger: Trigger::NameserversReplaced,
        to: ClaimState::ProofMissing,
        event: ControlEventType::ProofMissing,
        when: "The registry lists other nameservers than at the time of the claim, and none of the old ones.",
    },
    TransitionRule {
        from: PROVEN_ONCE,
        trigger: Trigger::TransferSeen,
        to: ClaimState::SuspendedTransfer,
        event: ControlEventType::TransferSeen,
        when: "The registry shows another registrar, a later registration date, or a transfer since the claim.",
    },
    TransitionRule {
        from: PROVEN_ONCE,
        trigger: Trigger::RegistrationEnded,
        to: ClaimState::SuspendedExpired,
        event: ControlEventType::Suspended,
        when: "The registry is deleting the registration, or did not know the name in two checks, at least 24 hours apart.",
    },
    TransitionRule {
        from: PROVEN_ONCE,
        trigger: Trigger::Withdrawn,
        to: ClaimState::Unproven,
        event: ControlEventType::Withdrawn,
        when: "The claimant withdrew the claim.",
    },
    TransitionRule {
        from: HELD,
        trigger: Trigger::SuspendedByOperator,
        to: ClaimState::Lapsed,
        event: ControlEventType::Suspended,
        when: "The operator of this service ended the claim.",
    },
];

/// The row for a state and a trigger.
#[must_use]
pub fn find_transition(from: &ClaimState, trigger: Trigger) -> Option<&'static TransitionRule> {
    TRANSITIONS.iter().find(|rule| rule.trigger == trigger && rule.from.contains(from))
}
