//! Claiming a domain: the offer, the challenge, and what an owner may report. `control` has the record of
//! who has proven control.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::request_bounds::{optional_text, text};
use super::request_words::{known_word, word_schema};
use super::{ClaimState, ControlMethod};
use crate::{Domain, Timestamp, open_enum};

/// `{brand}-claim-offer`: how control of a domain can be proven.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClaimOffer {
    pub kind: String,
    pub v: u32,
    pub domain: Domain,
    pub state: ClaimState,
    /// The meaning of the state, as text.
    pub means: String,
    pub methods: Vec<ClaimMethod>,
    /// The address of the control record.
    pub control: String,
    /// The address to which a claim is sent.
    pub claim: String,
    /// What a claim gives, and what it does not.
    pub terms: Vec<String>,
}

/// One way to prove control.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClaimMethod {
    pub method: ControlMethod,
    pub strength: ProofStrength,
    /// Where the token is published: a DNS name or a URL.
    pub place: String,
    /// What is published there. `TOKEN` stands for the token of the claim.
    pub example: String,
    /// What it proves, and what it does not.
    pub proves: String,
}

open_enum! {
    /// How much a proof by this method says.
    pub enum ProofStrength {
        Strong = "strong",
        Medium = "medium",
        Weak = "weak",
    }
}

/// The body of `POST /registry/{domain}/claim`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ClaimRequest {
    #[serde(deserialize_with = "known_word")]
    #[schema(schema_with = word_schema::<ControlMethod>)]
    pub method: ControlMethod,
}

/// `{brand}-claim-challenge`: what to publish to prove control.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClaimChallenge {
    pub kind: String,
    pub v: u32,
    pub claim_id: String,
    pub domain: Domain,
    pub method: ControlMethod,
    pub place: ClaimPlace,
    /// What to publish there, exactly.
    pub value: String,
    /// The same, ready to be pasted: for a meta tag the whole element.
    pub paste: String,
    /// The token proves nothing after this time.
    pub expires_at: Timestamp,
    /// How often the proof is looked for today.
    pub attempts_left: u32,
    /// The address to which `claim_id` is sent when the token is published.
    pub verify: String,
    /// Shows that a request comes from you: sent as a bearer token. It is not stored and cannot be shown again.
    pub claim_secret: String,
    /// What to do next.
    pub how: Vec<String>,
}

/// The secret is in no log.
impl std::fmt::Debug for ClaimChallenge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClaimChallenge").field("claim_id", &self.claim_id).finish_non_exhaustive()
    }
}

/// Where a token is published: a DNS name or a URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClaimPlace {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub url: Option<String>,
}

/// The body of `POST /registry/{domain}/claim/verify`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ClaimCheckRequest {
    #[serde(deserialize_with = "text::<_, 1, 128>")]
    #[schema(min_length = 1, max_length = 128, example = "7hKx2mPq9LwZ4nBt6VcR8y")]
    pub claim_id: String,
    /// What you call yourself. Shown with the proof, without markup and addresses, at most 80 characters of it; nobody
    /// checks it.
    #[serde(
        default,
        deserialize_with = "optional_text::<_, 1, 120>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(min_length = 1, max_length = 120, example = "Example Shop Ltd")]
    pub organization: Option<String>,
    /// How the operator of this service can reach you, for example a mail address. Only the operator sees it.
    #[serde(
        default,
        deserialize_with = "optional_text::<_, 1, 254>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(min_length = 1, max_length = 254, example = "ada@shop.example")]
    pub contact: Option<String>,
}

/// The body of `POST /registry/{domain}/incident`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct IncidentRequest {
    /// What happened, in your words. Shown to you and to the operator of this service, not to agents.
    #[serde(deserialize_with = "text::<_, 1, 2000>")]
    #[schema(min_length = 1, max_length = 2000, example = "Somebody changed our checkout page.")]
    pub what: String,
    /// Since when; now if it is left out.
    #[serde(
        default,
        deserialize_with = "optional_text::<_, 20, 40>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(
        min_length = 20,
        max_length = 40,
        format = "rfc3339",
        example = "2026-11-15T09:00:00Z"
    )]
    pub since: Option<String>,
}

/// `{brand}-incident`: an incident that an owner reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IncidentRecord {
    pub kind: String,
    pub v: u32,
    pub id: String,
    pub domain: Domain,
    /// In the owner's words.
    pub what: String,
    pub since: Timestamp,
    pub reported_at: Timestamp,
    /// It ends at this time unless the owner ends it before.
    pub ends_at: Timestamp,
    #[schema(required)]
    pub ended_at: Option<Timestamp>,
    /// What it does.
    pub effect: String,
}

/// The body of `POST /registry/{domain}/dispute`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct DisputeRequest {
    /// The id of the report that you object to.
    #[serde(deserialize_with = "text::<_, 1, 64>")]
    #[schema(min_length = 1, max_length = 64, example = "7hKx2mPq9LwZ4nBt6VcR8y")]
    pub record: String,
    /// What is wrong with it. Shown with both reports.
    #[serde(deserialize_with = "text::<_, 1, 2000>")]
    #[schema(min_length = 1, max_length = 2000, example = "Our firewall was being replaced.")]
    pub reason: String,
}

/// `{brand}-dispute`: a report that an owner objects to, and the one that was made because of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DisputeRecord {
    pub kind: String,
    pub v: u32,
    pub id: String,
    pub domain: Domain,
    /// In the owner's words.
    pub reason: String,
    pub filed_at: Timestamp,
    pub state: DisputeState,
    /// The report that is objected to.
    pub disputed: DisputedReport,
    /// The report that was made because of it.
    #[schema(required)]
    pub fresh: Option<DisputedReport>,
    /// Whether the fresh reading led to another verdict; null while there is none.
    #[schema(required)]
    pub changed: Option<bool>,
    /// What the comparison came to.
    #[schema(required)]
    pub outcome: Option<String>,
    #[schema(required)]
    pub closed_at: Option<Timestamp>,
    /// The address of the page that shows both.
    pub page: String,
}

open_enum! {
    /// How far a dispute is.
    pub enum DisputeState {
        /// The site is still to be read again.
        Open = "open",
        Closed = "closed",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DisputedReport {
    pub id: String,
    /// The address of the report.
    pub report: String,
    /// Null if the report is gone, or has no grade.
    #[schema(required)]
    pub grade: Option<String>,
    #[schema(required)]
    pub scanned_at: Option<Timestamp>,
}

objects_only!(ClaimCheckRequest, ClaimRequest, DisputeRequest, IncidentRequest);

request_words!(ControlMethod);
