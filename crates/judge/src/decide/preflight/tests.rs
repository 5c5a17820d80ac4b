use contract::NamePolicy;
use contract::records::{
    CallerPolicy, DecisionState, McpApproval, ObligationType, PolicyEntry, PreflightChecks,
    PreflightRequest, PreflightTemplate, ReceiptTransparency, ResolveAnswer, Rung,
};
use declared::robots::Robots;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::super::tests::sample;
use super::super::{TEMPLATES, decide_actions, decision_inputs};
use super::*;

fn policy() -> NamePolicy {
    NamePolicy { allow_suffixes: vec!["lab".to_owned()], ..NamePolicy::default() }
}

fn now() -> Timestamp {
    "2026-11-15T03:00:00Z".parse().unwrap()
}

/// A check as it would come over the wire.
fn check(body: Value) -> PreflightCheck {
    let request: PreflightRequest = serde_json::from_value(body).unwrap();
    match request.into_checks().unwrap() {
        PreflightChecks::Single(check) => *check,
        PreflightChecks::Batch(_) => panic!("one check"),
    }
}

/// The sections of the sample with some members replaced.
fn sections(changes: &[(&str, Value)]) -> Sections {
    let mut written = sample::written();
    for (at, value) in changes {
        match written.pointer_mut(at) {
            Some(place) => *place = value.clone(),
            None => written[at.trim_start_matches('/')] = value.clone(),
        }
    }
    let answer: ResolveAnswer = serde_json::from_value(written).unwrap();
    Sections::from_answer(answer)
}

fn known<'a>(
    sections: &'a Sections,
    actions: &'a Actions,
    robots: RobotsFile<'a>,
) -> PreflightFacts<'a> {
    PreflightFacts {
        sections,
        inputs: decision_inputs(sections),
        published: published_facts(sections),
        actions,
        robots,
        revoked: None,
        mcp: None,
        held: None,
        live_read: LiveReadOutcome::NotNeeded,
        answer: ReceiptAnswer {
            answer_sha256: "ab".repeat(32),
            address: "https://svc.example/api/v1/resolve?domain=shop.lab".to_owned(),
            transparency: ReceiptTransparency {
                state: "included".to_owned(),
                leaf_hash: None,
                batch: Some(1),
            },
        },
        resolve: ReceiptResolve { sha256: "ab".repeat(32), kid: "kid".to_owned() },
        revocation: ReceiptRevocation {
            feed: "https://svc.example/api/v1/revocations".to_owned(),
            cursor: None,
            next_update: now(),
        },
        rules: ReceiptRules {
            decision_rules_sha256: super::super::rules_sha256(),
            version_id: "1".to_owned(),
        },
    }
}

fn decide_with(
    check: &PreflightCheck,
    at: Timestamp,
    known: PreflightFacts<'_>,
) -> Result<DecisionReceipt, PreflightRefusal> {
    let target = ActionTarget::from_check(check, &policy()).unwrap();
    let issuer = Issuer::new(contract::Brand::default(), "https://svc.example");
    decide_preflight(PreflightQuery { check, target: &target, now: at }, known, &issuer)
}

const ROBOTS: &str = "User-agent: *\nDisallow: /private\nDisallow: /*?session=\nCrawl-delay: 10\n\n\
                      User-agent: GPTBot\nDisallow: /\n";

/// A check against the sample and the robots.txt above.
fn ask(body: Value) -> DecisionReceipt {
    let robots = Robots::parse(ROBOTS.as_bytes());
    let sections = sections(&[]);
    let actions = decide_actions(&decision_inputs(&sections));
    decide_with(&check(body), now(), known(&sections, &actions, RobotsFile::Read(&robots))).unwrap()
}

fn rules_of(receipt: &DecisionReceipt) -> Vec<&str> {
    receipt.steps.iter().map(|step| step.rule.as_str()).collect()
}

#[test]
fn a_plain_question_is_answered_by_the_answers_own_decision() {
    let receipt = ask(json!({"domain": "shop.lab", "action": "read"}));
    assert_eq!(receipt.decision, Decision::Allow);
    assert_eq!(receipt.kind, "svc-decision");
    assert_eq!(
        rules_of(&receipt),
        ["answer.read", "robots.path", "rights", "freshness", "standing"]
    );
    assert!(receipt.steps.iter().skip(1).all(|step| step.effect == "none"));
    assert!(receipt.reasons.is_empty() && receipt.tightened_by.is_empty());
    assert_eq!(receipt.expires_at, now().plus_millis(86_400_000));
    assert_eq!(receipt.clock_skew_s, 60);
    let duties: Vec<&str> =
        receipt.obligations.iter().map(|one| one.obligation_type.as_str()).collect();
    assert_eq!(duties, ["crawl_delay", "recheck"]);
    assert_eq!(receipt.obligations[0].seconds.unwrap().get(), 10.0);
    assert_eq!(receipt.facts.unwrap().untrusted_name.as_deref(), Some("North Quay Shop"));
}

#[test]
fn nonce_and_operation_come_back_as_they_came() {
    let operation = json!({"method": "GET", "url": "https://shop.lab/a", "b": [1, 2.5, null, "ü"]});
    let receipt = ask(json!({"domain": "www.shop.lab", "action": "read", "nonce": "n\u{1f600}",
        "operation": operation.clone()}));
    assert_eq!(receipt.domain.as_str(), "shop.lab");
    assert_eq!(receipt.nonce.as_deref(), Some("n\u{1f600}"));
    assert_eq!(serde_json::to_value(&receipt).unwrap()["operation"], operation);
    assert!(receipt.assessed.operation_sha256.is_some());
}

#[test]
fn the_path_and_the_agent_are_held_against_robots_txt() {
    for (url, agent, decision, line, group) in [
        ("https://shop.lab/", json!(null), "allow", None, None),
        ("https://shop.lab/private/x", json!(null), "block", Some(2), None),
        ("https://shop.lab/private/x", json!("OtherBot/2.0"), "block", Some(2), Some("*")),
        ("https://shop.lab/open", json!("OtherBot"), "allow", None, Some("*")),
        ("https://shop.lab/open", json!("GPTBot"), "block", Some(7), Some("GPTBot")),
        ("https://shop.lab/open?session=1", json!("OtherBot"), "block", Some(3), Some("*")),
        (
            "https://shop.lab/open",
            json!({"user_agent": "Mozilla/5.0 (compatible; GPTBot/1.2; +https://bot.example)"}),
            "block",
            Some(7),
            Some("GPTBot"),
        ),
        // A path with dot segments is normalised.
        ("https://shop.lab/open/../private/", json!("OtherBot"), "block", Some(2), Some("*")),
    ] {
        let mut body = json!({"url": url, "action": "read"});
        if !agent.is_null() {
            body["agent"] = agent.clone();
        }
        let receipt = ask(body);
        assert_eq!(receipt.decision.as_str(), decision, "{url} {agent}");
        assert_eq!(receipt.assessed.robots.line, line, "{url} {agent}");
        assert_eq!(
            receipt.agent.as_ref().and_then(|agent| agent.matched_group.as_deref()),
            group,
            "{url} {agent}"
        );
        if decision == "block" {
            assert_eq!(receipt.reason_codes, [Doubt::RobotsDisallow]);
            assert_eq!(receipt.tightened_by, [Doubt::RobotsDisallow]);
            assert_eq!(receipt.base_decision, Decision::Allow);
            assert!(receipt.obligations.is_empty());
        }
        let written = serde_json::to_string(&receipt).unwrap();
        assert!(!written.contains("session=1"), "the query is not kept");
    }
    // robots.txt is not about connecting, but a disallow still needs a confirmation.
    let connect = ask(json!({"url": "https://shop.lab/private/api", "action": "connect"}));
    assert_eq!(connect.decision, Decision::RequireConfirmation);
}

#[test]
fn without_the_file_only_what_the_answer_lists_is_known() {
    let sections = sections(&[("/crawl_policy/agents/1/allowed_homepage", json!(false))]);
    let actions = decide_actions(&decision_inputs(&sections));
    for (body, robots, decision, code) in [
        (json!({"domain": "shop.lab"}), RobotsFile::NotStored, "warn", Doubt::AgentSpecificRobots),
        (
            json!({"domain": "shop.lab", "agent": "gptbot"}),
            RobotsFile::NotStored,
            "block",
            Doubt::RobotsDisallow,
        ),
        (
            json!({"domain": "shop.lab", "agent": "OtherBot"}),
            RobotsFile::NotRead,
            "warn",
            Doubt::NotMeasured,
        ),
        (
            json!({"url": "https://shop.lab/deep"}),
            RobotsFile::NotStored,
            "warn",
            Doubt::NotMeasured,
        ),
    ] {
        let mut body = body;
        body["action"] = json!("read");
        let receipt =
            decide_with(&check(body.clone()), now(), known(&sections, &actions, robots)).unwrap();
        assert_eq!(receipt.decision.as_str(), decision, "{body}");
        assert!(receipt.reason_codes.contains(&code), "{body}: {:?}", receipt.reason_codes);
    }
    let absent = decide_with(
        &check(json!({"url": "https://shop.lab/deep", "action": "read", "agent": "OtherBot"})),
        now(),
        known(&sections, &actions, RobotsFile::Absent),
    )
    .unwrap();
    assert!(!absent.reason_codes.contains(&Doubt::NotMeasured));
}

#[test]
fn evidence_is_as_old_as_it_is_now_and_a_receipt_ends_with_it() {
    let sections = sections(&[]);
    let actions = decide_actions(&decision_inputs(&sections));
    let observed = sections.freshness.observed_at.unwrap();
    let at = |hours: i64, body: Value| {
        let receipt = decide_with(
            &check(body),
            observed.plus_millis(hours * 3_600_000 + 1000),
            known(&sections, &actions, RobotsFile::Absent),
        )
        .unwrap();
        let left = receipt.expires_at.millis_since(receipt.decided_at) / 1000;
        (receipt.decision.to_string(), left, receipt.reason_codes)
    };
    let read = json!({"domain": "shop.lab", "action": "read"});
    assert_eq!(at(0, read.clone()), ("allow".to_owned(), 86_400, vec![]));
    assert_eq!(at(167, read.clone()).1, 3599, "until the evidence is too old");
    assert_eq!(at(168, read.clone()), ("warn".to_owned(), 60, vec![Doubt::StaleEvidence]));
    let tight = json!({"domain": "shop.lab", "action": "read", "policy": {"max_age_hours": 24}});
    assert_eq!(at(23, tight.clone()).0, "allow");
    assert_eq!(at(24, tight), ("require_confirmation".to_owned(), 60, vec![Doubt::CallerMaxAge]));
    let connect = json!({"domain": "shop.lab", "action": "connect"});
    assert_eq!(at(0, connect.clone()), ("allow".to_owned(), 3600, vec![]));
    assert_eq!(at(72, connect).0, "require_confirmation");
    let transact = json!({"domain": "shop.lab", "action": "transact"});
    assert_eq!(at(0, transact).1, 300);
    let administer = json!({"domain": "shop.lab", "action": "administer"});
    assert_eq!(at(0, administer.clone()), ("block".to_owned(), 300, vec![Doubt::NeverAutomatic]));
    assert_eq!(at(900, administer).0, "block");
}

#[test]
fn what_lacks_evidence_says_why_and_lasts_until_there_can_be_more() {
    let unread = json!({"state": "not_measured", "observed_at": null, "why": "It took too long."});
    let decide = |changes: &[(&str, Value)], action: &str| {
        let sections = sections(changes);
        let actions = decide_actions(&decision_inputs(&sections));
        let check = check(json!({"domain": "shop.lab", "action": action}));
        decide_with(&check, now(), known(&sections, &actions, RobotsFile::NotRead)).unwrap()
    };
    let basis = |minutes_ago: i64| {
        let at = now().plus_millis(-minutes_ago * 60_000);
        json!({"kind": "just_in_time", "measured_at": at, "budget_ms": 1000, "took_ms": 1000,
               "not_read_in_budget": [], "scope": "x"})
    };
    let nothing = |minutes_ago: i64| {
        vec![
            ("/crawl_policy", unread.clone()),
            ("/delivery", unread.clone()),
            ("/read_equivalence/identities", json!([])),
            ("/basis", basis(minutes_ago)),
        ]
    };
    let receipt = decide(&nothing(2), "read");
    assert_eq!(receipt.decision, Decision::RequireConfirmation, "{}", receipt.why);
    assert_eq!(receipt.expires_at, now().plus_millis(8 * 60_000), "the next live reading");
    assert!(
        receipt.why.ends_with("The home page was not received: It took too long."),
        "{}",
        receipt.why
    );
    let again = format!("Ask again after {}", receipt.expires_at);
    assert!(receipt.alternatives[0].starts_with(&again), "{:?}", receipt.alternatives);
    // With the page at hand, a live reading adds nothing: the receipt lasts as usual.
    let page = [("/crawl_policy", unread.clone()), ("/basis", basis(30))];
    let receipt = decide(&page, "cite");
    assert!(receipt.expires_at >= now().plus_millis(10 * 60_000), "{receipt:?}");
    assert!(receipt.alternatives.iter().all(|text| !text.contains("Ask again")));
    // What was measured and found bad is not missing.
    let bad = decide(&[("/tls/certificate_holds", json!(false)), ("/basis", basis(2))], "connect");
    assert_eq!(bad.reason_codes.first(), Some(&Doubt::CertificateInvalid));
    assert!(bad.alternatives.iter().all(|text| !text.contains("Ask again")), "{bad:?}");
    // A receipt is never shorter than a minute.
    assert_eq!(decide(&nothing(30), "read").expires_at, now().plus_millis(60_000));
    // A scan that is due earlier.
    let due = now().plus_millis(3 * 60_000);
    let upgrade = json!({"state": "queued", "to": "full", "expected": due.to_string(),
                         "how": "x", "scan_now": "x"});
    let mut queued = nothing(2);
    queued.push(("/upgrade", upgrade));
    assert_eq!(decide(&queued, "read").expires_at, due);
    // No such name.
    let gone = [("/dns/exists", json!(false)), ("/delivery", unread.clone()), ("/basis", basis(2))];
    let gone = decide(&gone, "read");
    assert_eq!(gone.decision, Decision::Unsupported);
    assert_eq!(gone.expires_at, now().plus_millis(8 * 60_000));
    // What is decided by evidence does not ask to be asked again.
    let refused = decide(&[("/basis", basis(2))], "administer");
    assert!(refused.alternatives.iter().all(|text| !text.contains("Ask again")));
}

#[test]
fn a_revoked_action_is_blocked_and_others_are_not() {
    let sections = sections(&[]);
    let actions = decide_actions(&decision_inputs(&sections));
    let revoked = ["connect".to_owned(), "transact".to_owned()];
    let causes = ["incident".to_owned()];
    for (action, decision) in
        [("read", "allow"), ("cite", "allow"), ("connect", "block"), ("transact", "block")]
    {
        let known = PreflightFacts {
            revoked: Some(RevokedActions { actions: &revoked, causes: &causes }),
            ..known(&sections, &actions, RobotsFile::Absent)
        };
        let receipt =
            decide_with(&check(json!({"domain": "shop.lab", "action": action})), now(), known)
                .unwrap();
        assert_eq!(receipt.decision.as_str(), decision, "{action}");
        assert_eq!(receipt.reason_codes.first() == Some(&Doubt::Revoked), decision == "block");
    }
}

#[test]
fn an_mcp_server_must_be_the_one_that_was_approved() {
    let sections = sections(&[]);
    let actions = decide_actions(&decision_inputs(&sections));
    let body = json!({"domain": "shop.lab", "action": "connect", "operation": {"tool": "search"},
        "mcp": {"url": "https://shop.lab/mcp", "tools_sha256": "cd".repeat(32)}});
    for (state, decision, code) in [
        (Some(McpState::Match), "allow", None),
        (Some(McpState::Drift), "block", Some(Doubt::McpLockDrift)),
        (Some(McpState::HardFinding), "block", Some(Doubt::McpHardFinding)),
        (Some(McpState::Incomplete), "require_confirmation", Some(Doubt::McpSurfaceIncomplete)),
        (Some(McpState::Unreachable), "require_confirmation", Some(Doubt::McpUnreachable)),
        (Some(McpState::AuthRequired), "require_confirmation", Some(Doubt::McpAuthRequired)),
        (Some(McpState::NotMeasured), "require_confirmation", Some(Doubt::NotMeasured)),
        (None, "require_confirmation", Some(Doubt::NotMeasured)),
    ] {
        let known = PreflightFacts {
            mcp: state.clone().map(|state| ReceiptMcp {
                url: "https://shop.lab/mcp".to_owned(),
                state,
                surface_sha256: None,
                tools_sha256: None,
            }),
            ..known(&sections, &actions, RobotsFile::Absent)
        };
        let receipt = decide_with(&check(body.clone()), now(), known).unwrap();
        assert_eq!(receipt.decision.as_str(), decision, "{state:?}");
        assert_eq!(receipt.reason_codes.first(), code.as_ref(), "{state:?}");
        assert_eq!(receipt.assessed.tool.unwrap().untrusted_name, "search");
    }
}

#[test]
fn a_held_decision_and_a_failed_live_read_are_reported_and_change_nothing() {
    let sections = sections(&[]);
    let actions = decide_actions(&decision_inputs(&sections));
    for (live, code) in [
        (LiveReadOutcome::Done, None),
        (LiveReadOutcome::BudgetSpent, Some(Doubt::LiveBudgetSpent)),
        (LiveReadOutcome::Failed, Some(Doubt::LiveReadFailed)),
        (LiveReadOutcome::Limited, Some(Doubt::LiveLimit)),
    ] {
        let held = HeldDecision {
            decision_sha256: "ef".repeat(32),
            state: DecisionState::Expired,
            stands: false,
        };
        let known = PreflightFacts {
            live_read: live,
            held: Some(held.clone()),
            ..known(&sections, &actions, RobotsFile::Absent)
        };
        let receipt =
            decide_with(&check(json!({"domain": "shop.lab", "action": "read"})), now(), known)
                .unwrap();
        assert_eq!(receipt.decision, Decision::Allow);
        assert_eq!(receipt.held, Some(held));
        assert_eq!(receipt.reasons.first().map(|reason| &reason.code), code.as_ref());
        assert!(receipt.reasons.iter().all(|reason| reason.retryable && reason.effect == "doubt"));
    }
}

#[test]
fn a_policy_that_would_loosen_is_an_error_that_names_the_member() {
    let sections = sections(&[]);
    let actions = decide_actions(&decision_inputs(&sections));
    for (action, policy, param) in [
        ("read", json!({"max_age_hours": 169}), "policy.max_age_hours"),
        ("connect", json!({"max_age_hours": 73}), "policy.max_age_hours"),
        ("transact", json!({"max_age_hours": 25}), "policy.max_age_hours"),
        ("read", json!({"on_warn": "allow"}), "policy.on_warn"),
        ("read", json!({"warn_as": "unsupported"}), "policy.warn_as"),
        ("read", json!({"minimum_assurance": "declared"}), "policy.minimum_assurance"),
        ("connect", json!({"minimum_assurance": "reachable"}), "policy.minimum_assurance"),
        ("read", json!({"deny": ["purchase"]}), "policy.deny"),
        ("read", json!({"allow": ["Shop.lab"]}), "policy.allow"),
        ("read", json!({"human_approval": ["*"]}), "policy.human_approval"),
    ] {
        let body = json!({"domain": "shop.lab", "action": action, "policy": policy});
        let refused =
            decide_with(&check(body), now(), known(&sections, &actions, RobotsFile::Absent));
        assert_eq!(refused.unwrap_err().param, param, "{policy}");
    }
}

#[test]
fn a_callers_policy_tightens() {
    for (policy, decision, code) in [
        (json!({}), "allow", None),
        (json!({"deny": ["lab.example", "shop.lab"]}), "block", Some(Doubt::CallerPolicy)),
        (json!({"deny": ["read"]}), "block", Some(Doubt::CallerPolicy)),
        (json!({"deny": ["connect", "other.lab"]}), "allow", None),
        (json!({"allow": ["shop.lab"]}), "allow", None),
        (json!({"allow": ["read"]}), "allow", None),
        (json!({"allow": ["other.lab"]}), "block", Some(Doubt::CallerPolicy)),
        (json!({"allow": ["shop.lab", "cite"]}), "block", Some(Doubt::CallerPolicy)),
        (json!({"human_approval": ["read"]}), "require_confirmation", Some(Doubt::HumanConfirms)),
        (json!({"minimum_assurance": "conformant"}), "allow", None),
        (
            json!({"minimum_assurance": "owner_verified"}),
            "require_confirmation",
            Some(Doubt::CallerAssurance),
        ),
        (json!({"minimum_networks": 2}), "allow", None),
        (json!({"minimum_networks": 3}), "require_confirmation", Some(Doubt::CallerNetworks)),
        (json!({"require_entity": true, "on_warn": "block"}), "allow", None),
    ] {
        let receipt = ask(json!({"domain": "shop.lab", "action": "read", "policy": policy}));
        assert_eq!(receipt.decision.as_str(), decision, "{policy}");
        assert_eq!(receipt.reason_codes.first(), code.as_ref(), "{policy}");
    }
    // Without an entity, cite is a warning, and the caller decides what a warning becomes.
    let unknown = json!({"state": "not_measured", "observed_at": null, "why": "-"});
    let sections = sections(&[("/entity", unknown)]);
    let actions = decide_actions(&decision_inputs(&sections));
    for (policy, decision) in [
        (json!({}), "warn"),
        (json!({"on_warn": "warn"}), "warn"),
        (json!({"on_warn": "require_confirmation"}), "require_confirmation"),
        (json!({"on_warn": "warn", "warn_as": "block"}), "block"),
        (json!({"require_entity": true}), "require_confirmation"),
    ] {
        let body = json!({"domain": "shop.lab", "action": "cite", "policy": policy});
        let receipt =
            decide_with(&check(body), now(), known(&sections, &actions, RobotsFile::Absent))
                .unwrap();
        assert_eq!(receipt.decision.as_str(), decision, "{policy}");
        assert_eq!(receipt.base_decision, Decision::Warn);
        assert!(
            receipt
                .obligations
                .iter()
                .any(|duty| duty.obligation_type == ObligationType::CiteSource)
                || decision == "block"
        );
    }
}

#[test]
fn each_template_is_known_and_each_of_its_rules_can_be_met() {
    let words: Vec<&str> = TEMPLATES.iter().map(|terms| terms.template).collect();
    assert_eq!(words, PreflightTemplate::WORDS);
    for terms in &TEMPLATES {
        for rule in terms.rules {
            assert!(rule.effect > Effect::Doubt, "{}", terms.template);
            let harmless = rule.when.holds(&DecisionInputs::BEST);
            assert!(
                !harmless || rule.when.values().is_empty(),
                "{}: {}",
                terms.template,
                rule.sentence
            );
        }
    }
    for (template, action, decision) in [
        ("safe_citation", "cite", "allow"),
        ("safe_data_retrieval", "read", "allow"),
        ("safe_api_connect", "connect", "allow"),
        ("safe_mcp_tool", "connect", "require_confirmation"),
        ("safe_commerce", "transact", "require_confirmation"),
        ("safe_oauth", "connect", "require_confirmation"),
        ("support_escalation", "read", "allow"),
    ] {
        let receipt = ask(json!({"domain": "shop.lab", "action": action, "template": template}));
        assert_eq!(receipt.decision.as_str(), decision, "{template}");
        assert!(rules_of(&receipt).contains(&format!("template.{template}").as_str()));
    }
    let sections =
        sections(&[("/read_equivalence/identities/0/instruction_like_text", json!(true))]);
    let actions = decide_actions(&decision_inputs(&sections));
    let receipt = decide_with(
        &check(json!({"domain": "shop.lab", "action": "read", "template": "safe_data_retrieval"})),
        now(),
        known(&sections, &actions, RobotsFile::Absent),
    )
    .unwrap();
    assert_eq!(receipt.decision, Decision::Block);
    assert_eq!(receipt.tightened_by, [Doubt::Template]);
}

fn maybe<T: Clone + std::fmt::Debug + 'static>(
    values: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Option<T>> {
    proptest::option::of(values)
}

fn any_policy() -> impl Strategy<Value = CallerPolicy> {
    const WORDS: &[&str] =
        &["read", "cite", "connect", "transact", "shop.lab", "lab", "other.lab", "x"];
    let list = || {
        let entries = proptest::collection::vec(select(WORDS), 0..3);
        maybe(entries.prop_map(|words| words.into_iter().filter_map(PolicyEntry::new).collect()))
    };
    let decision =
        || maybe(select(Decision::WORDS).prop_map(|word| Decision::from_word(word).unwrap()));
    (
        maybe(0_u32..200),
        decision(),
        decision(),
        maybe(any::<bool>()),
        list(),
        list(),
        list(),
        maybe(select(Rung::WORDS).prop_map(|word| Rung::from_word(word).unwrap())),
        maybe(0_u32..5),
    )
        .prop_map(
            |(
                max_age_hours,
                on_warn,
                warn_as,
                require_entity,
                human_approval,
                allow,
                deny,
                minimum_assurance,
                minimum_networks,
            )| CallerPolicy {
                max_age_hours,
                on_warn,
                warn_as,
                require_entity,
                human_approval,
                allow,
                deny,
                minimum_assurance,
                minimum_networks,
            },
        )
}

/// Answers of many kinds: each pair replaces a member of the sample.
fn any_sections() -> impl Strategy<Value = Sections> {
    let unmeasured = json!({"state": "not_measured", "observed_at": null, "why": "-"});
    let changes: Vec<(&'static str, Value)> = vec![
        ("/dns/exists", json!(false)),
        ("/crawl_policy", unmeasured.clone()),
        ("/crawl_policy/agents/1/allowed_homepage", json!(false)),
        ("/delivery/identities/1/status", json!(402)),
        ("/read_equivalence/identities/0/verdict", json!("not_served")),
        ("/read_equivalence/identities/1/verdict", json!("challenged")),
        ("/read_equivalence/identities/1/instruction_like_text", json!(true)),
        ("/entity", unmeasured.clone()),
        ("/rights/ground/value", json!("conditional")),
        ("/rights/cite/value", json!("disallowed")),
        ("/capabilities", unmeasured),
        ("/impersonation/verdict", json!("suspected")),
        ("/freshness/observed_at", json!(null)),
        ("/freshness/observed_at", json!("2026-11-01T00:00:00Z")),
        ("/freshness/stale", json!(true)),
        ("/confidence/vantage_state/state", json!("network_divergence")),
    ];
    proptest::collection::vec(select(changes), 0..4).prop_map(|changes| {
        let mut written = sample::written();
        for (at, value) in changes {
            // One change may have removed the member that another replaces.
            if let Some(place) = written.pointer_mut(at) {
                *place = value;
            }
        }
        Sections::from_answer(serde_json::from_value(written).unwrap())
    })
}

proptest! {
    /// The central invariant: nothing that a caller sends makes a decision looser than the answer's own,
    /// and a policy never makes it looser than no policy.
    #[test]
    fn never_looser(
        sections in any_sections(),
        action in select(Action::WORDS),
        url in maybe(select(&["https://shop.lab/", "https://shop.lab/private", "shop.lab/x?y=1"][..])),
        agent in maybe(select(&["GPTBot", "OtherBot", "", "Mozilla/5.0"][..])),
        template in maybe(select(PreflightTemplate::WORDS)),
        policy in any_policy(),
        mcp in maybe(select(McpState::WORDS)),
        robots in 0..4,
    ) {
        let file = Robots::parse(ROBOTS.as_bytes());
        let robots = match robots {
            0 => RobotsFile::Read(&file),
            1 => RobotsFile::Absent,
            2 => RobotsFile::NotStored,
            _ => RobotsFile::NotRead,
        };
        let actions = decide_actions(&decision_inputs(&sections));
        let action = Action::from_word(action).unwrap();
        let bare = PreflightCheck {
            domain: url.is_none().then(|| "shop.lab".to_owned()),
            url: url.map(str::to_owned),
            action: Some(action.clone()),
            agent: agent.map(|name| PreflightAgent::Name(name.to_owned())),
            template: template.and_then(PreflightTemplate::from_word),
            mcp: mcp.map(|_| McpApproval {
                url: "https://shop.lab/mcp".to_owned(),
                tools_sha256: None,
                lock_sha256: None,
                surface_sha256: None,
            }),
            ..PreflightCheck::default()
        };
        let with_policy = PreflightCheck { policy: Some(policy), ..bare.clone() };
        let known = || PreflightFacts {
            mcp: mcp.map(|word| ReceiptMcp {
                url: "https://shop.lab/mcp".to_owned(),
                state: McpState::from_word(word).unwrap(),
                surface_sha256: None,
                tools_sha256: None,
            }),
            ..known(&sections, &actions, robots)
        };
        let without = decide_with(&bare, now(), known()).unwrap();
        let own = Effect::from_decision(&decision_for(&actions, &action).decision);
        prop_assert!(Effect::from_decision(&without.decision) >= own);
        let Ok(with) = decide_with(&with_policy, now(), known()) else { return Ok(()) };
        prop_assert!(Effect::from_decision(&with.decision) >= Effect::from_decision(&without.decision));
        for receipt in [&without, &with] {
            prop_assert_eq!(Effect::from_decision(&receipt.base_decision), own);
            // Every decision other than allow has a reason that is as strict.
            if receipt.decision != Decision::Allow {
                prop_assert_eq!(receipt.reasons[0].effect.as_str(), receipt.decision.as_str());
                prop_assert!(!receipt.why.is_empty());
            }
            prop_assert_eq!(receipt.tightened_by.is_empty(), receipt.decision == receipt.base_decision);
            prop_assert!(receipt.expires_at >= receipt.decided_at);
            let life = receipt.expires_at.millis_since(receipt.decided_at) / 1000;
            prop_assert!(life <= i64::from(receipt_parts::max_validity_seconds(&action)));
            let strictest = receipt.steps.iter().filter_map(|step| Decision::from_word(&step.effect));
            let strictest: Vec<Decision> = strictest.collect();
            let worst = super::strictest(&strictest);
            prop_assert_eq!(worst.as_ref(), Some(&receipt.decision));
            // It can be signed.
            prop_assert!(proof::canonical::to_vec(receipt).is_ok());
        }
    }
}
