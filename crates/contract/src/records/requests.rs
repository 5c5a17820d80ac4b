//! Request bodies. Parsing is strict: unknown members, unknown words and duplicate members are
//! refused.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::request_bounds::{RequestList, optional_text, text};
use super::request_words::{optional_word, word_or_null_schema};
use super::visitor_headers::VisitorHeaders;
use crate::open_enum;

/// The body of `POST /api/scan`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ScanRequest {
    /// A bare domain or a full http(s) address.
    #[schema(
        min_length = 1,
        max_length = 2048,
        format = "domain-or-url",
        example = "shop.example"
    )]
    pub domain: String,
    #[serde(default, deserialize_with = "optional_word", skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = word_or_null_schema::<Visibility>)]
    pub visibility: Option<Visibility>,
}

/// The body of `POST /api/v1/scan`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct ScanRequestV1 {
    /// A bare domain or a full http(s) address.
    #[schema(
        min_length = 1,
        max_length = 2048,
        format = "domain-or-url",
        example = "shop.example"
    )]
    pub domain: String,
}

open_enum! {
    /// Who may see a scan (3.4).
    pub enum Visibility {
        /// Listed publicly.
        Public = "public",
        /// Reachable only by its link; in no registry, dataset, history or resolve answer.
        Unlisted = "unlisted",
        /// Only for the licence holder or the owner; not archived and not listed.
        Private = "private",
    }
}

/// The body of `POST /api/v1/visitor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct VisitorBatch {
    /// In the order of the answers. The same visitor may appear more than once.
    #[schema(value_type = Vec<VisitorQuery>, min_items = 1, max_items = 100)]
    pub visitors: RequestList<VisitorQuery, 1, 100, false>,
}

/// A visitor to check. Nothing about it is stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct VisitorQuery {
    /// The visitor's IP address. Without it the visitor cannot be verified, but the agent named in
    /// `ua` is still looked up.
    #[serde(
        default,
        deserialize_with = "optional_text::<_, 0, 64>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(max_length = 64)]
    pub ip: Option<String>,
    /// The visitor's user agent.
    #[serde(deserialize_with = "text::<_, 0, 8192>")]
    #[schema(max_length = 8192)]
    pub ua: String,
    /// Header fields of the visitor's request: `signature`, `signature-input`, `signature-agent` and those
    /// that the signature covers. With them and `authority`, the signature is checked (Web Bot Auth).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<VisitorHeaders>,
    /// The host that the visitor's request was sent to, with its port if that is not 443.
    #[serde(
        default,
        deserialize_with = "optional_text::<_, 0, 260>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(max_length = 260)]
    pub authority: Option<String>,
}

/// The body of `POST /api/v1/keys/free`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct FreeKeyRequest {
    /// One mail address, without a name. The link to the key is sent there.
    #[serde(deserialize_with = "text::<_, 3, 254>")]
    #[schema(
        min_length = 3,
        max_length = 254,
        format = "mail-address",
        example = "ada@shop.example"
    )]
    pub email: String,
}

/// Mail addresses are in no log.
impl std::fmt::Debug for FreeKeyRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FreeKeyRequest").finish_non_exhaustive()
    }
}

/// The response to a request for a free key (202). It is the same for every mail address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FreeKeyAccepted {
    /// Always true: the request was taken.
    pub accepted: bool,
    /// How long a link can be used.
    #[schema(minimum = 1, maximum = 24)]
    pub link_valid_hours: u32,
    pub note: String,
}

objects_only!(FreeKeyRequest, ScanRequest, ScanRequestV1, VisitorBatch, VisitorQuery);

request_words!(Visibility);
