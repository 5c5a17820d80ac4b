//! What each parameter may contain, by its name: length, pattern, format, range or words. The handlers
//! enforce it; the document states it.

use contract::{
    limits::{
        ACCURACY_DAYS_MAX, CENSUS_PAGE_MAX, CHANGES_MAX, CLOCK_VERSIONS_MAX, FIELD_VALUE_MAX,
        IDEMPOTENCY_KEY_MAX, LOG_HEADS_MAX, LOG_LIST_MAX, MAX_AGE_HOURS_MAX, MAX_SAFE_INTEGER,
        OUTCOME_DAYS_MAX, READINGS_KEPT_PER_DOMAIN, REVOCATIONS_PAGE_MAX, TIMELINE_MAX,
    },
    records::{
        Action, ChangeDirection, CheckedField, Decision, LiveReadMode, MachineRecordFormat,
        RevocationTargetKind, RevocationType, VisitorVerdict,
    },
    schema_bounds::DIGEST_PATTERN,
};
use serde_json::{Value, json};
use service::access::account::MAX_USAGE_DAYS;

use crate::request::MAX_PARAMETER_CHARS;

/// Not only white space, and no control characters but line breaks and tabs.
const VALUE_PATTERN: &str = "^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*\
    [^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$";

/// Writes the bounds of every parameter of an operation. Unknown ones stay as they are, and a test
/// fails.
pub(super) fn fill_parameter_bounds(operation: &mut Value) {
    let id = operation["operationId"].as_str().unwrap_or_default().to_owned();
    for parameter in
        operation.get_mut("parameters").and_then(Value::as_array_mut).into_iter().flatten()
    {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        if let Some(bounds) = parameter_schema(&id, &name) {
            parameter["schema"] = bounds;
        }
    }
}

fn parameter_schema(operation: &str, name: &str) -> Option<Value> {
    Some(match name {
        "domain" => text(1, MAX_PARAMETER_CHARS, "domain-or-url"),
        "url" => text(1, MAX_PARAMETER_CHARS, "uri"),
        "id" => pattern(64, "^[A-Za-z0-9]{1,64}$"),
        "sha256" | "leaf" | "version_id" => pattern(64, DIGEST_PATTERN),
        "day" | "before" => text(10, 10, "date"),
        "as_of" | "valid_at" | "at" | "since" => text(20, 24, "date-time"),
        "cursor" => text(1, MAX_PARAMETER_CHARS, "cursor"),
        "limit" => range(1, list_limit(operation)?),
        "n" => range(1, LOG_HEADS_MAX as u64),
        "versions" => range(1, CLOCK_VERSIONS_MAX as u64),
        "days" if operation == "getUsage" => range(1, MAX_USAGE_DAYS.unsigned_abs()),
        "days" if operation == "getAccuracy" => range(1, u64::from(ACCURACY_DAYS_MAX)),
        "days" => range(1, u64::from(OUTCOME_DAYS_MAX)),
        "rank_max" | "to" | "from" | "tree_size" => range(0, MAX_SAFE_INTEGER),
        "batch" if operation == "getLogHead" => pattern(15, "^(latest|0|[1-9][0-9]{0,14})$"),
        "batch" => range(0, MAX_SAFE_INTEGER),
        "run" => pattern(15, "^(latest|0|[1-9][0-9]{0,14})$"),
        "live" if operation == "resolveDomainV1" => words(LiveReadMode::WORDS),
        "start" | "live" => range(0, 1),
        "max_age_hours" => range(0, u64::from(MAX_AGE_HOURS_MAX)),
        "direction" => words(ChangeDirection::WORDS),
        "action" => words(Action::WORDS),
        "type" => words(RevocationType::WORDS),
        "target_kind" => words(RevocationTargetKind::WORDS),
        "format" if operation == "mcpScanUrl" => words(&["json", "sarif"]),
        "format" if operation == "getCensusExport" => words(&["ndjson", "csv"]),
        "format" if operation == "getMachineRecord" => {
            words(&[&["json"][..], MachineRecordFormat::WORDS].concat())
        }
        "format" => words(&["json", "ndjson"]),
        // Every order of every choice: none of the words may be given twice.
        "include" => words(&[
            "lock",
            "text",
            "schemas",
            "lock,text",
            "text,lock",
            "lock,schemas",
            "schemas,lock",
            "text,schemas",
            "schemas,text",
            "lock,text,schemas",
            "lock,schemas,text",
            "text,lock,schemas",
            "text,schemas,lock",
            "schemas,lock,text",
            "schemas,text,lock",
        ]),
        "list" => words(&["1"]),
        "decision" => {
            let decisions = Decision::WORDS.join("|");
            pattern(64, &format!("^(read|cite|connect):({decisions})$"))
        }
        "section" => pattern(64, "^[a-z_]{1,64}$"),
        "section_state" => pattern(40, "^[a-z_]{1,40}$"),
        "property" => text(1, 100, ""),
        "field" if operation == "checkField" => words(CheckedField::WORDS),
        "field" => text(0, 200, ""),
        "value" => pattern(FIELD_VALUE_MAX, VALUE_PATTERN),
        "engine" => pattern(40, "^[a-z0-9][a-z0-9._-]{0,39}$"),
        "host" => text(0, MAX_PARAMETER_CHARS, "hostname"),
        "path" if operation == "getLogTile" => {
            pattern(64, "^([0-9]|[1-5][0-9]|6[0-3])(/x[0-9]{3}){0,5}/[0-9]{3}(\\.p/[0-9]{1,3})?$")
        }
        "path" => pattern(MAX_PARAMETER_CHARS, "^/[!\"$->@-~]*$"),
        "ua" => text(0, MAX_PARAMETER_CHARS, ""),
        "ip" => text(0, 64, "ip-address"),
        "refuse" => {
            let verdicts = VisitorVerdict::WORDS.join("|");
            pattern(64, &format!("^(none|({verdicts})(,({verdicts})){{0,3}})$"))
        }
        "agent" => pattern(64, "^[A-Za-z0-9._-]{1,64}$"),
        "kind" => pattern(64, "^[a-z0-9-]{1,64}$"),
        "hex" => pattern(8, "^[0-9a-f]{2,8}$"),
        "file" => pattern(15, "^[0-9]{9}\\.jsonl$"),
        "Idempotency-Key" => pattern(IDEMPOTENCY_KEY_MAX, "^[!#-~][!-~]{0,254}$"),
        _ => return None,
    })
}

/// The maximum of `limit`, which differs from list to list.
fn list_limit(operation: &str) -> Option<u64> {
    let most = match operation {
        "getCensusRecords" => CENSUS_PAGE_MAX,
        "getChanges" => CHANGES_MAX,
        "getCorroboration" => READINGS_KEPT_PER_DOMAIN,
        "getDomain" => TIMELINE_MAX,
        "getLog" => LOG_LIST_MAX,
        "revocations" => REVOCATIONS_PAGE_MAX,
        "proof" | "proofIndex" => crate::handlers::seal::MAX_PAGE_SIZE,
        _ => return None,
    };
    Some(most as u64)
}

fn text(min: usize, max: usize, format: &str) -> Value {
    match format {
        "" => json!({ "type": "string", "minLength": min, "maxLength": max }),
        _ => json!({ "type": "string", "minLength": min, "maxLength": max, "format": format }),
    }
}

fn pattern(max: usize, pattern: &str) -> Value {
    json!({ "type": "string", "maxLength": max, "pattern": pattern })
}

fn range(min: u64, max: u64) -> Value {
    json!({ "type": "integer", "minimum": min, "maximum": max })
}

fn words(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}
