use contract::records::{AgentRow, Role, RowCause};

use super::*;

const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x onerror=y>\u{202e}";

/// A record in which every text that a site controls, and more, is hostile.
pub(super) fn record() -> ScanRecord {
    // The example that the contract is tested with: it has every member.
    let example = include_str!("../../../../contract/tests/it/snapshots/it__schemas__scan.snap");
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
                    if text.contains(&name.as_str()) && (member.is_string() || member.is_null()) {
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

fn page(record: ScanRecord) -> String {
    render(&ReportParts {
        record,
        evidence: None,
        context: ReportContext::default(),
        base_url: "https://svc.example".to_owned(),
        token: "1.a".to_owned(),
    })
}

#[test]
fn hostile_text_is_escaped_and_tags_are_balanced() {
    let page = page(record());
    for hostile in ["<script>", "<img src=x", "\u{202e}", "onerror=y>"] {
        assert!(!page.contains(hostile), "{hostile}");
    }
    for shown in [
        "shop.lab</h1>",
        "Scores by section",
        "What the site says and what it does",
        "What agents can do",
        "Does the site do what it says?",
        "<dt>Paywall</dt>",
        "Further pages",
        "<blockquote dir=\"auto\">&lt;script&gt;",
        "href=\"/r/abc.raw.json\"",
        "href=\"/r/abc.manifest.json\"",
        "href=\"/api/graph/abc\"",
        "href=\"/api/v1/machine-record?id=abc&amp;format=robots_txt\">robots.txt</a>",
        "href=\"/r/abc.zip\"",
        "href=\"/api/seal/lookup?id=abc\"",
        "content=\"https://svc.example/og/abc.png\"",
        "&lt;script&gt;alert(1)",
    ] {
        assert!(page.contains(shown), "{shown}\n{page}");
    }
    for tag in [
        "table",
        "ul",
        "ol",
        "tr",
        "td",
        "th",
        "h2",
        "h3",
        "pre",
        "p",
        "li",
        "dl",
        "dd",
        "div",
        "section",
        "span",
        "b",
        "details",
        "summary",
        "figure",
        "figcaption",
        "svg",
        "form",
    ] {
        let opened =
            page.matches(&format!("<{tag}>")).count() + page.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, page.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}

#[test]
fn links_on_the_page_lead_somewhere() {
    let page = page(record());
    for link in page.split("href=\"#").skip(1) {
        let target = link.split('"').next().unwrap();
        assert!(page.contains(&format!("id=\"{target}\"")), "a dead link to {target}");
    }
}

#[test]
fn unknown_values_are_dashes_and_unscored_sections_say_so() {
    let mut record = record();
    (record.grade, record.overall) = (None, None);
    for section in &mut record.section_scores {
        section.score = None;
    }
    let page = page(record);
    for shown in ["no grade", "<span class=\"v off\">not scored</span>", "No score."] {
        assert!(page.contains(shown), "{shown}");
    }
}

#[test]
fn a_cap_that_lowers_nothing_is_not_called_one() {
    let mut record = record();
    (record.grade_detail.capped, record.grade_detail.cap) = (true, Some(30));
    assert!(page(record.clone()).contains("points, capped at 30."));
    (record.grade_detail.capped, record.grade_detail.cap) = (false, Some(97));
    let page = page(record);
    assert!(page.contains("points; at most 97 are possible."));
    assert!(!page.contains("capped at"));
}

/// The first thing to copy lets crawlers in; keeping them out is offered apart.
#[test]
fn a_refusal_is_explained_by_the_product_that_refused() {
    let mut record = record();
    for row in &mut record.agentview.rows {
        row.cause = RowCause::Refused;
        row.vendor = Some("Imperva (Incapsula)".to_owned());
        row.label = "GPTBot (OpenAI, training)".to_owned();
        row.role = Role::Train;
    }
    record.findings[0].id = "kept_out:reach.training".to_owned();
    for rule in &mut record.policy.access {
        rule.allowed = true;
    }
    let page = page(record);
    let first = page.find("<summary>Imperva</summary>").unwrap();
    assert!(
        first < page.find("<summary>Cloudflare</summary>").unwrap(),
        "the recognised one first"
    );
    assert!(page.contains("Imperva (Incapsula) refused them."));
    assert!(first < page.find("If you want them out").unwrap());
    assert!(page.find("If you want them out").unwrap() < page.find("Disallow: /").unwrap());
    assert!(page.contains("https://openai.com/gptbot.json"));
}

#[test]
fn a_private_report_has_no_share_picture_and_no_button() {
    let mut record = record();
    record.visibility = Visibility::Private;
    let page = page(record);
    assert!(
        !page.contains("og:image") && !page.contains("Scan again") && !page.contains("/badge/")
    );
}

#[test]
fn a_page_is_bounded_whatever_the_record_holds() {
    let mut record = record();
    let finding = record.findings[0].clone();
    record.findings = vec![finding; 2_000];
    let page = page(record);
    assert!(page.len() < 1_500_000, "{}", page.len());
    assert!(page.contains("2000 findings"));
}

/// A site that opted out was not measured: no place of the report or of its picture says "0 of n" or is red.
#[test]
fn what_was_not_measured_is_not_shown_as_refused() {
    let mut record = record();
    (record.grade, record.overall) = (None, None);
    for rule in &mut record.policy.access {
        (rule.allowed, rule.agent) = (true, "GPTBot".to_owned());
    }
    for row in &mut record.agentview.rows {
        "GPTBot".clone_into(&mut row.label);
    }
    for cause in [RowCause::NotRead, RowCause::Unreachable, RowCause::Busy, RowCause::Incomplete] {
        for row in &mut record.agentview.rows {
            row.cause = cause.clone();
        }
        for column in board_rows::columns(&record) {
            assert_eq!(column.summary, Status::off("Not measured"), "{cause}");
        }
        let rows = policy::rows(&record);
        assert!(!rows.is_empty());
        for row in rows {
            assert_eq!((row.served.as_str(), row.result.tone), ("Not measured", "off"), "{cause}");
        }
        let picture = link_picture(&record);
        assert_eq!(picture.matches("Not measured").count(), 4, "{picture}");
        assert!(!picture.contains("served") && !picture.contains("#a51d17"), "{picture}");
    }
}

/// Some agents of a purpose were not measured: the others decide.
#[test]
fn measured_rows_decide_what_the_policy_table_says() {
    let mut record = record();
    for rule in &mut record.policy.access {
        (rule.allowed, rule.agent) = (true, "GPTBot".to_owned());
    }
    let mut row = record.agentview.rows[1].clone();
    "GPTBot".clone_into(&mut row.label);
    row.role = Role::Train;
    let with = |cause| AgentRow { cause, ..row.clone() };
    record.agentview.rows = vec![with(RowCause::Served), with(RowCause::Busy)];
    let rows = policy::rows(&record);
    let results: Vec<(&str, &str)> =
        rows.iter().map(|row| (row.served.as_str(), row.result.words.as_str())).collect();
    assert_eq!(results, [("1 of 1 served", "Agree")]);
}

#[test]
fn a_history_without_a_score_has_a_list_and_no_chart() {
    let parts = |overall| ReportParts {
        context: ReportContext {
            history: vec![service::ScanRow {
                id: "abc".to_owned(),
                domain: record().domain,
                scanned_at: record().scanned_at,
                visibility: service::Visibility::Public,
                score_version: 1,
                grade: None,
                overall,
            }],
            ..ReportContext::default()
        },
        record: record(),
        evidence: None,
        base_url: "https://svc.example".to_owned(),
        token: "1.a".to_owned(),
    };
    let (with, without) = (render(&parts(Some(40))), render(&parts(None)));
    assert!(with.contains("class=\"spark\"") && !without.contains("class=\"spark\""));
    for page in [&with, &without] {
        assert!(page.contains("this report</span>") && !page.contains("There is no public scan"));
    }
}
