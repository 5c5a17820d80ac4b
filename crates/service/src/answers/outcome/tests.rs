use contract::records::{OutcomeAgent, ReportedChallenge};
use serde_json::{Value, json};

use super::*;
use crate::Service;
use crate::testing;

fn result(status: Option<u16>, blocked: Option<bool>, challenge: Option<bool>) -> OutcomeResult {
    OutcomeResult { status, blocked, challenge: challenge.map(ReportedChallenge::Flag) }
}

#[test]
fn challenge_and_blocked_take_precedence_over_the_status() {
    use OutcomeClass::{Blocked, Challenged, Error, Ok};
    for (status, blocked, challenge, class) in [
        (Some(200), None, None, Some(Ok)),
        (Some(304), Some(false), Some(false), Some(Ok)),
        (None, Some(false), None, Some(Ok)),
        (Some(403), None, None, Some(Blocked)),
        (Some(429), None, Some(false), Some(Blocked)),
        (Some(200), Some(true), None, Some(Blocked)),
        (None, Some(true), None, Some(Blocked)),
        (Some(403), Some(false), None, Some(Error)),
        (Some(200), None, Some(true), Some(Challenged)),
        (Some(403), Some(true), Some(true), Some(Challenged)),
        (None, None, Some(true), Some(Challenged)),
        (Some(404), None, None, Some(Error)),
        (Some(503), Some(false), None, Some(Error)),
        (Some(0), None, None, Some(Error)),
        (Some(0), Some(true), None, Some(Blocked)),
        // No result: it cannot be counted as anything.
        (None, None, None, None),
        (None, None, Some(false), None),
    ] {
        assert_eq!(
            classify_result(&result(status, blocked, challenge)),
            class,
            "{status:?} {blocked:?} {challenge:?}"
        );
    }
    let named = OutcomeResult {
        challenge: Some(ReportedChallenge::Named("turnstile".to_owned())),
        ..OutcomeResult::default()
    };
    assert_eq!(classify_result(&named), Some(Challenged));
}

#[test]
fn only_a_contradiction_is_a_disagreement() {
    let mut found = Vec::new();
    for word in ResolveSaid::WORDS {
        for class in OutcomeClass::WORDS {
            let (word, class) =
                (ResolveSaid::from_word(word), OutcomeClass::from_word(class).unwrap());
            found.extend(describe_disagreement(word.as_ref(), &class, Some(403)));
            assert_eq!(describe_disagreement(None, &class, None), None);
        }
    }
    assert_eq!(
        found,
        [
            "The resolve answer said open; the agent was blocked (status 403).",
            "The resolve answer said open; the agent met a challenge (status 403).",
            "The resolve answer said blocked; the agent was served (status 403).",
        ]
    );
    let without = describe_disagreement(Some(&ResolveSaid::Open), &OutcomeClass::Blocked, None);
    assert_eq!(without.unwrap(), "The resolve answer said open; the agent was blocked.");
}

#[test]
fn names_are_one_line_of_visible_text() {
    for (given, name) in [
        ("ExampleBot", Some("ExampleBot")),
        ("  Example\t\n Bot/1.0 ", Some("Example Bot/1.0")),
        ("Ex\u{202e}ample\u{200b}\u{7}Bot", Some("ExampleBot")),
        ("Bücher-Agent", Some("Bücher-Agent")),
        ("\u{feff}\u{0} \u{e0041}", None),
        ("", None),
    ] {
        assert_eq!(clean_agent_name(given).as_deref(), name, "{given:?}");
    }
    assert_eq!(clean_agent_name(&"é".repeat(500)).unwrap().chars().count(), AGENT_NAME_MAX);
}

proptest::proptest! {
    #[test]
    fn no_name_is_too_long_or_unclean(given in proptest::prelude::any::<String>()) {
        if let Some(name) = clean_agent_name(&given) {
            proptest::prop_assert!((1..=AGENT_NAME_MAX).contains(&name.chars().count()));
            proptest::prop_assert!(!name.chars().any(is_hidden));
            proptest::prop_assert_eq!(name.trim(), &name);
            // Cleaning what is clean changes nothing.
            proptest::prop_assert_eq!(clean_agent_name(&name), Some(name.clone()));
        }
    }
}

fn report(domain: &str, status: u16) -> OutcomeReport {
    OutcomeReport {
        domain: domain.to_owned(),
        action: OutcomeAction::Fetch,
        agent: Some(OutcomeAgent { name: "ExampleBot".to_owned() }),
        result: result(Some(status), None, None),
        resolve_said: None,
        resolve_sha256: None,
    }
}

fn block(last: u8) -> AddressBlock {
    AddressBlock::from_address(std::net::IpAddr::from([192, 0, 2, last]))
}

async fn summary(service: &Service, domain: &str) -> Value {
    serde_json::from_slice(&service.outcomes.outcome_summary(domain, 30).await.unwrap().bytes)
        .unwrap()
}

#[tokio::test]
async fn reports_are_counted_within_the_daily_limit() {
    let dir = tempfile::tempdir().unwrap();
    let service = testing::build_service(dir.path(), Vec::new());
    service.outcomes.per_day.set(Some(3));
    for (status, left) in [(200, 2), (403, 1), (503, 0)] {
        let taken =
            service.outcomes.report_outcome(report("shop.com", status), block(1)).await.unwrap();
        assert_eq!(taken.daily_allowance.unwrap().remaining, left);
        assert_eq!(taken.accepted.summary, "https://svc.example/api/v1/outcomes?domain=shop.com");
    }
    let spent =
        service.outcomes.report_outcome(report("other.com", 200), block(1)).await.unwrap_err();
    let OutcomeError::DailyLimitReached(day) = spent else { panic!("{spent}") };
    assert!(day.remaining == 0 && day.limit == 3 && day.resets_in_s <= 86_400, "{day:?}");
    // A malformed report does not count; other addresses are not affected.
    let bad =
        service.outcomes.report_outcome(report("127.0.0.1", 200), block(2)).await.unwrap_err();
    assert!(matches!(bad, OutcomeError::BadDomain(_)), "{bad}");
    let taken = service.outcomes.report_outcome(report("SHOP.com.", 200), block(2)).await.unwrap();
    assert_eq!(taken.daily_allowance.unwrap().remaining, 2);
    let summary = summary(&service, "shop.com").await;
    assert_eq!(
        (&summary["n"], &summary["ok"], &summary["blocked"], &summary["error"]),
        (&json!(4), &json!(2), &json!(1), &json!(1))
    );
    assert_eq!(summary["reporters"], 2);
    assert_eq!(summary["success_rate"], 0.5);
    assert_eq!(summary["by_status"], json!({ "200": 2, "403": 1, "503": 1 }));
    assert_eq!(summary["by_agent"], json!({ "ExampleBot": 4 }));
    assert_eq!(summary["days"][0].get("sha256"), None, "today is not over");
    assert_eq!(summary["recent"].as_array().unwrap().len(), 4);
    // The summary contains no client address in any form.
    assert!(
        !summary.to_string().contains("192.0.2") && !summary.to_string().contains("reporter\"")
    );
}

#[tokio::test]
async fn the_prediction_is_taken_from_the_answer_with_the_given_digest() {
    let dir = tempfile::tempdir().unwrap();
    let service = testing::start_service(dir.path(), Vec::new()).await;
    let decision = |word: &str| json!({ "decision": word, "why": "" });
    let domain = service.parse_domain("shop.com").unwrap();
    let answer = json!({
        "kind": "svc-resolve", "domain": "shop.com", "status": "partial",
        "answered_at": testing::now().to_string(),
        "actions": {
            "read": decision("allow"), "connect": decision("unsupported"),
            "transact": decision("block"),
        },
        "evidence": {}, "freshness": {},
    });
    let Value::Object(answer) = answer else { unreachable!() };
    let sealed = service.log.seal_answer(answer, domain).await.unwrap();
    let ask = |action, status, sha256: &str| OutcomeReport {
        action,
        resolve_sha256: Some(sha256.to_owned()),
        ..report("shop.com", status)
    };
    let named = sealed.sha256.to_hex();
    let disagreement_of = async |report| {
        let taken = service.outcomes.report_outcome(report, block(1)).await.unwrap();
        taken.accepted.accepted.disagreement
    };
    assert_eq!(
        disagreement_of(ask(OutcomeAction::Read, 403, &named)).await.unwrap(),
        "The resolve answer said open; the agent was blocked (status 403)."
    );
    assert_eq!(
        disagreement_of(ask(OutcomeAction::Checkout, 200, &named)).await.unwrap(),
        "The resolve answer said blocked; the agent was served (status 200)."
    );
    assert_eq!(
        disagreement_of(ask(OutcomeAction::ToolCall, 403, &named)).await,
        None,
        "not measured"
    );
    assert_eq!(
        disagreement_of(ask(OutcomeAction::Read, 403, &"0".repeat(64))).await,
        None,
        "not ours"
    );
    let elsewhere =
        OutcomeReport { domain: "b.com".into(), ..ask(OutcomeAction::Read, 403, &named) };
    assert_eq!(disagreement_of(elsewhere).await, None, "about another domain");
    // `resolve_said` takes precedence over the stored answer; the digest is still validated.
    let own = OutcomeReport {
        resolve_said: Some(ResolveSaid::Restricted),
        ..ask(OutcomeAction::Read, 403, &named)
    };
    assert_eq!(disagreement_of(own).await, None);
    for bad in ["", "xyz", &named.to_uppercase()] {
        let refused =
            service.outcomes.report_outcome(ask(OutcomeAction::Read, 403, bad), block(1)).await;
        let Err(OutcomeError::BadReport { param, .. }) = refused else { panic!("{bad}") };
        assert_eq!(param, "resolve_sha256");
    }
    let summary = summary(&service, "shop.com").await;
    assert_eq!(summary["disagree"], 2);
    testing::stop_service(service).await;
}

#[tokio::test]
async fn a_report_without_a_result_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let service = testing::build_service(dir.path(), Vec::new());
    let empty = OutcomeReport { result: OutcomeResult::default(), ..report("shop.com", 200) };
    let refused = service.outcomes.report_outcome(empty, block(1)).await.unwrap_err();
    assert!(matches!(refused, OutcomeError::BadReport { param: "result", .. }), "{refused}");
    assert_eq!(summary(&service, "shop.com").await["success_rate"], Value::Null);
}
