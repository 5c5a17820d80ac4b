//! The operators' routes, which the middleware treats differently from the others.

/// Routes for operators. They have no CORS headers, and all but `/readyz` answer under any load.
pub(crate) const HEALTHZ: &str = "/healthz";
pub(crate) const READYZ: &str = "/readyz";
pub(crate) const METRICS: &str = "/metrics";
