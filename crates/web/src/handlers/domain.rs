//! What is known about a domain besides its site: the signed record with registration and timeline, and its page.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::{
    Domain,
    errors::{ErrorCode, ErrorV1},
    limits::{TIMELINE_DEFAULT, TIMELINE_MAX},
    records::DomainRecord,
};
use http::{HeaderMap, Uri};
use service::{
    RegistrationError, Service, StoreError,
    answers::DocumentWithEtag,
    domains::{DomainRecordError, DomainRecordQuery},
};

use super::{
    error_mapping::{self, bad_domain_error},
    registry,
};
use crate::{
    pages,
    rate_limits::{LiveReadLimit, ReadLimit, live_read_limit_error},
    request::{
        PathParameter, QueryParameters,
        parameters::{count_parameter, required},
        query_parameters,
    },
    response::{ApiError, CACHE_ONE_MINUTE, HTML, HttpDocument, JSON},
};

/// Read the registration and the timeline of a domain
///
/// What the registry says about the registered domain that the name belongs to, by RDAP: registrar, dates, name
/// servers, DNSSEC, status. Registrant details are never requested. A registration is read again after 24 hours; a
/// request that needs a new reading counts as a live read. `registry.state` is `observed`, `not_registered`,
/// `not_available` (the top-level domain has no such service) or `not_measured` (with the reason, and the values of
/// the last reading if there is one). The timeline lists the registration, our first reading, every change at the
/// registry between readings, and every change of our answers about the domain, newest first.
#[utoipa::path(
    get,
    path = "/api/v1/domain",
    operation_id = "getDomain",
    tag = "resolve",
    params(
        ("domain" = String, Query, description = "A domain or URL.", example = "example.com"),
        ("cursor" = Option<String>, Query, description = "The `cursor` of an earlier response: \
            only older entries of the timeline."),
        ("limit" = Option<u32>, Query,
            description = "Maximum number of entries of the timeline, 1 to 200; default 50."),
    ),
    responses(
        (status = 200, description = "The signed record.", body = DomainRecord,
            content_type = "application/json"),
        (status = 304, description = "Not modified: your copy is current."),
        (status = 400, description = "`bad_request`, `bad_domain`, `unknown_field`.",
            body = ErrorV1),
        (status = 429, description = "`rate_limited`.", body = ErrorV1),
        (status = 503, description = "`signing_unavailable`, `store_unreadable`.", body = ErrorV1),
    )
)]
pub(crate) async fn get_domain(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    live_reads: LiveReadLimit,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["domain", "cursor", "limit"])?;
    let domain = required(parameters.get("domain"), "domain")?;
    let domain = service.parse_domain(domain).map_err(bad_domain_error)?;
    let record = read_record(&service, domain, &parameters, live_reads).await?;
    let (bytes, etag) = (record.document.bytes, record.etag);
    Ok(HttpDocument::with_etag(bytes, &etag, JSON, CACHE_ONE_MINUTE).reply(&headers))
}

/// `/registry/{domain}`: the record as a page.
pub(crate) async fn registry_page(
    State(service): State<Arc<Service>>,
    _: ReadLimit,
    live_reads: LiveReadLimit,
    PathParameter(domain): PathParameter,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let parameters = query_parameters(&uri, &["cursor", "limit"])?;
    let domain = service.parse_domain(&domain).map_err(bad_domain_error)?;
    let record = read_record(&service, domain, &parameters, live_reads).await?;
    let record: DomainRecord = serde_json::from_value(record.document.document)
        .map_err(|error| ApiError::internal(error.to_string()))?;
    let html = pages::registry::render(&record, service.base_url());
    let mut response = HttpDocument::new(html, HTML, CACHE_ONE_MINUTE).reply(&headers);
    pages::add_page_headers(response.headers_mut());
    Ok(response)
}

async fn read_record(
    service: &Service,
    domain: Domain,
    parameters: &QueryParameters,
    live_reads: LiveReadLimit,
) -> Result<DocumentWithEtag, ApiError> {
    let control_events =
        service.control.timeline_entries(&domain).await.map_err(registry::to_api_error)?;
    let query = DomainRecordQuery {
        domain: domain.clone(),
        cursor: parameters.get("cursor").cloned(),
        limit: count_parameter(parameters, "limit", TIMELINE_MAX)?.unwrap_or(TIMELINE_DEFAULT),
        live_read_permit: Arc::new(live_reads),
        control_events,
    };
    let record = service.domains.domain_record(query).await.map_err(to_api_error)?;
    // A transfer that was just read ends claims now, not at their next check.
    if let Err(error) = service.control.apply_registration(&domain).await {
        tracing::warn!(%error, %domain, "a registration could not be applied to claims");
    }
    Ok(record)
}

fn to_api_error(error: DomainRecordError) -> ApiError {
    let message = error.to_string();
    match error {
        DomainRecordError::BadCursor => {
            return ApiError::new(
                ErrorCode::BadRequest,
                "`cursor` is invalid. Use the `cursor` of an earlier response about this domain.",
            )
            .param("cursor");
        }
        DomainRecordError::Registration(RegistrationError::RateLimited { wait }) => {
            return live_read_limit_error(wait);
        }
        DomainRecordError::Registration(RegistrationError::Store(StoreError::Damaged {
            ..
        }))
        | DomainRecordError::Store(StoreError::Damaged { .. }) => error_mapping::store_damaged(),
        DomainRecordError::Registration(RegistrationError::Store(_))
        | DomainRecordError::Store(_) => error_mapping::store_unreadable(),
        DomainRecordError::Signing(_) => error_mapping::signing_unavailable(),
        DomainRecordError::Unreadable(_) => return ApiError::internal(message),
    }
    .with_internal_message(message)
}
