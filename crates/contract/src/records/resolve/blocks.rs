//! The blocks of an answer that are looked up or started elsewhere: clock, claims, equivalence,
//! rights.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ratio::Quotient;
use crate::{Timestamp, open_enum};

/// When the home page changes, if anybody asked us to watch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContentClock {
    pub homepage: ClockHomepage,
    pub reading: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClockHomepage {
    pub url: String,
    pub observed: bool,
    /// Reading this address starts a clock.
    pub start: String,
    pub reading: String,
}

/// What the site says about itself, if it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SelfClaims {
    pub observed: bool,
    pub start: String,
    pub reading: String,
}

/// Whether AI identities are given the page that a browser is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReadEquivalence {
    pub url: String,
    pub observed: bool,
    pub verdict: EquivalenceVerdict,
    /// Null when it was not observed.
    #[schema(required)]
    pub checked_at: Option<Timestamp>,
    #[schema(required)]
    pub first_observed: Option<Timestamp>,
    /// `0 of 3`; null when it was not observed.
    #[schema(required)]
    pub ai_identities_served: Option<String>,
    pub identities: Vec<IdentityEquivalence>,
    /// The address that says more.
    pub api: String,
    pub reading: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct IdentityEquivalence {
    pub identity: String,
    pub verdict: EquivalenceVerdict,
    /// The identity's text in terms of the browser's; null without either.
    #[schema(required)]
    pub text_ratio: Option<Quotient>,
    pub instruction_like_text: bool,
}

open_enum! {
    /// How two readings of a page compare.
    pub enum EquivalenceVerdict {
        Equivalent = "equivalent",
        Reduced = "reduced",
        Augmented = "augmented",
        Different = "different",
        /// The page changes from one reading to the next by itself.
        NotDeterministic = "not_deterministic",
        Challenged = "challenged",
        NotServed = "not_served",
        Unmeasured = "unmeasured",
    }
}

/// What the site's public statements say about uses of its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Rights {
    pub observed: bool,
    pub path: String,
    #[schema(required)]
    pub read_at: Option<Timestamp>,
    /// The address that says more.
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

open_enum! {
    /// What is said about one use.
    pub enum RightsValue {
        Allowed = "allowed",
        Disallowed = "disallowed",
        Conditional = "conditional",
        Unknown = "unknown",
    }
}

/// Null when no statement decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RightsSource {
    #[schema(required)]
    pub signal: Option<String>,
    #[schema(required)]
    pub url: Option<String>,
    #[schema(required)]
    pub evidence: Option<String>,
}
