//! The home page and its scan form.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::records::Visibility;
use http::{HeaderValue, header::LINK};
use service::{Caller, RunningScan, ScanCommand, ScanError, Service};

use super::{
    page_forms::{PageForm, PageToken, home_with_error, page_response},
    running_scan, scan,
};
use crate::{
    pages::{self, home::ScanForm},
    rate_limits::{ReadLimit, ScanLimit},
    response::ApiError,
    state::ServiceInfo,
};

pub(crate) async fn home(
    State(service_info): State<Arc<ServiceInfo>>,
    _: ReadLimit,
    PageToken(token): PageToken,
) -> Response {
    let mut response = page_response(pages::home::render(
        &service_info.issuer.base_url,
        &ScanForm::default(),
        &token,
        None,
    ));
    let link = HeaderValue::from_static(
        "</openapi.json>; rel=\"service-desc\", </docs>; rel=\"service-doc\"",
    );
    response.headers_mut().insert(LINK, link);
    response
}

/// Handles the scan form: starts a scan and redirects to its progress, or to the report if that is ready. On
/// an error the form is shown again, filled in as before. The form must be one that our pages issued to this
/// address, so the scan does not count against the daily limits; the rate limits apply as usual.
pub(crate) async fn scan_form(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    limit: Result<ScanLimit, ApiError>,
    PageToken(token): PageToken,
    sent: PageForm,
) -> Response {
    let form = ScanForm {
        domain: sent.field("domain").to_owned(),
        unlisted: !sent.field("unlisted").is_empty(),
    };
    match start_scan(&service, limit, &sent, &form).await {
        Ok(scan) => running_scan::next_page(&scan, &service_info, &token),
        Err(error) => home_with_error(&service_info, &form, &token, &error),
    }
}

/// Starts the scan and waits until it is accepted. What refuses it is the error of the form.
async fn start_scan(
    service: &Service,
    limit: Result<ScanLimit, ApiError>,
    sent: &PageForm,
    form: &ScanForm,
) -> Result<Arc<RunningScan>, ApiError> {
    let limit = limit?;
    sent.use_token(service)?;
    let slot = limit.into_slot_of_address()?;
    let visibility = if form.unlisted { Visibility::Unlisted } else { Visibility::Public };
    let ask = ScanCommand { input: form.domain.clone(), visibility, caller: Caller::OwnPage };
    let refused = |error: &ScanError| {
        let error = scan::to_api_error(error);
        slot.release_if_malformed(&error);
        error
    };
    let scan = service.scanning.start_scan(ask).map_err(|error| refused(&error))?;
    scan.accepted_or_ended().await;
    match scan.board().result.as_deref() {
        Some(Err(error)) => return Err(refused(error)),
        Some(Ok(reply)) if reply.is_earlier_report => slot.release(),
        _ => {}
    }
    Ok(scan)
}
