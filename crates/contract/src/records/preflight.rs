//! Before an action: what a caller asks. The request is strict, and its policy can only tighten.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::requests::{closed_or_null, known_or_none};
use super::{Action, Decision, Rung};
use crate::errors::ErrorCode;
use crate::{limits, open_enum};

/// The body of `POST /api/v1/preflight`: one check, or `checks` for which the other members are the
/// defaults.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct PreflightRequest {
    /// A bare domain. Either this or `url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The address about to be used. Its path is judged against robots.txt; its query is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default, deserialize_with = "known_or_none", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = closed_or_null::<Action>)]
    pub action: Option<Action>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentAsked>,
    #[serde(default, deserialize_with = "known_or_none", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = closed_or_null::<PreflightTemplate>)]
    pub template: Option<PreflightTemplate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<CallerPolicy>,
    /// The exact thing about to be done, at most 8 KiB. It is given back as it came. A `url` in it
    /// that is an address of the domain is judged like one that is given as `url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub operation: Option<Map<String, Value>>,
    /// Given back as it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 256)]
    pub nonce: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp: Option<McpAsked>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldAsked>,
    /// How long may be read just now; 0 for stored evidence alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 1000)]
    pub live_ms: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 1, max_items = 50)]
    pub checks: Option<Vec<PreflightCheck>>,
}

/// One check.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct PreflightCheck {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default, deserialize_with = "known_or_none", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = closed_or_null::<Action>)]
    pub action: Option<Action>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentAsked>,
    #[serde(default, deserialize_with = "known_or_none", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = closed_or_null::<PreflightTemplate>)]
    pub template: Option<PreflightTemplate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<CallerPolicy>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub operation: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 256)]
    pub nonce: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp: Option<McpAsked>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldAsked>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 1000)]
    pub live_ms: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<String>>,
}

/// Who is about to act: claimed, not verified, and not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged, expecting = "`agent` is a name, or an object with `name` or `user_agent`")]
pub enum AgentAsked {
    /// A crawler token.
    Name(String),
    Described(AgentDescribed),
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct AgentDescribed {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
}

open_enum! {
    /// A named set of tightenings.
    pub enum PreflightTemplate {
        SafeCitation = "safe_citation",
        SafeDataRetrieval = "safe_data_retrieval",
        SafeApiConnect = "safe_api_connect",
        SafeMcpTool = "safe_mcp_tool",
        SafeCommerce = "safe_commerce",
        SafeOauth = "safe_oauth",
        SupportEscalation = "support_escalation",
    }
}

/// What the caller asks for beyond the rules. A value that would loosen them is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct CallerPolicy {
    /// The oldest evidence; not more than the action's own limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age_hours: Option<u32>,
    /// What a `warn` is to become: `warn`, `require_confirmation` or `block`.
    #[serde(default, deserialize_with = "known_or_none", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = closed_or_null::<Decision>)]
    pub on_warn: Option<Decision>,
    /// The same under another name; the stricter of both holds.
    #[serde(default, deserialize_with = "known_or_none", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = closed_or_null::<Decision>)]
    pub warn_as: Option<Decision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub require_entity: Option<bool>,
    /// Actions and domains for which a person must agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 100)]
    pub human_approval: Option<Vec<String>>,
    /// Actions and domains; what is not among them is blocked. A domain stands for all names under it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 100)]
    pub allow: Option<Vec<String>>,
    /// Actions and domains that are blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 100)]
    pub deny: Option<Vec<String>>,
    /// The rung that must be reached; not below the action's own.
    #[serde(default, deserialize_with = "known_or_none", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = closed_or_null::<Rung>)]
    pub minimum_assurance: Option<Rung>,
    /// How many networks must have looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_networks: Option<u32>,
}

/// The MCP server to connect to, and the digest of what was approved: one of three.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct McpAsked {
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface_sha256: Option<String>,
}

/// A decision the caller holds already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct HeldAsked {
    pub decision_sha256: String,
}

objects_only!(PreflightRequest, PreflightCheck, AgentDescribed, CallerPolicy, McpAsked, HeldAsked);

/// Why a request cannot be answered, and which member is at fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct PreflightRefusal {
    pub code: ErrorCode,
    pub param: String,
    pub error: String,
}

impl PreflightRefusal {
    #[must_use]
    pub fn bad(param: &str, error: impl Into<String>) -> Self {
        Self { code: ErrorCode::BadRequest, param: param.to_owned(), error: error.into() }
    }
}

/// What a request comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum PreflightAsks {
    One(Box<PreflightCheck>),
    /// In the order of the request; each is good or refused by itself.
    Batch(Vec<Result<PreflightCheck, PreflightRefusal>>),
}

impl PreflightRequest {
    /// Puts the defaults in and holds everything against its bounds.
    pub fn asks(self) -> Result<PreflightAsks, PreflightRefusal> {
        let Self {
            domain,
            url,
            action,
            agent,
            template,
            policy,
            operation,
            nonce,
            mcp,
            held,
            live_ms,
            include,
            checks,
        } = self;
        let defaults = PreflightCheck {
            domain,
            url,
            action,
            agent,
            template,
            policy,
            operation,
            nonce,
            mcp,
            held,
            live_ms,
            include,
        };
        let Some(checks) = checks else {
            return defaults.checked().map(|one| PreflightAsks::One(Box::new(one)));
        };
        if !(1..=limits::PREFLIGHT_CHECKS_MAX).contains(&checks.len()) {
            return Err(PreflightRefusal {
                code: ErrorCode::BatchSize,
                param: "checks".to_owned(),
                error: format!("give 1 to {} checks", limits::PREFLIGHT_CHECKS_MAX),
            });
        }
        let checks = checks.into_iter().map(|check| check.or(&defaults).checked()).collect();
        Ok(PreflightAsks::Batch(checks))
    }
}

impl PreflightCheck {
    /// What the check leaves open is taken from the defaults. Its own place, if it names one, stands
    /// for both `domain` and `url`.
    fn or(self, defaults: &Self) -> Self {
        let (domain, url) = if self.domain.is_some() || self.url.is_some() {
            (self.domain, self.url)
        } else {
            (defaults.domain.clone(), defaults.url.clone())
        };
        Self {
            domain,
            url,
            action: self.action.or_else(|| defaults.action.clone()),
            agent: self.agent.or_else(|| defaults.agent.clone()),
            template: self.template.or_else(|| defaults.template.clone()),
            policy: self.policy.or_else(|| defaults.policy.clone()),
            operation: self.operation.or_else(|| defaults.operation.clone()),
            nonce: self.nonce.or_else(|| defaults.nonce.clone()),
            mcp: self.mcp.or_else(|| defaults.mcp.clone()),
            held: self.held.or_else(|| defaults.held.clone()),
            live_ms: self.live_ms.or(defaults.live_ms),
            include: self.include.or_else(|| defaults.include.clone()),
        }
    }

    fn checked(self) -> Result<Self, PreflightRefusal> {
        let bad = |param: &str, error: &str| Err(PreflightRefusal::bad(param, error));
        match (&self.domain, &self.url) {
            (Some(_), Some(_)) => return bad("url", "give either `domain` or `url`"),
            (None, None) => return bad("domain", "give `domain` or `url`"),
            _ => {}
        }
        if self.action.is_none() {
            return bad("action", "`action` is missing");
        }
        if self.nonce.as_ref().is_some_and(|text| text.chars().count() > limits::NONCE_CHARS) {
            return bad("nonce", "`nonce` has at most 256 characters");
        }
        if let Some(operation) = &self.operation
            && let Err(error) = fits(operation)
        {
            return bad("operation", error);
        }
        if self.live_ms.is_some_and(|ms| ms > limits::PREFLIGHT_LIVE_MS_MAX) {
            return bad("live_ms", "`live_ms` is 0 to 1000");
        }
        if self.include.iter().flatten().any(|word| word != "evidence") {
            return bad("include", "expected one of: evidence");
        }
        for text in self.agent.iter().flat_map(AgentAsked::texts) {
            if text.is_empty() || text.len() > limits::AGENT_BYTES {
                return bad("agent", "a name of an agent has 1 to 512 bytes");
            }
        }
        if matches!(&self.agent, Some(AgentAsked::Described(agent)) if *agent == AgentDescribed::default())
        {
            return bad("agent", "give `name` or `user_agent`");
        }
        if let Some(policy) = &self.policy {
            policy.bounded()?;
        }
        if let Some(mcp) = &self.mcp {
            if self.action != Some(Action::Connect) {
                return bad("mcp", "`mcp` goes with the action `connect`");
            }
            mcp.bounded()?;
        }
        if self.held.as_ref().is_some_and(|held| !is_digest(&held.decision_sha256)) {
            return bad("held.decision_sha256", NOT_A_DIGEST);
        }
        Ok(self)
    }
}

const NOT_A_DIGEST: &str = "a digest is 64 lower-case hex digits";

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

impl AgentAsked {
    fn texts(&self) -> Vec<&String> {
        match self {
            Self::Name(name) => vec![name],
            Self::Described(agent) => agent.name.iter().chain(&agent.user_agent).collect(),
        }
    }
}

impl CallerPolicy {
    fn bounded(&self) -> Result<(), PreflightRefusal> {
        for (param, list) in [
            ("policy.human_approval", &self.human_approval),
            ("policy.allow", &self.allow),
            ("policy.deny", &self.deny),
        ] {
            let list = list.as_deref().unwrap_or_default();
            let too_long =
                |text: &String| text.is_empty() || text.len() > limits::POLICY_ENTRY_BYTES;
            if list.len() > limits::POLICY_LIST_MAX || list.iter().any(too_long) {
                return Err(PreflightRefusal::bad(
                    param,
                    "a list has at most 100 entries of 1 to 253 bytes",
                ));
            }
        }
        Ok(())
    }
}

impl McpAsked {
    fn bounded(&self) -> Result<(), PreflightRefusal> {
        let digests = [
            ("mcp.tools_sha256", &self.tools_sha256),
            ("mcp.lock_sha256", &self.lock_sha256),
            ("mcp.surface_sha256", &self.surface_sha256),
        ];
        for (param, digest) in &digests {
            if digest.as_ref().is_some_and(|text| !is_digest(text)) {
                return Err(PreflightRefusal::bad(param, NOT_A_DIGEST));
            }
        }
        if digests.iter().filter(|(_, digest)| digest.is_some()).count() > 1 {
            return Err(PreflightRefusal::bad("mcp", "give one digest of what was approved"));
        }
        Ok(())
    }
}

/// Whether an operation can be signed as it came: small, flat enough, and with numbers that every
/// reader of JSON reads alike.
fn fits(operation: &Map<String, Value>) -> Result<(), &'static str> {
    let mut waiting: Vec<(&Value, usize)> =
        operation.values().map(|value| (value, 1_usize)).collect();
    while let Some((value, depth)) = waiting.pop() {
        if depth > limits::OPERATION_DEPTH {
            return Err("`operation` is nested too deep");
        }
        match value {
            Value::Number(number) => {
                let whole = number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64());
                if whole.is_some_and(|whole| whole > limits::SAFE_INTEGER) {
                    return Err("an integer in `operation` is beyond 2^53 - 1");
                }
            }
            Value::Array(items) => waiting.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => {
                waiting.extend(members.values().map(|item| (item, depth + 1)));
            }
            _ => {}
        }
    }
    let bytes = serde_json::to_vec(operation).map_or(usize::MAX, |bytes| bytes.len());
    if bytes > limits::OPERATION_BYTES { Err("`operation` has at most 8192 bytes") } else { Ok(()) }
}
