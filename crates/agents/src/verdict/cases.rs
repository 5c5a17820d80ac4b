//! The table of verdicts: each row is printed in the specification and run as a test.

use contract::records::VisitorVerdict;

/// A row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictCase {
    /// What the user agent claims.
    pub claimed_agent: &'static str,
    pub evidence: &'static str,
    pub verdict: VisitorVerdict,
    /// What the reason says.
    pub why: &'static str,
    /// How a test makes this case.
    pub(super) example: Example,
}

/// A visitor to the agents of the test catalogue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Example {
    pub(super) user_agent: &'static str,
    pub(super) address: Option<&'static str>,
    pub(super) dns: Dns,
    pub(super) signature: SignatureCase,
    pub(super) lists: ListState,
    /// A part of the reason.
    pub(super) says: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dns {
    NotLookedUp,
    Confirmed,
    Other,
    Forged,
    NoName,
    Failed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignatureCase {
    None,
    Valid,
    Foreign,
    Invalid,
    Unreadable,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListState {
    Fresh,
    Old,
    Never,
}

const INSIDE: Option<&str> = Some("44.10.0.7");
const OUTSIDE: Option<&str> = Some("44.99.0.7");
const OUTSIDE_IPV6: Option<&str> = Some("2a0e:99::7");

/// An example with fresh lists, no look-up and no signature.
const fn example(
    user_agent: &'static str,
    address: Option<&'static str>,
    says: &'static str,
) -> Example {
    Example {
        user_agent,
        address,
        dns: Dns::NotLookedUp,
        signature: SignatureCase::None,
        lists: ListState::Fresh,
        says,
    }
}

/// Every row of the table, in the order in which the steps are taken.
#[must_use]
pub fn verdict_cases() -> Vec<VerdictCase> {
    use VisitorVerdict::{NotAKnownAgent, Spoofed, Unverifiable, Verified};
    let case = |claimed_agent, evidence, verdict, why, example| VerdictCase {
        claimed_agent,
        evidence,
        verdict,
        why,
        example,
    };
    vec![
        case(
            "none recognised",
            "anything",
            NotAKnownAgent,
            "no list is checked",
            example(
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/157.0.0.0",
                INSIDE,
                "names none",
            ),
        ),
        case(
            "none recognised",
            "a signature of somebody who operates no known agent",
            NotAKnownAgent,
            "whose key it is",
            Example {
                signature: SignatureCase::Foreign,
                ..example("Chrome/157", INSIDE, "stranger.example")
            },
        ),
        case(
            "a name for robots.txt only, of which the operator documents that it is never sent",
            "anything",
            Spoofed,
            "what the operator documents",
            example("Token-Never/1.0", INSIDE, "never sent"),
        ),
        case(
            "a name for robots.txt only, without such a statement",
            "anything",
            Unverifiable,
            "that the operator does not say",
            example("Token-Maybe/1.0", INSIDE, "does not say"),
        ),
        case(
            "an agent with a list of its own",
            "the address is in the list",
            Verified,
            "the list and its date",
            example(
                "List-Bot/1.0",
                INSIDE,
                "https://one.example/list.json as fetched on 2026-11-15",
            ),
        ),
        case(
            "an agent with a list of its own",
            "the address is in a copy of the list that is too old",
            Verified,
            "since when the copy is out of date",
            Example {
                lists: ListState::Old,
                ..example("List-Bot/1.0", INSIDE, "out of date since")
            },
        ),
        case(
            "an agent of an operator with one list for several agents",
            "the address is in the list",
            Verified,
            "that the list proves the operator and does not tell its agents apart",
            example("Shared-Bot/1.0", Some("44.20.0.7"), "does not tell Shared-Bot from"),
        ),
        case(
            "an agent with a list and documented DNS names",
            "the address is in the list",
            Verified,
            "the list",
            example("Both-Bot/1.0", Some("44.30.0.7"), "in the list"),
        ),
        case(
            "an agent with a list and documented DNS names",
            "outside of the list, with a confirmed name",
            Verified,
            "the name",
            Example {
                dns: Dns::Confirmed,
                ..example("Both-Bot/1.0", OUTSIDE, "crawl-7.bots.example")
            },
        ),
        case(
            "an agent with a list and documented DNS names",
            "outside of the list, with another name",
            Spoofed,
            "both",
            Example { dns: Dns::Other, ..example("Both-Bot/1.0", OUTSIDE, "host.other.example") },
        ),
        case(
            "an agent with a list and documented DNS names",
            "outside of the list, and the look-up failed",
            Unverifiable,
            "that the look-up failed",
            Example {
                dns: Dns::Failed,
                ..example("Both-Bot/1.0", OUTSIDE, "the look-up got no answer")
            },
        ),
        case(
            "an agent with a list of its own",
            "the list is fresh, the address is outside, and no other method is documented",
            Spoofed,
            "the list and its date",
            example("List-Bot/1.0", OUTSIDE, "not in the list that One publishes"),
        ),
        case(
            "an agent with a list of its own",
            "outside, but in the list of another agent of the operator",
            Unverifiable,
            "that it proves the operator, not the agent",
            example("List-Bot/1.0", Some("44.11.0.7"), "another list of One"),
        ),
        case(
            "an agent with a list of its own",
            "outside, but in a list of the operator that also has addresses of its customers",
            Unverifiable,
            "that the list also has addresses of others",
            example("Mixed-Bot/1.0", Some("44.40.0.7"), "addresses of others"),
        ),
        case(
            "an agent with a list of IPv4 addresses only",
            "an IPv6 address",
            Unverifiable,
            "that the list has no IPv6 addresses",
            example("List-Bot/1.0", OUTSIDE_IPV6, "has no IPv6 addresses"),
        ),
        case(
            "an agent with a list of its own",
            "outside of a copy that is too old",
            Unverifiable,
            "the age of the copy",
            Example {
                lists: ListState::Old,
                ..example("List-Bot/1.0", OUTSIDE, "too old to deny it")
            },
        ),
        case(
            "an agent with a list of its own",
            "the list was never fetched",
            Unverifiable,
            "that it was not fetched",
            Example {
                lists: ListState::Never,
                ..example("List-Bot/1.0", INSIDE, "not been able to fetch")
            },
        ),
        case(
            "an agent with documented DNS names only",
            "a name below a documented suffix, confirmed by a look-up of the name",
            Verified,
            "the name",
            Example {
                dns: Dns::Confirmed,
                ..example("Name-Bot/1.0", OUTSIDE, "crawl-7.bots.example")
            },
        ),
        case(
            "an agent with documented DNS names only",
            "another name",
            Spoofed,
            "the name",
            Example {
                dns: Dns::Other,
                ..example("Name-Bot/1.0", OUTSIDE, "none of Names's documented names")
            },
        ),
        case(
            "an agent with documented DNS names only",
            "a name below a documented suffix that does not have the address",
            Spoofed,
            "that the name does not have the address",
            Example {
                dns: Dns::Forged,
                ..example("Name-Bot/1.0", OUTSIDE, "does not have this address")
            },
        ),
        case(
            "an agent with documented DNS names that are reported to have no addresses",
            "a name below a documented suffix that does not have the address",
            Unverifiable,
            "that the name cannot be confirmed",
            Example {
                dns: Dns::Forged,
                ..example("Unconfirmed-Bot/1.0", OUTSIDE, "with which to confirm it")
            },
        ),
        case(
            "an agent with documented DNS names only",
            "no name",
            Spoofed,
            "that there is no name",
            Example { dns: Dns::NoName, ..example("Name-Bot/1.0", OUTSIDE, "has no DNS name") },
        ),
        case(
            "an agent with documented DNS names only",
            "the look-up failed",
            Unverifiable,
            "that the look-up failed",
            Example {
                dns: Dns::Failed,
                ..example("Name-Bot/1.0", OUTSIDE, "the look-up got no answer")
            },
        ),
        case(
            "an agent of which only the company's network is known",
            "inside or outside",
            Unverifiable,
            "that a network proves the company's network, not the agent",
            example("Network-Bot/1.0", Some("44.40.0.7"), "not Network-Bot"),
        ),
        case(
            "an agent of which nothing is published",
            "anything",
            Unverifiable,
            "that nothing is published",
            example("Silent-Bot/1.0", OUTSIDE, "publishes nothing"),
        ),
        case(
            "an agent with a list and signatures",
            "a valid signature by a key of the operator's directory, and the address is outside the list",
            Verified,
            "the signature, and the contradiction",
            Example {
                signature: SignatureCase::Valid,
                ..example("Signing-Bot/1.0", OUTSIDE, "not in the operator's lists, though")
            },
        ),
        case(
            "an agent with a list and signatures",
            "an invalid signature, and the address is in the list",
            Verified,
            "the list, and what is wrong with the signature",
            Example {
                signature: SignatureCase::Invalid,
                ..example("Signing-Bot/1.0", Some("44.50.0.7"), "The signature is not valid")
            },
        ),
        case(
            "an agent with a list and signatures",
            "an invalid signature, and the address is outside the list",
            Spoofed,
            "the list, and what is wrong with the signature",
            Example {
                signature: SignatureCase::Invalid,
                ..example("Signing-Bot/1.0", OUTSIDE, "The signature is not valid")
            },
        ),
        case(
            "an agent with a list and signatures",
            "a valid signature of somebody else, and the address is outside the list",
            Spoofed,
            "the list, and whose signature it is",
            Example {
                signature: SignatureCase::Foreign,
                ..example("Signing-Bot/1.0", OUTSIDE, "stranger.example")
            },
        ),
        case(
            "an agent that only its signature names",
            "a valid signature",
            Verified,
            "the signature",
            Example {
                signature: SignatureCase::Valid,
                ..example("Chrome/157", OUTSIDE, "valid signature by a key that Signers publishes")
            },
        ),
        case(
            "an agent that only its signature names",
            "an invalid signature",
            Spoofed,
            "what is wrong with the signature",
            Example {
                signature: SignatureCase::Invalid,
                ..example("Chrome/157", OUTSIDE, "signature is not valid")
            },
        ),
        case(
            "an agent that only its signature names",
            "the directory of keys could not be read",
            Unverifiable,
            "that the directory could not be read",
            Example {
                signature: SignatureCase::Unreadable,
                ..example("Chrome/157", OUTSIDE, "could not be checked")
            },
        ),
        case(
            "an agent with a list",
            "no address",
            Unverifiable,
            "what could be checked with it",
            example(
                "List-Bot/1.0",
                None,
                "Without the visitor's address, the list of its addresses",
            ),
        ),
        case(
            "any known agent",
            "a private, loopback, documentation or reserved address",
            Spoofed,
            "that the address is not one of the public internet",
            example("Silent-Bot/1.0", Some("192.168.1.7"), "not one of the public internet"),
        ),
        case(
            "two agents",
            "the address is in the list of the more specific one",
            Verified,
            "both names",
            example(
                "Shared-Bot/1.0 (compatible; List-Bot-Extra/2.0)",
                Some("44.11.0.7"),
                "also names Shared-Bot",
            ),
        ),
    ]
}
