//! 2.3: what agents report about their own visits, and the summary of the reports. Reports are
//! self-reported and unverified, and never influence a decision.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder, OneOfBuilder, Ref, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use super::Signature;
use super::object_only::ObjectOnly;
use super::request_bounds::{optional_digest, optional_number, text, text_schema};
use super::request_words::{known_word, optional_word, word_or_null_schema, word_schema};
use crate::ratio::Ratio;
use crate::{Day, Domain, Timestamp, open_enum};

/// The body of `POST /api/v1/outcome`. Two shapes are accepted, nested and flat; both are converted
/// to this type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "OutcomeReportInput")]
pub struct OutcomeReport {
    pub domain: String,
    pub action: OutcomeAction,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<OutcomeAgent>,
    pub result: OutcomeResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolve_said: Option<ResolveSaid>,
    /// The digest of the resolve answer that the agent used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolve_sha256: Option<String>,
}

open_enum! {
    /// What an agent was doing.
    pub enum OutcomeAction {
        Fetch = "fetch",
        Read = "read",
        Crawl = "crawl",
        ToolCall = "tool_call",
        Search = "search",
        Form = "form",
        Checkout = "checkout",
        Login = "login",
        Other = "other",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct OutcomeAgent {
    #[serde(deserialize_with = "text::<_, 0, 512>")]
    #[schema(max_length = 512)]
    pub name: String,
}

/// The result of the visit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct OutcomeResult {
    /// The HTTP status, if there was a response.
    #[serde(
        default,
        deserialize_with = "optional_number::<_, _, MAX_STATUS>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(maximum = 999)]
    pub status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<bool>,
    /// Whether a challenge was served, or the name of its vendor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ReportedChallenge>,
}

objects_only!(OutcomeAgent, OutcomeResult);

/// A challenge: true, false, or the vendor's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "`challenge` must be true, false or a name of at most 128 characters"
)]
pub enum ReportedChallenge {
    Flag(bool),
    Named(#[serde(deserialize_with = "text::<_, 0, 128>")] String),
}

impl PartialSchema for ReportedChallenge {
    fn schema() -> RefOr<Schema> {
        let either = OneOfBuilder::new()
            .item(ObjectBuilder::new().schema_type(Type::Boolean))
            .item(text_schema(0, 128, "The vendor's name."))
            .description(Some("A challenge: true, false, or the vendor's name."))
            .build();
        RefOr::T(Schema::OneOf(either))
    }
}

impl ToSchema for ReportedChallenge {}

impl ReportedChallenge {
    #[must_use]
    pub fn is_challenged(&self) -> bool {
        match self {
            Self::Flag(seen) => *seen,
            Self::Named(name) => !name.is_empty(),
        }
    }
}

open_enum! {
    /// What the resolve answer said about access.
    pub enum ResolveSaid {
        Open = "open",
        Restricted = "restricted",
        Blocked = "blocked",
        NotMeasured = "not_measured",
    }
}

request_words!(OutcomeAction, ResolveSaid);

/// The largest status accepted. Agents send 0 when there was no response.
const MAX_STATUS: u32 = 999;

/// The members of both shapes, before conversion.
#[derive(Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
struct OutcomeReportInput {
    domain: String,
    #[serde(deserialize_with = "known_word")]
    action: OutcomeAction,
    #[serde(default)]
    agent: Option<AgentInput>,
    #[serde(default)]
    result: Option<OutcomeResult>,
    #[serde(default, deserialize_with = "optional_number::<_, _, MAX_STATUS>")]
    status: Option<u16>,
    #[serde(default)]
    blocked: Option<bool>,
    #[serde(default)]
    challenged: Option<bool>,
    #[serde(default, deserialize_with = "optional_word")]
    resolve_said: Option<ResolveSaid>,
    #[serde(default, deserialize_with = "optional_digest")]
    resolve_sha256: Option<String>,
}

impl<'de> Deserialize<'de> for OutcomeReportInput {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        Self::deserialize(ObjectOnly(reader))
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "`agent` must be a name, or an object with a name")]
enum AgentInput {
    Name(#[serde(deserialize_with = "text::<_, 0, 512>")] String),
    Nested(OutcomeAgent),
}

impl TryFrom<OutcomeReportInput> for OutcomeReport {
    type Error = &'static str;

    fn try_from(input: OutcomeReportInput) -> Result<Self, Self::Error> {
        let flat = OutcomeResult {
            status: input.status,
            blocked: input.blocked,
            challenge: input.challenged.map(ReportedChallenge::Flag),
        };
        let result = match input.result {
            Some(nested) if flat == OutcomeResult::default() => nested,
            Some(_) => {
                return Err(
                    "send either `result`, or `status`, `blocked` and `challenged`, not both",
                );
            }
            None => flat,
        };
        Ok(Self {
            domain: input.domain,
            action: input.action,
            agent: input.agent.map(|agent| match agent {
                AgentInput::Name(name) => OutcomeAgent { name },
                AgentInput::Nested(agent) => agent,
            }),
            result,
            resolve_said: input.resolve_said,
            resolve_sha256: input.resolve_sha256,
        })
    }
}

/// An outcome report in its nested shape.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct OutcomeReportNested {
    #[schema(min_length = 1, max_length = 2048, format = "domain-or-url")]
    domain: String,
    #[schema(schema_with = word_schema::<OutcomeAction>)]
    action: OutcomeAction,
    agent: Option<OutcomeAgent>,
    result: Option<OutcomeResult>,
    #[schema(schema_with = word_or_null_schema::<ResolveSaid>)]
    resolve_said: Option<ResolveSaid>,
    /// The digest of the resolve answer that the agent used.
    #[schema(max_length = 64, pattern = "^[0-9a-f]{64}$")]
    resolve_sha256: Option<String>,
}

/// An outcome report in its flat shape.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct OutcomeReportFlat {
    #[schema(min_length = 1, max_length = 2048, format = "domain-or-url")]
    domain: String,
    #[schema(schema_with = word_schema::<OutcomeAction>)]
    action: OutcomeAction,
    /// The agent's name.
    #[schema(max_length = 512)]
    agent: Option<String>,
    /// The HTTP status, if there was a response.
    #[schema(maximum = 999)]
    status: Option<u16>,
    blocked: Option<bool>,
    challenged: Option<bool>,
    #[schema(schema_with = word_or_null_schema::<ResolveSaid>)]
    resolve_said: Option<ResolveSaid>,
    /// The digest of the resolve answer that the agent used.
    #[schema(max_length = 64, pattern = "^[0-9a-f]{64}$")]
    resolve_sha256: Option<String>,
}

impl PartialSchema for OutcomeReport {
    fn schema() -> RefOr<Schema> {
        // Not `oneOf`: a report with only the members that both shapes share matches both.
        let either = AnyOfBuilder::new()
            .item(Ref::from_schema_name(OutcomeReportNested::name()))
            .item(Ref::from_schema_name(OutcomeReportFlat::name()))
            .description(Some(
                "An agent's report about one visit, in the nested or the flat shape.",
            ))
            .build();
        RefOr::T(Schema::AnyOf(either))
    }
}

impl ToSchema for OutcomeReport {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        for (name, schema) in [
            (OutcomeReportNested::name(), OutcomeReportNested::schema()),
            (OutcomeReportFlat::name(), OutcomeReportFlat::schema()),
        ] {
            schemas.push((name.into_owned(), schema));
        }
        OutcomeReportNested::schemas(schemas);
        OutcomeReportFlat::schemas(schemas);
    }
}

/// The response to an accepted report (202).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OutcomeAccepted {
    pub ok: bool,
    pub accepted: AcceptedOutcome,
    /// The address of the domain's summary.
    pub summary: String,
    pub note: String,
}

/// The report as this service understood it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AcceptedOutcome {
    pub domain: Domain,
    pub action: OutcomeAction,
    pub outcome: OutcomeClass,
    /// How the resolve answer and the agent's experience differ; null when they agree, or when the
    /// report does not say what the answer was.
    #[schema(required)]
    pub disagreement: Option<String>,
}

open_enum! {
    /// What a report is counted as.
    pub enum OutcomeClass {
        Ok = "ok",
        Blocked = "blocked",
        Challenged = "challenged",
        Error = "error",
    }
}

/// `{brand}-agent-outcomes`: counts of the reports about one domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct OutcomeSummary {
    pub kind: String,
    pub v: u32,
    pub domain: Domain,
    pub window_days: u32,
    pub n: u64,
    pub ok: u64,
    pub blocked: u64,
    pub challenged: u64,
    pub error: u64,
    /// Reports that contradict what the resolve answer said.
    pub disagree: u64,
    /// Distinct reporter addresses per day, summed over the days. Addresses cannot be compared
    /// across days.
    pub reporters: u64,
    pub by_action: BTreeMap<String, u64>,
    pub by_agent: BTreeMap<String, u64>,
    pub by_status: BTreeMap<String, u64>,
    pub days: Vec<OutcomeDay>,
    pub recent: Vec<RecentOutcome>,
    /// `ok` divided by `n`; null when there are no reports.
    #[schema(required)]
    pub success_rate: Option<Ratio>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub signature: Option<Signature>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OutcomeDay {
    /// `YYYY-MM-DD`, UTC.
    pub day: String,
    pub n: u64,
    pub ok: u64,
    pub blocked: u64,
    pub challenged: u64,
    pub error: u64,
    pub disagree: u64,
    /// Distinct reporter addresses that day.
    pub reporters: u64,
    /// The digest of the day's record (`{brand}-agent-outcomes-day`), which is part of the day's
    /// seal; absent for a day that is not over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
}

/// `{brand}-agent-outcomes-day`: counts of the reports about one domain on one day. The SHA-256 of
/// its canonical JSON is sealed. The summary contains all of its members.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OutcomeDayRecord {
    pub kind: String,
    pub v: u32,
    pub domain: Domain,
    pub day: Day,
    pub n: u64,
    pub ok: u64,
    pub blocked: u64,
    pub challenged: u64,
    pub error: u64,
    pub disagree: u64,
    pub reporters: u64,
}

/// One of the latest reports. The only information about its sender is the name in the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RecentOutcome {
    pub at: Timestamp,
    pub action: OutcomeAction,
    pub outcome: OutcomeClass,
    #[schema(required)]
    pub agent: Option<String>,
    #[schema(required)]
    pub status: Option<u16>,
    #[schema(required)]
    pub resolve_said: Option<ResolveSaid>,
}
