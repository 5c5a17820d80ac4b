//! The reason of a verdict as a sentence for people.

use std::fmt::Write;

use contract::{Day, Timestamp};

use super::checker::VisitorChecker;
use super::evidence::NameDenial;
use super::outcome::Verdict;
use super::reason::{DnsResult, Reason, SignatureRemark};
use crate::FeedIndex;

impl Reason {
    /// The feed that the step used.
    #[must_use]
    pub fn feed(&self) -> Option<FeedIndex> {
        match self {
            Self::InOwnList { feed }
            | Self::InOperatorList { feed }
            | Self::OutsideLists { feed, .. }
            | Self::InSiblingList { feed }
            | Self::InNetworkOnly { feed }
            | Self::FamilyNotListed { feed, .. }
            | Self::ListTooOld { feed, .. }
            | Self::ListNeverFetched { feed } => Some(*feed),
            Self::DnsFailed { feed, .. } => *feed,
            _ => None,
        }
    }
}

impl VisitorChecker {
    /// Why the verdict is what it is: one sentence, and one more for each thing a reader should also know.
    #[must_use]
    pub fn explain(&self, verdict: &Verdict) -> String {
        let mut text = String::with_capacity(200);
        self.write_reason(&mut text, verdict);
        self.write_remarks(&mut text, verdict);
        text
    }

    fn write_reason(&self, text: &mut String, verdict: &Verdict) {
        let agent = verdict.claimed.and_then(|agent| self.agents().agent(agent));
        let (name, operator) =
            agent.map_or(("", ""), |agent| (agent.name.as_str(), agent.operator.as_str()));
        let list = |feed: FeedIndex| self.feed_name(feed);
        // Writing to a string cannot fail.
        let _ = match &verdict.reason {
            Reason::NoAgentNamed => write!(text, "The user agent names none of the known agents."),
            Reason::Signed => write!(
                text,
                "The request carries a valid signature by a key that {operator} publishes for {name}."
            ),
            Reason::TokenOnly { documented: true } => write!(
                text,
                "{operator} documents that {name} is a name for robots.txt only and is never sent in a user \
                 agent."
            ),
            Reason::TokenOnly { documented: false } => write!(
                text,
                "{name} is a name for robots.txt; {operator} does not say whether it is ever sent in a user \
                 agent."
            ),
            Reason::SpecialAddress => write!(
                text,
                "The address is not one of the public internet, and {name} visits from public addresses only."
            ),
            Reason::InOwnList { feed } => write!(
                text,
                "The address is in the list that {operator} publishes for {name}: {}.",
                list(*feed)
            ),
            Reason::InOperatorList { feed } => write!(
                text,
                "The address is in a list of {operator}: {}. It proves the operator; the list does not tell \
                 {name} from its other agents.",
                list(*feed)
            ),
            Reason::NamedByDns { name: host } => write!(
                text,
                "The address belongs to {host}, a name that {operator} documents for {name}, and the name has \
                 this address."
            ),
            Reason::OutsideLists { feed, dns: DnsResult::NotDocumented } => write!(
                text,
                "The address is not in the list that {operator} publishes for {name}: {}.",
                list(*feed)
            ),
            Reason::OutsideLists { feed, dns: DnsResult::Denied(denial) } => write!(
                text,
                "The address is not in the list that {operator} publishes for {name}: {}; and {}.",
                list(*feed),
                describe_denial(denial, operator)
            ),
            Reason::InSiblingList { feed } => write!(
                text,
                "The address is not in the list for {name}, but in another list of {operator}: {}. It proves \
                 the operator, not this agent.",
                list(*feed)
            ),
            Reason::InNetworkOnly { feed } => write!(
                text,
                "The address is not in the list for {name}, but in a list of {operator} that also has the \
                 addresses of others: {}. It neither proves {name} nor denies it.",
                list(*feed)
            ),
            Reason::FamilyNotListed { feed, ipv6 } => write!(
                text,
                "The list that {operator} publishes for {name} has no {} addresses at all, so it says nothing \
                 about this one: {}.",
                if *ipv6 { "IPv6" } else { "IPv4" },
                list(*feed)
            ),
            Reason::ListTooOld { feed, fetched_at } => write!(
                text,
                "The address is not in the list that {operator} publishes for {name}, but our copy of {} is too \
                 old to deny it: it was fetched on {}.",
                self.feed_url(*feed),
                Day::of(*fetched_at)
            ),
            Reason::ListNeverFetched { feed } => write!(
                text,
                "This service has not been able to fetch the list that {operator} publishes for {name} yet: {}.",
                self.feed_url(*feed)
            ),
            Reason::DeniedByDns(denial) => write!(
                text,
                "{operator} documents the DNS names of {name}, and {}.",
                describe_denial(denial, operator)
            ),
            Reason::NameNotConfirmable { name: host } => write!(
                text,
                "The address claims the name {host}, as {operator} documents for {name}, but anyone can claim a \
                 name, and {operator}'s names have no addresses with which to confirm it."
            ),
            Reason::DnsFailed { why, feed: Some(feed) } => write!(
                text,
                "The address is not in {}, and whether its DNS name belongs to {operator} is not known: the \
                 look-up {why}.",
                list(*feed)
            ),
            Reason::DnsFailed { why, feed: None } => write!(
                text,
                "{name} is verified by the DNS name of its address, and the look-up {why}."
            ),
            Reason::DnsNotLookedUp => {
                write!(
                    text,
                    "{name} is verified by the DNS name of its address, which was not looked up."
                )
            }
            Reason::OnlyNetworkKnown { inside } => write!(
                text,
                "{operator} publishes only the networks of the whole company{}: that would prove the company's \
                 network, not {name}.",
                match inside {
                    Some(true) => ", and the address is in them",
                    Some(false) => ", and the address is not in them",
                    None => "",
                }
            ),
            Reason::OnlySignatures => write!(
                text,
                "{operator} documents only signatures for {name}, and no signature was given to check."
            ),
            Reason::NothingPublished => write!(
                text,
                "{operator} publishes nothing by which {name} could be told from somebody who uses its name."
            ),
            Reason::NoAddress { lists, dns } => {
                let what = match (lists, dns) {
                    (true, true) => "the list of its addresses and the DNS name",
                    (true, false) => "the list of its addresses",
                    _ => "the DNS name",
                };
                write!(
                    text,
                    "Without the visitor's address, {what} that {operator} documents for {name} cannot be checked."
                )
            }
            Reason::BadSignature => write!(
                text,
                "The request claims by its signature to be {name} of {operator}, and the signature is not valid."
            ),
            Reason::SignatureUnverified => write!(
                text,
                "The request claims by its signature to be {name} of {operator}, and the signature could not be \
                 checked."
            ),
        };
    }

    fn write_remarks(&self, text: &mut String, verdict: &Verdict) {
        let remarks = &verdict.remarks;
        if let Some(since) = remarks.stale_since {
            let _ = write!(
                text,
                " Our copy of the list is out of date since {}: the address may have another owner by now.",
                Day::of(since)
            );
        }
        let _ = match &remarks.signature {
            SignatureRemark::None => Ok(()),
            SignatureRemark::ValidAddressOutside => {
                write!(text, " The address is not in the operator's lists, though.")
            }
            SignatureRemark::ValidOfAnother { origin } => {
                write!(text, " The signature is valid, but by a key of {origin}.")
            }
            SignatureRemark::Invalid { why } => write!(text, " The signature {why}."),
            SignatureRemark::Unverified { why } => write!(text, " The signature {why}."),
        };
        let names = remarks.also_named.iter().filter_map(|agent| self.agents().agent(*agent));
        let names: Vec<&str> = names.map(|agent| agent.name.as_str()).collect();
        if !names.is_empty() {
            let name = verdict.claimed.and_then(|agent| self.agents().agent(agent));
            let name = name.map_or("", |agent| agent.name.as_str());
            let _ = write!(
                text,
                " The user agent also names {}; {name} is the more specific name.",
                names.join(", ")
            );
        }
    }

    fn feed_url(&self, feed: FeedIndex) -> &str {
        self.agents().feed(feed).map_or("", |feed| feed.url.as_str())
    }

    /// When the feed was last fetched.
    #[must_use]
    pub fn fetched_at(&self, feed: FeedIndex) -> Option<Timestamp> {
        self.state(feed).and_then(|state| state.fetched_at)
    }
}

pub(super) fn describe_denial(denial: &NameDenial, operator: &str) -> String {
    match denial {
        NameDenial::NoName => "the address has no DNS name".to_owned(),
        NameDenial::OtherName(host) => {
            format!("the address belongs to {host}, which is none of {operator}'s documented names")
        }
        NameDenial::NotConfirmed(host) => {
            format!("the address claims the name {host}, but that name does not have this address")
        }
    }
}
