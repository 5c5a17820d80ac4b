//! Why a request of the control channel was not carried out.

/// Why a request was not carried out.
#[derive(Debug)]
pub(super) enum ControlError {
    NotFound,
    Bad(String),
}
