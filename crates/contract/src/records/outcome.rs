//! 2.3: what agents report about their own visits, and the summary of it. Self-reported and
//! unverified; none of it ever reaches a decision.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AnyOfBuilder, Ref, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::Signature;
use super::object_only::ObjectOnly;
use super::requests::{closed, closed_or_null, known, known_or_none};
use crate::ratio::Ratio;
use crate::{Day, Domain, Timestamp, open_enum};

/// The body of `POST /api/v1/outcome`. Two shapes are taken, nested and flat; both come to this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "EitherShape")]
pub struct OutcomeReport {
    pub domain: String,
    pub action: OutcomeAction,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<OutcomeAgent>,
    pub result: OutcomeResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolve_said: Option<ResolveSaid>,
    /// The digest of the resolve answer the agent went by.
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
    pub name: String,
}

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct OutcomeResult {
    /// The HTTP status, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 999)]
    pub status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<bool>,
    /// Whether a challenge stood in the way, or whose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<ChallengeSaid>,
}

objects_only!(OutcomeAgent, OutcomeResult);

/// A challenge, by a plain yes or no or by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged, expecting = "`challenge` is true, false or a name")]
pub enum ChallengeSaid {
    Seen(bool),
    Named(String),
}

impl ChallengeSaid {
    #[must_use]
    pub fn seen(&self) -> bool {
        match self {
            Self::Seen(seen) => *seen,
            Self::Named(name) => !name.is_empty(),
        }
    }
}

open_enum! {
    /// What the resolve answer had led the agent to expect.
    pub enum ResolveSaid {
        Open = "open",
        Restricted = "restricted",
        Blocked = "blocked",
        NotMeasured = "not_measured",
    }
}

/// Agents write 0 where there was no answer; no status has more than three digits.
const MAX_STATUS: u16 = 999;

/// Everything either shape may hold.
#[derive(Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
struct EitherShape {
    domain: String,
    #[serde(deserialize_with = "known")]
    action: OutcomeAction,
    #[serde(default)]
    agent: Option<AgentSaid>,
    #[serde(default)]
    result: Option<OutcomeResult>,
    #[serde(default)]
    status: Option<u16>,
    #[serde(default)]
    blocked: Option<bool>,
    #[serde(default)]
    challenged: Option<bool>,
    #[serde(default, deserialize_with = "known_or_none")]
    resolve_said: Option<ResolveSaid>,
    #[serde(default)]
    resolve_sha256: Option<String>,
}

impl<'de> Deserialize<'de> for EitherShape {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        Self::deserialize(ObjectOnly(reader))
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "`agent` is a name, or an object that holds a name")]
enum AgentSaid {
    Name(String),
    Nested(OutcomeAgent),
}

impl TryFrom<EitherShape> for OutcomeReport {
    type Error = &'static str;

    fn try_from(given: EitherShape) -> Result<Self, Self::Error> {
        let flat = OutcomeResult {
            status: given.status,
            blocked: given.blocked,
            challenge: given.challenged.map(ChallengeSaid::Seen),
        };
        let result = match given.result {
            Some(nested) if flat == OutcomeResult::default() => nested,
            Some(_) => {
                return Err("give either `result` or `status`, `blocked` and `challenged`");
            }
            None => flat,
        };
        if result.status.is_some_and(|status| status > MAX_STATUS) {
            return Err("`status` is an HTTP status of three digits");
        }
        Ok(Self {
            domain: given.domain,
            action: given.action,
            agent: given.agent.map(|agent| match agent {
                AgentSaid::Name(name) => OutcomeAgent { name },
                AgentSaid::Nested(agent) => agent,
            }),
            result,
            resolve_said: given.resolve_said,
            resolve_sha256: given.resolve_sha256,
        })
    }
}

/// An outcome report in its nested shape.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct OutcomeReportNested {
    domain: String,
    #[schema(schema_with = closed::<OutcomeAction>)]
    action: OutcomeAction,
    agent: Option<OutcomeAgent>,
    result: Option<OutcomeResult>,
    #[schema(schema_with = closed_or_null::<ResolveSaid>)]
    resolve_said: Option<ResolveSaid>,
    /// The digest of the resolve answer the agent went by.
    resolve_sha256: Option<String>,
}

/// An outcome report in its flat shape.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
struct OutcomeReportFlat {
    domain: String,
    #[schema(schema_with = closed::<OutcomeAction>)]
    action: OutcomeAction,
    /// The agent's name.
    agent: Option<String>,
    /// The HTTP status, if there was one.
    #[schema(maximum = 999)]
    status: Option<u16>,
    blocked: Option<bool>,
    challenged: Option<bool>,
    #[schema(schema_with = closed_or_null::<ResolveSaid>)]
    resolve_said: Option<ResolveSaid>,
    /// The digest of the resolve answer the agent went by.
    resolve_sha256: Option<String>,
}

impl PartialSchema for OutcomeReport {
    fn schema() -> RefOr<Schema> {
        // Not `oneOf`: a report that holds only what both shapes share is good by either.
        let either = AnyOfBuilder::new()
            .item(Ref::from_schema_name(OutcomeReportNested::name()))
            .item(Ref::from_schema_name(OutcomeReportFlat::name()))
            .description(Some("An agent's own account of one visit, nested or flat."))
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

/// The answer to a report that was taken (202).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OutcomeAccepted {
    pub ok: bool,
    pub accepted: AcceptedOutcome,
    /// The address of the domain's summary.
    pub summary: String,
    pub note: String,
}

/// The report as it was understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AcceptedOutcome {
    pub domain: Domain,
    pub action: OutcomeAction,
    pub outcome: OutcomeClass,
    /// How the resolve answer and the agent's experience differ; null when they do not, or when
    /// the agent named no answer.
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

/// `{brand}-agent-outcomes`: the reports of one domain, counted.
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
    /// Reports that differ from what the resolve answer said.
    pub disagree: u64,
    /// Different addresses of a day, added up over the days: an address is known for a day only.
    pub reporters: u64,
    pub by_action: BTreeMap<String, u64>,
    pub by_agent: BTreeMap<String, u64>,
    pub by_status: BTreeMap<String, u64>,
    pub days: Vec<OutcomeDay>,
    pub recent: Vec<RecentOutcome>,
    /// `ok` of `n`; null without reports.
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
    /// Different addresses that day.
    pub reporters: u64,
    /// The digest of the day's record (`{brand}-agent-outcomes-day`), which is sealed with the day
    /// and can be looked up; not there for a day that is not over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sha256: Option<String>,
}

/// `{brand}-agent-outcomes-day`: the reports of one domain and day, counted. What is sealed is the
/// SHA-256 of its canonical JSON; all of its members are in the summary.
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

/// One of the last reports. Holds nothing about who sent it but the name it gave itself.
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
