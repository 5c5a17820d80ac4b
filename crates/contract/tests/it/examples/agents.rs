//! Examples of the catalogue of known agents and of the specification of the visitor verdict.

use contract::records::{
    AgentFeedEntry, FeedState, KnownAgentEntry, KnownAgentsRecord, Purpose, SpecFeed, VerdictCase,
    VerdictMeaning, VerifiedBy, VisitorSpec, VisitorTestVector, VisitorVerdict,
};

use super::{at, kind, some, texts, url};

pub(super) fn known_agents() -> KnownAgentsRecord {
    KnownAgentsRecord {
        kind: kind("agents"),
        v: 1,
        schema: url("/api/v1/schema?kind=svc-agents"),
        made_at: at("02:00:00"),
        count: 1,
        agents: vec![KnownAgentEntry {
            id: "gptbot".to_owned(),
            name: "GPTBot".to_owned(),
            operator: "OpenAI".to_owned(),
            purpose: Purpose::Training,
            user_triggered: Some(false),
            robots_tokens: texts(&["GPTBot"]),
            user_agent_tokens: texts(&["GPTBot"]),
            verified_by: vec![VerifiedBy::AddressList],
            feeds: texts(&["openai-gptbot"]),
            reverse_dns_suffixes: texts(&["bots.example"]),
            key_directories: texts(&["https://bots.example"]),
            docs: some("https://bots.example/docs"),
            evidence: "operator_page".to_owned(),
            checked_on: "2026-11-15".to_owned(),
        }],
        feeds: vec![AgentFeedEntry {
            id: "openai-gptbot".to_owned(),
            operator: "OpenAI".to_owned(),
            address: "https://feeds.lab/openai-gptbot".to_owned(),
            format: "prefix_json".to_owned(),
            proves: "agent".to_owned(),
            max_age_hours: 168,
            state: FeedState::Fresh,
            prefixes: 21,
            fetched_at: Some(at("00:00:00")),
            last_fault: some("The server answered with status 503."),
        }],
        sha256: None,
        signature: None,
    }
}

pub(super) fn visitor_spec() -> VisitorSpec {
    VisitorSpec {
        kind: kind("spec"),
        id: "visitor-resolve".to_owned(),
        version: "1".to_owned(),
        verdicts: vec![VerdictMeaning {
            verdict: VisitorVerdict::Verified,
            when: "One documented method confirms the visitor.".to_owned(),
            means: "The request comes from the operator.".to_owned(),
            does_not_mean: "That it behaves well.".to_owned(),
        }],
        steps: texts(&["Find the agents that the user agent names."]),
        cases: vec![VerdictCase {
            claimed_agent: "none recognised".to_owned(),
            evidence: "anything".to_owned(),
            verdict: VisitorVerdict::NotAKnownAgent,
            why: "no list is checked".to_owned(),
        }],
        feeds: vec![SpecFeed {
            operator: "OpenAI".to_owned(),
            address: "https://feeds.lab/openai-gptbot".to_owned(),
            format: "prefix_json".to_owned(),
            max_age_hours: 168,
        }],
        test_vectors: vec![VisitorTestVector {
            ip: some("192.0.2.7"),
            ua: "GPTBot/1.3".to_owned(),
            expected: VisitorVerdict::Spoofed,
        }],
        privacy: "Nothing about a visitor is stored.".to_owned(),
        changes: texts(&["1: first version."]),
    }
}
