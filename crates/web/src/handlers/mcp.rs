//! `/api/v1/mcp`: scans of MCP servers, locks of what they list, and comparisons with a lock.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::{McpCheckPart, McpLists, McpLock, McpLockCheck, McpLockCheckRequest, McpScan},
};
use http::{
    HeaderMap, Uri,
    header::{CACHE_CONTROL, CONTENT_TYPE},
};
use service::{
    Service,
    mcp::{
        DriftPolicy, LiveWalk, LockCheckRequest, LockRequest, McpAnswer, McpError, McpUrl,
        McpUrlError, ScanRequest,
    },
};

use super::error_mapping;
use crate::{
    rate_limits::{DecisionLimit, LiveReadLimit, ReadLimit, live_read_limit_error},
    request::{
        StrictJson,
        parameters::{required, switch_parameter},
        query_parameters,
    },
    response::{ApiError, HttpDocument, JSON, NO_STORE},
};

/// How long a scan may be kept: as long as it is served again.
const CACHE_FIFTEEN_MINUTES: &str = "public, max-age=900";

/// Scan an MCP server
///
/// Reads what the server lists (tools, prompts, resources, templates, instructions) and says what each rule
/// found in it. Only lists are read: no tool is called, no prompt or resource is fetched, no credential is
/// sent. A scan of the last 15 minutes is served again unless `live=1`. The servers of a domain are read six
/// times an hour, over all clients. A server that asks for credentials, cannot be reached or is not an MCP
/// server gives a scan with that `state`. There is no score.
#[utoipa::path(
    get,
    path = "/api/v1/mcp/scan",
    operation_id = "mcpScanUrl",
    tag = "mcp",
    params(
        ("url" = String, Query, description = "The MCP endpoint; its query and fragment are dropped.",
            example = "https://example.com/mcp"),
        ("live" = Option<u8>, Query, description = "1: read the server now."),
        ("include" = Option<String>, Query, description = "`lock`: with the lock of what the server lists."),
    ),
    responses(
        (status = 200, description = "The signed scan.", body = McpScan, content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `bad_url`, `target_not_public`, `unknown_field`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`overloaded`, `signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn mcp_scan_url(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    live_reads: LiveReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["url", "live", "include"])?;
    let server = parse_server(&service, required(parameters.get("url"), "url")?, "url")?;
    let with_lock = match parameters.get("include").map(String::as_str) {
        None => false,
        Some("lock") => true,
        Some(_) => {
            return Err(ApiError::bad_request("`include` can only be `lock`.").param("include"));
        }
    };
    let live = match switch_parameter(&parameters, "live", false)? {
        true => LiveWalk::Always,
        false => LiveWalk::IfNeeded,
    };
    let request = ScanRequest { server, live, with_lock, live_read_permit: Arc::new(live_reads) };
    let scan = service.mcp.scan(request).await.map_err(to_api_error)?;
    Ok(HttpDocument::with_etag(scan.bytes, &scan.sha256, JSON, CACHE_FIFTEEN_MINUTES)
        .reply(&headers))
}

/// Scan lists that you read
///
/// For servers that only you can read: send the lists as the server sent them. Nothing of them is stored.
#[utoipa::path(
    post,
    path = "/api/v1/mcp/scan",
    operation_id = "mcpScanLists",
    tag = "mcp",
    request_body(content = McpLists, content_type = "application/json"),
    responses(
        (status = 200, description = "The signed scan.", body = McpScan, content_type = "application/json"),
        (status = 400, description = "`bad_request`, `unknown_field`.", body = ErrorV1),
        (status = 413, description = "The body is larger than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`overloaded`, `signing_unavailable`.", body = ErrorV1),
    )
)]
pub(crate) async fn mcp_scan_lists(
    State(service): State<Arc<Service>>,
    _: DecisionLimit,
    StrictJson(lists): StrictJson<McpLists>,
) -> Result<Response, ApiError> {
    let lists = to_json(&lists)?;
    Ok(reply(service.mcp.scan_supplied(lists).await.map_err(to_api_error)?))
}

/// Lock an MCP server
///
/// The lock has a digest of each item that the server lists. Commit it, and check the server against it
/// before you connect. A scan of the last 15 minutes is used unless `live=1`. A server that could not be read
/// completely is not locked: 409 `conflict`.
#[utoipa::path(
    get,
    path = "/api/v1/mcp/lock",
    operation_id = "mcpLock",
    tag = "mcp",
    params(
        ("url" = String, Query, description = "The MCP endpoint; its query and fragment are dropped.",
            example = "https://example.com/mcp"),
        ("live" = Option<u8>, Query, description = "1: read the server now."),
    ),
    responses(
        (status = 200, description = "The signed lock.", body = McpLock, content_type = "application/json"),
        (status = 400, description = "`bad_request`, `bad_url`, `target_not_public`, `unknown_field`.",
            body = ErrorV1),
        (status = 409, description = "`conflict`: the server could not be read completely.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`overloaded`, `signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn mcp_lock(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    live_reads: LiveReadLimit,
    uri: Uri,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["url", "live"])?;
    let server = parse_server(&service, required(parameters.get("url"), "url")?, "url")?;
    let live = match switch_parameter(&parameters, "live", false)? {
        true => LiveWalk::Always,
        false => LiveWalk::IfNeeded,
    };
    let request = LockRequest { server, live, live_read_permit: Arc::new(live_reads) };
    Ok(reply(service.mcp.lock(request).await.map_err(to_api_error)?))
}

/// Compare an MCP server with a lock
///
/// Reads the server now (`live: false`: a scan of the last 15 minutes is enough), or compares lists that you
/// supply in `observed`. `decision` is `connect` only if everything could be compared, nothing changed and no
/// rule found anything that blocks. `drift` names each change, `exit_code` is for builds.
#[utoipa::path(
    post,
    path = "/api/v1/mcp/lock/check",
    operation_id = "mcpLockCheck",
    tag = "mcp",
    request_body(content = McpLockCheckRequest, content_type = "application/json"),
    responses(
        (status = 200, description = "The signed comparison.", body = McpLockCheck,
            content_type = "application/json"),
        (status = 400, description = "`bad_lock`, `bad_request`, `bad_url`, `target_not_public`, \
            `unknown_field`.", body = ErrorV1),
        (status = 413, description = "The body is larger than 1048576 bytes: `body_too_large`.",
            body = ErrorV1),
        (status = 415, description = "Not JSON: `unsupported_media_type`.", body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`overloaded`, `signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn mcp_lock_check(
    State(service): State<Arc<Service>>,
    _: DecisionLimit,
    live_reads: LiveReadLimit,
    StrictJson(request): StrictJson<McpLockCheckRequest>,
) -> Result<Response, ApiError> {
    let locked_url = request.lock.get("server").and_then(|server| server.get("url"));
    let locked_url = locked_url.or_else(|| request.lock.get("url")).and_then(|url| url.as_str());
    let server = match (&request.url, locked_url) {
        (Some(url), _) => Some(parse_server(&service, url, "url")?),
        (None, Some(url)) if request.observed.is_none() => {
            Some(parse_server(&service, url, "lock.server.url")?)
        }
        (None, _) => None,
    };
    let observed = request.observed.as_ref().map(to_json).transpose()?;
    let policy = request.policy.unwrap_or_default();
    let standard = DriftPolicy::default();
    let answer = service
        .mcp
        .check_lock(LockCheckRequest {
            lock: to_json(&request.lock)?,
            server,
            observed,
            live: match request.live {
                Some(false) => LiveWalk::IfNeeded,
                _ => LiveWalk::Always,
            },
            policy: DriftPolicy {
                prose: policy.prose.unwrap_or(standard.prose),
                added: policy.added.unwrap_or(standard.added),
                removed: policy.removed.unwrap_or(standard.removed),
                contract: policy.contract.unwrap_or(standard.contract),
            },
            with_next_lock: request
                .include
                .is_some_and(|parts| parts.contains(&McpCheckPart::NextLock)),
            live_read_permit: Arc::new(live_reads),
        })
        .await
        .map_err(to_api_error)?;
    Ok(reply(answer))
}

fn parse_server(service: &Service, text: &str, param: &'static str) -> Result<McpUrl, ApiError> {
    McpUrl::parse(text, service.name_policy()).map_err(|error| {
        let code = match error {
            McpUrlError::NotPublic(_) => ErrorCode::TargetNotPublic,
            McpUrlError::Invalid | McpUrlError::UserInfo => ErrorCode::BadUrl,
        };
        ApiError::new(code, error.to_string()).param(param)
    })
}

fn to_json(value: &impl serde::Serialize) -> Result<Vec<u8>, ApiError> {
    serde_json::to_vec(value).map_err(|error| ApiError::internal(error.to_string()))
}

fn reply<T>(answer: McpAnswer<T>) -> Response {
    ([(CONTENT_TYPE, JSON), (CACHE_CONTROL, NO_STORE)], answer.bytes).into_response()
}

fn to_api_error(error: McpError) -> ApiError {
    let message = error.to_string();
    match error {
        McpError::LiveLimit { retry_after } => live_read_limit_error(retry_after),
        McpError::TargetLimit { retry_after } => error_mapping::target_limit_error(retry_after),
        McpError::Busy { retry_after } => ApiError::new(
            ErrorCode::Overloaded,
            "This service is reading as many MCP servers as it can at once. Try again in a few seconds.",
        )
        .retry_after(retry_after.as_secs().max(1)),
        McpError::NotLockable(why) => {
            ApiError::new(ErrorCode::Conflict, format!("The server cannot be locked: {why}"))
        }
        McpError::Refused(refusal) => ApiError::new(ErrorCode::Conflict, refusal.to_string()),
        McpError::BadLock(bad) => {
            ApiError::new(ErrorCode::BadLock, format!("The lock cannot be used: {message}."))
                .param(bad.member)
        }
        McpError::NoServer => ApiError::bad_request(message).param("url"),
        McpError::BadLists(_) => ApiError::bad_request(message),
        McpError::Store(_) | McpError::Unreadable(_) => {
            error_mapping::store_unreadable().with_internal_message(message)
        }
        McpError::Signing(_) => error_mapping::signing_unavailable().with_internal_message(message),
        McpError::NothingStored | McpError::Internal(_) => ApiError::internal(message),
    }
}
