//! Whether caches serve the current page and files.

use contract::records::{CheckVerdict, Severity};

use super::inputs::SectionInputs;
use crate::scan::verdicts::{Verdicts, finding_for_rule, unscored_finding};

const RULE: &str = "caching.same";

pub(super) fn judge(inputs: &SectionInputs<'_>, verdicts: &mut Verdicts) {
    let caching = inputs.caching;
    match caching.diverged {
        None => verdicts.add_not_assessed(
            RULE,
            "The page was not read both at its plain URL and past all caches.",
        ),
        Some(false) => verdicts.add_passed(
            RULE,
            "The plain URL and a request that bypasses caches return the same page.",
            caching.evidence.clone(),
        ),
        Some(true) => {
            verdicts.add_failed(
                RULE,
                "The plain URL returns a different page than a request that bypasses caches.",
                caching.evidence.clone(),
            );
            let mut finding =
                finding_for_rule(inputs.parsed.rules, RULE, "stale_copy", Severity::Medium);
            finding.title = "The plain URL returns an outdated cached copy".to_owned();
            finding.seen = format!(
                "The page at its plain URL and the same page with a unique query are only {:.0} % similar. \
                 Cache-Control: {}; Age: {}; cache status: {}.",
                caching.similarity.map_or(0.0, |alike| alike.get() * 100.0),
                caching.cache_control.as_deref().unwrap_or("none"),
                caching.age.as_deref().unwrap_or("none"),
                caching.cache_status.as_deref().unwrap_or("none"),
            );
            finding.fix = Some(
                "Purge the page from your CDN, and cache pages that change for minutes, not days."
                    .to_owned(),
            );
            finding.paste = Some("Cache-Control: public, max-age=300, must-revalidate".to_owned());
            finding.evidence = caching.evidence.clone();
            verdicts.add_finding(finding);
        }
    }
    for check in inputs.checks {
        let Some(split) = check.cache_split.as_ref().filter(|split| split.diverged) else {
            continue;
        };
        let Some(reading) = check.reading.clone() else { continue };
        let mut finding =
            unscored_finding("caching", &format!("stale_file:{}", check.path), Severity::Low);
        finding.title = format!("{} differs when read past the cache", check.path);
        finding.seen = format!(
            "Plain URL: {} ({} bytes). Bypassing caches: {} ({} bytes).",
            status_text(split.bare_status),
            split.bare_bytes.unwrap_or(0),
            status_text(split.fresh_status),
            split.fresh_bytes.unwrap_or(0)
        );
        finding.why = "Agents request the plain URL and get the outdated copy.".to_owned();
        finding.fix = Some(if check.verdict == CheckVerdict::Ok {
            "Purge the file from your CDN after each change.".to_owned()
        } else {
            "Purge the file from your CDN. It may have cached a missing or broken answer."
                .to_owned()
        });
        finding.standard = Some("RFC 9111".to_owned());
        finding.evidence = vec![reading];
        verdicts.add_finding(finding);
    }
}

fn status_text(status: Option<u16>) -> String {
    status.map_or("no answer".to_owned(), |status| status.to_string())
}
