//! The preflight request, which an agent sends before an action. Parsing is strict, and the
//! caller's policy can only make a decision stricter.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{OneOfBuilder, Ref, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::request_bounds::{
    PolicyEntry, RequestList, digest, optional_digest, optional_number, optional_text, text,
    text_schema,
};
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
    #[serde(
        default,
        deserialize_with = "optional_text::<_, 1, 2048>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(min_length = 1, max_length = 2048, format = "domain-or-url")]
    pub domain: Option<String>,
    /// The address to be used. Its path is checked against robots.txt; its query is not stored.
    #[serde(
        default,
        deserialize_with = "optional_text::<_, 1, 2048>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(min_length = 1, max_length = 2048, format = "domain-or-url")]
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
    #[serde(
        default,
        deserialize_with = "optional_text::<_, 0, 256>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(max_length = 256)]
    pub nonce: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp: Option<McpApproval>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldDecisionRef>,
    /// Time in milliseconds for a live read; 0 to use stored evidence only.
    #[serde(
        default,
        deserialize_with = "optional_number::<_, _, { limits::PREFLIGHT_LIVE_MS_MAX }>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(minimum = 0, maximum = 1000)]
    pub live_ms: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BTreeSet<PreflightInclude>>, max_items = 1)]
    pub include: Option<RequestList<PreflightInclude, 0, 1>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BTreeSet<PreflightCheck>>, min_items = 1, max_items = 50)]
    pub checks: Option<RequestList<PreflightCheck, 1, { limits::PREFLIGHT_CHECKS_MAX }>>,
}

/// One check.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct PreflightCheck {
    #[serde(
        default,
        deserialize_with = "optional_text::<_, 1, 2048>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(min_length = 1, max_length = 2048, format = "domain-or-url")]
    pub domain: Option<String>,
    #[serde(
        default,
        deserialize_with = "optional_text::<_, 1, 2048>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(min_length = 1, max_length = 2048, format = "domain-or-url")]
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
    #[serde(
        default,
        deserialize_with = "optional_text::<_, 0, 256>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(max_length = 256)]
    pub nonce: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp: Option<McpApproval>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldDecisionRef>,
    #[serde(
        default,
        deserialize_with = "optional_number::<_, _, { limits::PREFLIGHT_LIVE_MS_MAX }>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(minimum = 0, maximum = 1000)]
    pub live_ms: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BTreeSet<PreflightInclude>>, max_items = 1)]
    pub include: Option<RequestList<PreflightInclude, 0, 1>>,
}

/// A list of actions and domains.
pub type PolicyList = RequestList<PolicyEntry, 0, { limits::POLICY_LIST_MAX }>;

closed_enum! {
    /// A part that a receipt contains on request.
    pub enum PreflightInclude { Evidence = "evidence" }
}

/// The agent that will act, as claimed by the caller: not verified and not stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "`agent` must be a name of 1 to 512 characters, or an object with `name` or `user_agent`"
)]
pub enum PreflightAgent {
    /// A crawler token.
    Name(#[serde(deserialize_with = "text::<_, 1, 512>")] String),
    Described(AgentDescription),
}

impl PartialSchema for PreflightAgent {
    fn schema() -> RefOr<Schema> {
        let either = OneOfBuilder::new()
            .item(text_schema(1, 512, "A crawler token."))
            .item(Ref::from_schema_name(AgentDescription::name()))
            .description(Some(
                "The agent that will act, as claimed by the caller: not verified and not stored.",
            ))
            .build();
        RefOr::T(Schema::OneOf(either))
    }
}

impl ToSchema for PreflightAgent {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((AgentDescription::name().into_owned(), AgentDescription::schema()));
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct AgentDescription {
    #[serde(
        default,
        deserialize_with = "optional_text::<_, 1, 512>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(min_length = 1, max_length = 512)]
    pub name: Option<String>,
    #[serde(
        default,
        deserialize_with = "optional_text::<_, 1, 512>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(min_length = 1, max_length = 512)]
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
    #[serde(
        default,
        deserialize_with = "optional_number::<_, _, { limits::MAX_AGE_HOURS_MAX }>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(minimum = 0, maximum = 87600)]
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
    #[schema(value_type = Option<BTreeSet<PolicyEntry>>, max_items = 100)]
    pub human_approval: Option<PolicyList>,
    /// Actions and domains; everything else is blocked. A domain includes all names under it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BTreeSet<PolicyEntry>>, max_items = 100)]
    pub allow: Option<PolicyList>,
    /// Actions and domains that are blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<BTreeSet<PolicyEntry>>, max_items = 100)]
    pub deny: Option<PolicyList>,
    /// The rung that must be reached; not lower than the action's own.
    #[serde(default, deserialize_with = "optional_word", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = word_or_null_schema::<Rung>)]
    pub minimum_assurance: Option<Rung>,
    /// From how many networks the site must have been read.
    #[serde(
        default,
        deserialize_with = "optional_number::<_, _, { limits::MINIMUM_NETWORKS_MAX }>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(minimum = 0, maximum = 100)]
    pub minimum_networks: Option<u32>,
}

/// The MCP server to connect to, and one of three digests of what was approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct McpApproval {
    #[serde(deserialize_with = "text::<_, 1, 2048>")]
    #[schema(min_length = 1, max_length = 2048)]
    pub url: String,
    #[serde(
        default,
        deserialize_with = "optional_digest",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(max_length = 64, pattern = "^[0-9a-f]{64}$")]
    pub tools_sha256: Option<String>,
    #[serde(
        default,
        deserialize_with = "optional_digest",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(max_length = 64, pattern = "^[0-9a-f]{64}$")]
    pub lock_sha256: Option<String>,
    #[serde(
        default,
        deserialize_with = "optional_digest",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(max_length = 64, pattern = "^[0-9a-f]{64}$")]
    pub surface_sha256: Option<String>,
}

/// A decision that the caller already has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct HeldDecisionRef {
    #[serde(deserialize_with = "digest")]
    #[schema(max_length = 64, pattern = "^[0-9a-f]{64}$")]
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
    /// Applies the defaults and checks what the types of the members cannot.
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
        let checks = checks
            .into_vec()
            .into_iter()
            .map(|check| check.with_defaults(&defaults).validated())
            .collect();
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
        if let Some(operation) = &self.operation
            && let Err(error) = check_operation_limits(operation)
        {
            return bad("operation", error);
        }
        if matches!(&self.agent, Some(PreflightAgent::Described(agent)) if *agent == AgentDescription::default())
        {
            return bad("agent", "`name` or `user_agent` is missing");
        }
        if let Some(mcp) = &self.mcp {
            if self.action != Some(Action::Connect) {
                return bad("mcp", "`mcp` is only allowed with the action `connect`");
            }
            let digests = [&mcp.tools_sha256, &mcp.lock_sha256, &mcp.surface_sha256];
            if digests.into_iter().flatten().count() > 1 {
                return bad("mcp", "send only one digest of what was approved");
            }
        }
        Ok(self)
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
