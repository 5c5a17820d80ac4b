//! The date that the site's sitemap declares for a page.

use contract::Timestamp;
use contract::records::DeclaredDate;
use declared::files::page_lastmod;

use super::declared_dates::parse_declared_date;

/// The most characters of a date that the site wrote.
const MAX_TEXT: usize = 160;
/// How far a date may be ahead of our clock: time zones, and clocks that are not exact.
const FUTURE_MS: i64 = 2 * 24 * 3_600_000;

/// The date of a page in a sitemap, with the reason to doubt it if there is one; `None` if the sitemap gives
/// no date for the page.
#[must_use]
pub fn sitemap_date(sitemap: &[u8], page_url: &str, at: Timestamp) -> Option<DeclaredDate> {
    let found = page_lastmod(sitemap, page_url)?;
    let date = parse_declared_date(&found.lastmod);
    let doubt = if !found.has_day || date.is_none() {
        Some("The date names no day that we can read, so we do not compare it.".to_owned())
    } else if date.is_some_and(|date| date > at.plus_millis(FUTURE_MS)) {
        Some("The date is in the future.".to_owned())
    } else if found.is_same_for_all {
        Some(format!(
            "All {} dates of the sitemap are the same. This is probably when the sitemap was generated, not when the page changed.",
            found.dated_entries
        ))
    } else {
        None
    };
    Some(DeclaredDate {
        what: "sitemap_lastmod".to_owned(),
        untrusted_value: contract::text::display_safe(&found.lastmod, MAX_TEXT),
        carrier: "sitemap".to_owned(),
        at,
        doubt,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(dates: &[&str]) -> Option<DeclaredDate> {
        let entries: String = dates
            .iter()
            .zip(0..)
            .map(|(date, n)| {
                format!("<url><loc>https://ferry.lab/{n}</loc><lastmod>{date}</lastmod></url>")
            })
            .collect();
        let at = "2026-11-15T12:00:00Z".parse().unwrap();
        sitemap_date(format!("<urlset>{entries}</urlset>").as_bytes(), "https://ferry.lab/0", at)
    }

    #[test]
    fn dates_that_say_little_are_doubted() {
        for (dates, doubt) in [
            (&["2026-11-01", "2026-11-02", "2026-11-03"][..], None),
            (&["2026-11-01T08:15+01:00"], None),
            (&["2026-11-16"], None),
            (&["2026-12-01"], Some("in the future")),
            (&["2026-11"], Some("names no day")),
            (&["1.11.2026"], Some("names no day")),
            (&["2026-11-01", "2026-11-01", "2026-11-01"], Some("All 3 dates")),
        ] {
            let found = date(dates).unwrap();
            assert_eq!(found.untrusted_value, dates[0]);
            assert_eq!(
                (found.what.as_str(), found.carrier.as_str()),
                ("sitemap_lastmod", "sitemap")
            );
            match doubt {
                None => assert_eq!(found.doubt, None, "{dates:?}"),
                Some(words) => assert!(found.doubt.unwrap().contains(words), "{dates:?}"),
            }
        }
        assert_eq!(date(&[""]), None);
    }
}
