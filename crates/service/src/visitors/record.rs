//! The record of the known agents, and the specification of the verdict.

use std::sync::Arc;

use agents::verdict::{verdict_cases, verification_methods};
use agents::{KnownAgents, SearchableAgents};
use contract::records::{
    AgentFeedEntry, FeedState, KnownAgentEntry, KnownAgentsRecord, SpecFeed, VerdictCase,
    VerdictMeaning, VerifiedBy, VisitorSpec, VisitorTestVector, VisitorVerdict,
};
use proof::{KeyPurpose, ProofError, SignedDocument};

use super::{FeedReport, Visitors};

const SPEC_VERSION: &str = "1";

impl Visitors {
    #[must_use]
    pub fn known_agents(&self) -> Arc<SearchableAgents> {
        Arc::clone(&self.agents)
    }

    /// The catalogue, and the state of each list, signed.
    pub fn signed_agents_record(&self) -> Result<SignedDocument, ProofError> {
        self.keys.sign_document(&self.known_agents_record(), KeyPurpose::Documents)
    }

    /// The catalogue, and the state of each list.
    #[must_use]
    pub fn known_agents_record(&self) -> KnownAgentsRecord {
        let (brand, base_url) = (&self.issuer.brand, &self.issuer.base_url);
        let known = &self.agents;
        let agent = |agent: &agents::KnownAgent| KnownAgentEntry {
            id: agent.id.clone(),
            name: agent.name.clone(),
            operator: agent.operator.clone(),
            purpose: agent.purpose.clone(),
            user_triggered: agent.user_triggered,
            robots_tokens: agent.robots_tokens.clone(),
            user_agent_tokens: agent.user_agent_tokens.clone(),
            verified_by: verification_methods(known, agent)
                .iter()
                .filter_map(|method| VerifiedBy::from_word(method.as_str()))
                .collect(),
            feeds: agent.feeds.clone(),
            reverse_dns_suffixes: agent.reverse_dns_suffixes.clone(),
            key_directories: agent.key_directories.clone(),
            docs: agent.docs.clone(),
            evidence: agent.evidence.as_str().to_owned(),
            checked_on: agent.checked_on.to_string(),
        };
        KnownAgentsRecord {
            kind: brand.kind("agents"),
            v: 1,
            schema: contract::schema::schema_url("agents", brand, base_url),
            made_at: self.clock.now().whole_seconds(),
            count: u32::try_from(known.agents().len()).unwrap_or(u32::MAX),
            agents: known.agents().iter().map(agent).collect(),
            feeds: feed_entries(known, &self.feed_reports()),
            sha256: None,
            signature: None,
        }
    }

    /// What a verdict means, with cases to try.
    #[must_use]
    pub fn specification(&self) -> VisitorSpec {
        let feeds = self.agents.feeds().iter().map(|feed| SpecFeed {
            operator: feed.operator.clone(),
            address: feed.url.clone(),
            format: feed.format.as_str().to_owned(),
            max_age_hours: feed.max_age_hours,
        });
        let cases = verdict_cases().into_iter().map(|case| VerdictCase {
            claimed_agent: case.claimed_agent.to_owned(),
            evidence: case.evidence.to_owned(),
            verdict: case.verdict,
            why: case.why.to_owned(),
        });
        VisitorSpec {
            kind: self.issuer.brand.kind("spec"),
            id: "visitor-resolve".to_owned(),
            version: SPEC_VERSION.to_owned(),
            verdicts: meanings(),
            steps: STEPS.map(str::to_owned).to_vec(),
            cases: cases.collect(),
            feeds: feeds.collect(),
            test_vectors: self.test_vectors(),
            privacy: PRIVACY.to_owned(),
            changes: vec!["1 (2026-11-16): first version.".to_owned()],
        }
    }

    /// Visitors whose verdict does not depend on what a list holds, and one address of each list in use.
    fn test_vectors(&self) -> Vec<VisitorTestVector> {
        use VisitorVerdict::{NotAKnownAgent, Spoofed, Unverifiable, Verified};
        let vector = |ip: Option<&str>, ua: &str, expected: VisitorVerdict| VisitorTestVector {
            ip: ip.map(str::to_owned),
            ua: ua.to_owned(),
            expected,
        };
        let mut vectors = vec![
            vector(
                None,
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/157.0.0.0",
                NotAKnownAgent,
            ),
            vector(Some("192.0.2.7"), "NotGPTBot/1.0", NotAKnownAgent),
            vector(None, "Mozilla/5.0 (compatible; +https://example.com/GPTBot)", NotAKnownAgent),
        ];
        let checker = self.checker();
        for (index, agent) in self.agents.agent_indexes() {
            let Some(ua) = agent.user_agents.first().or(agent.user_agent_tokens.first()) else {
                continue;
            };
            // Examples of one agent may name another one more specifically.
            if checker.named_agents(ua.as_bytes()).first() != Some(index) {
                continue;
            }
            match agent.token_only {
                Some(agents::TokenOnly::NeverSent) => vectors.push(vector(None, ua, Spoofed)),
                Some(agents::TokenOnly::NotDocumented) => {
                    vectors.push(vector(None, ua, Unverifiable));
                }
                None => {
                    vectors.push(vector(None, ua, Unverifiable));
                    vectors.push(vector(Some("192.0.2.7"), ua, Spoofed));
                }
            }
            if let Some(address) = checker.example_address(index) {
                vectors.push(vector(Some(&address.to_string()), ua, Verified));
            }
        }
        vectors
    }
}

/// The state of each list, as the record has it.
#[must_use]
pub fn feed_entries(known: &KnownAgents, reports: &[FeedReport]) -> Vec<AgentFeedEntry> {
    let entry = |(feed, report): (&agents::Feed, &FeedReport)| AgentFeedEntry {
        id: feed.id.clone(),
        operator: feed.operator.clone(),
        address: feed.url.clone(),
        format: feed.format.as_str().to_owned(),
        proves: scope_name(feed.proves).to_owned(),
        max_age_hours: feed.max_age_hours,
        state: FeedState::from_word(report.health.as_str()).unwrap_or(FeedState::NeverFetched),
        prefixes: report.prefixes,
        fetched_at: report.fetched_at,
        last_fault: report.last_fault.clone(),
    };
    known.feeds().iter().zip(reports).map(entry).collect()
}

fn scope_name(scope: agents::FeedScope) -> &'static str {
    match scope {
        agents::FeedScope::Agent => "agent",
        agents::FeedScope::Operator => "operator",
        agents::FeedScope::Network => "network",
    }
}

const STEPS: [&str; 6] = [
    "Find the agents that the user agent names: whole words, in any case, not inside addresses; the longest \
     name is the claimed one. If it names none, a signature may.",
    "A valid signature by a key of the claimed agent's directory verifies the visitor.",
    "A name that exists in robots.txt only is never a visitor's.",
    "An address that is not one of the public internet is not a known agent's.",
    "The operator's lists of addresses, then the DNS name of the address, looked up in both directions: \
     either verifies the visitor.",
    "If every documented method denies the visitor, it is spoofed. If one of them could not be checked, or \
     none is documented, it is unverifiable.",
];

const PRIVACY: &str = "Nothing about a visitor is stored: no address and no user agent is written to the \
    store, to logs or to metrics. Results of DNS look-ups are kept in memory for at most an hour.";

fn meanings() -> Vec<VerdictMeaning> {
    let meaning = |verdict, when: &str, means: &str, does_not_mean: &str| VerdictMeaning {
        verdict,
        when: when.to_owned(),
        means: means.to_owned(),
        does_not_mean: does_not_mean.to_owned(),
    };
    vec![
        meaning(
            VisitorVerdict::Verified,
            "One method that the operator documents confirms the visitor.",
            "The request comes from the operator of the claimed agent.",
            "That the visitor behaves well, or that you should let it in.",
        ),
        meaning(
            VisitorVerdict::Spoofed,
            "Every method that the operator documents denies the visitor, or the name is never sent.",
            "Somebody else uses the agent's name.",
            "That the visitor is harmful: test tools also do this.",
        ),
        meaning(
            VisitorVerdict::Unverifiable,
            "Nothing is documented, or what is documented could not be checked.",
            "Nobody can tell whether the claim is true.",
            "Anything against the visitor.",
        ),
        meaning(
            VisitorVerdict::NotAKnownAgent,
            "The user agent names no agent of the catalogue.",
            "The visitor does not claim to be one of the known agents.",
            "That the visitor is a person, or that it is not a bot.",
        ),
    ]
}
