//! The report page of a scan record.

mod details;
mod findings;
mod identities;
mod page_facts;
mod table;

use contract::records::{Check, CheckVerdict, ScanRecord, TreatmentScores};
use contract::text::record_words::spaced;

use self::table::{render_cell, render_code_entry, render_entry};
use super::{html::Html, layout};

pub(crate) fn render(record: &ScanRecord) -> String {
    let mut main = Html::new();
    main.raw("<h1>").text(&record.domain).raw("</h1>\n");
    render_summary(&mut main, record);
    if record.unreachable != Some(true) {
        render_treatment(&mut main, &record.treatment);
    }
    identities::render_identities(&mut main, &record.agentview);
    findings::render_findings(&mut main, &record.findings);
    page_facts::render_page_facts(&mut main, record);
    render_checks(&mut main, &record.checks);
    details::render_faults(&mut main, &record.checks);
    details::render_policy(&mut main, &record.policy);
    render_sections(&mut main, record);
    details::render_ledger(&mut main, &record.score_ledger);
    render_not_read(&mut main, record);
    render_proof(&mut main, record);
    main.raw(
        "<p class=\"soft\">All readings were made from this service's own network at the time shown. \
         “Beginning of …” shows text as the site sent it.</p>\n",
    );
    layout::page(&format!("{}: how it treats AI agents", record.domain), &main)
}

/// The page for a record that this build cannot parse.
pub(crate) fn render_unreadable(id: &str) -> String {
    let mut main = Html::new();
    main.raw("<h1>Report</h1>\n<p class=\"note\">This record was written by another version of the program, so it cannot be shown as a page. The record itself is unchanged: <a href=\"/r/")
        .text(id)
        .raw(".json\">read it as JSON</a>.</p>\n");
    layout::page("Report", &main)
}

fn render_summary(main: &mut Html, record: &ScanRecord) {
    if record.unreachable == Some(true) {
        main.raw(
            "<p class=\"note problem\">The site did not answer. This is true only for this moment and \
             for our network. This result was not stored.</p>\n",
        );
    }
    main.raw("<p class=\"grade\">");
    match (&record.grade, record.overall) {
        (Some(grade), Some(overall)) => main.text(grade).raw(" ").text(overall).raw("/100"),
        (Some(grade), None) => main.text(grade),
        _ => main.raw("Not graded"),
    };
    main.raw("</p>\n<dl>\n");
    let scored = &record.confidence.sections_scored;
    render_entry(main, "Sections scored", format_args!("{} of {}", scored.n, scored.of));
    render_entry(main, "Host", &record.scanned_host);
    render_entry(main, "Scanned at", record.scanned_at);
    render_entry(main, "Visibility", &record.visibility);
    if record.cached == Some(true) {
        render_entry(main, "Cached", "yes: nothing was fetched for this response");
    }
    if let Some(reason) = &record.grade_detail.cap_reason {
        // A cap above the points earned lowers nothing.
        let name =
            if record.grade_detail.capped { "Score capped" } else { "Highest possible score" };
        match record.grade_detail.cap {
            Some(cap) => render_entry(main, name, format_args!("{cap}. {reason}")),
            None => render_entry(main, name, reason),
        }
    }
    if !record.grade_detail.unscored.is_empty() {
        render_entry(main, "Not scored", record.grade_detail.unscored.join(", "));
    }
    let answered = &record.confidence.identities_answered;
    render_entry(
        main,
        "Identities that got an answer",
        format_args!("{} of {}", answered.n, answered.of),
    );
    main.raw("</dl>\n<p class=\"soft\">").text(&record.confidence.note).raw("</p>\n");
}

/// Two numbers behind the grade: a site may keep agents out and say so, which is consistent.
fn render_treatment(main: &mut Html, treatment: &TreatmentScores) {
    main.raw("<div class=\"two\">\n");
    for (title, score, why) in [
        ("What agents can do", treatment.usable, &treatment.usable_why),
        ("Does the site do what it says?", treatment.consistent, &treatment.consistent_why),
    ] {
        main.raw("<section><h2>").text(title).raw("</h2>\n<p class=\"");
        match score {
            Some(score) => main.raw(score_class(score)).raw("\">").text(score).raw(" of 100</p>\n"),
            None => main.raw("score soft\">Not measured</p>\n"),
        };
        main.raw("<p>").text(why).raw("</p></section>\n");
    }
    main.raw("</div>\n");
}

fn score_class(score: u32) -> &'static str {
    match score {
        80.. => "score ok",
        60.. => "score maybe",
        _ => "score no",
    }
}

fn render_checks(main: &mut Html, checks: &[Check]) {
    main.raw(
        "<h2>Requests</h2>\n<div class=\"wide\"><table>\n<thead><tr><th>Path</th>\
         <th>Identity</th><th>Verdict</th><th>Status</th><th>Type</th><th>Bytes</th><th>ms</th>\
         </tr></thead>\n<tbody>\n",
    );
    for check in checks {
        main.raw("<tr><td><code>").text(&check.path).raw("</code></td><td>").text(&check.identity);
        main.raw("</td><td class=\"").raw(verdict_class(&check.verdict)).raw("\">");
        main.text(spaced(check.verdict.as_str()));
        if let Some(why) = &check.why {
            main.raw(" <span class=\"soft\">").text(why).raw("</span>");
        }
        main.raw("</td>");
        render_cell(main, check.status);
        render_cell(main, check.content_type.as_deref());
        render_cell(main, check.bytes);
        render_cell(main, check.ms);
        main.raw("</tr>\n");
    }
    main.raw("</tbody></table></div>\n");
    for check in checks {
        if let Some(excerpt) = check.excerpt.as_deref().filter(|text| !text.trim().is_empty()) {
            main.raw("<details><summary>Beginning of <code>")
                .text(&check.path)
                .raw("</code>, requested as ");
            main.text(&check.identity).raw("</summary>\n<pre>").text(excerpt);
            main.raw("</pre></details>\n");
        }
    }
}

fn render_sections(main: &mut Html, record: &ScanRecord) {
    main.raw(
        "<h2>Sections</h2>\n<table>\n<thead><tr><th>Section</th><th>Score</th><th>Points</th>\
         <th></th></tr></thead>\n<tbody>\n",
    );
    for section in &record.section_scores {
        main.raw("<tr><td>").text(&section.title).raw("</td><td>");
        match section.score {
            Some(score) => main.text(score),
            None => main.raw("<span class=\"soft\">not scored</span>"),
        };
        main.raw("</td><td>").text(format_args!("{} of {}", section.points, section.of));
        main.raw("</td><td>").text(section.why.as_deref().unwrap_or_default());
        main.raw("</td></tr>\n");
    }
    main.raw("</tbody></table>\n");
}

fn render_not_read(main: &mut Html, record: &ScanRecord) {
    if record.non_observations.is_empty() {
        return;
    }
    main.raw("<h2>Not read</h2>\n<p>These requests were planned but not made or not completed. We do not know whether the files exist.</p>\n<ul>\n");
    for missed in &record.non_observations {
        main.raw("<li><code>").text(&missed.path).raw("</code> as ").text(&missed.identity);
        main.raw(": ").text(&missed.why).raw("</li>\n");
    }
    main.raw("</ul>\n");
}

fn render_proof(main: &mut Html, record: &ScanRecord) {
    main.raw("<h2>Proof</h2>\n<dl>\n");
    render_entry(main, "What was read", &record.provenance.scope);
    if let Some(id) = &record.id {
        main.raw("<dt>Record</dt><dd><a href=\"/r/").text(id).raw(".json\">JSON</a></dd>\n");
        main.raw("<dt>Evidence</dt><dd><a href=\"/r/").text(id).raw(".raw.json\">JSON</a></dd>\n");
        main.raw("<dt>Manifest</dt><dd><a href=\"/r/").text(id);
        main.raw(".manifest.json\">JSON</a></dd>\n<dt>Graph</dt><dd><a href=\"/api/graph/");
        main.text(id).raw("\">JSON</a></dd>\n");
    }
    if let Some(digest) = &record.evidence_sha256 {
        render_code_entry(main, "SHA-256 of the evidence", digest);
    }
    if let Some(digest) = &record.sha256 {
        render_code_entry(main, "SHA-256 of the record", digest);
    }
    if let Some(signature) = &record.signature {
        render_code_entry(main, "Signed with key", &signature.kid);
    }
    render_code_entry(main, "SHA-256 of the rules", &record.rulepack.sha256);
    main.raw("</dl>\n");
}

fn verdict_class(verdict: &CheckVerdict) -> &'static str {
    match verdict {
        CheckVerdict::Ok => "ok",
        CheckVerdict::Refused | CheckVerdict::Invalid => "no",
        _ => "maybe",
    }
}

#[cfg(test)]
mod tests {
    use contract::records::RowCause;

    use super::*;

    const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x onerror=y>\u{202e}";

    /// A record in which every text that a site controls, and more, is hostile.
    fn record() -> ScanRecord {
        // The example that the contract is tested with: it has every member.
        let example =
            include_str!("../../../../contract/tests/it/snapshots/it__schemas__scan.snap");
        let (_, example) = example.split_once("\n{").unwrap();
        let mut record: serde_json::Value = serde_json::from_str(&format!("{{{example}")).unwrap();
        let text = [
            "blocker",
            "blocker_marks",
            "cap_reason",
            "carrier",
            "consistent_why",
            "contentType",
            "declared",
            "detail",
            "excerpt",
            "fix",
            "label",
            "left",
            "marks",
            "mechanism",
            "paste",
            "path",
            "price",
            "problem",
            "right",
            "rule",
            "scanned_host",
            "seen",
            "served",
            "title",
            "untrusted_left",
            "untrusted_raw",
            "untrusted_right",
            "untrusted_target",
            "usable_why",
            "variation_why",
            "vendor",
            "why",
        ];
        record["findings"][0]["side_by_side"] = serde_json::json!({
            "left": "", "untrusted_left": "", "right": "", "untrusted_right": ""
        });
        let mut waiting = vec![&mut record];
        while let Some(value) = waiting.pop() {
            match value {
                serde_json::Value::Object(members) => {
                    for (name, member) in members {
                        if text.contains(&name.as_str()) && (member.is_string() || member.is_null())
                        {
                            *member = HOSTILE.into();
                        } else if text.contains(&name.as_str()) && member.is_array() {
                            *member = serde_json::json!([HOSTILE]);
                        } else {
                            waiting.push(member);
                        }
                    }
                }
                serde_json::Value::Array(items) => waiting.extend(items),
                _ => {}
            }
        }
        record["id"] = "abc".into();
        serde_json::from_value(record).unwrap()
    }

    #[test]
    fn hostile_text_is_escaped() {
        let page = render(&record());
        for hostile in ["<script", "<img", "\u{202e}", "onerror=y>"] {
            assert!(!page.contains(hostile), "{hostile}");
        }
        for shown in [
            "<h1>shop.lab</h1>",
            "Score by rule",
            "What the site declares",
            "What agents can do",
            "Does the site do what it says?",
            "Does everyone get the same text?",
            "<dt>Paywall</dt>",
            "<h2>Further pages</h2>",
            "<blockquote dir=\"auto\">&lt;script&gt;",
            "href=\"/r/abc.raw.json\"",
            "href=\"/r/abc.manifest.json\"",
            "href=\"/api/graph/abc\"",
            "<pre>&lt;script&gt;alert(1)",
            "&lt;script&gt;alert(1)",
        ] {
            assert!(page.contains(shown), "{shown}\n{page}");
        }
        for tag in [
            "table", "ul", "tr", "td", "h2", "pre", "p", "li", "dl", "dd", "div", "section",
            "span", "b",
        ] {
            let opened = page.matches(&format!("<{tag}>")).count()
                + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }

    #[test]
    fn unknown_values_are_dashes_and_unscored_sections_say_so() {
        let mut record = record();
        (record.grade, record.overall) = (None, None);
        for section in &mut record.section_scores {
            section.score = None;
        }
        let page = render(&record);
        assert!(page.contains("Not graded") && page.contains("not scored"));
        assert!(page.contains("<td>–</td>"));
    }

    /// Each outcome is named in plain words, with what it means and what to do.
    #[test]
    fn outcomes_are_explained() {
        let mut record = record();
        for (cause, blocker, vendor, shown) in [
            ("gated", Some("age"), None, "Age gate</td>"),
            ("stalled", None, None, "Kept waiting</td>"),
            ("empty", Some("empty"), None, "Empty page</td>"),
            (
                "refused",
                Some("block"),
                None,
                "Refused <span class=\"soft\">(block page, no vendor named)",
            ),
            ("refused", Some("block"), Some("Cloudflare"), "(block page of Cloudflare)"),
        ] {
            for row in &mut record.agentview.rows {
                row.cause = RowCause::from_word(cause).unwrap();
                row.blocker = blocker.map(str::to_owned);
                row.vendor = vendor.map(str::to_owned);
                (row.price, row.error) = (None, None);
            }
            let page = render(&record);
            assert!(page.contains(shown), "{shown}\n{page}");
            assert!(page.contains("What these outcomes mean") && page.contains("What to do:"));
        }
    }

    #[test]
    fn a_cap_that_lowers_nothing_is_not_called_one() {
        let mut record = record();
        (record.grade_detail.capped, record.grade_detail.cap) = (true, Some(30));
        assert!(render(&record).contains("<dt>Score capped</dt><dd>30. "));
        (record.grade_detail.capped, record.grade_detail.cap) = (false, Some(97));
        let page = render(&record);
        assert!(page.contains("<dt>Highest possible score</dt><dd>97. "));
        assert!(!page.contains("Score capped"));
    }

    #[test]
    fn says_that_the_site_did_not_answer() {
        let silent = ScanRecord { unreachable: Some(true), id: None, ..record() };
        let page = render(&silent);
        assert!(page.contains("The site did not answer.") && !page.contains("/r/"));
    }
}
