//! Compares the cached copy of the page and of files with a fresh one.

use contract::evidence::{ReadTarget, Reading};
use contract::ratio::Ratio;
use contract::records::{CacheSplit, CachingReading};
use contract::text::display_safe;
use declared::sniff;

use super::page_similarity;
use super::parsed_evidence::ParsedEvidence;
use super::text_comparison::{TextComparison, served_page};

/// Compares the home page at its plain URL with a request that bypasses caches.
pub(super) fn build_caching_reading(
    parsed: &ParsedEvidence<'_>,
    comparison: &TextComparison<'_>,
) -> CachingReading {
    let bare =
        parsed.readings(ReadTarget::Home).find(|reading| reading.identity == parsed.browser_id());
    let fresh = parsed.readings(ReadTarget::Fresh).find(|reading| reading.path == "/");
    let response = bare.and_then(|reading| reading.exchange.response());
    let field = |name: &str| {
        response.and_then(|response| response.header(name)).map(|value| display_safe(value, 200))
    };
    let alike =
        bare.zip(fresh).and_then(|(bare, fresh)| similarity_of_readings(parsed, bare, fresh));
    CachingReading {
        cache_control: field("cache-control"),
        vary: field("vary"),
        etag: field("etag"),
        last_modified: field("last-modified"),
        age: field("age"),
        cache_status: ["cf-cache-status", "x-cache", "cache-status", "x-vercel-cache"]
            .into_iter()
            .find_map(field),
        // If the page changes by itself, a difference does not show a stale cache.
        diverged: comparison.stale_cache,
        similarity: alike.and_then(Ratio::new),
        evidence: bare.into_iter().chain(fresh).map(|reading| reading.id.clone()).collect(),
    }
}

/// The similarity of two served pages. None if one was not served.
fn similarity_of_readings(
    parsed: &ParsedEvidence<'_>,
    one: &Reading,
    other: &Reading,
) -> Option<f64> {
    Some(page_similarity::similarity(served_page(parsed, one)?, served_page(parsed, other)?))
}

/// Compares a file at its plain URL with a request that bypasses caches.
pub(super) fn compare_cached_file(
    parsed: &ParsedEvidence<'_>,
    bare: &Reading,
) -> Option<CacheSplit> {
    let fresh = parsed.last_reading(ReadTarget::Fresh, &bare.path)?;
    let of = |reading: &Reading| {
        reading.exchange.response().map(|response| {
            (
                response.status,
                response.body.bytes,
                parsed.body(response).map(sniff::looks_like_html),
            )
        })
    };
    let (bare_result, fresh_result) = (of(bare), of(fresh));
    // Only two complete responses can differ. A failed or incomplete one shows nothing about a cache.
    let is_complete = |reading: &Reading| {
        reading.exchange.response().is_some_and(|response| response.body.cut.is_none())
    };
    // A refusal or a server error shows nothing either: only success and "not found" are compared.
    let definite = |status: u16| (200..300).contains(&status) || matches!(status, 404 | 410);
    let diverged = bare_result.zip(fresh_result).is_some_and(|(one, other)| {
        let same_bytes = bare.exchange.response().map(|r| &r.body.sha256)
            == fresh.exchange.response().map(|r| &r.body.sha256);
        is_complete(bare)
            && is_complete(fresh)
            && definite(one.0)
            && definite(other.0)
            && (one.0 != other.0 || ((200..300).contains(&one.0) && !same_bytes))
    });
    Some(CacheSplit {
        bare_status: bare_result.map(|result| result.0),
        fresh_status: fresh_result.map(|result| result.0),
        bare_html: bare_result.and_then(|result| result.2),
        fresh_html: fresh_result.and_then(|result| result.2),
        bare_cf: bare
            .exchange
            .response()
            .and_then(|response| response.header("cf-cache-status"))
            .map(|value| display_safe(value, 80)),
        diverged,
        bare_bytes: bare_result.map(|result| result.1),
        fresh_bytes: fresh_result.map(|result| result.1),
    })
}
