//! Scans that a holder starts on the page.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use contract::records::Visibility;
use service::{Caller, RunningScan, ScanCommand, Service};

use super::{overview::overview_with_error, session_form::SessionForm};
use crate::{
    handlers::{running_scan, scan},
    rate_limits::ScanLimit,
    response::ApiError,
    state::ServiceInfo,
};

/// Starts a scan for the licence and leads to its progress. It counts as a call of the licence.
pub(crate) async fn start_scan(
    State(service): State<Arc<Service>>,
    State(service_info): State<Arc<ServiceInfo>>,
    limit: Result<ScanLimit, ApiError>,
    form: SessionForm,
) -> Response {
    match start(&service, limit, &form).await {
        Ok(scan) => running_scan::next_page(&scan, &service_info, ""),
        Err(error) => overview_with_error(&service, &service_info, &form.signed_in, error).await,
    }
}

async fn start(
    service: &Service,
    limit: Result<ScanLimit, ApiError>,
    form: &SessionForm,
) -> Result<Arc<RunningScan>, ApiError> {
    let slot = limit?.into_slot();
    let visibility = match form.field("visibility") {
        "private" => Visibility::Private,
        "unlisted" => Visibility::Unlisted,
        _ => Visibility::Public,
    };
    let caller = Caller::LicenceHolder(form.signed_in.licence.clone());
    let input = form.field("domain").trim().to_owned();
    let refused = |error: &service::ScanError| {
        let error = scan::to_api_error(error);
        slot.release_if_malformed(&error);
        error
    };
    let command = ScanCommand { input, visibility, caller };
    let scan = service.scanning.start_scan(command).map_err(|error| refused(&error))?;
    scan.accepted_or_ended().await;
    match scan.board().result.as_deref() {
        Some(Err(error)) => return Err(refused(error)),
        Some(Ok(reply)) if reply.is_earlier_report => slot.release(),
        _ => {}
    }
    Ok(scan)
}
