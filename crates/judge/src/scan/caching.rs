//! Whether a kept copy says what the site says now.

use contract::evidence::{Reading, Target};
use contract::ratio::Ratio;
use contract::records::{CacheSplit, CachingReading};
use declared::shape;

use super::compare;
use super::look::{Look, is_success};

/// The home page as it is and past every cache.
pub(super) fn caching(look: &Look<'_>, noise: Option<f64>) -> CachingReading {
    let bare = look.reads(Target::Home).find(|reading| reading.identity == look.browser_id());
    let fresh = look.reading(Target::Fresh, "/");
    let response = bare.and_then(|reading| reading.exchange.response());
    let field = |name: &str| {
        response.and_then(|response| response.header(name)).map(|value| super::shown(value, 200))
    };
    let alike = bare.zip(fresh).and_then(|(bare, fresh)| alike(look, bare, fresh));
    CachingReading {
        cache_control: field("cache-control"),
        vary: field("vary"),
        etag: field("etag"),
        last_modified: field("last-modified"),
        age: field("age"),
        cache_status: ["cf-cache-status", "x-cache", "cache-status", "x-vercel-cache"]
            .into_iter()
            .find_map(field),
        // Of a page that is not even like itself, no cache can be accused.
        diverged: alike
            .filter(|_| noise.is_some() && compare::is_like_itself(noise, look.rules))
            .map(|alike| !compare::is_the_same(alike, noise, look.rules)),
        similarity: alike.and_then(Ratio::new),
        evidence: bare.into_iter().chain(fresh).map(|reading| reading.id.clone()).collect(),
    }
}

/// How alike two pages are that were both served; nothing when one was not.
fn alike(look: &Look<'_>, one: &Reading, other: &Reading) -> Option<f64> {
    let page = |reading: &Reading| {
        let response = reading.exchange.response().filter(|response| is_success(response))?;
        look.page(response).filter(|_| !look.is_walled(response))
    };
    Some(compare::alike(page(one)?, page(other)?))
}

/// One file as it is and past every cache.
pub(super) fn split(look: &Look<'_>, bare: &Reading) -> Option<CacheSplit> {
    let fresh = look.reading(Target::Fresh, &bare.path)?;
    let of = |reading: &Reading| {
        reading.exchange.response().map(|response| {
            (response.status, response.body.bytes, look.body(response).map(shape::looks_like_html))
        })
    };
    let (bare_seen, fresh_seen) = (of(bare), of(fresh));
    // Only two whole answers can differ; a read that failed or broke off shows nothing about a cache.
    let whole = |reading: &Reading| {
        reading.exchange.response().is_some_and(|response| response.body.cut.is_none())
    };
    // Nor does a refusal or a busy server: only a file and its absence are a cache's to mix up.
    let definite = |status: u16| (200..300).contains(&status) || matches!(status, 404 | 410);
    let diverged = bare_seen.zip(fresh_seen).is_some_and(|(one, other)| {
        let same_bytes = bare.exchange.response().map(|r| &r.body.sha256)
            == fresh.exchange.response().map(|r| &r.body.sha256);
        whole(bare)
            && whole(fresh)
            && definite(one.0)
            && definite(other.0)
            && (one.0 != other.0 || ((200..300).contains(&one.0) && !same_bytes))
    });
    Some(CacheSplit {
        bare_status: bare_seen.map(|seen| seen.0),
        fresh_status: fresh_seen.map(|seen| seen.0),
        bare_html: bare_seen.and_then(|seen| seen.2),
        fresh_html: fresh_seen.and_then(|seen| seen.2),
        bare_cf: bare
            .exchange
            .response()
            .and_then(|response| response.header("cf-cache-status"))
            .map(|value| super::shown(value, 80)),
        diverged,
        bare_bytes: bare_seen.map(|seen| seen.1),
        fresh_bytes: fresh_seen.map(|seen| seen.1),
    })
}
