//! Checks the entries of a sitemap: URL and date.

use url::Url;

use crate::files::report::{Report, quoted};
use crate::files::timestamps;

/// How many entries one sitemap may have.
pub(super) const MAX_ENTRIES: usize = 50_000;

/// Readers accept only shorter URLs.
const MAX_LOC_CHARS: usize = 2_048;

/// How far a date may be ahead of our clock: time zones, and clocks that are not exact.
const FUTURE_SECONDS: i64 = 2 * 86_400;

/// How many entries were read so far, and how many of them have a date.
#[derive(Default)]
pub(super) struct EntryCounter {
    pub(super) number: usize,
    pub(super) dated: usize,
    /// The newest valid date so far, as written.
    pub(super) newest: Option<String>,
}

/// One entry as written.
#[derive(Default)]
pub(super) struct Entry {
    pub(super) loc: Option<String>,
    pub(super) lastmod: Option<String>,
}

impl EntryCounter {
    pub(super) fn check_entry(&mut self, report: &mut Report<'_>, entry: &Entry, index: bool) {
        self.number += 1;
        // Readers ignore the entries beyond the limit, so these are not checked.
        if self.number > MAX_ENTRIES {
            return;
        }
        let at = format!("entry {}", self.number);
        if let Some(lastmod) = entry.lastmod.as_deref().map(str::trim) {
            self.dated += 1;
            if timestamps::is_w3c_datetime(lastmod) {
                self.check_date(report, &at, lastmod);
            } else {
                report.warn(
                    "bad_lastmod",
                    at.clone(),
                    format!(
                        "{} is not a valid W3C date. Readers ignore it.",
                        quoted(lastmod)
                    ),
                    "Write a date, or a date and time with time zone: 2026-11-15 or 2026-11-15T02:56:20Z",
                );
            }
        }
        let Some(loc) = entry.loc.as_deref().map(str::trim).filter(|loc| !loc.is_empty()) else {
            report.error(
                "no_loc",
                at,
                "The entry has no URL.",
                "Add one: <loc>https://your.site/page</loc>",
            );
            return;
        };
        check_loc(report, at, loc, index);
    }
}

impl EntryCounter {
    /// Dates begin with the year, so their order is that of their texts, up to the time zone.
    fn check_date(&mut self, report: &mut Report<'_>, at: &str, lastmod: &str) {
        if timestamps::day_start(lastmod)
            .is_some_and(|start| start > report.served.read_at_s + FUTURE_SECONDS)
        {
            report.warn(
                "future_lastmod",
                at,
                format!(
                    "{} is in the future. Readers then trust none of the dates.",
                    quoted(lastmod)
                ),
                "Write the date on which the page last changed.",
            );
        } else if self.newest.as_deref().is_none_or(|newest| newest < lastmod) {
            self.newest = Some(lastmod.to_owned());
        }
    }
}

fn check_loc(report: &mut Report<'_>, at: String, loc: &str, index: bool) {
    if loc.chars().count() >= MAX_LOC_CHARS {
        report.error(
            "long_url",
            at,
            "The URL has 2,048 characters or more. Readers reject it.",
            "Use a shorter URL.",
        );
        return;
    }
    let url = match Url::parse(loc) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => url,
        _ => {
            report.error(
                "bad_url",
                at,
                format!("{} is not a full URL.", quoted(loc)),
                "Write the full URL: https://, the host and the path.",
            );
            return;
        }
    };
    if url.username().is_empty() && url.password().is_none() {
        report.add_address(url.as_str());
    }
    let Some(base) = report.base.clone() else { return };
    if url.host_str() != base.host_str() || url.port() != base.port() {
        report.warn(
            "other_host",
            at,
            format!("{} is on a different host than the sitemap. Readers ignore it unless that host's robots.txt lists this sitemap.", quoted(loc)),
            "List only pages of the host that serves the sitemap. (www. counts as a different host.)",
        );
        return;
    }
    if url.scheme() != base.scheme() {
        report.warn(
            "other_scheme",
            at,
            format!(
                "{} uses {}, but the sitemap is served over {}.",
                quoted(loc),
                url.scheme(),
                base.scheme()
            ),
            "List the URLs as they are served today, with https://.",
        );
        return;
    }
    if index && url.as_str() == base.as_str() {
        report.error(
            "index_lists_itself",
            at,
            "The index lists itself, so readers that follow it loop.",
            "List only sitemaps in the index.",
        );
        return;
    }
    if index
        && ["sitemap_index", "sitemap-index", "sitemapindex"]
            .iter()
            .any(|name| url.path().contains(name))
    {
        report.note(
            "may_list_an_index",
            at.clone(),
            format!(
                "{} is named like a sitemap index. An index must not list another index.",
                quoted(loc)
            ),
            "List the sitemaps directly.",
        );
    }
    let directory = base.path().rsplit_once('/').map_or("", |(directory, _)| directory);
    let below = url.path().strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'));
    if !below {
        report.warn(
            "above_directory",
            at,
            format!(
                "{} is outside the directory of the sitemap. Strict readers ignore it.",
                quoted(loc)
            ),
            "Move the sitemap to the root of the site, or list it in robots.txt.",
        );
    }
}
