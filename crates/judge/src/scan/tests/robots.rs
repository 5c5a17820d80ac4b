//! robots.txt: what it declares, and whether the server acts accordingly.

use contract::evidence::{ReadTarget, SkipReason, SkippedRead};
use contract::records::{CheckVerdict, LedgerState, RowCause};

use super::evidence_builder::{EvidenceBuilder, NOT_FOUND_PAGE, PAGE};
use super::{ids, row};

#[test]
fn conflicts_between_robots_txt_and_the_server_are_reported() {
    let file = "User-agent: GPTBot\nDisallow: /\n\nUser-agent: ClaudeBot\nAllow: /";
    let mut site =
        EvidenceBuilder::new().robots(200, file).browser_and_control().crawlers(200, PAGE);
    site.evidence.reads.retain(|reading| reading.identity != "claudebot");
    let record = site.home("claudebot", 403, "").build_record();
    let conflicts: Vec<_> = record
        .agentview
        .conflicts
        .iter()
        .map(|c| (c.identity.as_str(), c.declared.as_str(), c.served.as_str()))
        .collect();
    assert_eq!(
        conflicts,
        [
            ("gptbot", "disallowed by line 2 of robots.txt", "answered 200"),
            ("claudebot", "allowed by line 5 of robots.txt", "answered 403"),
        ]
    );
}

#[test]
fn a_robots_txt_that_is_a_page_or_an_error_declares_nothing() {
    for (status, body) in [(200, PAGE), (500, "User-agent: *\nDisallow: /"), (404, NOT_FOUND_PAGE)]
    {
        let record = EvidenceBuilder::new()
            .robots(status, body)
            .browser_and_control()
            .crawlers(200, PAGE)
            .build_record();
        assert!(record.agentview.conflicts.is_empty(), "{status}");
    }
}

#[test]
fn an_opt_out_is_reported_and_nothing_is_reported_absent() {
    let mut site = EvidenceBuilder::new().robots(200, "User-agent: Wayleave\nDisallow: /");
    for (target, path, identity) in
        [(ReadTarget::Home, "/", "browser"), (ReadTarget::MachineFile, "/llms.txt", "wayleave")]
    {
        let why = SkipReason::OptOut;
        site.evidence.not_read.push(SkippedRead {
            target,
            path: path.into(),
            identity: identity.into(),
            why,
        });
    }
    let record = site.build_record();
    assert_eq!(record.findings[0].id, "opted_out");
    assert_eq!(record.checks[1].verdict, CheckVerdict::NotRead);
    assert_eq!(record.unreachable, None);
    assert!(record.agentview.rows.iter().all(|row| row.cause == RowCause::NotRead));
}

#[test]
fn a_busy_server_or_a_comment_is_not_a_different_robots_txt() {
    let own = "# made at 10:00\nUser-agent: *\nAllow: /\n";
    let later = "# made at 10:01\nUser-agent: *\r\nAllow: /\n";
    let closed = "User-agent: *\nDisallow: /\n";
    let given = |status, body| {
        let site =
            EvidenceBuilder::new().robots(200, own).browser_and_control().crawlers(200, PAGE);
        let site = site.add_response(ReadTarget::RobotsAs, "/robots.txt", "browser", 200, own);
        site.add_response(ReadTarget::RobotsAs, "/robots.txt", "gptbot", status, body)
            .build_record()
    };
    for (status, body, same) in [
        (200, later, true),
        (429, "", true),
        (503, "", true),
        (403, "", false),
        (200, closed, false),
    ] {
        let record = given(status, body);
        assert_eq!(record.policy.robots.same_for_every_identity, Some(same), "{status} {body}");
        assert_eq!(ids(&record).contains(&"robots_by_reader"), !same, "{status} {body}");
    }
}

#[test]
fn only_a_server_error_at_robots_txt_caps_the_score() {
    for (status, capped) in [(429, false), (503, true)] {
        let record = EvidenceBuilder::new()
            .robots(status, "")
            .browser_and_control()
            .crawlers(200, PAGE)
            .build_record();
        assert_eq!(record.grade_detail.cap, capped.then_some(70), "{status}");
        assert_eq!(row(&record, "policy.robots_readable").state, LedgerState::Failed);
    }
}
