//! One address of a sitemap, held against the rules for addresses.

use url::Url;

use super::MAX_ENTRIES;
use crate::files::report::{Report, quoted};
use crate::files::when;

/// Readers take addresses shorter than this.
const MAX_LOC_CHARS: usize = 2_048;

/// What was seen of the entries so far.
#[derive(Default)]
pub(super) struct Entries {
    pub(super) number: usize,
    pub(super) dated: usize,
}

/// What one entry says.
#[derive(Default)]
pub(super) struct Entry {
    pub(super) loc: Option<String>,
    pub(super) lastmod: Option<String>,
}

impl Entries {
    pub(super) fn take(&mut self, report: &mut Report<'_>, entry: &Entry, index: bool) {
        self.number += 1;
        // What readers ignore need not be right.
        if self.number > MAX_ENTRIES {
            return;
        }
        let at = format!("entry {}", self.number);
        if let Some(lastmod) = entry.lastmod.as_deref().map(str::trim) {
            self.dated += 1;
            if !when::is_w3c_datetime(lastmod) {
                report.warn(
                    "bad_lastmod",
                    at.clone(),
                    format!(
                        "{} is not a moment as the format writes it; readers ignore it.",
                        quoted(lastmod)
                    ),
                    "Write a day or a moment with its zone: 2026-11-15 or 2026-11-15T02:56:20Z",
                );
            }
        }
        let Some(loc) = entry.loc.as_deref().map(str::trim).filter(|loc| !loc.is_empty()) else {
            report.error(
                "no_loc",
                at,
                "The entry has no address.",
                "Give every entry one: <loc>https://your.site/page</loc>",
            );
            return;
        };
        address(report, at, loc, index);
    }
}

fn address(report: &mut Report<'_>, at: String, loc: &str, index: bool) {
    if loc.chars().count() >= MAX_LOC_CHARS {
        report.error(
            "long_url",
            at,
            "An address of 2,048 characters or more; readers refuse it.",
            "Use a shorter address.",
        );
        return;
    }
    let url = match Url::parse(loc) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => url,
        _ => {
            report.error(
                "bad_url",
                at,
                format!("{} is not a full web address.", quoted(loc)),
                "Write the whole address: https://, the host and the path.",
            );
            return;
        }
    };
    if url.username().is_empty() && url.password().is_none() {
        report.hand_out(url.as_str());
    }
    let Some(base) = report.base.clone() else { return };
    if url.host_str() != base.host_str() || url.port() != base.port() {
        report.warn(
            "other_host",
            at,
            format!("{} is on another host than the sitemap; readers ignore it unless that host's robots.txt names this sitemap.", quoted(loc)),
            "List only pages of the host that serves the sitemap (with or without www. makes a difference).",
        );
        return;
    }
    if url.scheme() != base.scheme() {
        report.warn(
            "other_scheme",
            at,
            format!(
                "{} is {} in a sitemap served over {}.",
                quoted(loc),
                url.scheme(),
                base.scheme()
            ),
            "List the addresses as they are served today, with https://.",
        );
        return;
    }
    if index && url.as_str() == base.as_str() {
        report.error(
            "index_lists_itself",
            at,
            "The index lists itself; readers that follow it turn in a circle.",
            "List only sitemaps there.",
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
            format!("{} is named like an index; an index must not list another.", quoted(loc)),
            "List the sitemaps themselves.",
        );
    }
    let directory = base.path().rsplit_once('/').map_or("", |(directory, _)| directory);
    let below = url.path().strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'));
    if !below {
        report.warn(
            "above_directory",
            at,
            format!(
                "{} is not below the directory of the sitemap; strict readers ignore it.",
                quoted(loc)
            ),
            "Put the sitemap at the root of the site, or name it in robots.txt.",
        );
    }
}
