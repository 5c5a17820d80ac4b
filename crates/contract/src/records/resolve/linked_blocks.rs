//! The blocks of an answer that summarise records with their own address: content clock, claims,
//! read equivalence and rights.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::super::{EquivalenceVerdict, RightsSource, RightsValue};
use crate::Timestamp;
use crate::ratio::Quotient;

/// When the home page changes, if a content clock was started for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContentClock {
    pub homepage: ClockHomepage,
    pub reading: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClockHomepage {
    pub url: String,
    pub observed: bool,
    /// Requesting this address starts a content clock.
    pub start: String,
    pub reading: String,
}

/// What the site states about itself, if it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SelfClaims {
    pub observed: bool,
    pub start: String,
    pub reading: String,
}

/// Whether AI identities get the same page as a browser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReadEquivalence {
    pub url: String,
    pub observed: bool,
    pub verdict: EquivalenceVerdict,
    /// Null when not observed.
    #[schema(required)]
    pub checked_at: Option<Timestamp>,
    #[schema(required)]
    pub first_observed: Option<Timestamp>,
    /// As `0 of 3`; null when not observed.
    #[schema(required)]
    pub ai_identities_served: Option<String>,
    pub identities: Vec<IdentityEquivalence>,
    /// The address of the full record.
    pub api: String,
    pub reading: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct IdentityEquivalence {
    pub identity: String,
    pub verdict: EquivalenceVerdict,
    /// The length of the identity's text divided by that of the browser's; null when one is
    /// missing.
    #[schema(required)]
    pub text_ratio: Option<Quotient>,
    pub instruction_like_text: bool,
}

/// What the site's public statements say about uses of its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Rights {
    pub observed: bool,
    pub path: String,
    #[schema(required)]
    pub read_at: Option<Timestamp>,
    /// The address of the full record.
    pub api: String,
    pub reading: String,
    pub train: RightsUse,
    pub ground: RightsUse,
    pub summarize: RightsUse,
    pub cite: RightsUse,
    pub transact: RightsUse,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsUse {
    pub value: RightsValue,
    pub decided_by: RightsSource,
    pub conflicts: u32,
}
