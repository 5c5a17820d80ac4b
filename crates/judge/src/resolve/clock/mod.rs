//! When a page changes, if anybody asked us to watch: the block of a resolve answer, what a check
//! saw, and the answer of `/api/v1/content-clock`.

mod answer;
mod dates;
mod look;

use contract::records::{ClockHomepage, ContentClock};
use contract::{Domain, Timestamp};

use super::address::{home, query_value};
pub use answer::{Clock, answer};
pub use dates::moment;
pub use look::{Before, Seen, change, seen};

/// What is known of a clock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockFacts {
    pub url: String,
    /// The page was read at least once.
    pub observed: bool,
    pub started_at: Timestamp,
    pub checks: u32,
    pub last_checked_at: Option<Timestamp>,
    /// Nothing until a change was seen.
    pub last_changed_at: Option<Timestamp>,
    /// Why the clock stands still, when it does.
    pub why: Option<String>,
}

/// The block of a resolve answer.
#[must_use]
pub fn block(domain: &Domain, clock: Option<&ClockFacts>, base_url: &str) -> ContentClock {
    let url = clock.map_or_else(|| home(domain), |clock| clock.url.clone());
    ContentClock {
        homepage: ClockHomepage {
            start: address(&url, base_url),
            observed: clock.is_some_and(|clock| clock.observed),
            reading: clock.map_or_else(
                || "No clock runs for this page. Reading the address starts one.".to_owned(),
                told,
            ),
            url,
        },
        reading: "Our own digests are the clock; dates that the site declares are claims."
            .to_owned(),
    }
}

/// Where a clock is started and read.
#[must_use]
pub fn address(url: &str, base_url: &str) -> String {
    format!("{base_url}/api/v1/content-clock?url={}", query_value(url))
}

fn told(clock: &ClockFacts) -> String {
    if let Some(why) = &clock.why {
        return format!("A clock was started at {} and stands still: {why}", clock.started_at);
    }
    let checked = match clock.last_checked_at {
        Some(at) => format!("{} checks, the last at {at}", clock.checks),
        None => "not checked yet".to_owned(),
    };
    let changed = match clock.last_changed_at {
        Some(at) => format!("the last change was seen at {at}"),
        None => "no change was seen".to_owned(),
    };
    format!("A clock runs since {}: {checked}; {changed}.", clock.started_at)
}

#[cfg(test)]
mod tests;
