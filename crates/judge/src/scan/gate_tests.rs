//! Tests of gates, waiting crawlers and paywalls on hand-made evidence.

use contract::evidence::{ExchangeOutcome, Failure, FailureKind, FailurePhase, ReadTarget};
use contract::records::{RowCause, ScanRecord, Severity};

use super::tests::{EvidenceBuilder, PAGE};

const LOGIN: &str = "<!doctype html><title>Log in</title><h1>Log in</h1><form><input name=u>\
    <input type=password name=p><button>Log in</button></form>";
const SOON: &str = "<!doctype html><title>Ferry</title><h1>Coming soon</h1>";

fn for_everybody(body: &str) -> EvidenceBuilder {
    ["browser", "browser", "control"]
        .into_iter()
        .fold(EvidenceBuilder::new(), |site, who| site.home(who, 200, body))
        .crawlers(200, body)
}

fn ids(record: &ScanRecord) -> Vec<&str> {
    record.findings.iter().map(|finding| finding.id.as_str()).collect()
}

fn row<'a>(record: &'a ScanRecord, id: &str) -> &'a contract::records::AgentRow {
    record.agentview.rows.iter().find(|row| row.id == id).unwrap()
}

#[test]
fn a_gate_for_everybody_is_named_and_gives_no_grade() {
    for (body, kind, cause) in [
        (LOGIN, "login", RowCause::Gated),
        (SOON, "maintenance", RowCause::Gated),
        ("", "empty", RowCause::Empty),
        ("<title>ferry.lab</title><h1>This domain is for sale</h1>", "parked", RowCause::Gated),
    ] {
        let site = for_everybody(body).robots(200, "User-agent: GPTBot\nAllow: /\n");
        let record = site.build_record();
        assert_eq!(record.agentview.aimed_at, "none", "{kind}");
        assert!(record.agentview.conflicts.is_empty(), "{kind}");
        assert!(record.agentview.rows.iter().all(|row| row.cause == cause), "{kind}");
        assert!(record.agentview.rows.iter().all(|row| row.blocker.as_deref() == Some(kind)));
        assert_eq!((record.grade.clone(), record.overall), (None, None), "{kind}");
        let finding = record.findings.iter().find(|f| f.id == format!("gate:{kind}")).unwrap();
        assert_eq!(finding.severity, Severity::High);
        assert!(finding.seen.contains("including the browser"), "{}", finding.seen);
        assert!(!ids(&record).contains(&"all_refused"), "{:?}", ids(&record));
    }
}

#[test]
fn a_gate_for_crawlers_costs_reach_and_is_named() {
    for (body, kind, words) in [
        (LOGIN, "login", "get a login page instead of the page"),
        ("", "empty", "get an empty page"),
    ] {
        let record =
            EvidenceBuilder::new().browser_and_control().crawlers(200, body).build_record();
        assert_eq!(row(&record, "gptbot").blocker.as_deref(), Some(kind));
        assert_eq!(record.agentview.all_refused, Some(true));
        assert!(record.overall.is_some_and(|score| score <= 60), "{:?}", record.overall);
        assert!(
            record.findings.iter().any(|finding| finding.title.ends_with(words)),
            "{:?}",
            ids(&record)
        );
    }
}

#[test]
fn a_status_of_no_content_is_empty() {
    let record = EvidenceBuilder::new().browser_and_control().crawlers(204, "").build_record();
    assert_eq!(row(&record, "gptbot").cause, RowCause::Empty);
}

#[test]
fn a_gate_for_the_browser_alone_is_reported() {
    let site = EvidenceBuilder::new().home("browser", 200, LOGIN).home("browser", 200, LOGIN);
    let record = site.crawlers(200, PAGE).build_record();
    assert!(ids(&record).contains(&"gate:login"), "{:?}", ids(&record));
    assert_eq!(record.overall, None);
}

#[test]
fn a_maintenance_notice_with_503_is_named() {
    let site = EvidenceBuilder::new().home("browser", 503, SOON).home("browser", 503, SOON);
    let record = site.home("control", 503, SOON).crawlers(503, SOON).build_record();
    assert_eq!(row(&record, "browser").cause, RowCause::ServerError);
    assert!(ids(&record).contains(&"gate:maintenance"), "{:?}", ids(&record));
}

/// The home page of these identities does not come within `ms`.
fn stall(mut site: EvidenceBuilder, identities: &[&str], ms: u32) -> EvidenceBuilder {
    for reading in &mut site.evidence.reads {
        if reading.target == ReadTarget::Home && identities.contains(&reading.identity.as_str()) {
            reading.exchange.took_ms = ms;
            reading.exchange.outcome = ExchangeOutcome::Failed(Failure {
                kind: FailureKind::Timeout,
                phase: FailurePhase::Head,
                reason: "head".into(),
                detail: "No response head arrived in time.".into(),
            });
        }
    }
    site
}

fn open_site() -> EvidenceBuilder {
    EvidenceBuilder::new().browser_and_control().crawlers(200, PAGE)
}

fn all_crawlers() -> Vec<String> {
    let catalogue = agents::Catalogue::built_in().unwrap();
    catalogue.ai_identities().map(|identity| identity.id.clone()).collect()
}

#[test]
fn crawlers_that_are_kept_waiting_are_reported() {
    let all = all_crawlers();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let record = stall(open_site(), &all, 10_000).build_record();
    assert!(
        record.agentview.rows.iter().filter(|row| row.cause == RowCause::Stalled).count()
            == all.len()
    );
    let finding = record.findings.iter().find(|finding| finding.id == "ai_stalled").unwrap();
    assert_eq!(finding.severity, Severity::High);
    assert!(record.overall.is_some_and(|score| score <= 60), "{:?}", record.overall);

    let record = stall(open_site(), &all[..2], 10_000).build_record();
    let finding = record.findings.iter().find(|finding| finding.id == "ai_stalled").unwrap();
    assert_eq!(finding.severity, Severity::Medium);
}

#[test]
fn a_single_wait_and_a_slow_site_show_nothing() {
    let all = all_crawlers();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let one = stall(open_site(), &all[..1], 10_000).build_record();
    let short = stall(open_site(), &all, 1_000).build_record();
    let everybody = stall(open_site(), &[&["browser", "control"], all.as_slice()].concat(), 10_000);
    let control = stall(open_site(), &[&["control"], all.as_slice()].concat(), 10_000);
    // A file under our own name had to wait too, so a few waits are chance.
    let mut slow = stall(open_site().file("/llms.txt", 200, "# Ferry\n"), &all[..2], 10_000);
    let cut = slow.evidence.reads.iter().find_map(|r| match &r.exchange.outcome {
        ExchangeOutcome::Failed(failure) => Some(failure.clone()),
        ExchangeOutcome::Response(_) => None,
    });
    slow.evidence.reads.last_mut().unwrap().exchange.outcome =
        ExchangeOutcome::Failed(cut.unwrap());
    for record in
        [one, short, everybody.build_record(), control.build_record(), slow.build_record()]
    {
        assert!(!ids(&record).contains(&"ai_stalled"), "{:?}", ids(&record));
        assert!(record.agentview.rows.iter().all(|row| row.cause != RowCause::Stalled));
    }
}

#[test]
fn a_page_that_comes_late_to_all_crawlers_is_reported() {
    let mut site = open_site();
    for reading in &mut site.evidence.reads {
        if !["browser", "control"].contains(&reading.identity.as_str()) {
            reading.exchange.took_ms = 8_000;
        }
    }
    let record = site.build_record();
    assert!(ids(&record).contains(&"ai_stalled"));
    assert_eq!(row(&record, "gptbot").cause, RowCause::Served);
}

#[test]
fn a_paywall_is_a_fact_and_costs_nothing() {
    let script = "<script type='application/ld+json'>{\"@context\":\"https://schema.org\",\"@type\":\"NewsArticle\",\
        \"isAccessibleForFree\":false}</script>";
    let paid = PAGE.replace("<main>", &format!("{script}<main>"));
    let (with, without) = (for_everybody(&paid).build_record(), open_site().build_record());
    let paywall = with.paywall.as_ref().unwrap();
    assert!(paywall.declared && !paywall.visible && !paywall.evidence.is_empty());
    let finding = with.findings.iter().find(|finding| finding.id == "paywall").unwrap();
    assert_eq!((finding.severity.clone(), finding.rule.clone()), (Severity::Info, None));
    assert!(!without.paywall.as_ref().unwrap().declared);
    assert!(!ids(&without).contains(&"paywall"));
    assert_eq!(for_everybody(LOGIN).build_record().paywall, None, "no page was read");
}
