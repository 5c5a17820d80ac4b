//! Whether a cached copy says what the site says now.

use contract::records::{CheckVerdict, Severity};

use super::Readings;
use crate::scan::verdicts::{Verdicts, about, aside};

const RULE: &str = "caching.same";

pub(super) fn judge(read: &Readings<'_>, out: &mut Verdicts) {
    let caching = read.caching;
    match caching.diverged {
        None => out.not_assessed(RULE, "The page was not read both as it is and past every cache."),
        Some(false) => out.passed(
            RULE,
            "The bare address and a fresh reading give the same page.",
            caching.evidence.clone(),
        ),
        Some(true) => {
            out.failed(
                RULE,
                "The bare address gives another page than a fresh reading of it.",
                caching.evidence.clone(),
            );
            let mut finding = about(read.look.rules, RULE, "stale_copy", Severity::Medium);
            finding.title = "The bare address gives an old copy".to_owned();
            finding.seen = format!(
                "The page at its bare address and the same page with a query nobody has used before are {:.0} % \
                 alike. Cache-Control: {}; age {}; cache says {}.",
                caching.similarity.map_or(0.0, |alike| alike.get() * 100.0),
                caching.cache_control.as_deref().unwrap_or("none"),
                caching.age.as_deref().unwrap_or("not told"),
                caching.cache_status.as_deref().unwrap_or("nothing"),
            );
            finding.fix = Some(
                "Purge the CDN's copy of the page, and let pages that change be kept for minutes, not days."
                    .to_owned(),
            );
            finding.paste = Some("Cache-Control: public, max-age=300, must-revalidate".to_owned());
            finding.evidence = caching.evidence.clone();
            out.find(finding);
        }
    }
    for check in read.checks {
        let Some(split) = check.cache_split.as_ref().filter(|split| split.diverged) else {
            continue;
        };
        let Some(reading) = check.reading.clone() else { continue };
        let mut finding = aside("caching", &format!("stale_file:{}", check.path), Severity::Low);
        finding.title = format!("{} differs when read past the cache", check.path);
        finding.seen = format!(
            "Bare: {} ({} bytes). Fresh: {} ({} bytes).",
            told(split.bare_status),
            split.bare_bytes.unwrap_or(0),
            told(split.fresh_status),
            split.fresh_bytes.unwrap_or(0)
        );
        finding.why =
            "Agents ask for the bare address and get whichever copy a cache holds.".to_owned();
        finding.fix = Some(if check.verdict == CheckVerdict::Ok {
            "Purge the CDN's copy after each change of the file.".to_owned()
        } else {
            "Purge the CDN's copy: a missing or broken answer may have been kept.".to_owned()
        });
        finding.standard = Some("RFC 9111".to_owned());
        finding.evidence = vec![reading];
        out.find(finding);
    }
}

fn told(status: Option<u16>) -> String {
    status.map_or("no answer".to_owned(), |status| status.to_string())
}
