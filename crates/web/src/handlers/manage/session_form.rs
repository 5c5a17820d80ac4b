//! Who is signed in, and the forms that they send.

use axum::{
    extract::{FromRequest, FromRequestParts, Request},
    response::{IntoResponse, Redirect, Response},
};
use contract::errors::ErrorCode;
use http::request::Parts;
use service::SignedIn;

use crate::{
    handlers::page_forms::PageForm, principal::Principal, rate_limits::PrincipalReadLimit,
    response::ApiError, state::AppState,
};

/// Extractor: the session of the request. Whoever is not signed in is led to the form.
#[derive(Debug)]
pub(crate) struct ManageSession(pub(crate) SignedIn);

impl FromRequestParts<AppState> for ManageSession {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Response> {
        let limit = PrincipalReadLimit::from_request_parts(parts, state).await;
        let PrincipalReadLimit(principal) = limit.map_err(IntoResponse::into_response)?;
        let signed_in = principal.signed_in().cloned();
        signed_in.map(Self).ok_or_else(|| Redirect::to("/manage").into_response())
    }
}

/// Extractor: a form that somebody who signed in sent from one of our pages.
#[derive(Debug)]
pub(crate) struct SessionForm {
    pub(crate) signed_in: SignedIn,
    form: PageForm,
}

impl SessionForm {
    /// The last value of a field; empty if there is none.
    pub(crate) fn field(&self, name: &str) -> &str {
        self.form.field(name)
    }
}

impl FromRequest<AppState> for SessionForm {
    type Rejection = Response;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let ManageSession(signed_in) = ManageSession::from_request_parts(&mut parts, state).await?;
        let form = PageForm::from_request(Request::from_parts(parts, body), state).await;
        let form = form.map_err(IntoResponse::into_response)?;
        if !state.service.access.is_form_secret(&signed_in, form.field("form_secret")) {
            let sentence =
                "This form belongs to another session. Load the page again and send it once more.";
            return Err(ApiError::new(ErrorCode::Forbidden, sentence).into_response());
        }
        Ok(Self { signed_in, form })
    }
}

/// Who is signed in, if anybody is.
pub(super) fn signed_in(principal: &Principal) -> Option<&SignedIn> {
    principal.signed_in()
}
