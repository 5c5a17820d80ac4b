//! A scan record for people.

use std::fmt::Display;

use contract::records::{AgentRow, Check, CheckVerdict, Finding, RowCause, ScanRecord};

use super::{html::Html, shell};

pub(crate) fn render(record: &ScanRecord) -> String {
    let mut main = Html::new();
    main.raw("<h1>").text(&record.domain).raw("</h1>\n");
    summary(&mut main, record);
    findings(&mut main, &record.findings);
    identities(&mut main, &record.agentview.rows);
    checks(&mut main, &record.checks);
    sections(&mut main, record);
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
        "<h2>Sections</h2>\n<table>\n<thead><tr><th>Section</th><th>Score</th></tr></thead>\n\
         <tbody>\n",
    );
    for section in &record.section_scores {
        main.raw("<tr><td>").text(&section.title).raw("</td><td>");
        match section.score {
            Some(score) => main.text(score),
            None => main.raw("<span class=\"soft\">not scored</span>"),
        };
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

    /// A record in which everything a site can write is hostile.
    fn record() -> ScanRecord {
        let reading = |path: &str| {
            serde_json::json!({
                "path": path, "identity": "browser", "status": 200, "contentType": HOSTILE,
                "bytes": 3, "cacheControl": HOSTILE, "cfCacheStatus": null, "ms": 4,
                "excerpt": HOSTILE, "sitemap_lines": HOSTILE, "verdict": "ok", "why": null,
                "body_sha256": null, "reading": "r1",
            })
        };
        let row = serde_json::json!({
            "id": "gptbot", "label": "GPTBot", "role": "train", "user_agent": "x", "status": 403,
            "bytes": 1, "words": 2, "xrobots": HOSTILE, "redirected_to": HOSTILE,
            "final_url": HOSTILE, "blocker": "challenge", "vendor": HOSTILE, "repro": "curl",
            "similarity": 0.5, "cause": "refused", "body_sha256": null,
            "error": {"kind": "tls", "phase": "tls", "reason": "x", "detail": HOSTILE},
            "reading": "r2",
        });
        let share = serde_json::json!({"n": 1, "of": 2, "ratio": 0.5});
        serde_json::from_value(serde_json::json!({
            "kind": "svc-scan", "v": 1, "schema": "s", "id": "abc", "domain": "shop.example",
            "scanned_host": HOSTILE, "scannedAt": "2026-11-15T10:00:00Z", "visibility": "public",
            "score_version": 1, "rulepack": {"version": 1, "sha256": "aa"}, "grade": null,
            "overall": null,
            "grade_detail": {"capped": false, "cap": null, "cap_reason": null,
                "unscored_affects_grade": false, "unscored": ["Reach", HOSTILE]},
            "section_scores": [{"id": "reach", "title": "Reach", "score": null},
                {"id": "files", "title": HOSTILE, "score": 40}],
            "findings": [{"id": "f", "severity": "high", "section": "reach", "title": HOSTILE,
                "seen": HOSTILE, "why": HOSTILE, "fix": HOSTILE, "standard": null,
                "evidence": []}],
            "checks": [reading("/"), reading(HOSTILE)],
            "agentview": {"rows": [row], "deterministic": null, "self_similarity": null,
                "split": "refused", "split_evidence": null, "all_refused": true,
                "answer_word_share": null, "claims_unverified": true, "evidence": [],
                "conflicts": []},
            "confidence": {"v": 1, "sections_scored": share, "identities_answered": share,
                "fetches_kept": share, "stage_failures": 0, "non_observations": 1,
                "non_observations_attempted": 1, "vantages": 1, "refused": false, "note": "One."},
            "non_observations": [{"what": "x", "path": HOSTILE, "identity": "x", "why": HOSTILE}],
            "self_audit": {"checked": 1, "findings": 0, "worst": 0}, "proof_overall": null,
            "evidence_sha256": "bb",
            "links": {"report": null, "graph": null, "raw": null, "schema": null, "docs": null},
        }))
        .unwrap()
    }

    #[test]
    fn shows_what_was_found_and_lets_nothing_through() {
        let page = render(&record());
        for hostile in ["<script", "<img", "\u{202e}", "onerror=y>"] {
            assert!(!page.contains(hostile), "{hostile}");
        }
        for shown in [
            "<h1>shop.example</h1>",
            "Not graded",
            "GPTBot",
            "<td class=\"no\">refused",
            "<td>403</td>",
            "50 %",
            "1 of 2",
            "not scored",
            "href=\"/r/abc.raw.json\"",
            "&lt;script&gt;alert(1)",
        ] {
            assert!(page.contains(shown), "{shown}\n{page}");
        }
        let opened = page.matches("<table>").count();
        assert_eq!((opened, page.matches("</table>").count()), (3, 3));
    }

    #[test]
    fn says_that_nothing_answered() {
        let silent = ScanRecord { unreachable: Some(true), id: None, ..record() };
        let page = render(&silent);
        assert!(page.contains("Nothing answered.") && !page.contains("/r/"));
    }
}
