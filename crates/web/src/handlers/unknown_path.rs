//! The response to an address that nothing is served at.

use crate::{principal::Principal, response::ApiError};

/// Looks the caller up as the operations do that only licence holders see. Without a valid key those answer
/// with this same response, and by the time it takes nobody can tell them from an unknown address.
pub(crate) async fn unknown_path(_: Principal) -> ApiError {
    ApiError::not_found()
}
