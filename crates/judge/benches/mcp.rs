//! The time of the MCP rules and of a lock check. `cargo bench -p judge --bench mcp`.

#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a bench prints, measures time, and may panic"
)]

use std::time::{Duration, Instant};

use bench_table::{Goal, report_bare, report_ratio};
use contract::records::{McpBasisKind, McpConditions, McpKnown, McpLockOrigin};
use judge::mcp::{
    CheckInputs, DriftPolicy, LockInputs, Reading, RuleContext, Surface, SurfaceBuilder,
    apply_rules, check_lock, make_lock, parse_lock,
};
use serde_json::json;

const RULES_LIMIT: Duration = Duration::from_millis(100);
const CHECK_LIMIT: Duration = Duration::from_millis(50);
const SENTENCE: &str =
    "Returns the orders of a customer, newest first. Ask the user before you cancel one. ";

fn tools(count: usize, text: &str) -> Surface {
    let list: Vec<_> = (0..count)
        .map(|n| {
            json!({"name": format!("tool_{n}"), "description": text,
            "inputSchema": {"type": "object", "properties": {"id": {"type": "string", "description": "Id of the order."}}}})
        })
        .collect();
    let mut builder = SurfaceBuilder::new();
    builder.add_observed(json!({ "tools": list }).to_string().as_bytes()).expect("a list");
    builder.finish()
}

fn fastest(mut work: impl FnMut()) -> Duration {
    (0..7)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed()
        })
        .min()
        .unwrap_or_default()
}

fn main() {
    let context = RuleContext::default();
    let thousand = tools(1_000, &SENTENCE.repeat(2));
    let rules = fastest(|| drop(apply_rules(&thousand, &context)));
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let goal = Goal::AtMost(ms(RULES_LIMIT));
    let rules_met = report_bare("MCP rules on 1,000 tools", ms(rules), "ms", goal);

    let mut before: Option<f64> = None;
    let mut steepest = 0.0_f64;
    for kilobytes in [64, 128, 256, 512, 1_024] {
        let text = SENTENCE.repeat(kilobytes * 1_024 / SENTENCE.len());
        let surface = tools(1, &text);
        let each = fastest(|| drop(apply_rules(&surface, &context))).as_secs_f64();
        if let Some(before) = before {
            steepest = steepest.max((each / before).log2());
        }
        println!("{kilobytes} KiB of text in one tool: {:.1} ms", each * 1e3);
        before = Some(each);
    }
    let path = "MCP rules on longer texts, steepest slope";
    let slope_met = report_ratio(path, "linear", steepest, Goal::AtMost(1.4));

    let report = apply_rules(&thousand, &context);
    let conditions = McpConditions {
        client_capabilities: Default::default(),
        client_name: None,
        auth_context: "anonymous".to_owned(),
        protocol_version: None,
    };
    let inputs = LockInputs {
        kind: "svc-mcp-lock".to_owned(),
        schema: String::new(),
        url: None,
        locked_at: "2026-11-15T00:00:00Z".parse().expect("a time"),
        conditions: conditions.clone(),
        server_name: None,
        server_version: None,
        scan: None,
    };
    let lock = make_lock(&thousand, inputs.clone()).expect("a complete list");
    let text = serde_json::to_vec(&lock).expect("a lock");
    let check = fastest(|| {
        let lock = parse_lock(&text).expect("a lock");
        drop(check_lock(
            &lock,
            CheckInputs {
                kind: String::new(),
                schema: String::new(),
                url: None,
                checked_at: inputs.locked_at,
                basis: McpBasisKind::Live,
                observed_at: None,
                conditions: conditions.clone(),
                reading: Reading::Observed { surface: &thousand, report: &report },
                origin: McpLockOrigin::Unsigned,
                signature_valid: McpKnown::NOT_MEASURED,
                scan: None,
                policy: DriftPolicy::default(),
                verified: false,
                first_seen: None,
                next_lock: None,
            },
        ));
    });
    let goal = Goal::AtMost(ms(CHECK_LIMIT));
    let check_met = report_bare("MCP lock check of 1,000 tools", ms(check), "ms", goal);
    std::process::exit(i32::from(!(rules_met && slope_met && check_met)));
}
