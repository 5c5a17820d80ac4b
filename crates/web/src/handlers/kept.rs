//! What answers from kept readings share: how their pages are named, and what is told when they
//! cannot be made.

use contract::errors::ErrorCode;
use service::{
    ReportError, Service,
    page::{BadPage, Page},
    resolve::ResolveError,
};

use super::{log::needed, scan::bad_domain};
use crate::{address::Parameters, errors::ApiError, limits::no_live_read};

/// The page that `url` names.
pub(super) fn page(service: &Service, asked: &Parameters) -> Result<Page, ApiError> {
    let text = needed(asked.get("url"), "url")?;
    service.page(text).map_err(|error| {
        let code = match error {
            BadPage::NotPublic(_) => ErrorCode::TargetNotPublic,
            BadPage::NotAnAddress | BadPage::UserInfo | BadPage::Name(_) => ErrorCode::BadUrl,
        };
        ApiError::new(code, format!("`url` cannot be used: {error}.")).param("url")
    })
}

/// `0` or `1`.
pub(super) fn switch(
    asked: &Parameters,
    name: &'static str,
    otherwise: bool,
) -> Result<bool, ApiError> {
    match asked.get(name).map(String::as_str) {
        None => Ok(otherwise),
        Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(_) => Err(ApiError::bad_request(format!("`{name}` is 0 or 1.")).param(name)),
    }
}

pub(super) fn failed(error: ReportError) -> ApiError {
    let said = error.to_string();
    match error {
        ReportError::Store(_) => store_unreadable(),
        ReportError::Signing(_) => not_signed(),
        ReportError::Unreadable(_) => ApiError::internal(said.clone()),
    }
    .because(said)
}

/// Why the site could not be read now.
pub(super) fn not_resolved(error: ResolveError) -> ApiError {
    let said = error.to_string();
    match error {
        ResolveError::BadDomain(refusal) => bad_domain(refusal),
        ResolveError::LiveLimit { wait } => no_live_read(wait),
        ResolveError::Store(_) => store_unreadable().because(said),
        ResolveError::Seal(_) => not_signed().because(said),
        ResolveError::NothingKept | ResolveError::Internal(_) => ApiError::internal(said),
    }
}

pub(super) fn store_unreadable() -> ApiError {
    ApiError::new(ErrorCode::StoreUnreadable, "What is kept cannot be read now; try again.")
        .retry_after(5)
}

pub(super) fn not_signed() -> ApiError {
    ApiError::new(ErrorCode::SigningUnavailable, "This could not be signed.").retry_after(30)
}
