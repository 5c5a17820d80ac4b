//! The home page and its scan form.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use contract::records::Visibility;
use http::{HeaderValue, header::LINK};
use service::{AddressBlock, Caller, RunningScan, ScanCommand, ScanError, Service};

use super::{
    page_forms::{
        expired_form, field, form_with_error, page_response, read_form, refuse_cross_site,
    },
    running_scan, scan,
};
use crate::{
    pages::{self, home::ScanForm},
    rate_limits::{ScanLimit, ScanSlot},
    request::ClientAddress,
    response::ApiError,
    state::ServiceInfo,
};

pub(crate) async fn home(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    ClientAddress(address): ClientAddress,
) -> Response {
    let token = service.access.page_token(AddressBlock::from_address(address));
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
    ClientAddress(address): ClientAddress,
    request: Request,
) -> Response {
    let block = AddressBlock::from_address(address);
    if let Err(error) = refuse_cross_site(request.headers()) {
        return error.into_response();
    }
    let fields = match read_form(request).await {
        Ok(fields) => fields,
        Err(error) => return error.into_response(),
    };
    let form = ScanForm {
        domain: field(&fields, "domain").to_owned(),
        unlisted: !field(&fields, "unlisted").is_empty(),
    };
    let result = match limit {
        Ok(limit) if service.access.use_page_token(field(&fields, "token"), block) => {
            match limit.into_slot_of_address() {
                Ok(slot) => start_scan(&service, &form, &slot).await,
                Err(refused) => Err(refused),
            }
        }
        Ok(_) => Err(expired_form()),
        Err(refused) => Err(refused),
    };
    match result {
        Ok(scan) => {
            let token = service.access.page_token(block);
            running_scan::next_page(&scan, &service_info, &token)
        }
        Err(error) => form_with_error(&service, &service_info, &form, block, &error),
    }
}

/// Starts the scan and waits until it is accepted. What refuses it is the error of the form.
async fn start_scan(
    service: &Service,
    form: &ScanForm,
    slot: &ScanSlot,
) -> Result<Arc<RunningScan>, ApiError> {
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
