//! 3.3: the assurance ladder. It describes the evidence; decisions are in `actions`.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::open_enum;

open_enum! {
    /// A rung of the assurance ladder, lowest first.
    pub enum Rung {
        Declared = "declared",
        Discovered = "discovered",
        Reachable = "reachable",
        Conformant = "conformant",
        OwnerVerified = "owner_verified",
        Authorized = "authorized",
        Reliable = "reliable",
        ActionReady = "action_ready",
    }
}

request_words!(Rung);

impl Rung {
    /// From the lowest to the highest.
    pub const ORDER: [Self; 8] = [
        Self::Declared,
        Self::Discovered,
        Self::Reachable,
        Self::Conformant,
        Self::OwnerVerified,
        Self::Authorized,
        Self::Reliable,
        Self::ActionReady,
    ];
}

open_enum! {
    /// Whether the evidence reaches a rung.
    pub enum RungState {
        Reached = "reached",
        /// Measured, and not sufficient.
        NotReached = "not_reached",
        /// There was nothing to measure.
        NotMeasured = "not_measured",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AssuranceLadder {
    pub v: u32,
    /// The highest rung such that it and every rung below it are reached; null when the first is
    /// not.
    #[schema(required)]
    pub level: Option<Rung>,
    pub order: Vec<Rung>,
    pub rungs: Vec<LadderRung>,
    pub rule: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LadderRung {
    pub rung: Rung,
    pub state: RungState,
    pub why: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_matches_the_interface() {
        let order: Vec<&str> = Rung::ORDER.iter().map(Rung::as_str).collect();
        assert_eq!(order, Rung::WORDS);
        assert_eq!(
            order.join(" "),
            "declared discovered reachable conformant owner_verified authorized reliable \
             action_ready"
        );
    }
}
