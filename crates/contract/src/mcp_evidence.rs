//! What a walk over the lists of an MCP server received, or why nothing was received. Like all
//! evidence it contains no judgement; texts of the server are kept as they came.

use serde::{Deserialize, Serialize};

use crate::evidence::{Failure, Observer, TlsFacts};
use crate::{Timestamp, open_enum};

/// The version of [`McpEvidence`].
pub const MCP_EVIDENCE_VERSION: u32 = 1;

/// Everything that one walk received.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct McpEvidence {
    pub v: u32,
    /// The address that was asked for; empty for a process.
    pub url: String,
    pub observer: Observer,
    pub started_at: Timestamp,
    pub finished_at: Timestamp,
    pub budget_ms: u32,
    pub took_ms: u32,
    pub state: McpState,
    /// Why the state is not `observed`; null if it is.
    pub why: Option<McpProblem>,
    pub transport: McpTransport,
    /// What the server says about itself; null if neither `server/discover` nor `initialize` succeeded.
    pub server: Option<McpServer>,
    pub auth: McpAuth,
    /// One entry for each list, in the order of [`McpListKind::WORDS`]; also for those that were not
    /// read.
    pub lists: Vec<McpListReading>,
    pub stability: McpStability,
    /// The server card, as far as it was read; null in evidence from before cards were read.
    #[serde(default)]
    pub card: Option<McpCardReading>,
    /// Every request in order.
    pub requests: Vec<McpRequest>,
}

impl McpEvidence {
    /// The reading of one list.
    #[must_use]
    pub fn list(&self, kind: &McpListKind) -> Option<&McpListReading> {
        self.lists.iter().find(|list| list.list == *kind)
    }

    /// Whether every list that the server declares was read to its end, without a fault.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.state == McpState::Observed && self.lists.iter().all(|list| list.complete)
    }
}

open_enum! {
    /// How far a walk came.
    pub enum McpState {
        /// All declared lists were read to their end.
        Observed = "observed",
        /// The server asks for credentials, which are never sent.
        AuthRequired = "auth_required",
        /// Something answered, but not as an MCP server.
        NotMcp = "not_mcp",
        /// Nothing answered, or the address may not be contacted.
        Unreachable = "unreachable",
        /// It is an MCP server, but not every list was read to its end.
        Incomplete = "incomplete",
    }
}

/// Why something was not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpProblem {
    pub reason: McpProblemReason,
    /// One sentence for people. Contains no text sent by the server.
    pub detail: String,
    /// The failure of the request, if it failed below the protocol.
    pub failure: Option<Box<Failure>>,
}

open_enum! {
    /// Why something was not read, as a stable word.
    pub enum McpProblemReason {
        /// The request failed below HTTP, or was refused by this service's own policy.
        RequestFailed = "request_failed",
        /// The server did not answer in time.
        Timeout = "timeout",
        /// The time of the whole walk had passed.
        Deadline = "deadline",
        /// The server redirects, and redirects of questions are not followed.
        Redirected = "redirected",
        /// The HTTP status is not one of success.
        HttpStatus = "http_status",
        AuthRequired = "auth_required",
        /// The media type is neither JSON nor a stream of events.
        WrongContentType = "wrong_content_type",
        BadJson = "bad_json",
        /// Valid JSON, but not a JSON-RPC response with the members it must have.
        BadResponse = "bad_response",
        /// The response has the id of another request.
        IdMismatch = "id_mismatch",
        /// The stream ended without the response.
        NoResponse = "no_response",
        /// The server sent more messages before its response than are read.
        TooManyMessages = "too_many_messages",
        /// The server answered with a JSON-RPC error.
        RpcError = "rpc_error",
        ResponseTooLarge = "response_too_large",
        /// All responses together exceed the limit of a walk.
        WalkTooLarge = "walk_too_large",
        TooManyPages = "too_many_pages",
        TooManyItems = "too_many_items",
        RepeatedCursor = "repeated_cursor",
        BadCursor = "bad_cursor",
        DuplicateName = "duplicate_name",
        UnsupportedVersion = "unsupported_version",
        /// The stream of events names an address of another origin.
        ForeignEndpoint = "foreign_endpoint",
        /// The list was not read because the walk ended before it.
        NotReached = "not_reached",
    }
}

/// How the server was spoken to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpTransport {
    pub form: McpForm,
    pub era: McpEra,
    /// The version that was agreed on; null without a handshake.
    pub protocol_version: Option<String>,
    /// The versions that the server lists, at most 32, as received.
    pub supported_versions: Vec<String>,
    /// The form of the first response of the protocol.
    pub response_form: Option<McpResponseForm>,
    /// Whether the server issued a session, also while it was asked whether it speaks the older era.
    pub session_issued: bool,
    /// Whether the session was ended; null if there was none to end.
    pub session_ended: Option<bool>,
    pub https: bool,
    /// What the first TLS handshake showed.
    pub tls: Option<TlsFacts>,
    /// Where the server wanted a question to go instead, as received. Not followed.
    pub redirect_location: Option<String>,
}

open_enum! {
    pub enum McpForm {
        StreamableHttp = "streamable_http",
        /// A stream of events and a second address for questions (2024-11-05).
        HttpSse = "http_sse",
        /// A process, with a message on each line.
        Stdio = "stdio",
        None = "none",
    }
}

open_enum! {
    pub enum McpEra {
        /// 2026-07-28: no handshake, no session.
        Modern = "modern",
        /// 2025-11-25 and before: `initialize`.
        Legacy = "legacy",
        /// Spoken to in the modern form; also takes `initialize`.
        Both = "both",
        Unknown = "unknown",
    }
}

open_enum! {
    pub enum McpResponseForm {
        Json = "json",
        Sse = "sse",
    }
}

/// What the server says about itself. Self-reported; nothing may be decided by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpServer {
    pub name: Option<String>,
    pub version: Option<String>,
    pub title: Option<String>,
    pub instructions: Option<String>,
    /// The declared capabilities, as raw JSON text of an object.
    pub capabilities: String,
    /// The whole result of `server/discover` or `initialize`, as raw JSON text.
    pub result: String,
}

open_enum! {
    /// A list of an MCP server.
    pub enum McpListKind {
        Tools = "tools",
        Prompts = "prompts",
        Resources = "resources",
        ResourceTemplates = "resource_templates",
    }
}

/// One list, page by page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpListReading {
    pub list: McpListKind,
    /// Whether the server declares it. Lists that it does not declare are not read.
    pub declared: bool,
    /// Whether it was read to its end without a fault. True for a list that is not declared.
    pub complete: bool,
    pub why: Option<McpProblem>,
    pub pages: Vec<McpPage>,
    /// The items of all pages.
    pub items: u32,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpPage {
    /// The `result` of the response, as raw JSON text: every byte as received.
    pub result: String,
    pub items: u32,
}

/// Whether the tools were the same when they were listed a second time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpStability {
    /// The same definitions, in any order; null if there was no second walk.
    pub stable_content: Option<bool>,
    /// The same names in the same order.
    pub stable_order: Option<bool>,
    /// Why there was no second walk.
    pub why: Option<McpProblem>,
}

/// One request of a walk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpRequest {
    /// `GET`, `POST` or `DELETE`; `stdio` for a line to a process.
    pub http_method: String,
    /// The method of the protocol; null for requests without one.
    pub method: Option<String>,
    pub url: String,
    /// The IP address and port that answered.
    pub address: Option<String>,
    pub status: Option<u16>,
    /// Decoded bytes of the answer.
    pub bytes: u64,
    pub wire_bytes: u64,
    pub took_ms: u32,
    pub failure: Option<Failure>,
}

/// What is known about authentication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpAuth {
    pub state: McpAuthState,
    pub http_status: Option<u16>,
    /// The scheme of the challenge, as received.
    pub scheme: Option<String>,
    /// The scopes that the challenge names, at most 64.
    pub scopes: Vec<String>,
    /// Null if the server asked for no credentials.
    pub resource_metadata: Option<McpResourceMetadata>,
}

open_enum! {
    pub enum McpAuthState {
        /// The lists were answered without credentials.
        None = "none",
        Required = "required",
        NotMeasured = "not_measured",
    }
}

/// The metadata of a protected resource (RFC 9728).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpResourceMetadata {
    pub state: McpMetadataState,
    /// One sentence for people; null if it was found and is right.
    pub why: Option<String>,
    /// Where it was read, or where the challenge says that it is.
    pub url: Option<String>,
    pub source: Option<McpMetadataSource>,
    /// Whether the challenge names an address on another host. Such an address is not read.
    pub foreign_host: bool,
    /// `resource`, as received.
    pub resource: Option<String>,
    /// Whether `resource` is the address that was asked for, or an address above it.
    pub resource_matches: Option<bool>,
    /// `authorization_servers`, as received, at most 16.
    pub authorization_servers: Vec<String>,
    /// The check of the first authorization server; null if none was named.
    pub issuer: Option<McpIssuerCheck>,
}

open_enum! {
    pub enum McpMetadataState {
        /// Found, and it has what it must have.
        Found = "found",
        /// Found, but something is wrong with it.
        Faulty = "faulty",
        /// Nothing at the places where it may be.
        Absent = "absent",
        NotMeasured = "not_measured",
    }
}

open_enum! {
    pub enum McpMetadataSource {
        /// The challenge names the address.
        Header = "header",
        /// The well-known address with the path of the server.
        WellKnownPath = "well_known_path",
        /// The well-known address without a path.
        WellKnownRoot = "well_known_root",
    }
}

/// Whether an authorization server calls itself what it was called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpIssuerCheck {
    /// The issuer that the metadata of the resource names.
    pub asked: String,
    /// Where its own metadata was read.
    pub url: Option<String>,
    /// The `issuer` that it names, as received.
    pub answered: Option<String>,
    /// Null if it could not be read; `why` says why.
    pub matches: Option<bool>,
    pub why: Option<String>,
}

/// A server card: what a file on the server's origin says of it. Texts are as received, but not longer
/// than a bound; longer ones are left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpCardReading {
    pub state: McpCardState,
    /// One sentence for people; null if a card was found.
    pub why: Option<String>,
    /// Where the card, or the file that is none, was read.
    pub url: Option<String>,
    pub name: Option<String>,
    pub version: Option<String>,
    /// The addresses of the server, made absolute, at most 16.
    pub endpoints: Vec<String>,
    /// The names of the capabilities, at most 32; null if the card does not list them.
    pub capabilities: Option<Vec<String>>,
    /// The names of the tools, at most 2,000; null if the card does not list them.
    pub tools: Option<Vec<String>>,
}

open_enum! {
    pub enum McpCardState {
        Found = "found",
        /// There is a file, but it is not a server card that can be read.
        Faulty = "faulty",
        /// Nothing at the places where a card may be.
        Absent = "absent",
        NotMeasured = "not_measured",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored evidence is never invalidated: what was written before cards were read still parses.
    #[test]
    fn evidence_from_before_cards_still_parses() {
        let text = r#"{"v":1,"url":"https://a.lab/mcp","observer":{"name":"n","version":"1","vantage":"t"},
            "started_at":"2026-11-15T10:00:00Z","finished_at":"2026-11-15T10:00:01Z","budget_ms":1,"took_ms":1,
            "state":"unreachable","why":null,"transport":{"form":"none","era":"unknown","protocol_version":null,
            "supported_versions":[],"response_form":null,"session_issued":false,"session_ended":null,"https":true,
            "tls":null,"redirect_location":null},"server":null,"auth":{"state":"not_measured","http_status":null,
            "scheme":null,"scopes":[],"resource_metadata":null},"lists":[],
            "stability":{"stable_content":null,"stable_order":null,"why":null},"requests":[]}"#;
        let evidence: McpEvidence = serde_json::from_str(text).unwrap();
        assert_eq!(evidence.card, None);
    }
}
