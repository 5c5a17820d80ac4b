//! Machine files: what they are, and what only looks like one.

use contract::evidence::ReadTarget;
use contract::records::{CheckVerdict, LedgerState};

use super::evidence_builder::{EvidenceBuilder, NOT_FOUND_PAGE, PAGE};
use super::{ids, row};

#[test]
fn files_are_judged_by_what_they_are() {
    let mut wrong = Vec::new();
    for (path, status, body, verdict) in [
        ("/llms.txt", 200, "# Ferry", CheckVerdict::Ok),
        ("/llms.txt", 200, PAGE, CheckVerdict::Invalid),
        ("/llms.txt", 200, "  \n", CheckVerdict::Invalid),
        ("/llms.txt", 404, NOT_FOUND_PAGE, CheckVerdict::Absent),
        ("/llms.txt", 410, "", CheckVerdict::Absent),
        ("/llms.txt", 403, "", CheckVerdict::Refused),
        ("/llms.txt", 429, "", CheckVerdict::Refused),
        ("/llms.txt", 402, "", CheckVerdict::Refused),
        ("/llms.txt", 503, "", CheckVerdict::Unreachable),
        ("/llms.txt", 300, "", CheckVerdict::Refused),
        ("/sitemap.xml", 200, "<?xml version='1.0'?><urlset/>", CheckVerdict::Ok),
        ("/sitemap.xml", 200, "https://ferry.lab/", CheckVerdict::Ok),
        ("/sitemap.xml", 200, "Nothing here.", CheckVerdict::Invalid),
        ("/.well-known/agent-card.json", 200, "{\"name\":\"Ferry\"}", CheckVerdict::Invalid),
        ("/.well-known/agent-card.json", 200, "{\"name\":", CheckVerdict::Invalid),
        ("/.well-known/api-catalog", 200, "{\"linkset\":[]}", CheckVerdict::Invalid),
        ("/.well-known/api-catalog", 200, "plain", CheckVerdict::Invalid),
    ] {
        let actual = EvidenceBuilder::file_verdict(path, status, body);
        if actual != verdict {
            wrong.push(format!("{path} {status} {body:?}: {actual}, not {verdict}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(
        EvidenceBuilder::new().robots(200, "").build_record().checks[0].verdict,
        CheckVerdict::Ok
    );
}

#[test]
fn a_host_with_soft_404s_has_no_files() {
    let record = EvidenceBuilder::new()
        .robots(200, "<!doctype html><p>Another page of the same kind.</p>")
        .file("/llms.txt", 200, PAGE)
        .file("/agents.md", 200, "# Really here")
        .control_path(200, PAGE)
        .build_record();
    let verdicts: Vec<_> = record.checks.iter().map(|check| check.verdict.as_str()).collect();
    assert_eq!(verdicts, ["soft_404", "soft_404", "ok"]);
    assert_eq!(record.findings.iter().filter(|f| f.id == "soft_404").count(), 1);
}

#[test]
fn excerpts_cannot_hide_or_reorder_text() {
    let record = EvidenceBuilder::new()
        .file("/llms.txt", 200, "a\u{202e}b\u{200b}c\n\u{1b}[2Jd\u{e0041}")
        .build_record();
    assert_eq!(
        record.checks[0].excerpt.as_deref(),
        Some("a\u{fffd}b\u{fffd}c \u{fffd}[2Jd\u{fffd}")
    );
}

/// A challenge with status 200 and a decisive mark.
const CHALLENGE_PAGE: &str = "<html><head><title>Just a moment...</title></head><body><script>window._cf_chl_opt={};\
    </script><script src=\"/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1\"></script></body></html>";

#[test]
fn a_wall_with_a_success_status_refuses_files_too() {
    let site = EvidenceBuilder::new()
        .browser_and_control()
        .crawlers(200, PAGE)
        .control_path(200, CHALLENGE_PAGE)
        .file("/llms.txt", 200, CHALLENGE_PAGE);
    let record = site.build_record();
    let check = record.checks.iter().find(|check| check.path == "/llms.txt").unwrap();
    assert_eq!(check.verdict, CheckVerdict::Refused);
    assert_eq!(row(&record, "machine_files.honest_404").state, LedgerState::NotAssessed);
    assert!(!ids(&record).contains(&"soft_404"));
}

#[test]
fn a_refused_fresh_request_does_not_show_a_stale_copy() {
    for (status, stale) in [(403, false), (429, false), (503, false), (404, true)] {
        let record = EvidenceBuilder::new()
            .browser_and_control()
            .crawlers(200, PAGE)
            .file("/llms.txt", 200, "# Ferry\n\n> Times.\n")
            .add_response(ReadTarget::Fresh, "/llms.txt", "wayleave", status, "no")
            .build_record();
        assert_eq!(ids(&record).contains(&"stale_file:/llms.txt"), stale, "{status}");
    }
}

#[test]
fn a_sitemap_url_is_cut_and_cleaned() {
    let address = format!("https://ferry.lab/\u{202e}{}.xml", "a".repeat(2_000));
    let site = EvidenceBuilder::new().browser_and_control().crawlers(200, PAGE);
    let record =
        site.add_response(ReadTarget::Sitemap, &address, "wayleave", 200, "no").build_record();
    let check = record.checks.iter().find(|check| check.file == "sitemap").unwrap();
    assert!(check.path.chars().count() == 300 && !check.path.contains('\u{202e}'));
}
