//! Enforces rate limits: one extractor per policy. A handler that takes the extractor is limited.
//!
//! Each extractor records the client's remaining quota, and [`super::add_rate_limit_headers`] reports it
//! in `RateLimit-Policy` and `RateLimit` on every response, successful or not.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{RequestPartsExt, extract::FromRequestParts};
use contract::{errors::ErrorCode, policies::STREAM};
use http::request::Parts;
use service::{AddressBlock, LiveReadPermit};

use super::{
    client::RequestClient,
    limiter::RateLimiter,
    open_streams::OpenStream,
    policies::RateLimiters,
    quota::QuotaStatus,
    reason::TooMany,
    scopes::RateLimitClient,
    status::{RateLimitStatus, client_and_status},
};
use crate::{
    principal::{CountedPrincipal, Holder, Principal},
    request::ClientAddress,
    response::ApiError,
    state::AppState,
};

/// Whom the request is counted as, and the status in which the quotas are recorded. A call of a licence
/// counts against its quota of the month.
async fn request_client(
    parts: &mut Parts,
    state: &AppState,
) -> Result<(RequestClient, RateLimitStatus), ApiError> {
    let CountedPrincipal(principal) = CountedPrincipal::from_request_parts(parts, state).await?;
    let Ok(status) = parts.extract().await;
    Ok((principal.rate_limit_client(), status))
}

/// Enforces the limit for reading stored records (`read`).
#[derive(Debug)]
pub(crate) struct ReadLimit;

impl FromRequestParts<AppState> for ReadLimit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let (client, status) = request_client(parts, state).await?;
        let verdict = state.rate_limiters.reads.acquire(client.counted_as(), 1);
        status.enforce(verdict, client.too_many("too many records read"))?;
        Ok(Self)
    }
}

/// Counts one read of an anonymous client; `None` if it must wait.
pub(crate) fn try_acquire_read(
    rates: &RateLimiters,
    ClientAddress(address): ClientAddress,
) -> Option<Vec<QuotaStatus>> {
    let client = RateLimitClient::Address(AddressBlock::from_address(address));
    let verdict = rates.reads.acquire(client, 1);
    verdict.wait.is_zero().then_some(verdict.quotas)
}

/// Enforces the limit for reading (`read`) on a page that is for everybody and reads no credential.
#[derive(Debug)]
pub(crate) struct PublicReadLimit;

impl FromRequestParts<AppState> for PublicReadLimit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let (block, status) = client_and_status(parts).await;
        let verdict = state.rate_limiters.reads.acquire(block.into(), 1);
        status.enforce(verdict, TooMany::of("too many requests"))?;
        Ok(Self)
    }
}

/// Enforces the limit for reading (`read`) for whoever sends the request, without counting it against a quota.
#[derive(Debug)]
pub(crate) struct PrincipalReadLimit(pub(crate) Principal);

impl FromRequestParts<AppState> for PrincipalReadLimit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let Ok(principal) = Principal::from_request_parts(parts, state).await;
        let Ok(status): Result<RateLimitStatus, _> = parts.extract().await;
        let client = principal.rate_limit_client();
        let verdict = state.rate_limiters.reads.acquire(client.counted_as(), 1);
        status.enforce(verdict, client.too_many("too many requests"))?;
        Ok(Self(principal))
    }
}

/// Lets only licence holders through, within their limit for reading (`read`). For anybody else the address
/// is an unknown one. The call is not counted against the quota.
#[derive(Debug)]
pub(crate) struct GatedReadLimit(pub(crate) Holder);

impl FromRequestParts<AppState> for GatedReadLimit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let Ok(principal) = Principal::from_request_parts(parts, state).await;
        if principal.holder.is_none() {
            return Err(ApiError::not_found());
        }
        let PrincipalReadLimit(principal) =
            PrincipalReadLimit::from_request_parts(parts, state).await?;
        principal.holder.map(Self).ok_or_else(ApiError::not_found)
    }
}

/// Enforces the limit for the metrics (`metrics`).
#[derive(Debug)]
pub(crate) struct MetricsLimit;

impl FromRequestParts<AppState> for MetricsLimit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let too_many = TooMany::of("too many requests for the metrics");
        acquire_one(parts, &state.rate_limiters.metrics, too_many).await?;
        Ok(Self)
    }
}

/// Enforces the limit for readiness checks (`readiness`).
#[derive(Debug)]
pub(crate) struct ReadinessLimit;

impl FromRequestParts<AppState> for ReadinessLimit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let too_many = TooMany::of("too many readiness checks")
            .with_hint("to see that the process is alive, ask /healthz");
        acquire_one(parts, &state.rate_limiters.readiness, too_many).await?;
        Ok(Self)
    }
}

/// Enforces the limit for outcome reports in a minute (`outcome`); those of a day are counted in the store.
#[derive(Debug)]
pub(crate) struct OutcomeLimit;

impl FromRequestParts<AppState> for OutcomeLimit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let too_many = TooMany::of("too many outcome reports");
        acquire_one(parts, &state.rate_limiters.outcomes, too_many).await?;
        Ok(Self)
    }
}

/// Enforces the limit for the files of the log (`log-file`).
#[derive(Debug)]
pub(crate) struct LogFileLimit;

impl FromRequestParts<AppState> for LogFileLimit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let too_many = TooMany::of("too many files of the log");
        acquire_one(parts, &state.rate_limiters.log_files, too_many).await?;
        Ok(Self)
    }
}

/// Enforces the limit for messages to the MCP server (`mcp`).
#[derive(Debug)]
pub(crate) struct McpMessageLimit;

impl FromRequestParts<AppState> for McpMessageLimit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let too_many = TooMany::of("too many MCP messages");
        acquire_one(parts, &state.rate_limiters.mcp_messages, too_many).await?;
        Ok(Self)
    }
}

/// Counts one request by its address. No credential is read here.
async fn acquire_one(
    parts: &mut Parts,
    limiter: &RateLimiter,
    too_many: TooMany,
) -> Result<(), ApiError> {
    let (block, status) = client_and_status(parts).await;
    status.acquire(limiter, block, 1, too_many)
}

/// Counts an open stream (`stream`) until it is dropped.
#[derive(Debug)]
pub(crate) struct StreamLimit(pub(crate) OpenStream);

impl FromRequestParts<AppState> for StreamLimit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let (block, _) = client_and_status(parts).await;
        let stream = state.rate_limiters.streams.open(block).ok_or_else(|| {
            let sentence = "This address, or its network, has as many streams open as it may have. Close one, \
                            or load the page again instead.";
            ApiError::new(ErrorCode::RateLimited, sentence)
                .retry_after(STREAM_RETRY_SECONDS)
                .with_violated_policies(vec![STREAM.name.to_owned()])
        })?;
        Ok(Self(stream))
    }
}

/// Streams end after a minute at most, and most scans sooner.
const STREAM_RETRY_SECONDS: u64 = 5;

/// The limit for the log and other feeds (`feed`). The extractor counts nothing.
#[derive(Debug)]
pub(crate) struct FeedLimiter {
    rate_limiters: Arc<RateLimiters>,
    block: AddressBlock,
    status: RateLimitStatus,
}

impl FeedLimiter {
    pub(crate) fn block(&self) -> AddressBlock {
        self.block
    }

    pub(crate) fn acquire(&self) -> Result<(), ApiError> {
        let too_many = TooMany::of("too many requests for the log and other feeds")
            .with_hint("the files below /log/ have a higher limit");
        self.status.acquire(&self.rate_limiters.feeds, self.block, 1, too_many)
    }
}

impl FromRequestParts<AppState> for FeedLimiter {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Infallible> {
        let (block, status) = client_and_status(parts).await;
        Ok(Self { rate_limiters: Arc::clone(&state.rate_limiters), block, status })
    }
}

/// Enforces the limit for the log and other feeds (`feed`).
#[derive(Debug)]
pub(crate) struct FeedLimit;

impl FromRequestParts<AppState> for FeedLimit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let Ok(limiter) = FeedLimiter::from_request_parts(parts, state).await;
        limiter.acquire()?;
        Ok(Self)
    }
}

/// Enforces the limit for decisions (`decide`). One decision is counted before the body is read; a
/// batch counts the rest when the number of its items is known.
#[derive(Debug)]
pub(crate) struct DecisionLimit {
    rate_limiters: Arc<RateLimiters>,
    client: RequestClient,
    status: RateLimitStatus,
}

impl DecisionLimit {
    const TOO_MANY: &'static str = "too many decisions";

    /// Counts the other items of a batch; the first one was counted by the extractor.
    pub(crate) fn acquire_batch(&self, items: usize) -> Result<(), ApiError> {
        let items = u32::try_from(items).unwrap_or(u32::MAX);
        // A batch larger than the limit takes all of it, including the one that was counted.
        let (limiter, client) = (&self.rate_limiters.decisions, self.client.counted_as());
        let items = items.min(limiter.smallest_limit(client).unwrap_or(items));
        let more = items.saturating_sub(1);
        if more == 0 {
            return Ok(());
        }
        self.status.enforce(limiter.acquire(client, more), self.client.too_many(Self::TOO_MANY))
    }
}

/// Counts one decision for the fast path, which has no extractors, and returns the quotas. `None` if
/// the limit is reached: the request then goes to the handler, which refuses it. A refused request is
/// not counted, so it is not counted twice.
pub(crate) fn try_acquire_decision(
    rates: &RateLimiters,
    ClientAddress(address): ClientAddress,
) -> Option<Vec<QuotaStatus>> {
    let client = RateLimitClient::Address(AddressBlock::from_address(address));
    let verdict = rates.decisions.acquire(client, 1);
    verdict.wait.is_zero().then_some(verdict.quotas)
}

impl FromRequestParts<AppState> for DecisionLimit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let (client, status) = request_client(parts, state).await?;
        let verdict = state.rate_limiters.decisions.acquire(client.counted_as(), 1);
        status.enforce(verdict, client.too_many(Self::TOO_MANY))?;
        Ok(Self { rate_limiters: Arc::clone(&state.rate_limiters), client, status })
    }
}

/// Enforces the limit for visitors to check (`visitors`). One is counted before the body is read; a batch
/// counts the rest when the number of its items is known. No credential is read here.
#[derive(Debug)]
pub(crate) struct VisitorLimit {
    rate_limiters: Arc<RateLimiters>,
    block: AddressBlock,
    status: RateLimitStatus,
}

impl VisitorLimit {
    const TOO_MANY: TooMany = TooMany::of("too many visitors to check");

    /// Counts the other items of a batch; the first one was counted by the extractor.
    pub(crate) fn acquire_batch(&self, items: usize) -> Result<(), ApiError> {
        let items = u32::try_from(items).unwrap_or(u32::MAX);
        // A batch larger than the limit takes all of it, including the one that was counted.
        let limiter = &self.rate_limiters.visitors;
        let items = items.min(limiter.smallest_limit(self.block.into()).unwrap_or(items));
        let more = items.saturating_sub(1);
        if more == 0 {
            return Ok(());
        }
        self.status.acquire(limiter, self.block, more, Self::TOO_MANY)
    }
}

impl FromRequestParts<AppState> for VisitorLimit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let (block, status) = client_and_status(parts).await;
        status.acquire(&state.rate_limiters.visitors, block, 1, Self::TOO_MANY)?;
        Ok(Self { rate_limiters: Arc::clone(&state.rate_limiters), block, status })
    }
}

/// The limit on live readings of sites (`live`). The extractor counts nothing: the service counts one
/// when it finds that it has to read the site.
#[derive(Debug, Clone)]
pub(crate) struct LiveReadLimit {
    rate_limiters: Arc<RateLimiters>,
    client: RequestClient,
    status: RateLimitStatus,
}

impl LiveReadPermit for LiveReadLimit {
    fn acquire(&self) -> Result<(), Duration> {
        let verdict = self.rate_limiters.live_reads.acquire(self.client.counted_as(), 1);
        self.status.record(verdict.quotas);
        if verdict.wait.is_zero() { Ok(()) } else { Err(verdict.wait) }
    }

    fn client(&self) -> Option<AddressBlock> {
        Some(self.client.block)
    }
}

impl FromRequestParts<AppState> for LiveReadLimit {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let (client, status) = request_client(parts, state).await?;
        Ok(Self { rate_limiters: Arc::clone(&state.rate_limiters), client, status })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_limits::{
        RateLimit, RateLimits,
        headers::{RATE_LIMIT, RATE_LIMIT_POLICY, write_rate_limit_headers},
    };
    use http::{HeaderMap, HeaderName};

    fn rates(most: u32) -> Arc<RateLimiters> {
        let rate = vec![RateLimit { max: most, window: Duration::from_secs(60) }];
        let limits =
            RateLimits { decisions: rate.clone(), live_reads: rate, ..RateLimits::default() };
        Arc::new(RateLimiters::new(limits))
    }

    fn client() -> RequestClient {
        let block = AddressBlock::from_address("192.0.2.1".parse().unwrap());
        RequestClient::new(block, None, None)
    }

    fn decide(rates: &RateLimiters, status: &RateLimitStatus, items: u32) {
        let verdict = rates.decisions.acquire(client().counted_as(), items);
        status.enforce(verdict, TooMany::of("x")).unwrap();
    }

    /// Time passes while the test runs, so the seconds are not shown.
    fn written(status: &RateLimitStatus, refused: bool) -> (String, String) {
        let mut headers = HeaderMap::new();
        write_rate_limit_headers(&status.quotas(), &mut headers, refused);
        let text = |name: &HeaderName| {
            headers.get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
        };
        let quota = text(&RATE_LIMIT);
        let quota = quota.split(", ").map(|quota| quota.split(";t=").next().unwrap_or_default());
        let quota = quota.collect::<Vec<_>>().join(", ");
        (text(&RATE_LIMIT_POLICY), quota)
    }

    #[test]
    fn a_batch_counts_its_items() {
        let (rates, status) = (rates(10), RateLimitStatus::default());
        decide(&rates, &status, 1);
        let decides = DecisionLimit { rate_limiters: rates, client: client(), status };
        decides.acquire_batch(1).unwrap();
        assert_eq!(written(&decides.status, false).1, "\"decide\";r=9");
        decides.acquire_batch(7).unwrap();
        assert_eq!(written(&decides.status, false).1, "\"decide\";r=3");
        let refused = decides.acquire_batch(5).unwrap_err();
        assert_eq!(refused.status(), 429);
        assert_eq!(
            written(&decides.status, true),
            ("\"decide\";q=10;w=60".to_owned(), "\"decide\";r=3".to_owned())
        );
    }

    /// The interface allows batches of 100, more than the default limit of a minute.
    #[test]
    fn a_batch_larger_than_the_limit_takes_all_of_it() {
        let (rates, status) = (rates(10), RateLimitStatus::default());
        decide(&rates, &status, 1);
        let decides = DecisionLimit { rate_limiters: rates, client: client(), status };
        decides.acquire_batch(100).unwrap();
        assert_eq!(written(&decides.status, false).1, "\"decide\";r=0");
        assert_eq!(decides.acquire_batch(2).unwrap_err().status(), 429);
    }

    #[test]
    fn a_live_read_is_counted_when_needed_and_reported_with_the_others() {
        let (rates, status) = (rates(2), RateLimitStatus::default());
        decide(&rates, &status, 1);
        let live = LiveReadLimit { rate_limiters: rates, client: client(), status: status.clone() };
        assert_eq!(written(&status, false).1, "\"decide\";r=1");
        assert_eq!(live.acquire(), Ok(()));
        assert_eq!(live.acquire(), Ok(()));
        let wait = live.acquire().unwrap_err();
        assert!(wait > Duration::from_secs(20) && wait <= Duration::from_secs(30), "{wait:?}");
        let both = "\"decide\";q=2;w=60, \"live\";q=2;w=60".to_owned();
        let quota = "\"decide\";r=1, \"live\";r=0".to_owned();
        assert_eq!(written(&status, false), (both.clone(), quota), "an answer all the same");
        assert_eq!(written(&status, true), (both, "\"live\";r=0".to_owned()), "a refusal");
    }

    #[test]
    fn without_limits_nothing_is_reported() {
        let status = RateLimitStatus::default();
        let rates = RateLimiters::new(RateLimits::none());
        for _ in 0..1_000 {
            decide(&rates, &status, 50);
        }
        assert_eq!(written(&status, false), (String::new(), String::new()));
    }
}
