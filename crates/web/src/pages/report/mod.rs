//! A scan record for people.

use std::fmt::Display;

use contract::records::{AgentRow, Check, CheckVerdict, Finding, RowCause, ScanRecord};

use super::{html::Html, shell};

mod details;

pub(crate) fn render(record: &ScanRecord) -> String {
    let mut main = Html::new();
    main.raw("<h1>").text(&record.domain).raw("</h1>\n");
    summary(&mut main, record);
    findings(&mut main, &record.findings);
    identities(&mut main, &record.agentview.rows);
    checks(&mut main, &record.checks);
    details::faults(&mut main, &record.checks);
    details::policy(&mut main, &record.policy);
    sections(&mut main, record);
    details::ledger(&mut main, &record.score_ledger);
    not_seen(&mut main, record);
    proof(&mut main, record);
    shell::page(&format!("{}: what agents are given", record.domain), &main)
}

/// For a record this build cannot read.
pub(crate) fn unreadable(id: &str) -> String {
    let mut main = Html::new();
    main.raw("<h1>Report</h1>\n<p class=\"note\">This record was written by another version and has no page here. The record itself is unchanged: <a href=\"/r/")
        .text(id)
        .raw(".json\">read it as JSON</a>.</p>\n");
    shell::page("Report", &main)
}

fn summary(main: &mut Html, record: &ScanRecord) {
    if record.unreachable == Some(true) {
        main.raw(
            "<p class=\"note problem\">Nothing answered. That says something about this \
                  moment and this network only; nothing was kept.</p>\n",
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
    entry(main, "Grade rests on", format_args!("{} of {} sections", scored.n, scored.of));
    entry(main, "Answered at", &record.scanned_host);
    entry(main, "Read at", record.scanned_at);
    entry(main, "Visibility", &record.visibility);
    if record.cached == Some(true) {
        entry(main, "Cached", "yes: nothing was fetched for this answer");
    }
    if let Some(reason) = &record.grade_detail.cap_reason {
        entry(main, "Held down", reason);
    }
    if !record.grade_detail.unscored.is_empty() {
        entry(main, "Not scored", record.grade_detail.unscored.join(", "));
    }
    let answered = &record.confidence.identities_answered;
    entry(main, "Identities answered", format_args!("{} of {}", answered.n, answered.of));
    main.raw("</dl>\n<p class=\"soft\">").text(&record.confidence.note).raw("</p>\n");
}

fn identities(main: &mut Html, rows: &[AgentRow]) {
    main.raw(
        "<h2>What each identity was given</h2>\n<div class=\"wide\"><table>\n<thead><tr>\
         <th>Identity</th><th>Stands for</th><th>Outcome</th><th>Status</th><th>Words</th>\
         <th>Like the browser's</th><th>In the way</th></tr></thead>\n<tbody>\n",
    );
    for row in rows {
        main.raw("<tr><td>").text(&row.label).raw("</td><td>").text(&row.role);
        main.raw("</td><td class=\"").raw(cause_class(&row.cause)).raw("\">").text(&row.cause);
        if let Some(failure) = &row.error {
            main.raw(" <span class=\"soft\">").text(&failure.detail).raw("</span>");
        }
        main.raw("</td>");
        cell(main, row.status);
        cell(main, row.words);
        cell(main, row.similarity.map(|share| format!("{:.0} %", share.get() * 100.0)));
        cell(main, wall(row));
        main.raw("</tr>\n");
    }
    main.raw("</tbody></table></div>\n");
}

/// What stood in the way, and whose it is.
fn wall(row: &AgentRow) -> Option<String> {
    match (&row.blocker, &row.vendor) {
        (Some(blocker), Some(vendor)) => Some(format!("{blocker} ({vendor})")),
        (Some(one), None) | (None, Some(one)) => Some(one.clone()),
        (None, None) => None,
    }
}

fn checks(main: &mut Html, checks: &[Check]) {
    main.raw(
        "<h2>What was read</h2>\n<div class=\"wide\"><table>\n<thead><tr><th>Path</th>\
         <th>Identity</th><th>Verdict</th><th>Status</th><th>Type</th><th>Bytes</th><th>ms</th>\
         </tr></thead>\n<tbody>\n",
    );
    for check in checks {
        main.raw("<tr><td><code>").text(&check.path).raw("</code></td><td>").text(&check.identity);
        main.raw("</td><td class=\"").raw(verdict_class(&check.verdict)).raw("\">");
        main.text(&check.verdict);
        if let Some(why) = &check.why {
            main.raw(" <span class=\"soft\">").text(why).raw("</span>");
        }
        main.raw("</td>");
        cell(main, check.status);
        cell(main, check.content_type.as_deref());
        cell(main, check.bytes);
        cell(main, check.ms);
        main.raw("</tr>\n");
    }
    main.raw("</tbody></table></div>\n");
    for check in checks {
        if let Some(excerpt) = check.excerpt.as_deref().filter(|text| !text.trim().is_empty()) {
            main.raw("<details><summary>How <code>").text(&check.path).raw("</code> begins, as ");
            main.text(&check.identity).raw("</summary>\n<pre>").text(excerpt);
            main.raw("</pre></details>\n");
        }
    }
}

fn sections(main: &mut Html, record: &ScanRecord) {
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

fn findings(main: &mut Html, findings: &[Finding]) {
    if findings.is_empty() {
        return;
    }
    main.raw("<h2>Findings</h2>\n");
    for finding in findings {
        main.raw("<h3>").text(&finding.title).raw(" <span class=\"soft\">");
        main.text(&finding.severity).raw("</span></h3>\n<p>").text(&finding.seen).raw("</p>\n<p>");
        main.text(&finding.why).raw("</p>\n");
        if let Some(fix) = &finding.fix {
            main.raw("<p>").text(fix).raw("</p>\n");
        }
        if let Some(paste) = &finding.paste {
            main.raw("<pre>").text(paste).raw("</pre>\n");
        }
        if let Some(standard) = &finding.standard {
            main.raw("<p class=\"soft\">Measured against ").text(standard).raw("</p>\n");
        }
    }
}

fn not_seen(main: &mut Html, record: &ScanRecord) {
    if record.non_observations.is_empty() {
        return;
    }
    main.raw("<h2>Not seen</h2>\n<p>Planned and not read; that is no sign of absence.</p>\n<ul>\n");
    for missed in &record.non_observations {
        main.raw("<li><code>").text(&missed.path).raw("</code> as ").text(&missed.identity);
        main.raw(": ").text(&missed.why).raw("</li>\n");
    }
    main.raw("</ul>\n");
}

fn proof(main: &mut Html, record: &ScanRecord) {
    main.raw("<h2>Proof</h2>\n<dl>\n");
    if let Some(id) = &record.id {
        main.raw("<dt>Record</dt><dd><a href=\"/r/").text(id).raw(".json\">JSON</a></dd>\n");
        main.raw("<dt>Evidence</dt><dd><a href=\"/r/").text(id).raw(".raw.json\">JSON</a></dd>\n");
        main.raw("<dt>Manifest</dt><dd><a href=\"/r/").text(id);
        main.raw(".manifest.json\">JSON</a></dd>\n<dt>Graph</dt><dd><a href=\"/api/graph/");
        main.text(id).raw("\">JSON</a></dd>\n");
    }
    if let Some(digest) = &record.evidence_sha256 {
        code_entry(main, "Evidence, SHA-256", digest);
    }
    if let Some(digest) = &record.sha256 {
        code_entry(main, "Record, SHA-256", digest);
    }
    if let Some(signature) = &record.signature {
        code_entry(main, "Signed with key", &signature.kid);
    }
    code_entry(main, "Rules, SHA-256", &record.rulepack.sha256);
    main.raw("</dl>\n");
}

fn entry(main: &mut Html, name: &'static str, value: impl Display) {
    main.raw("<dt>").raw(name).raw("</dt><dd>").text(value).raw("</dd>\n");
}

fn code_entry(main: &mut Html, name: &'static str, value: &str) {
    main.raw("<dt>").raw(name).raw("</dt><dd><code>").text(value).raw("</code></dd>\n");
}

/// What is not known is a dash, never a zero.
fn cell(main: &mut Html, value: Option<impl Display>) {
    main.raw("<td>");
    match value {
        Some(value) => main.text(value),
        None => main.raw("–"),
    };
    main.raw("</td>");
}

fn cause_class(cause: &RowCause) -> &'static str {
    match cause {
        RowCause::Served => "ok",
        RowCause::Refused | RowCause::Challenge | RowCause::PaymentRequired => "no",
        _ => "maybe",
    }
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
    use super::*;

    const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x onerror=y>\u{202e}";

    /// A record in which everything a site can write is hostile, and much besides.
    fn record() -> ScanRecord {
        // The example that the contract is tested with: it has every member.
        let example =
            include_str!("../../../../contract/tests/it/snapshots/it__schemas__scan.snap");
        let (_, example) = example.split_once("\n{").unwrap();
        let mut record: serde_json::Value = serde_json::from_str(&format!("{{{example}")).unwrap();
        let text = [
            "blocker",
            "cap_reason",
            "carrier",
            "contentType",
            "detail",
            "excerpt",
            "fix",
            "label",
            "mechanism",
            "paste",
            "path",
            "problem",
            "rule",
            "scanned_host",
            "seen",
            "title",
            "untrusted_raw",
            "vendor",
            "why",
        ];
        let mut waiting = vec![&mut record];
        while let Some(value) = waiting.pop() {
            match value {
                serde_json::Value::Object(members) => {
                    for (name, member) in members {
                        if text.contains(&name.as_str()) && (member.is_string() || member.is_null())
                        {
                            *member = HOSTILE.into();
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
    fn shows_what_was_found_and_lets_nothing_through() {
        let page = render(&record());
        for hostile in ["<script", "<img", "\u{202e}", "onerror=y>"] {
            assert!(!page.contains(hostile), "{hostile}");
        }
        for shown in [
            "<h1>shop.lab</h1>",
            "How the score came about",
            "What the site declares",
            "href=\"/r/abc.raw.json\"",
            "href=\"/r/abc.manifest.json\"",
            "href=\"/api/graph/abc\"",
            "<pre>&lt;script&gt;alert(1)",
            "&lt;script&gt;alert(1)",
        ] {
            assert!(page.contains(shown), "{shown}\n{page}");
        }
        for tag in ["table", "ul", "tr", "td", "h2", "pre", "p", "li"] {
            let opened = page.matches(&format!("<{tag}>")).count()
                + page.matches(&format!("<{tag} ")).count();
            assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }

    #[test]
    fn what_is_not_known_is_a_dash_and_what_is_not_scored_says_so() {
        let mut record = record();
        (record.grade, record.overall) = (None, None);
        for section in &mut record.section_scores {
            section.score = None;
        }
        let page = render(&record);
        assert!(page.contains("Not graded") && page.contains("not scored"));
        assert!(page.contains("<td>–</td>"));
    }

    #[test]
    fn says_that_nothing_answered() {
        let silent = ScanRecord { unreachable: Some(true), id: None, ..record() };
        let page = render(&silent);
        assert!(page.contains("Nothing answered.") && !page.contains("/r/"));
    }
}
