//! `/api/v1/mcp`: scans of MCP servers, locks of what they list, and comparisons with a lock.

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use contract::{
    errors::{ErrorCode, ErrorV1},
    records::{
        McpCheckPart, McpDomainScans, McpLists, McpLock, McpLockCheck, McpLockCheckRequest, McpScan,
    },
};
use http::{
    HeaderMap, HeaderValue, Uri,
    header::{CACHE_CONTROL, CONTENT_TYPE, VARY},
};
use sarif::SarifLog;
use service::{
    Service,
    mcp::{
        DomainScansRequest, DriftPolicy, LiveWalk, LockCheckRequest, LockRequest, McpAnswer,
        McpError, McpUrl, McpUrlError, ScanParts, ScanRequest,
    },
};
use utoipa::ToSchema;

use super::error_mapping;
use crate::{
    rate_limits::{DecisionLimit, LiveReadLimit, ReadLimit, live_read_limit_error},
    request::{
        QueryParameters, StrictJson,
        content_negotiation::prefers,
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
///
/// Name the server in `url`, or a domain in `domain`: then the servers that its own files declare are scanned
/// one by one, at most three. Which ones these are is known from the latest answer about the domain; a
/// domain that was never read gives `not_measured`.
#[utoipa::path(
    get,
    path = "/api/v1/mcp/scan",
    operation_id = "mcpScanUrl",
    tag = "mcp",
    params(
        ("url" = Option<String>, Query, description = "The MCP endpoint; its query and fragment are \
            dropped. Either this or `domain`.", example = "https://example.com/mcp"),
        ("domain" = Option<String>, Query, description = "Instead of `url`: the domain whose declared \
            servers are scanned."),
        ("live" = Option<u8>, Query, description = "1: read the server now."),
        ("include" = Option<String>, Query, description = "Words separated by commas, each once: `lock` \
            (the lock of what the server lists), `text` (descriptions and instructions), `schemas` (the \
            schemas of tools as JSON text). Texts are written by the server: hidden characters are \
            spelled out, long ones are cut."),
        ("format" = Option<String>, Query, description = "`json`, or `sarif` for code hosts and editors \
            (also by `Accept: application/sarif+json`). SARIF is not signed and names the digest of the \
            record in `properties.record_sha256` of its run."),
    ),
    responses(
        (status = 200, description = "The signed scan, or the signed scans of the servers of a domain.",
            content((McpScanAnswer = "application/json"), (SarifDocument = "application/sarif+json"))),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `bad_domain`, `bad_url`, `target_not_public`, \
            `unknown_field`.", body = ErrorV1),
        (status = 406, description = "`not_acceptable`: there is no such format.", body = ErrorV1),
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
    let parameters = query_parameters(&uri, &["url", "domain", "live", "include", "format"])?;
    let format = parse_format(&parameters, &headers)?;
    let parts = parse_include(&parameters)?;
    let live = match switch_parameter(&parameters, "live", false)? {
        true => LiveWalk::Always,
        false => LiveWalk::IfNeeded,
    };
    let live_read_permit = Arc::new(live_reads);
    let document = match (parameters.get("url"), parameters.get("domain")) {
        (Some(url), None) => {
            let server = parse_server(&service, url, "url")?;
            let request = ScanRequest { server, live, parts, live_read_permit };
            let scan = service.mcp.scan(request).await.map_err(to_api_error)?;
            match format {
                Format::Json => {
                    HttpDocument::with_etag(scan.bytes, &scan.sha256, JSON, CACHE_FIFTEEN_MINUTES)
                }
                Format::Sarif => {
                    let sha256 = Some(scan.sha256.to_string());
                    sarif_document(&[&McpScan { sha256, ..scan.record }], CACHE_FIFTEEN_MINUTES)?
                }
            }
        }
        (None, Some(domain)) => {
            let domain = service.parse_domain(domain).map_err(error_mapping::bad_domain_error)?;
            let request = DomainScansRequest { domain, live, parts, live_read_permit };
            let scans = service.mcp.scan_domain(request).await.map_err(to_api_error)?;
            domain_document(&scans, format)?
        }
        _ => {
            let sentence = "Name the server in `url`, or a domain in `domain`: one of the two.";
            return Err(ApiError::bad_request(sentence).param("url"));
        }
    };
    let mut response = document.reply(&headers);
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    Ok(response)
}

/// The scan of a server, or the scans of the servers that a domain declares.
#[derive(serde::Serialize, ToSchema)]
#[serde(untagged)]
#[allow(dead_code, reason = "only described")]
pub(crate) enum McpScanAnswer {
    Server(Box<McpScan>),
    Domain(Box<McpDomainScans>),
}

/// A SARIF 2.1.0 log: one run for each server, one result for each finding.
#[derive(ToSchema)]
#[schema(value_type = Object)]
pub(crate) struct SarifDocument(#[expect(dead_code, reason = "only described")] Vec<u8>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Json,
    Sarif,
}

const SARIF: &str = "application/sarif+json";

fn parse_format(parameters: &QueryParameters, headers: &HeaderMap) -> Result<Format, ApiError> {
    match parameters.get("format").map(String::as_str) {
        None if prefers(headers, SARIF, JSON) => Ok(Format::Sarif),
        None | Some("json") => Ok(Format::Json),
        Some("sarif") => Ok(Format::Sarif),
        Some(_) => {
            let sentence = "There is no such format. `format` is `json` or `sarif`.";
            Err(ApiError::new(ErrorCode::NotAcceptable, sentence).param("format"))
        }
    }
}

fn parse_include(parameters: &QueryParameters) -> Result<ScanParts, ApiError> {
    let mut parts = ScanParts::default();
    let Some(text) = parameters.get("include") else { return Ok(parts) };
    for word in text.split(',') {
        let part = match word {
            "lock" => &mut parts.lock,
            "text" => &mut parts.texts.text,
            "schemas" => &mut parts.texts.schemas,
            _ => {
                let sentence = "`include` is a list of `lock`, `text` and `schemas`.";
                return Err(ApiError::bad_request(sentence).param("include"));
            }
        };
        if std::mem::replace(part, true) {
            let sentence = "`include` has a word twice. Give each once.";
            return Err(ApiError::bad_request(sentence).param("include"));
        }
    }
    Ok(parts)
}

/// The scans of a domain may be kept if every declared server was scanned.
fn domain_document(
    scans: &McpAnswer<McpDomainScans>,
    format: Format,
) -> Result<HttpDocument, ApiError> {
    let endpoints = &scans.record.endpoints;
    let is_whole = !endpoints.is_empty() && endpoints.iter().all(|one| one.scan.is_some());
    let cache = if is_whole { CACHE_FIFTEEN_MINUTES } else { NO_STORE };
    Ok(match format {
        Format::Json => HttpDocument::with_etag(scans.bytes.clone(), &scans.sha256, JSON, cache),
        Format::Sarif => {
            let records: Vec<&McpScan> =
                endpoints.iter().filter_map(|one| one.scan.as_deref()).collect();
            sarif_document(&records, cache)?
        }
    })
}

/// One run for each record.
fn sarif_document(records: &[&McpScan], cache: &'static str) -> Result<HttpDocument, ApiError> {
    let log = SarifLog::joined(records.iter().map(|record| sarif::mcp_log(record, None)));
    Ok(HttpDocument::new(to_json(&log)?, SARIF, cache))
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
/// Reads the server now (`live: false`: a scan of the last 15 minutes is enough), compares lists that you
/// supply in `observed`, or a stored scan that you name in `scan_sha256`. `decision` is `connect` only if
/// everything could be compared, nothing changed and no rule found anything that blocks. `drift` names each
/// change, `exit_code` is for builds. `include: ["text"]` says how changed texts differ, if the scan from
/// which the lock was made is still stored.
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
        (status = 404, description = "`not_found`: no scan with the digest `scan_sha256` is stored.",
            body = ErrorV1),
        (status = 409, description = "`conflict`: the lists of that scan were too large to be stored.",
            body = ErrorV1),
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
    if request.scan_sha256.is_some() && (request.observed.is_some() || request.live.is_some()) {
        let sentence =
            "A stored scan is compared: leave out `live` and `observed`, or `scan_sha256`.";
        return Err(ApiError::bad_request(sentence).param("scan_sha256"));
    }
    let locked_url = request.lock.get("server").and_then(|server| server.get("url"));
    let locked_url = locked_url.or_else(|| request.lock.get("url")).and_then(|url| url.as_str());
    let server = match (&request.url, locked_url) {
        (Some(url), _) => Some(parse_server(&service, url, "url")?),
        (None, Some(url)) if request.observed.is_none() && request.scan_sha256.is_none() => {
            Some(parse_server(&service, url, "lock.server.url")?)
        }
        (None, _) => None,
    };
    let observed = request.observed.as_ref().map(to_json).transpose()?;
    let includes =
        |part: McpCheckPart| request.include.as_ref().is_some_and(|parts| parts.contains(&part));
    let policy = request.policy.clone().unwrap_or_default();
    let standard = DriftPolicy::default();
    let answer = service
        .mcp
        .check_lock(LockCheckRequest {
            lock: to_json(&request.lock)?,
            server,
            observed,
            scan_sha256: request.scan_sha256.as_ref().and_then(|digest| digest.parse().ok()),
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
            with_next_lock: includes(McpCheckPart::NextLock),
            with_texts: includes(McpCheckPart::Text),
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
        McpError::UnknownScan => ApiError::new(ErrorCode::NotFound, message).param("scan_sha256"),
        McpError::ListsNotStored => {
            ApiError::new(ErrorCode::Conflict, message).param("scan_sha256")
        }
        McpError::OtherServer => ApiError::bad_request(message).param("url"),
        McpError::NoServer => ApiError::bad_request(message).param("url"),
        McpError::BadLists(_) => ApiError::bad_request(message),
        McpError::Store(_) | McpError::Unreadable(_) => {
            error_mapping::store_unreadable().with_internal_message(message)
        }
        McpError::Signing(_) => error_mapping::signing_unavailable().with_internal_message(message),
        McpError::NothingStored | McpError::Internal(_) => ApiError::internal(message),
    }
}
