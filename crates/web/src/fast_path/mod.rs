//! The fast path: cached responses are sent without the router.
//!
//! For a cached answer, most of the work would be the router and its middleware. The fast path adds
//! the same things itself: the request id, the log line, the metrics, the count of agents and the CORS headers. The source
//! of the responses enforces the rate limits, as the handler would. Nothing waits here, so there is no
//! deadline and no in-flight permit. When the service is overloaded, or when a request wants more than
//! the plain bytes, it takes the full path through the router. The response is the same either way.

mod cached_responses;
mod responder;

pub(crate) use cached_responses::CachedResponses;
pub(crate) use responder::FastPath;
