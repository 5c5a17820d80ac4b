//! Requests are strict: misspelt, duplicate and wrongly typed members are refused.

use contract::Brand;
use contract::records::{
    Action, OutcomeAction, OutcomeReport, PreflightChecks, PreflightRequest, ReportedChallenge,
    ResolveSaid, ScanRequest, ScanRequestV1, Visibility, VisitorBatch,
};
use contract::schema::schema_for;
use serde::de::DeserializeOwned;

use crate::examples::BASE;

fn refusal<T: DeserializeOwned>(body: &str) -> String {
    match serde_json::from_str::<T>(body) {
        Ok(_) => panic!("taken: {body}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_scan_request_is_a_domain_and_perhaps_a_visibility() {
    let plain: ScanRequest = serde_json::from_str(r#"{"domain":"shop.example"}"#).unwrap();
    assert_eq!(plain.visibility, None);
    let null: ScanRequest =
        serde_json::from_str(r#"{"domain":"shop.example","visibility":null}"#).unwrap();
    assert_eq!(null, plain);
    for (word, visibility) in [
        ("public", Visibility::Public),
        ("unlisted", Visibility::Unlisted),
        ("private", Visibility::Private),
    ] {
        let body = format!(r#"{{"domain":"shop.example","visibility":"{word}"}}"#);
        let read: ScanRequest = serde_json::from_str(&body).unwrap();
        assert_eq!(read.visibility, Some(visibility));
    }
}

#[test]
fn a_scan_request_with_anything_else_is_refused() {
    for (body, because) in [
        ("{}", "missing field `domain`"),
        (r#"{"domain":1}"#, "invalid type"),
        (r#"{"domain":null}"#, "invalid type"),
        (r#"{"domain":"a.example","domain":"b.example"}"#, "duplicate field `domain`"),
        (r#"{"domain":"a.example","visibilty":"private"}"#, "unknown field `visibilty`"),
        (r#"{"domain":"a.example","visibility":"Private"}"#, "expected one of: public"),
        (r#"{"domain":"a.example","visibility":"secret"}"#, "expected one of: public"),
        (r#"{"domain":"a.example","visibility":true}"#, "invalid type"),
        (r#"["a.example"]"#, "invalid type: sequence"),
        (r#"["a.example","private"]"#, "invalid type: sequence"),
        (r#""a.example""#, "invalid type"),
        ("null", "invalid type"),
        ("", "EOF"),
    ] {
        let message = refusal::<ScanRequest>(body);
        assert!(message.contains(because), "{body}: {message}");
    }
    let message = refusal::<ScanRequestV1>(r#"{"domain":"a.example","visibility":"public"}"#);
    assert!(message.contains("unknown field `visibility`"), "{message}");
}

#[test]
fn an_error_about_a_word_does_not_repeat_it() {
    let message = refusal::<ScanRequest>(r#"{"domain":"a.example","visibility":"<script>"}"#);
    assert!(!message.contains("script"), "{message}");
}

#[test]
fn both_shapes_of_an_outcome_report_give_the_same_result() {
    let nested: OutcomeReport = serde_json::from_str(
        r#"{"domain":"shop.example","action":"tool_call","agent":{"name":"ExampleBot"},
            "result":{"status":403,"blocked":true,"challenge":false},
            "resolve_said":"open","resolve_sha256":"abababababababababababababababababababababababababababababababab"}"#,
    )
    .unwrap();
    let flat: OutcomeReport = serde_json::from_str(
        r#"{"domain":"shop.example","action":"tool_call","agent":"ExampleBot","status":403,
            "blocked":true,"challenged":false,"resolve_said":"open","resolve_sha256":"abababababababababababababababababababababababababababababababab"}"#,
    )
    .unwrap();
    assert_eq!(nested, flat);
    assert_eq!(flat.action, OutcomeAction::ToolCall);
    assert_eq!(flat.resolve_said, Some(ResolveSaid::Open));
    assert_eq!(flat.result.status, Some(403));
    assert!(flat.result.challenge.is_some_and(|challenge| !challenge.is_challenged()));

    let named: OutcomeReport = serde_json::from_str(
        r#"{"domain":"a.example","action":"read","result":{"challenge":"turnstile"}}"#,
    )
    .unwrap();
    assert_eq!(named.result.challenge, Some(ReportedChallenge::Named("turnstile".to_owned())));

    let nulls: OutcomeReport = serde_json::from_str(
        r#"{"domain":"a.example","action":"read","agent":null,"status":200,"blocked":null,
            "challenged":null,"resolve_said":null,"resolve_sha256":null}"#,
    )
    .unwrap();
    assert_eq!((nulls.agent, nulls.result.status), (None, Some(200)));
}

#[test]
fn an_outcome_report_of_neither_shape_is_refused() {
    for (body, because) in [
        (r#"{"action":"read"}"#, "missing field `domain`"),
        (r#"{"domain":"a.example"}"#, "missing field `action`"),
        (r#"{"domain":"a.example","action":"steal"}"#, "expected one of: fetch"),
        (
            r#"{"domain":"a.example","action":"read","result":{"status":200},"status":200}"#,
            "either",
        ),
        (r#"{"domain":"a.example","action":"read","agent":{"name":"x","key":1}}"#, "agent"),
        (r#"{"domain":"a.example","action":"read","agent":7}"#, "agent"),
        (r#"{"domain":"a.example","action":"read","result":{"statsu":200}}"#, "unknown field"),
        (r#"{"domain":"a.example","action":"read","result":{"status":70000}}"#, "invalid value"),
        (r#"{"domain":"a.example","action":"read","status":1000}"#, "from 0 to 999"),
        (r#"{"domain":"a.example","action":"read","status":"200"}"#, "invalid type"),
        (r#"{"domain":"a.example","action":"read","agent":["x"]}"#, "`agent` must be a name"),
        (r#"{"domain":"a.example","action":"read","result":[403]}"#, "sequence"),
        (
            r#"{"domain":"a.example","action":"read","result":{"challenge":7}}"#,
            "`challenge` must be",
        ),
        (r#"["a.example","read"]"#, "sequence"),
        (
            r#"{"domain":"a.example","action":"read","resolve_said":"maybe"}"#,
            "expected one of: open",
        ),
        (r#"{"domain":"a.example","action":"read","extra":1}"#, "unknown field `extra`"),
        (r#"{"domain":"a.example","action":"read","action":"read"}"#, "duplicate field"),
    ] {
        let message = refusal::<OutcomeReport>(body);
        assert!(message.contains(because), "{body}: {message}");
    }
}

/// The schema and the deserialiser accept the same requests.
#[test]
fn schema_and_reader_agree_on_requests() {
    for body in [
        r#"{"domain":"a.example","action":"read"}"#,
        r#"{"domain":"a.example","action":"steal"}"#,
        r#"{"domain":"a.example","action":"read","status":1000}"#,
        r#"{"domain":"a.example","action":"read","result":{"status":1000}}"#,
        r#"{"domain":"a.example","action":"read","result":{},"status":200}"#,
        r#"{"domain":"a.example","action":"read","resolve_said":null}"#,
        r#"{"domain":"a.example","action":"read","resolve_said":"maybe"}"#,
        r#"{"domain":"a.example","action":"read","agent":"x","status":0}"#,
        r#"["a.example","read"]"#,
    ] {
        agree::<OutcomeReport>("outcome-report", body);
    }
    for body in [
        r#"{"domain":"a.example"}"#,
        r#"{"domain":"a.example","visibility":null}"#,
        r#"{"domain":"a.example","visibility":"public"}"#,
        r#"{"domain":"a.example","visibility":"secret"}"#,
        r#"{"domain":"a.example","more":1}"#,
        r#"["a.example"]"#,
    ] {
        agree::<ScanRequest>("scan-request", body);
    }
    for body in [
        r#"{"visitors":[{"ua":"A"}]}"#,
        r#"{"visitors":[{"ip":null,"ua":"A"}]}"#,
        r#"{"visitors":[{"ip":"192.0.2.1"}]}"#,
        r#"{"visitors":[["192.0.2.1","A"]]}"#,
    ] {
        agree::<VisitorBatch>("visitor-request", body);
    }
}

fn agree<T: DeserializeOwned>(word: &str, body: &str) {
    let schema = schema_for(word, &Brand::default(), BASE).unwrap();
    let value = serde_json::from_str(body).unwrap();
    let by_schema = jsonschema::draft202012::is_valid(&schema, &value);
    assert_eq!(serde_json::from_str::<T>(body).is_ok(), by_schema, "{body}");
}

#[test]
fn a_visitor_batch_names_user_agents_and_perhaps_addresses() {
    let batch: VisitorBatch =
        serde_json::from_str(r#"{"visitors":[{"ip":"192.0.2.1","ua":"A"},{"ua":"B"}]}"#).unwrap();
    assert_eq!(batch.visitors.len(), 2);
    assert_eq!(batch.visitors[1].ip, None);
    for (body, because) in [
        ("{}", "missing field `visitors`"),
        (r#"{"visitors":{}}"#, "invalid type"),
        (r#"{"visitors":[{"ip":"192.0.2.1"}]}"#, "missing field `ua`"),
        (r#"{"visitors":[{"ua":"A","host":"x"}]}"#, "unknown field `host`"),
        (r#"{"visitors":[{"ua":"A"}],"strict":true}"#, "unknown field `strict`"),
        (r#"{"visitors":["A"]}"#, "invalid type"),
        (r#"{"visitors":[["192.0.2.1","A"]]}"#, "invalid type: sequence"),
        (r#"[[{"ua":"A"}]]"#, "invalid type: sequence"),
    ] {
        let message = refusal::<VisitorBatch>(body);
        assert!(message.contains(because), "{body}: {message}");
    }
}

fn preflight(body: &str) -> Result<PreflightChecks, String> {
    let request: PreflightRequest =
        serde_json::from_str(body).map_err(|error| error.to_string())?;
    request.into_checks().map_err(|refusal| format!("{}: {}", refusal.param, refusal.error))
}

#[test]
fn a_preflight_is_one_check_or_several_with_defaults() {
    let PreflightChecks::Single(one) =
        preflight(r#"{"domain":"shop.example","action":"read","agent":"A"}"#).unwrap()
    else {
        panic!("one check")
    };
    assert_eq!((one.action, one.domain.as_deref()), (Some(Action::Read), Some("shop.example")));
    let PreflightChecks::Batch(several) = preflight(
        r#"{"domain":"shop.example","action":"read","nonce":"n","checks":[
            {},{"url":"https://other.example/x","action":"cite"},{"action":"connect","mcp":{"url":"u","tools_sha256":"abababababababababababababababababababababababababababababababab","lock_sha256":"abababababababababababababababababababababababababababababababab"}}]}"#,
    )
    .unwrap() else {
        panic!("several checks")
    };
    let first = several[0].as_ref().unwrap();
    assert_eq!(
        (first.domain.as_deref(), first.nonce.as_deref()),
        (Some("shop.example"), Some("n"))
    );
    let second = several[1].as_ref().unwrap();
    assert_eq!((second.domain.as_ref(), &second.action), (None, &Some(Action::Cite)));
    assert_eq!(several[2].as_ref().unwrap_err().param, "mcp");
}

#[test]
fn a_preflight_beyond_its_limits_is_refused_with_the_wrong_member() {
    let long = "n".repeat(257);
    let big = "x".repeat(8192);
    let deep = format!("{}1{}", "[".repeat(17), "]".repeat(17));
    let hex = "ab".repeat(32);
    let many: Vec<String> = (0..51).map(|n| format!(r#"{{"nonce":"{n}"}}"#)).collect();
    let many = many.join(",");
    for (body, because) in [
        (r#"{"action":"read"}"#.to_owned(), "domain"),
        (r#"{"domain":"a.example","url":"https://a.example","action":"read"}"#.to_owned(), "url"),
        (r#"{"domain":"a.example"}"#.to_owned(), "action"),
        (
            format!(r#"{{"domain":"a.example","action":"read","nonce":"{long}"}}"#),
            "0 to 256 characters",
        ),
        (
            format!(r#"{{"domain":"a.example","action":"read","operation":{{"a":"{big}"}}}}"#),
            "operation",
        ),
        (
            format!(r#"{{"domain":"a.example","action":"read","operation":{{"a":{deep}}}}}"#),
            "operation",
        ),
        (
            r#"{"domain":"a.example","action":"read","operation":{"a":9007199254740992}}"#
                .to_owned(),
            "operation",
        ),
        (r#"{"domain":"a.example","action":"read","agent":{}}"#.to_owned(), "agent"),
        (r#"{"domain":"a.example","action":"read","agent":""}"#.to_owned(), "1 to 512 characters"),
        (
            r#"{"domain":"a.example","action":"read","include":["all"]}"#.to_owned(),
            "expected `evidence`",
        ),
        (
            r#"{"domain":"a.example","action":"read","mcp":{"url":"https://a.example"}}"#
                .to_owned(),
            "mcp",
        ),
        (
            r#"{"domain":"a.example","action":"connect","mcp":{"url":"u","tools_sha256":"AB"}}"#
                .to_owned(),
            "64 lower-case hex digits",
        ),
        (
            format!(
                r#"{{"domain":"a.example","action":"connect","mcp":{{"url":"u","tools_sha256":"{hex}","lock_sha256":"{hex}"}}}}"#
            ),
            "mcp",
        ),
        (
            r#"{"domain":"a.example","action":"read","held":{"decision_sha256":"x"}}"#.to_owned(),
            "64 lower-case hex digits",
        ),
        (
            r#"{"domain":"a.example","action":"read","policy":{"deny":[""]}}"#.to_owned(),
            "1 to 253 characters",
        ),
        (r#"{"checks":[]}"#.to_owned(), "1 to 50 items"),
        (format!(r#"{{"checks":[{many}]}}"#), "1 to 50 items"),
        (r#"{"checks":[{},{}]}"#.to_owned(), "item 1 is given twice"),
    ] {
        let message = preflight(&body).unwrap_err();
        assert!(message.contains(because), "{body}: {message}");
    }
}

#[test]
fn a_preflight_with_a_misspelt_member_is_refused() {
    for (body, because) in [
        (r#"{"domian":"a.example"}"#, "unknown field `domian`"),
        (r#"{"domain":"a.example","action":"steal"}"#, "expected one of: read"),
        (r#"{"domain":"a.example","policy":{"max_age":1}}"#, "unknown field `max_age`"),
        (r#"{"domain":"a.example","policy":{"on_warn":"ignore"}}"#, "expected one of: allow"),
        (r#"{"domain":"a.example","template":"safe"}"#, "expected one of: safe_citation"),
        (r#"{"domain":"a.example","operation":[1]}"#, "invalid type"),
        (r#"{"domain":"a.example","agent":{"nmae":"x"}}"#, "`agent` must be a name"),
        (r#"{"checks":[{"checks":[]}]}"#, "unknown field `checks`"),
        (r#"{"checks":[["a.example"]]}"#, "sequence"),
        (r#"["a.example"]"#, "sequence"),
        (r#"{"domain":"a.example","live_ms":-1}"#, "invalid value"),
    ] {
        let message = refusal::<PreflightRequest>(body);
        assert!(message.contains(because), "{body}: {message}");
    }
}
