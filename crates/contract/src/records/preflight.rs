//! The preflight request, which an agent sends before an action. Parsing is strict, and the
//! caller's policy can only make a decision stricter.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::request_words::{optional_word, word_or_null_schema};
use super::{Action, Decision, Rung};
use crate::errors::ErrorCode;
use crate::{limits, open_enum};

/// The body of `POST /api/v1/preflight`: one check, or a list of `checks` for which the other
/// members are the defaults.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct PreflightRequest {
    /// A bare domain. Send either this or `url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// The address to be used. Its path is checked against robots.txt; its query is not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default, deserialize_with = "optional_word", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = word_or_null_schema::<Action>)]
    pub action: Option<Action>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<PreflightAgent>,
    #[serde(default, deserialize_with = "optional_word", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = word_or_null_schema::<PreflightTemplate>)]
    pub template: Option<PreflightTemplate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<CallerPolicy>,
    /// The exact operation to be carried out, at most 8 KiB. The receipt contains it unchanged. A
    /// `url` in it that belongs to the domain is checked like the member `url`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub operation: Option<Map<String, Value>>,
    /// The receipt contains it unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 256)]
    pub nonce: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp: Option<McpApproval>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldDecisionRef>,
    /// Time in milliseconds for a live read; 0 to use stored evidence only.
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
    #[serde(default, deserialize_with = "optional_word", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = word_or_null_schema::<Action>)]
    pub action: Option<Action>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<PreflightAgent>,
    #[serde(default, deserialize_with = "optional_word", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = word_or_null_schema::<PreflightTemplate>)]
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
    pub mcp: Option<McpApproval>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldDecisionRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 1000)]
    pub live_ms: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include: Option<Vec<String>>,
}

/// The agent that will act, as claimed by the caller: not verified and not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged, expecting = "`agent` must be a name, or an object with `name` or `user_agent`")]
pub enum PreflightAgent {
    /// A crawler token.
    Name(String),
    Described(AgentDescription),
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct AgentDescription {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
}

open_enum! {
    /// A named set of additional restrictions.
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

request_words!(PreflightTemplate);

/// The caller's additional restrictions. A value that would loosen the rules is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct CallerPolicy {
    /// The maximum age of the evidence; at most the action's own limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age_hours: Option<u32>,
    /// What to return instead of `warn`: `warn`, `require_confirmation` or `block`.
    #[serde(default, deserialize_with = "optional_word", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = word_or_null_schema::<Decision>)]
    pub on_warn: Option<Decision>,
    /// Another name for `on_warn`. If both are sent, the stricter one applies.
    #[serde(default, deserialize_with = "optional_word", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = word_or_null_schema::<Decision>)]
    pub warn_as: Option<Decision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub require_entity: Option<bool>,
    /// Actions and domains that require a person's confirmation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 100)]
    pub human_approval: Option<Vec<String>>,
    /// Actions and domains; everything else is blocked. A domain includes all names under it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 100)]
    pub allow: Option<Vec<String>>,
    /// Actions and domains that are blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 100)]
    pub deny: Option<Vec<String>>,
    /// The rung that must be reached; not lower than the action's own.
    #[serde(default, deserialize_with = "optional_word", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = word_or_null_schema::<Rung>)]
    pub minimum_assurance: Option<Rung>,
    /// From how many networks the site must have been read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_networks: Option<u32>,
}

/// The MCP server to connect to, and one of three digests of what was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct McpApproval {
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surface_sha256: Option<String>,
}

/// A decision that the caller already has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct HeldDecisionRef {
    pub decision_sha256: String,
}

objects_only!(
    PreflightRequest,
    PreflightCheck,
    AgentDescription,
    CallerPolicy,
    McpApproval,
    HeldDecisionRef
);

/// Why a request is refused, and which member is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct PreflightRefusal {
    pub code: ErrorCode,
    pub param: String,
    pub error: String,
}

impl PreflightRefusal {
    #[must_use]
    pub fn bad_request(param: &str, error: impl Into<String>) -> Self {
        Self { code: ErrorCode::BadRequest, param: param.to_owned(), error: error.into() }
    }
}

/// The checks of a request, with the defaults applied.
#[derive(Debug, Clone, PartialEq)]
pub enum PreflightChecks {
    Single(Box<PreflightCheck>),
    /// In request order; each check is accepted or refused on its own.
    Batch(Vec<Result<PreflightCheck, PreflightRefusal>>),
}

impl PreflightRequest {
    /// Applies the defaults and checks all limits.
    pub fn into_checks(self) -> Result<PreflightChecks, PreflightRefusal> {
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
            return defaults.validated().map(|one| PreflightChecks::Single(Box::new(one)));
        };
        if !(1..=limits::PREFLIGHT_CHECKS_MAX).contains(&checks.len()) {
            return Err(PreflightRefusal {
                code: ErrorCode::BatchSize,
                param: "checks".to_owned(),
                error: format!("`checks` must have 1 to {} entries", limits::PREFLIGHT_CHECKS_MAX),
            });
        }
        let checks =
            checks.into_iter().map(|check| check.with_defaults(&defaults).validated()).collect();
        Ok(PreflightChecks::Batch(checks))
    }
}

impl PreflightCheck {
    /// Takes missing members from the defaults. A check with its own `domain` or `url` takes
    /// neither from the defaults.
    fn with_defaults(self, defaults: &Self) -> Self {
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

    fn validated(self) -> Result<Self, PreflightRefusal> {
        let bad = |param: &str, error: &str| Err(PreflightRefusal::bad_request(param, error));
        match (&self.domain, &self.url) {
            (Some(_), Some(_)) => return bad("url", "send either `domain` or `url`, not both"),
            (None, None) => return bad("domain", "`domain` or `url` is missing"),
            _ => {}
        }
        if self.action.is_none() {
            return bad("action", "`action` is missing");
        }
        if self.nonce.as_ref().is_some_and(|text| text.chars().count() > limits::NONCE_CHARS_MAX) {
            return bad("nonce", "`nonce` must have at most 256 characters");
        }
        if let Some(operation) = &self.operation
            && let Err(error) = check_operation_limits(operation)
        {
            return bad("operation", error);
        }
        if self.live_ms.is_some_and(|ms| ms > limits::PREFLIGHT_LIVE_MS_MAX) {
            return bad("live_ms", "`live_ms` must be 0 to 1000");
        }
        if self.include.iter().flatten().any(|word| word != "evidence") {
            return bad("include", "expected one of: evidence");
        }
        for text in self.agent.iter().flat_map(PreflightAgent::names) {
            if text.is_empty() || text.len() > limits::AGENT_BYTES_MAX {
                return bad("agent", "an agent's name or user agent must have 1 to 512 bytes");
            }
        }
        if matches!(&self.agent, Some(PreflightAgent::Described(agent)) if *agent == AgentDescription::default())
        {
            return bad("agent", "`name` or `user_agent` is missing");
        }
        if let Some(policy) = &self.policy {
            policy.check_limits()?;
        }
        if let Some(mcp) = &self.mcp {
            if self.action != Some(Action::Connect) {
                return bad("mcp", "`mcp` is only allowed with the action `connect`");
            }
            mcp.check_digests()?;
        }
        if self.held.as_ref().is_some_and(|held| !is_digest(&held.decision_sha256)) {
            return bad("held.decision_sha256", NOT_A_DIGEST);
        }
        Ok(self)
    }
}

const NOT_A_DIGEST: &str = "a digest must be 64 lower-case hex digits";

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

impl PreflightAgent {
    fn names(&self) -> Vec<&String> {
        match self {
            Self::Name(name) => vec![name],
            Self::Described(agent) => agent.name.iter().chain(&agent.user_agent).collect(),
        }
    }
}

impl CallerPolicy {
    fn check_limits(&self) -> Result<(), PreflightRefusal> {
        for (param, list) in [
            ("policy.human_approval", &self.human_approval),
            ("policy.allow", &self.allow),
            ("policy.deny", &self.deny),
        ] {
            let list = list.as_deref().unwrap_or_default();
            let too_long =
                |text: &String| text.is_empty() || text.len() > limits::POLICY_ENTRY_BYTES_MAX;
            if list.len() > limits::POLICY_LIST_MAX || list.iter().any(too_long) {
                return Err(PreflightRefusal::bad_request(
                    param,
                    "a list must have at most 100 entries of 1 to 253 bytes each",
                ));
            }
        }
        Ok(())
    }
}

impl McpApproval {
    fn check_digests(&self) -> Result<(), PreflightRefusal> {
        let digests = [
            ("mcp.tools_sha256", &self.tools_sha256),
            ("mcp.lock_sha256", &self.lock_sha256),
            ("mcp.surface_sha256", &self.surface_sha256),
        ];
        for (param, digest) in &digests {
            if digest.as_ref().is_some_and(|text| !is_digest(text)) {
                return Err(PreflightRefusal::bad_request(param, NOT_A_DIGEST));
            }
        }
        if digests.iter().filter(|(_, digest)| digest.is_some()).count() > 1 {
            return Err(PreflightRefusal::bad_request(
                "mcp",
                "send only one digest of what was approved",
            ));
        }
        Ok(())
    }
}

/// Checks that the operation can be signed unchanged: small, not nested too deeply, and only with
/// integers that every JSON parser reads exactly.
fn check_operation_limits(operation: &Map<String, Value>) -> Result<(), &'static str> {
    let mut waiting: Vec<(&Value, usize)> =
        operation.values().map(|value| (value, 1_usize)).collect();
    while let Some((value, depth)) = waiting.pop() {
        if depth > limits::OPERATION_DEPTH_MAX {
            return Err("`operation` is nested more than 16 levels deep");
        }
        match value {
            Value::Number(number) => {
                let whole = number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64());
                if whole.is_some_and(|whole| whole > limits::MAX_SAFE_INTEGER) {
                    return Err("`operation` contains an integer beyond 2^53 - 1");
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
    if bytes > limits::OPERATION_BYTES_MAX {
        Err("`operation` must have at most 8192 bytes")
    } else {
        Ok(())
    }
}
