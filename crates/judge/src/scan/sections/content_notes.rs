//! Facts about the page that agents should know: it leads elsewhere, is a feed, was cut, or exists only
//! for crawlers.

use contract::records::Severity;

use super::inputs::SectionInputs;
use crate::scan::verdicts::{Verdicts, unscored_finding};

pub(super) fn report(inputs: &SectionInputs<'_>, reading: &str, verdicts: &mut Verdicts) {
    report_feed(inputs, reading, verdicts);
    report_refresh(inputs, reading, verdicts);
    report_cut(inputs, reading, verdicts);
    report_prerendered(inputs, reading, verdicts);
}

fn report_feed(inputs: &SectionInputs<'_>, reading: &str, verdicts: &mut Verdicts) {
    if inputs.content.page_kind.as_deref() != Some("feed") {
        return;
    }
    let mut finding = unscored_finding("content", "not_a_page", Severity::Medium);
    finding.title = "The home page is a feed, not a page".to_owned();
    finding.seen = "The home page is an RSS or Atom feed.".to_owned();
    finding.why = "Agents can read the entries, but they expect an HTML page with a title, a description and links."
        .to_owned();
    finding.fix =
        Some("Serve an HTML page and link to the feed with rel=\"alternate\".".to_owned());
    finding.evidence = vec![reading.to_owned()];
    verdicts.add_finding(finding);
}

fn report_refresh(inputs: &SectionInputs<'_>, reading: &str, verdicts: &mut Verdicts) {
    let Some(refresh) = &inputs.content.refresh else { return };
    let few = inputs.content.words.unwrap_or(0) < inputs.parsed.rules.thresholds.enough_words;
    let severity = if few { Severity::Medium } else { Severity::Low };
    let mut finding = unscored_finding("content", "meta_refresh", severity);
    finding.title = "A meta element sends browsers to another page".to_owned();
    finding.seen = format!(
        "After {} s the page sends browsers to {}{}.",
        refresh.seconds,
        refresh.untrusted_target,
        if refresh.same_site { "" } else { ", which is another site" },
    );
    finding.why = if few {
        "Agents that do not follow meta refresh stay on this page, which has almost no text."
    } else {
        "Agents that do not follow meta refresh stay on this page and read something else than people do."
    }
    .to_owned();
    finding.fix = Some("Redirect on the server with status 301 or 308 instead.".to_owned());
    finding.standard = Some("HTML Living Standard, http-equiv refresh".to_owned());
    finding.evidence = vec![reading.to_owned()];
    verdicts.add_finding(finding);
}

fn report_cut(inputs: &SectionInputs<'_>, reading: &str, verdicts: &mut Verdicts) {
    if !inputs.content.cut {
        return;
    }
    let mut finding = unscored_finding("content", "page_cut", Severity::Info);
    finding.title = "The page is longer than what this service reads".to_owned();
    finding.seen =
        "The page was read up to the size limit. Everything said of it is said of that part."
            .to_owned();
    finding.why = "Agents have limits too: they may miss what stands at the end.".to_owned();
    finding.fix = Some("Split the page, or put what matters first.".to_owned());
    finding.evidence = vec![reading.to_owned()];
    verdicts.add_finding(finding);
}

fn report_prerendered(inputs: &SectionInputs<'_>, reading: &str, verdicts: &mut Verdicts) {
    if !inputs.content.prerendered {
        return;
    }
    let words = inputs.content.words.unwrap_or(0);
    let mut finding = unscored_finding("content", "prerendered_for_crawlers", Severity::Info);
    finding.title =
        "AI crawlers get the page with its text, browsers fill it by scripts".to_owned();
    finding.seen = format!(
        "The browser gets a page that scripts fill. At least one AI crawler gets the text: {words} words."
    );
    finding.why =
        "Agents that use a browser's name and run no scripts get an empty page.".to_owned();
    finding.fix = Some("Serve the rendered page to every client.".to_owned());
    finding.evidence = vec![reading.to_owned()];
    verdicts.add_finding(finding);
}
