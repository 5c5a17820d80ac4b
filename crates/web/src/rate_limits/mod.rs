//! Rate limits: so many requests of a client in so long.
//!
//! Every limit is in the table of [`contract::policies`], and [`route_policies`] says which of them holds for
//! which route. A handler is limited by the extractor that it takes ([`extractors`]). The extractor asks the
//! limiter of its policy ([`policies`], [`limiter`]), records the client's quota ([`status`]), and refuses
//! with 429. [`headers`] reports the quotas on every response. A limiter keeps one number for each client
//! ([`gcra`], [`cell_table`]), or for small limits that must be exact a few ([`exact_window`]).

mod cell_table;
pub(crate) mod client;
mod client_limiter;
mod count;
mod exact_window;
mod extractors;
#[cfg(test)]
mod flood_tests;
mod gcra;
mod headers;
mod limiter;
mod open_streams;
mod policies;
mod policy_counts;
mod quota;
mod rate;
mod reason;
mod route_policies;
mod scan_limit;
mod scopes;
mod status;
pub(crate) mod wrong_key_limit;

pub use policies::RateLimits;
pub use rate::RateLimit;
pub use route_policies::{ROUTE_POLICIES, RouteLimit, RoutePolicy};

pub(crate) use exact_window::EXACT_MAX;
pub(crate) use extractors::{
    DecisionLimit, FeedLimit, FeedLimiter, GatedReadLimit, LiveReadLimit, LogFileLimit,
    McpMessageLimit, MetricsLimit, OutcomeLimit, PrincipalReadLimit, PublicReadLimit, ReadLimit,
    ReadinessLimit, StreamLimit, VisitorLimit, try_acquire_decision, try_acquire_read,
};
pub(crate) use headers::{add_rate_limit_headers, write_rate_limit_headers};
pub(crate) use open_streams::OpenStream;
pub(crate) use policies::RateLimiters;
pub(crate) use quota::{QuotaStatus, RateLimitPolicy};
pub(crate) use scan_limit::ScanLimit;
pub(crate) use status::{RateLimitStatus, live_read_limit_error};
pub(crate) use wrong_key_limit::WrongKeyLimit;
