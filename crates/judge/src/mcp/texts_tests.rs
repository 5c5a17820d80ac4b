//! Texts of a server in scans and lock checks: bounded, and nothing hidden.

use contract::mcp_evidence::McpEvidence;
use contract::records::{McpCardComparison, McpHistory, McpKnown, McpScan};
use contract::text::is_hidden;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn evidence(lists: &Value, instructions: &str) -> McpEvidence {
    let list = |name: &str, member: &str| {
        let items = lists.get(name).cloned().unwrap_or(json!([]));
        json!({
            "list": name, "declared": true, "complete": true, "why": null, "items": 1,
            "pages": [{ "result": json!({ member: items }).to_string(), "items": 1 }],
        })
    };
    serde_json::from_value(json!({
        "v": 1, "url": "https://a.example/mcp",
        "observer": { "name": "svc", "version": "1.0", "vantage": "v" },
        "started_at": "2026-11-15T00:00:00Z", "finished_at": "2026-11-15T00:00:01Z",
        "budget_ms": 10_000, "took_ms": 5, "state": "observed", "why": null,
        "transport": {
            "form": "streamable_http", "era": "modern", "protocol_version": "2026-07-28",
            "supported_versions": [], "response_form": "json", "session_issued": false,
            "session_ended": null, "https": true, "tls": null, "redirect_location": null,
        },
        "server": {
            "name": instructions, "version": "1", "title": null, "instructions": instructions,
            "capabilities": "{}", "result": "{}",
        },
        "auth": {
            "state": "none", "http_status": 200, "scheme": null, "scopes": [],
            "resource_metadata": null,
        },
        "lists": [
            list("tools", "tools"), list("prompts", "prompts"), list("resources", "resources"),
            list("resource_templates", "resourceTemplates"),
        ],
        "stability": { "stable_content": true, "stable_order": true, "why": null },
        "requests": [],
    }))
    .unwrap()
}

fn scan(lists: &Value, instructions: &str, wanted: TextParts) -> McpScan {
    let evidence = evidence(lists, instructions);
    let judged = judge_evidence(&evidence, &[]);
    let inputs = ScanInputs {
        kind: "svc-mcp-scan".to_owned(),
        schema: "https://svc.example/s".to_owned(),
        domain: None,
        client_name: "svc".to_owned(),
        history: McpHistory {
            first_observed: None,
            last_changed_at: None,
            changes: 0,
            address: None,
        },
        card: McpCardComparison {
            state: "not_measured".to_owned(),
            why: None,
            source: None,
            matches_live: McpKnown::NOT_MEASURED,
            differences: vec![],
        },
        verified: false,
        code: None,
    };
    let mut scan = build_scan(inputs, &evidence, &judged);
    add_texts(&mut scan, &judged.surface, wanted);
    scan
}

const BOTH: TextParts = TextParts { text: true, schemas: true };

#[test]
fn texts_are_spelled_out_where_they_were_asked_for() {
    let lists = json!({
        "tools": [{ "name": "add", "description": "Adds\u{200b}.", "inputSchema": { "type": "object", "title": "\u{e0041}" } }],
        "prompts": [{ "name": "greet", "description": "Greets.\n" }],
    });
    let both = scan(&lists, "Numbers.", BOTH);
    let tool = &both.tools[0];
    assert_eq!(tool.untrusted_description.as_deref(), Some("Adds\\u{200B}."));
    let schema = tool.untrusted_input_schema.as_deref().unwrap();
    assert!(schema.contains(r#""type":"object""#) && schema.contains("\\u{E0041}"), "{schema}");
    assert_eq!((&tool.untrusted_output_schema, &tool.cut), (&None, &None));
    assert_eq!(both.prompts[0].untrusted_description.as_deref(), Some("Greets.\\u{000A}"));
    assert_eq!(both.server.instructions.untrusted_text.as_deref(), Some("Numbers."));
    let texts = both.texts.unwrap();
    assert_eq!((texts.shortened, texts.left_out), (0, 0));
    assert_eq!(texts.included, ["text", "schemas"]);

    let schemas = scan(&lists, "Numbers.", TextParts { text: false, schemas: true });
    assert!(schemas.tools[0].untrusted_input_schema.is_some());
    assert_eq!(schemas.tools[0].untrusted_description, None);
    assert_eq!(schemas.server.instructions.untrusted_text, None);
}

#[test]
fn a_record_does_not_grow_beyond_its_bound_and_says_what_is_missing() {
    let tool =
        |n: usize| json!({ "name": format!("t{n}"), "description": "\u{e0041}".repeat(1_000) });
    let lists = json!({ "tools": (0..100).map(tool).collect::<Vec<_>>() });
    let scan = scan(&lists, "", BOTH);
    let texts = scan.texts.as_ref().unwrap();
    assert!(texts.bytes <= texts.limit_bytes);
    assert!(texts.shortened > 10 && texts.left_out > 10, "{texts:?}");
    let shown: usize =
        scan.tools.iter().filter_map(|tool| Some(tool.untrusted_description.as_ref()?.len())).sum();
    assert_eq!(u64::try_from(shown).unwrap(), texts.bytes);
    // Every tool says that its text is not whole, whether shortened or left out.
    let cut = Some(vec!["untrusted_description".to_owned()]);
    assert!(scan.tools.iter().all(|tool| tool.cut == cut));
    assert!(scan.tools[0].untrusted_description.as_ref().unwrap().ends_with('…'));
    assert_eq!(scan.tools[99].untrusted_description, None);
}

fn hostile_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        prop::sample::select(vec![
            "\u{200b}",
            "\u{202e}",
            "\u{2066}",
            "\u{e0041}",
            "\u{1b}[8m",
            "\u{fe0f}",
            "\u{feff}",
            "\n",
            "\r",
            "\t",
            "\u{85}",
            "\u{2028}",
            "word ",
            "\\u{200B}",
            "\"",
        ])
        .prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

/// No text or name anywhere in a value has a hidden character.
fn check_value(value: &Value) -> Result<(), TestCaseError> {
    match value {
        Value::String(text) => prop_assert!(!text.chars().any(is_hidden), "{text:?}"),
        Value::Array(items) => items.iter().try_for_each(check_value)?,
        Value::Object(members) => members.iter().try_for_each(|(name, value)| {
            prop_assert!(!name.chars().any(is_hidden), "{name:?}");
            check_value(value)
        })?,
        _ => {}
    }
    Ok(())
}

fn surface_of(lists: &Value, instructions: &str) -> Surface {
    let mut builder = SurfaceBuilder::new();
    builder.set_instructions(instructions);
    for (list, member) in [
        (ListKind::Tools, "tools"),
        (ListKind::Prompts, "prompts"),
        (ListKind::Resources, "resources"),
        (ListKind::ResourceTemplates, "resource_templates"),
    ] {
        builder
            .add_page(list, json!({ list.member(): lists[member] }).to_string().as_bytes())
            .unwrap();
    }
    builder.finish()
}

fn lists(name: &str, text: &str, key: &str) -> Value {
    let schema = json!({
        "type": "object", "properties": { key: { "description": text, "const": text } }, "required": [key],
    });
    json!({
        "tools": [{ "name": name, "title": text, "description": text, "inputSchema": schema, "outputSchema": schema }],
        "prompts": [{ "name": name, "title": text, "description": text }],
        "resources": [{ "uri": name, "description": text }],
        "resource_templates": [{ "uriTemplate": name, "description": text }],
    })
}

proptest! {
    /// Nothing hidden of the server is in a scan with all texts.
    #[test]
    fn nothing_raw_is_in_a_scan_with_texts(name in hostile_text(), text in hostile_text(), key in hostile_text()) {
        let scan = scan(&lists(&name, &text, &key), &text, BOTH);
        check_value(&serde_json::to_value(&scan).unwrap())?;
    }

    /// The same for a lock check that shows how texts differ.
    #[test]
    fn nothing_raw_is_in_a_text_comparison(
        name in hostile_text(), key in hostile_text(), old in hostile_text(), new in hostile_text()
    ) {
        let before = surface_of(&lists(&name, &old, &key), &old);
        let surface = surface_of(&lists(&name, &new, &key), &new);
        let now = JudgedServer { surface, ..JudgedServer::default() };
        if let Some(mut check) = lock_tests_support::checked(&before, &now) {
            add_text_diffs(&mut check, &before, &now.surface);
            let texts = check.drift.iter().filter(|drift| drift.untrusted_diff.is_some()).count();
            prop_assert!(old == new || texts > 0);
            check_value(&serde_json::to_value(&check).unwrap())?;
        }
    }
}

mod lock_tests_support {
    use contract::records::{McpBasisKind, McpConditions, McpKnown, McpLockCheck, McpLockOrigin};

    use super::*;

    /// The check of a lock of one surface with another; `None` if the first has no lock.
    pub(super) fn checked(before: &Surface, now: &JudgedServer) -> Option<McpLockCheck> {
        let at = "2026-11-15T00:00:00Z".parse().unwrap();
        let conditions = McpConditions {
            client_capabilities: Default::default(),
            client_name: None,
            auth_context: "anonymous".to_owned(),
            protocol_version: None,
        };
        let inputs = LockInputs {
            kind: "svc-mcp-lock".to_owned(),
            schema: "https://svc.example/s".to_owned(),
            url: None,
            locked_at: at,
            conditions: conditions.clone(),
            server_name: None,
            server_version: None,
            scan: None,
        };
        let lock = make_lock(before, inputs).ok()?;
        let lock = parse_lock(&serde_json::to_vec(&lock).unwrap()).unwrap();
        Some(check_lock(
            &lock,
            CheckInputs {
                kind: "svc-mcp-lock-check".to_owned(),
                schema: "https://svc.example/s".to_owned(),
                url: None,
                checked_at: at,
                basis: McpBasisKind::Live,
                observed_at: None,
                conditions,
                reading: Reading::Observed { surface: &now.surface, report: &now.report },
                origin: McpLockOrigin::Unsigned,
                signature_valid: McpKnown::NOT_MEASURED,
                scan: None,
                policy: DriftPolicy::default(),
                verified: false,
                first_seen: None,
                next_lock: None,
            },
        ))
    }
}
