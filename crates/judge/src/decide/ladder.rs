//! The assurance ladder: what the evidence shows, rung by rung. It decides nothing.

use contract::records::{
    AssuranceLadder, ClaimState, ControlStanding, LadderRung, Rung, RungState,
};
use serde::Serialize;

use super::grounds::{
    CapabilitiesSeen, DeliveredToAi, EntitySeen, Grounds, MachineFilesSeen, NameKnown, Policy,
    Right,
};

/// What a rung asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RungTerms {
    pub rung: &'static str,
    pub reached_by: &'static str,
}

/// Every rung, lowest first.
pub const RUNGS: [RungTerms; 8] = [
    RungTerms {
        rung: "declared",
        reached_by: "The site says something of itself to machines: a robots.txt, a machine file, a rights statement or \
                     structured data.",
    },
    RungTerms {
        rung: "discovered",
        reached_by: "We found a robots.txt or a machine file at its standard place.",
    },
    RungTerms { rung: "reachable", reached_by: "At least one AI identity was served the page." },
    RungTerms {
        rung: "conformant",
        reached_by: "Declared capabilities were called read-only, and those that were called are as declared.",
    },
    RungTerms {
        rung: "owner_verified",
        reached_by: "Control of the domain is proven now. It changes no decision.",
    },
    RungTerms {
        rung: "authorized",
        reached_by: "The owner authorised tests of capabilities that change something, with a test account. This \
                     build measures none.",
    },
    RungTerms {
        rung: "reliable",
        reached_by: "Authorised capabilities did as declared over weeks of calls. This build measures none.",
    },
    RungTerms {
        rung: "action_ready",
        reached_by: "A transaction was carried out in a test from end to end. This build measures none.",
    },
];

pub(super) const RULE: &str = "The level is the highest rung that is reached with every rung under it. A rung is \
                               reached only on measured evidence. The ladder describes evidence; decisions are \
                               made in actions.";

/// How far the evidence reaches. Control counts here and nowhere else.
#[must_use]
pub fn ladder(grounds: &Grounds, control: &ControlStanding) -> AssuranceLadder {
    let found = [
        declared(grounds),
        discovered(grounds),
        reachable(grounds),
        conformant(grounds),
        owner_verified(&control.state),
        (RungState::NotMeasured, "No owner authorised a test of this site here."),
        (RungState::NotMeasured, "Calls over time are not measured."),
        (RungState::NotMeasured, "No transaction is tried by this service."),
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
    AssuranceLadder { v: 1, level, order: Rung::ORDER.to_vec(), rungs, rule: RULE.to_owned() }
}

/// The rungs that decisions may name: those that rest on the sections alone.
pub(super) fn found(grounds: &Grounds) -> Vec<Rung> {
    [declared, discovered, reachable, conformant]
        .into_iter()
        .zip(Rung::ORDER)
        .filter(|(measure, _)| measure(grounds).0 == RungState::Reached)
        .map(|(_, rung)| rung)
        .collect()
}

type Measured = (RungState, &'static str);

fn has_policy(grounds: &Grounds) -> bool {
    matches!(grounds.policy, Policy::AllowsAll | Policy::AllowsSome | Policy::DisallowsAll)
}

fn declared(grounds: &Grounds) -> Measured {
    let stated = [grounds.ground, grounds.cite, grounds.transact]
        .iter()
        .any(|right| matches!(right, Right::Allowed | Right::Conditional | Right::Disallowed));
    if has_policy(grounds) {
        (RungState::Reached, "robots.txt was read.")
    } else if grounds.files == MachineFilesSeen::Present {
        (RungState::Reached, "A file for machines was read.")
    } else if stated {
        (RungState::Reached, "A rights statement was read.")
    } else if grounds.entity == EntitySeen::Observed {
        (RungState::Reached, "The page says in structured data who is behind it.")
    } else if nothing_at_standard_places(grounds) {
        (RungState::NotReached, "The site was read, and says nothing of itself to machines.")
    } else {
        (RungState::NotMeasured, "Whether the site says anything to machines was not measured.")
    }
}

fn discovered(grounds: &Grounds) -> Measured {
    if has_policy(grounds) {
        (RungState::Reached, "robots.txt is at its standard place.")
    } else if grounds.files == MachineFilesSeen::Present {
        (RungState::Reached, "A file for machines is at its standard place.")
    } else if nothing_at_standard_places(grounds) {
        (RungState::NotReached, "Every standard place was looked at, and nothing is there.")
    } else {
        (RungState::NotMeasured, "Not every standard place could be read.")
    }
}

fn nothing_at_standard_places(grounds: &Grounds) -> bool {
    grounds.name == NameKnown::Missing
        || (grounds.policy == Policy::Absent && grounds.files == MachineFilesSeen::Absent)
}

fn reachable(grounds: &Grounds) -> Measured {
    match grounds.delivery {
        DeliveredToAi::All => (RungState::Reached, "Every AI identity was served the page."),
        DeliveredToAi::Some => (RungState::Reached, "Some AI identities were served the page."),
        DeliveredToAi::Challenged => {
            (RungState::NotReached, "AI identities were given a challenge in place of the page.")
        }
        DeliveredToAi::Payment => {
            (RungState::NotReached, "AI identities were asked to pay for the page.")
        }
        DeliveredToAi::Refused => (RungState::NotReached, "Every AI identity was refused."),
        DeliveredToAi::NoPage => (RungState::NotReached, "No AI identity was given a page."),
        DeliveredToAi::NotMeasured if grounds.name == NameKnown::Missing => {
            (RungState::NotReached, "The name does not exist.")
        }
        DeliveredToAi::NotMeasured => {
            (RungState::NotMeasured, "What AI identities are served was not measured.")
        }
    }
}

fn conformant(grounds: &Grounds) -> Measured {
    match grounds.capabilities {
        CapabilitiesSeen::Conformant => {
            (RungState::Reached, "Declared capabilities were called and are as declared.")
        }
        CapabilitiesSeen::PartlyConformant => {
            (RungState::NotReached, "Some capabilities that were called are not as declared.")
        }
        CapabilitiesSeen::Mismatched => {
            (RungState::NotReached, "The capability that was called is not as declared.")
        }
        CapabilitiesSeen::Unverified => {
            (RungState::NotMeasured, "No declared capability was called.")
        }
        CapabilitiesSeen::NoneDeclared => {
            (RungState::NotMeasured, "No capability is declared: nothing to measure.")
        }
        CapabilitiesSeen::NotMeasured => {
            (RungState::NotMeasured, "Whether capabilities are declared was not measured.")
        }
    }
}

fn owner_verified(state: &ClaimState) -> Measured {
    match state {
        ClaimState::Proven => (RungState::Reached, "Control of the domain is proven."),
        ClaimState::ProofMissing => (RungState::NotReached, "The proof of control is missing now."),
        ClaimState::Lapsed => (RungState::NotReached, "The proof of control has lapsed."),
        ClaimState::SuspendedTransfer => {
            (RungState::NotReached, "The domain changed hands after control was proven.")
        }
        ClaimState::SuspendedExpired => {
            (RungState::NotReached, "The registration ended after control was proven.")
        }
        ClaimState::ZoneNotRechecked => {
            (RungState::NotMeasured, "The proof of control could not be checked again.")
        }
        ClaimState::Unproven => (RungState::NotMeasured, "Nobody claimed the domain."),
        ClaimState::Unrecognised(_) => {
            (RungState::NotMeasured, "The state of the claim is not understood.")
        }
    }
}
