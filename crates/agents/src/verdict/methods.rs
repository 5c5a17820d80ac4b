//! What each way of verifying an agent said about a visitor, for people who want to see how the verdict came
//! about.

use contract::records::VisitorVerdict;

use super::checker::{ListsResult, VisitorChecker};
use super::evidence::{ReverseDns, SignatureEvidence, VisitorEvidence};
use super::outcome::{Method, Verdict};
use super::reason::{DnsResult, Reason};
use super::sentences::describe_denial;
use crate::AgentIndex;

/// One way of verifying an agent, and what it said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MethodCheck {
    pub method: Method,
    pub result: MethodResult,
    /// A sentence.
    pub detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MethodResult {
    Confirms,
    Denies,
    /// It could not be checked, or says nothing about this visitor.
    Unknown,
    /// The operator does not document it for this agent.
    NotDocumented,
    /// It was not needed, or the visitor sent nothing for it.
    NotUsed,
}

impl VisitorChecker {
    /// What each method says about a visitor that claims to be this agent.
    #[must_use]
    pub fn check_methods(
        &self,
        agent: AgentIndex,
        visitor: &VisitorEvidence<'_>,
    ) -> [MethodCheck; 3] {
        let visitor = &visitor.untranslated();
        let (lists, dns, signature) = (
            self.check_lists(agent, visitor),
            self.check_name(agent, visitor.reverse_dns),
            self.check_signature(agent, visitor.signature),
        );
        let check = |method, (result, detail)| MethodCheck { method, result, detail };
        [
            check(Method::AddressList, lists),
            check(Method::ReverseDns, dns),
            check(Method::Signature, signature),
        ]
    }

    fn check_lists(
        &self,
        agent: AgentIndex,
        visitor: &VisitorEvidence<'_>,
    ) -> (MethodResult, String) {
        let Some(plan) = self.plan(agent).filter(|plan| !plan.lists.is_empty()) else {
            let detail = "The operator publishes no list of this agent's addresses.";
            return (MethodResult::NotDocumented, detail.to_owned());
        };
        let Some(address) = visitor.address else {
            return (MethodResult::Unknown, "No address was given.".to_owned());
        };
        let inside = self.feeds_of(address);
        if let Some(feed) = self.confirming_list(plan, inside) {
            let verdict = self.confirmed_by_list(agent, feed, visitor.now);
            return (MethodResult::Confirms, self.explain(&verdict));
        }
        let (result, reason) = match self.what_lists_say(plan, address, visitor.now) {
            ListsResult::None => (MethodResult::NotDocumented, Reason::NothingPublished),
            ListsResult::Unknown(reason) => (MethodResult::Unknown, reason),
            ListsResult::OtherFamily { feed, ipv6 } => {
                (MethodResult::Unknown, Reason::FamilyNotListed { feed, ipv6 })
            }
            ListsResult::Outside { feed } => {
                (MethodResult::Denies, Reason::OutsideLists { feed, dns: DnsResult::NotDocumented })
            }
        };
        let verdict = Verdict::new(VisitorVerdict::Unverifiable, Some(agent), reason);
        (result, self.explain(&verdict))
    }

    fn check_name(&self, agent: AgentIndex, dns: &ReverseDns) -> (MethodResult, String) {
        let Some(known) = self.agents().agent(agent) else {
            return (MethodResult::NotDocumented, String::new());
        };
        if known.reverse_dns_suffixes.is_empty() {
            let detail = format!("{} documents no DNS names for {}.", known.operator, known.name);
            return (MethodResult::NotDocumented, detail);
        }
        match dns {
            ReverseDns::NotLookedUp => (
                MethodResult::NotUsed,
                "It was not looked up: it could not change the verdict.".to_owned(),
            ),
            ReverseDns::Confirmed { name } => (
                MethodResult::Confirms,
                format!("The address belongs to {name}, and the name has this address."),
            ),
            ReverseDns::Denied(denial) => {
                let denial = describe_denial(denial, &known.operator);
                (
                    MethodResult::Denies,
                    format!("{} documents other names: {denial}.", known.operator),
                )
            }
            ReverseDns::Failed { why } => (MethodResult::Unknown, format!("The look-up {why}.")),
        }
    }

    fn check_signature(
        &self,
        agent: AgentIndex,
        signature: &SignatureEvidence,
    ) -> (MethodResult, String) {
        let Some(known) = self.agents().agent(agent) else {
            return (MethodResult::NotDocumented, String::new());
        };
        match signature {
            SignatureEvidence::NotGiven if known.key_directories.is_empty() => (
                MethodResult::NotDocumented,
                format!("{} documents no signatures for {}.", known.operator, known.name),
            ),
            SignatureEvidence::NotGiven => {
                (MethodResult::NotUsed, "No signature was given.".to_owned())
            }
            SignatureEvidence::Valid { origin } if known.key_directories.contains(origin) => {
                (MethodResult::Confirms, format!("The signature is by a key of {origin}."))
            }
            SignatureEvidence::Valid { origin } => (
                MethodResult::Unknown,
                format!("The signature is valid, but by a key of {origin}."),
            ),
            SignatureEvidence::Invalid { why, .. } => {
                (MethodResult::Denies, format!("The signature {why}."))
            }
            SignatureEvidence::Unverified { why, .. } => {
                (MethodResult::Unknown, format!("The signature {why}."))
            }
        }
    }
}
