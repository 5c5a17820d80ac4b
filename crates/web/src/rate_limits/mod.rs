//! Rate limits: so many requests of a client in so long.
//!
//! A handler is limited by the extractor that it takes ([`extractors`]). The extractor asks the limiter
//! of its policy ([`policies`], [`limiter`]), records the client's quota ([`status`]), and refuses with
//! 429. [`headers`] reports the quotas on every response.

mod client;
mod client_limiter;
mod extractors;
mod headers;
mod limiter;
mod policies;
mod scan_limit;
mod status;
mod wrong_key_limit;

pub use limiter::RateLimit;
pub use policies::RateLimits;

pub(crate) use extractors::{
    DecisionLimit, FeedLimit, FeedLimiter, LicenceHolder, LiveReadLimit, MetricsLimit, ReadLimit,
    VisitorLimit, try_acquire_decision,
};
pub(crate) use headers::{add_rate_limit_headers, write_rate_limit_headers};
pub(crate) use limiter::{QuotaStatus, RateLimitPolicy};
pub(crate) use policies::RateLimiters;
pub(crate) use scan_limit::ScanLimit;
pub(crate) use status::{RateLimitStatus, live_read_limit_error};
pub(crate) use wrong_key_limit::WrongKeyLimit;
