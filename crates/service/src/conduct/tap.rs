//! Counts requests to our own site as they are answered.

use std::net::IpAddr;

use agents::verdict::{Reason, ReverseDns, SignatureEvidence, Verdict, VisitorEvidence};
use contract::Day;
use contract::records::VisitorVerdict;
use judge::conduct::{Claim, Sighting};

use super::Conduct;
use super::waiting::WaitingRequest;

/// Longer user agents are looked at up to here.
const MAX_USER_AGENT_BYTES: usize = 2_048;

/// A request that was answered.
#[derive(Debug, Clone, Copy)]
pub struct AnsweredRequest<'a> {
    pub user_agent: &'a [u8],
    /// Of the client, as rate limits take it.
    pub address: IpAddr,
    /// The path, with the query.
    pub target: &'a str,
    /// Whether it has `If-None-Match` or `If-Modified-Since`.
    pub is_conditional: bool,
}

impl Conduct {
    /// Counts a request, if its user agent names a known agent. The caller never waits, and nothing of the
    /// request is kept except that it was counted.
    pub fn count(&self, request: &AnsweredRequest<'_>) {
        let user_agent = request.user_agent;
        let user_agent = user_agent.get(..MAX_USER_AGENT_BYTES).unwrap_or(user_agent);
        let named = self.user_agents.named_agents(&self.agents, user_agent);
        if named.is_empty() {
            return;
        }
        let (now, checker) = (self.clock.now(), self.visitors.checker());
        let evidence = VisitorEvidence {
            user_agent,
            address: Some(request.address),
            reverse_dns: &ReverseDns::NotLookedUp,
            signature: &SignatureEvidence::NotGiven,
            now,
        };
        let verdict = checker.check_named(&evidence, &named);
        let Some((agent, claim)) = verdict.claimed.zip(self.claim_of(&verdict, request.address))
        else {
            return;
        };
        if claim != Claim::Verified && self.own_reads.may_be_own(user_agent, request.address, now) {
            return;
        }
        // Only a DNS name can still tell.
        let can_wait = verdict.reason == Reason::DnsNotLookedUp;
        let tokens = checker.agents().agent(agent).map(|agent| agent.robots_tokens.as_slice());
        let broken_rule =
            self.site_rules.get().filter(|_| claim == Claim::Verified || can_wait).and_then(
                |rules| {
                    let line = rules.broken_line(tokens.unwrap_or_default(), request.target)?;
                    rules.pattern(line)
                },
            );
        let is_robots_txt = request.target.split('?').next() == Some("/robots.txt");
        if can_wait {
            self.let_wait(WaitingRequest {
                agent,
                user_agent: user_agent.to_vec(),
                address: request.address,
                at: now,
                is_robots_txt,
                is_conditional: request.is_conditional,
                broken_rule,
            });
            return;
        }
        let sighting = Sighting {
            claim,
            at: Some(now),
            is_robots_txt,
            is_conditional: request.is_conditional,
            broken_rule: broken_rule.as_deref(),
        };
        self.lock_live().add(Day::of(now), agent, &sighting);
    }

    pub(super) fn claim_of(&self, verdict: &Verdict, address: IpAddr) -> Option<Claim> {
        match verdict.verdict {
            VisitorVerdict::Verified => Some(Claim::Verified),
            // The address of a proxy that is not configured, or of our own network: whose request it is cannot
            // be told.
            VisitorVerdict::Spoofed
                if verdict.reason == Reason::SpecialAddress
                    || self.visitors.is_proxy_address(address) =>
            {
                Some(Claim::Unverifiable)
            }
            VisitorVerdict::Spoofed => Some(Claim::Forged),
            VisitorVerdict::Unverifiable => Some(Claim::Unverifiable),
            _ => None,
        }
    }
}
