//! The `content_clock` section of a resolve answer.

use contract::records::{ClockHomepage, ContentClock};
use contract::{Domain, Timestamp};

use crate::resolve::urls::{escape_query_value, home_url};

/// The state of a content clock, as the section needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockSummary {
    pub url: String,
    /// Whether the page was read at least once.
    pub observed: bool,
    pub started_at: Timestamp,
    pub checks: u32,
    pub last_checked_at: Option<Timestamp>,
    /// `None` until a change was seen.
    pub last_changed_at: Option<Timestamp>,
    /// Why the clock is stopped, if it is.
    pub why: Option<String>,
}

/// The `content_clock` section of a resolve answer.
#[must_use]
pub fn clock_section(
    domain: &Domain,
    clock: Option<&ClockSummary>,
    base_url: &str,
) -> ContentClock {
    let url = clock.map_or_else(|| home_url(domain), |clock| clock.url.clone());
    ContentClock {
        homepage: ClockHomepage {
            start: clock_url(&url, base_url),
            observed: clock.is_some_and(|clock| clock.observed),
            reading: clock.map_or_else(
                || "No content clock runs for this page. Request the address in `start` to start one.".to_owned(),
                describe_clock,
            ),
            url,
        },
        reading: "We detect changes by our own digests. Dates that the site declares are claims."
            .to_owned(),
    }
}

/// The address that starts and returns the clock of a page.
#[must_use]
pub fn clock_url(url: &str, base_url: &str) -> String {
    format!("{base_url}/api/v1/content-clock?url={}", escape_query_value(url))
}

fn describe_clock(clock: &ClockSummary) -> String {
    if let Some(why) = &clock.why {
        return format!(
            "A content clock was started at {} and is stopped: {why}",
            clock.started_at
        );
    }
    let checked = match clock.last_checked_at {
        Some(at) => format!("{} checks, the last at {at}", clock.checks),
        None => "not checked yet".to_owned(),
    };
    let changed = match clock.last_changed_at {
        Some(at) => format!("the last change was seen at {at}"),
        None => "no change was seen".to_owned(),
    };
    format!("A content clock has run since {}: {checked}; {changed}.", clock.started_at)
}
