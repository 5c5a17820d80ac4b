//! Requests within their rates: one extractor for each policy, and the fields that tell every asker
//! how the policies stand (`RateLimit-Policy` and `RateLimit`).
//!
//! An extractor notes what it took, and [`tell`] writes it onto whatever answer comes of it.

use std::{
    fmt::Write as _,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    RequestPartsExt,
    extract::{FromRequestParts, Request},
    middleware::Next,
    response::Response,
};
use contract::errors::ErrorCode;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, request::Parts};
use service::{AddressBlock, MayRead};

use crate::{
    client_address::ClientAddress,
    errors::ApiError,
    rates::{Rates, Standing, seconds_up},
    state::{AppState, AskRates},
};

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const STANDING: HeaderName = HeaderName::from_static("ratelimit");

/// What was taken for one request so far. Shared by the request's extractors and [`tell`].
#[derive(Debug, Clone, Default)]
pub(crate) struct Told(Arc<Mutex<Vec<Standing>>>);

/// Tells on every answer how the policies stand that its request was held against.
pub(crate) async fn tell(mut request: Request, next: Next) -> Response {
    let told = Told::default();
    request.extensions_mut().insert(told.clone());
    let mut response = next.run(request).await;
    let refused = response.status() == StatusCode::TOO_MANY_REQUESTS;
    told.write(response.headers_mut(), refused);
    response
}

impl Told {
    /// The later word on a policy stands.
    pub(crate) fn note(&self, standings: Vec<Standing>) {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for standing in standings {
            noted.retain(|earlier| earlier.policy.name != standing.policy.name);
            noted.push(standing);
        }
    }

    /// Takes, notes how it stands, and says what whoever gets nothing is told.
    fn take<K: Copy + Eq + Hash>(
        &self,
        rates: &Rates<K>,
        who: K,
        items: u32,
        sentence: &str,
    ) -> Result<(), ApiError> {
        let verdict = rates.take(who, items);
        let refused = refused_by(&verdict.standings);
        self.note(verdict.standings);
        if verdict.wait.is_zero() {
            return Ok(());
        }
        let error = ApiError::new(ErrorCode::RateLimited, sentence);
        Err(error.retry_after(seconds_up(verdict.wait)).violating(refused))
    }

    fn write(&self, headers: &mut HeaderMap, refused: bool) {
        let noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        write(&noted, headers, refused);
    }
}

/// Of a refusal only the policies that refused are told: no other says when to come again, and
/// Retry-After must not be earlier than what stands here.
pub(crate) fn write(standings: &[Standing], headers: &mut HeaderMap, refused: bool) {
    let (mut policies, mut standing_now) = (String::new(), String::new());
    for standing in standings {
        let (name, rate) = (&standing.policy.name, standing.policy.rate);
        let comma = if policies.is_empty() { "" } else { ", " };
        // Writing to a string never fails.
        let _ = write!(policies, "{comma}\"{name}\";q={};w={}", rate.most, rate.within.as_secs());
        if refused && !standing.refused {
            continue;
        }
        let comma = if standing_now.is_empty() { "" } else { ", " };
        let (remaining, reset) = (standing.remaining, seconds_up(standing.reset));
        let _ = write!(standing_now, "{comma}\"{name}\";r={remaining};t={reset}");
    }
    for (field, text) in [(POLICY, policies), (STANDING, standing_now)] {
        if let (false, Ok(value)) = (text.is_empty(), HeaderValue::from_str(&text)) {
            headers.insert(field, value);
        }
    }
}

/// The names of the policies that refused.
fn refused_by(standings: &[Standing]) -> Vec<String> {
    let refused = standings.iter().filter(|standing| standing.refused);
    refused.map(|standing| standing.policy.name.to_string()).collect()
}

impl<S: Sync> FromRequestParts<S> for Told {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_default())
    }
}

/// Who asks, and where it is noted.
async fn asker(parts: &mut Parts) -> (AddressBlock, Told) {
    let Ok(ClientAddress(address)) = parts.extract().await;
    let Ok(told) = parts.extract().await;
    (AddressBlock::of(address), told)
}

/// Holds a request to scan against the rates of its address.
pub(crate) fn may_scan(rates: &AskRates, block: AddressBlock, told: &Told) -> Result<(), ApiError> {
    let sentence = "This address has asked for as many scans as it may for now.";
    told.take(&rates.scans, block, 1, sentence)
}

/// Holds a request of a licence holder against the rate of the licence.
pub(crate) fn may_scan_keyed(
    rates: &AskRates,
    licence: proof::Digest,
    told: &Told,
) -> Result<(), ApiError> {
    let sentence = "This licence has had its requests for now.";
    told.take(&rates.keyed_scans, licence, 1, sentence)
}

/// A request to scan, of an address that may ask for one. Every request that is let through counts,
/// whatever becomes of it, and is counted before its body is read.
#[derive(Debug)]
pub(crate) struct Scans(pub(crate) AddressBlock);

impl FromRequestParts<AppState> for Scans {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let (block, told) = asker(parts).await;
        may_scan(&state.rates, block, &told)?;
        Ok(Self(block))
    }
}

/// A reader of kept records (`read`).
#[derive(Debug)]
pub(crate) struct Reads;

impl FromRequestParts<AppState> for Reads {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let (block, told) = asker(parts).await;
        let sentence = "This address has read as many records as it may for now.";
        told.take(&state.rates.reads, block, 1, sentence)?;
        Ok(Self)
    }
}

/// A reader of the log or another feed (`feed`).
#[derive(Debug)]
pub(crate) struct Feeds;

impl FromRequestParts<AppState> for Feeds {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let (block, told) = asker(parts).await;
        let sentence = "This address has read as much of the log and other feeds as it may for now; \
                        the files below /log/ are not limited.";
        told.take(&state.rates.feeds, block, 1, sentence)?;
        Ok(Self)
    }
}

/// Whoever wants something decided (`decide`). One is taken before the body is read; a batch takes
/// the rest when its items are known.
#[derive(Debug)]
pub(crate) struct Decides {
    rates: Arc<AskRates>,
    block: AddressBlock,
    told: Told,
}

impl Decides {
    const SENTENCE: &str = "This address has had as many decisions as it may for now.";

    /// Takes what a batch of so many items needs beyond the one that is taken already.
    pub(crate) fn batch(&self, items: usize) -> Result<(), ApiError> {
        let more = u32::try_from(items.saturating_sub(1)).unwrap_or(u32::MAX);
        if more == 0 {
            return Ok(());
        }
        self.told.take(&self.rates.decides, self.block, more, Self::SENTENCE)
    }
}

/// Takes one decision without an extractor, and says how the policies stand. Whoever has none left gets
/// nothing here, and is told so by the handler: what is refused is not counted.
pub(crate) fn take_decision(
    rates: &AskRates,
    ClientAddress(address): ClientAddress,
) -> Option<Vec<Standing>> {
    let verdict = rates.decides.take(AddressBlock::of(address), 1);
    verdict.wait.is_zero().then_some(verdict.standings)
}

impl FromRequestParts<AppState> for Decides {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let (block, told) = asker(parts).await;
        told.take(&state.rates.decides, block, 1, Self::SENTENCE)?;
        Ok(Self { rates: Arc::clone(&state.rates), block, told })
    }
}

/// The right of an address to make us read a site now (`live`). Nothing is taken before the service
/// finds that it has to read.
#[derive(Debug, Clone)]
pub(crate) struct LiveReads {
    rates: Arc<AskRates>,
    block: AddressBlock,
    told: Told,
}

impl MayRead for LiveReads {
    fn take(&self) -> Result<(), Duration> {
        let verdict = self.rates.live.take(self.block, 1);
        self.told.note(verdict.standings);
        if verdict.wait.is_zero() { Ok(()) } else { Err(verdict.wait) }
    }
}

impl FromRequestParts<AppState> for LiveReads {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        state: &AppState,
    ) -> Result<Self, std::convert::Infallible> {
        let (block, told) = asker(parts).await;
        Ok(Self { rates: Arc::clone(&state.rates), block, told })
    }
}

/// What whoever has had their live reads is told, where nothing else can be answered.
pub(crate) fn no_live_read(wait: Duration) -> ApiError {
    let sentence = "This address has made us read as many sites as it may for now.";
    ApiError::new(ErrorCode::RateLimited, sentence)
        .retry_after(seconds_up(wait))
        .violating(vec!["live".to_owned()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rates::{Rate, RateLimits};

    fn rates(most: u32) -> Arc<AskRates> {
        let rate = vec![Rate { most, within: Duration::from_secs(60) }];
        let limits = RateLimits { decides: rate.clone(), live: rate, ..RateLimits::default() };
        Arc::new(AskRates::new(limits))
    }

    fn block() -> AddressBlock {
        AddressBlock::of("192.0.2.1".parse().unwrap())
    }

    fn written(told: &Told, refused: bool) -> (String, String) {
        let mut headers = HeaderMap::new();
        told.write(&mut headers, refused);
        let text = |name: &HeaderName| {
            headers.get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
        };
        (text(&POLICY), text(&STANDING))
    }

    #[test]
    fn a_batch_counts_its_items() {
        let (rates, told) = (rates(10), Told::default());
        told.take(&rates.decides, block(), 1, "x").unwrap();
        let decides = Decides { rates, block: block(), told };
        decides.batch(1).unwrap();
        assert_eq!(written(&decides.told, false).1, "\"decide\";r=9;t=60");
        decides.batch(7).unwrap();
        assert_eq!(written(&decides.told, false).1, "\"decide\";r=3;t=60");
        let refused = decides.batch(5).unwrap_err();
        assert_eq!(refused.status(), 429);
        assert_eq!(
            written(&decides.told, true),
            ("\"decide\";q=10;w=60".to_owned(), "\"decide\";r=3;t=60".to_owned())
        );
    }

    #[test]
    fn a_live_read_is_taken_when_it_is_needed_and_told_beside_the_others() {
        let (rates, told) = (rates(2), Told::default());
        told.take(&rates.decides, block(), 1, "x").unwrap();
        let live = LiveReads { rates, block: block(), told: told.clone() };
        assert_eq!(written(&told, false).1, "\"decide\";r=1;t=60");
        assert_eq!(live.take(), Ok(()));
        assert_eq!(live.take(), Ok(()));
        let wait = live.take().unwrap_err();
        assert!(wait > Duration::from_secs(59) && wait <= Duration::from_secs(60), "{wait:?}");
        let both = "\"decide\";q=2;w=60, \"live\";q=2;w=60".to_owned();
        let standing = "\"decide\";r=1;t=60, \"live\";r=0;t=60".to_owned();
        assert_eq!(written(&told, false), (both.clone(), standing), "an answer all the same");
        assert_eq!(written(&told, true), (both, "\"live\";r=0;t=60".to_owned()), "a refusal");
    }

    #[test]
    fn without_limits_nothing_is_told() {
        let told = Told::default();
        let rates = AskRates::new(RateLimits::none());
        for _ in 0..1_000 {
            told.take(&rates.decides, block(), 50, "x").unwrap();
        }
        assert_eq!(written(&told, false), (String::new(), String::new()));
    }
}
