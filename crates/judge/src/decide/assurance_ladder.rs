//! The assurance ladder: how far the evidence goes, rung by rung. It changes no decision.

use contract::records::{AssuranceLadder, ClaimState, ControlSummary, LadderRung, Rung, RungState};
use serde::Serialize;

use super::decision_inputs::{
    AiDelivery, CapabilityConformance, DecisionInputs, EntityObservation, MachineFilesPresence,
    NameExistence, RobotsPolicy, UsageRight,
};

/// What it takes to reach a rung.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RungTerms {
    pub rung: &'static str,
    pub reached_by: &'static str,
}

/// Every rung, lowest first.
pub const RUNGS: [RungTerms; 8] = [
    RungTerms {
        rung: "declared",
        reached_by: "The site says something about itself to machines: in robots.txt, another machine file, a rights \
                     statement or structured data.",
    },
    RungTerms {
        rung: "discovered",
        reached_by: "We found robots.txt or another machine file at its standard path.",
    },
    RungTerms { rung: "reachable", reached_by: "At least one AI identity was served the page." },
    RungTerms {
        rung: "conformant",
        reached_by: "Declared capabilities were called read-only, and each one that was called matched its declaration.",
    },
    RungTerms {
        rung: "owner_verified",
        reached_by: "Control of the domain is currently proven. This changes no decision.",
    },
    RungTerms {
        rung: "authorized",
        reached_by: "The owner authorised tests of capabilities that change something, with a test account. This \
                     build does not measure this rung.",
    },
    RungTerms {
        rung: "reliable",
        reached_by: "Authorised capabilities worked as declared over weeks of calls. This build does not measure this rung.",
    },
    RungTerms {
        rung: "action_ready",
        reached_by: "A test transaction was completed from end to end. This build does not measure this rung.",
    },
];

pub(super) const LADDER_RULE: &str = "The level is the highest rung that is reached together with every rung below it. A rung is \
                                      reached only on measured evidence. The ladder describes evidence; `actions` \
                                      has the decisions.";

/// Builds the ladder of an answer. Proven control counts here and in no decision.
#[must_use]
pub fn build_ladder(inputs: &DecisionInputs, control: &ControlSummary) -> AssuranceLadder {
    let found = [
        declared(inputs),
        discovered(inputs),
        reachable(inputs),
        conformant(inputs),
        owner_verified(&control.state),
        (RungState::NotMeasured, "No owner has authorised a test of this site."),
        (RungState::NotMeasured, "We do not measure calls over time."),
        (RungState::NotMeasured, "This service does not try transactions."),
    ];
    let rungs: Vec<LadderRung> = Rung::ORDER
        .into_iter()
        .zip(found)
        .map(|(rung, (state, why))| LadderRung { rung, state, why: why.to_owned() })
        .collect();
    let level = rungs
        .iter()
        .take_while(|rung| rung.state == RungState::Reached)
        .last()
        .map(|rung| rung.rung.clone());
    AssuranceLadder {
        v: 1,
        level,
        order: Rung::ORDER.to_vec(),
        rungs,
        rule: LADDER_RULE.to_owned(),
    }
}

/// The rungs that follow from the sections alone. Only these are named in decisions.
pub(super) fn rungs_found(inputs: &DecisionInputs) -> Vec<Rung> {
    [declared, discovered, reachable, conformant]
        .into_iter()
        .zip(Rung::ORDER)
        .filter(|(measure, _)| measure(inputs).0 == RungState::Reached)
        .map(|(_, rung)| rung)
        .collect()
}

type RungResult = (RungState, &'static str);

fn has_policy(inputs: &DecisionInputs) -> bool {
    matches!(
        inputs.policy,
        RobotsPolicy::AllowsAll | RobotsPolicy::AllowsSome | RobotsPolicy::DisallowsAll
    )
}

fn declared(inputs: &DecisionInputs) -> RungResult {
    let stated = [inputs.ground, inputs.cite, inputs.transact].iter().any(|right| {
        matches!(right, UsageRight::Allowed | UsageRight::Conditional | UsageRight::Disallowed)
    });
    if has_policy(inputs) {
        (RungState::Reached, "robots.txt was read.")
    } else if inputs.files == MachineFilesPresence::Present {
        (RungState::Reached, "A machine file was read.")
    } else if stated {
        (RungState::Reached, "A rights statement was read.")
    } else if inputs.entity == EntityObservation::Observed {
        (RungState::Reached, "The page's structured data says who runs the site.")
    } else if nothing_at_standard_places(inputs) {
        (RungState::NotReached, "The site says nothing about itself to machines.")
    } else {
        (RungState::NotMeasured, "We did not measure whether the site says anything to machines.")
    }
}

fn discovered(inputs: &DecisionInputs) -> RungResult {
    if has_policy(inputs) {
        (RungState::Reached, "robots.txt is at its standard path.")
    } else if inputs.files == MachineFilesPresence::Present {
        (RungState::Reached, "A machine file is at its standard path.")
    } else if nothing_at_standard_places(inputs) {
        (RungState::NotReached, "There is nothing at any standard path.")
    } else {
        (RungState::NotMeasured, "Not every standard path could be read.")
    }
}

fn nothing_at_standard_places(inputs: &DecisionInputs) -> bool {
    inputs.name == NameExistence::Missing
        || (inputs.policy == RobotsPolicy::Absent && inputs.files == MachineFilesPresence::Absent)
}

fn reachable(inputs: &DecisionInputs) -> RungResult {
    match inputs.delivery {
        AiDelivery::All => (RungState::Reached, "Every AI identity was served the page."),
        AiDelivery::Some => (RungState::Reached, "Some AI identities were served the page."),
        AiDelivery::Challenged => {
            (RungState::NotReached, "AI identities received a challenge instead of the page.")
        }
        AiDelivery::Gated => (
            RungState::NotReached,
            "AI identities received a login form, a gate or a placeholder instead of the page.",
        ),
        AiDelivery::Stalled => {
            (RungState::NotReached, "Every AI identity was kept waiting without a complete answer.")
        }
        AiDelivery::Payment => {
            (RungState::NotReached, "AI identities were asked to pay for the page.")
        }
        AiDelivery::Refused => (RungState::NotReached, "Every AI identity was refused."),
        AiDelivery::NoPage => (RungState::NotReached, "No AI identity received a page."),
        AiDelivery::NotMeasured if inputs.name == NameExistence::Missing => {
            (RungState::NotReached, "The domain name does not exist.")
        }
        AiDelivery::NotMeasured => {
            (RungState::NotMeasured, "We did not measure what the site serves to AI identities.")
        }
    }
}

fn conformant(inputs: &DecisionInputs) -> RungResult {
    match inputs.capabilities {
        CapabilityConformance::Conformant => (
            RungState::Reached,
            "The declared capabilities that were called matched their declarations.",
        ),
        CapabilityConformance::PartlyConformant => (
            RungState::NotReached,
            "Some capabilities that were called did not match their declarations.",
        ),
        CapabilityConformance::Mismatched => {
            (RungState::NotReached, "No capability that was called matched its declaration.")
        }
        CapabilityConformance::Unverified => {
            (RungState::NotMeasured, "No declared capability was called.")
        }
        CapabilityConformance::NoneDeclared => (
            RungState::NotMeasured,
            "The site declares no capability, so there is nothing to measure.",
        ),
        CapabilityConformance::NotMeasured => {
            (RungState::NotMeasured, "We did not measure whether the site declares capabilities.")
        }
    }
}

fn owner_verified(state: &ClaimState) -> RungResult {
    match state {
        ClaimState::Proven => (RungState::Reached, "Control of the domain is proven."),
        ClaimState::ProofMissing => {
            (RungState::NotReached, "The proof of control is currently missing.")
        }
        ClaimState::Lapsed => (RungState::NotReached, "The proof of control has lapsed."),
        ClaimState::SuspendedTransfer => {
            (RungState::NotReached, "The domain was transferred after control was proven.")
        }
        ClaimState::SuspendedExpired => {
            (RungState::NotReached, "The domain registration expired after control was proven.")
        }
        ClaimState::ZoneNotRechecked => {
            (RungState::NotMeasured, "The proof of control could not be checked again.")
        }
        ClaimState::Unproven => (RungState::NotMeasured, "Nobody has claimed the domain."),
        ClaimState::Unrecognised(_) => {
            (RungState::NotMeasured, "This version does not know the state of the claim.")
        }
    }
}
