//! The check of one visitor: at once if nothing has to be looked up, which is so for most of them.

use std::net::IpAddr;
use std::sync::Arc;

use agents::ranges::untranslated;
use agents::verdict::{ReverseDns, SignatureEvidence, VisitorChecker, VisitorEvidence};
use agents::{AgentIndex, NamedAgents};
use contract::Timestamp;
use futures_util::future::BoxFuture;

use super::{CheckedVisitor, VisitorDescription, Visitors};

/// How far a check came without waiting.
pub(super) enum StartedCheck<'a> {
    Complete(CheckedVisitor),
    /// Something has to be looked up.
    Pending(PendingCheck<'a>),
}

/// A visitor without a verdict yet.
pub(super) struct PendingCheck<'a> {
    checker: Arc<VisitorChecker>,
    visitor: VisitorDescription<'a>,
    /// The agents that its user agent names.
    named: NamedAgents,
}

impl Visitors {
    /// Checks one visitor for a site, which is counted by agent ([`super::SiteCheckCounts`]).
    pub async fn check_for_site(&self, visitor: VisitorDescription<'_>) -> CheckedVisitor {
        let checked = self.check(visitor).await;
        self.site_checks.add(&checked.verdict);
        checked
    }

    /// Checks one visitor. Look-ups are made only where they can change the verdict.
    pub async fn check(&self, visitor: VisitorDescription<'_>) -> CheckedVisitor {
        match self.start_check(self.checker(), visitor) {
            StartedCheck::Complete(checked) => checked,
            StartedCheck::Pending(check) => self.complete_check(check).await,
        }
    }

    /// Checks one visitor as far as that is possible without waiting.
    pub(super) fn start_check<'a>(
        &self,
        checker: Arc<VisitorChecker>,
        visitor: VisitorDescription<'a>,
    ) -> StartedCheck<'a> {
        let visitor = VisitorDescription { address: visitor.address.map(untranslated), ..visitor };
        let named = checker.named_agents(visitor.user_agent);
        let check = PendingCheck { checker, visitor, named };
        // A signature may need the keys of its signer.
        if visitor.headers.is_some() {
            return StartedCheck::Pending(check);
        }
        let reverse_dns = match check.deciding_name() {
            None => ReverseDns::NotLookedUp,
            Some((agent, address)) => match self.cached_name(agent, address) {
                Some(known) => known,
                None => return StartedCheck::Pending(check),
            },
        };
        let now = self.clock.now();
        StartedCheck::Complete(check.decide(reverse_dns, SignatureEvidence::NotGiven, now))
    }

    /// Looks up what a verdict needs. The future is large, so it is allocated only for those visitors.
    pub(super) fn complete_check<'a>(
        &'a self,
        check: PendingCheck<'a>,
    ) -> BoxFuture<'a, CheckedVisitor> {
        Box::pin(async move {
            let signature = self.check_signature(&check.checker, check.visitor).await;
            let is_valid = matches!(signature, SignatureEvidence::Valid { .. });
            let reverse_dns = match check.deciding_name().filter(|_| !is_valid) {
                Some((agent, address)) => self.look_up_name(&check.checker, agent, address).await,
                None => ReverseDns::NotLookedUp,
            };
            check.decide(reverse_dns, signature, self.clock.now())
        })
    }
}

impl PendingCheck<'_> {
    /// The agent for which the name of the address could change the verdict, and the address.
    fn deciding_name(&self) -> Option<(AgentIndex, IpAddr)> {
        let address = self.visitor.address?;
        Some((self.checker.agent_to_look_up(&self.named, address)?, address))
    }

    fn decide(
        self,
        reverse_dns: ReverseDns,
        signature: SignatureEvidence,
        now: Timestamp,
    ) -> CheckedVisitor {
        let evidence = VisitorEvidence {
            user_agent: self.visitor.user_agent,
            address: self.visitor.address,
            reverse_dns: &reverse_dns,
            signature: &signature,
            now,
        };
        let verdict = self.checker.check_named(&evidence, &self.named);
        CheckedVisitor { verdict, checker: self.checker, reverse_dns, signature }
    }
}
