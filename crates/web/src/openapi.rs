//! The OpenAPI document: made from the routes and the types they carry, then given its place.

use std::collections::BTreeSet;

use contract::{Brand, errors::ErrorV1, schema::CloseAllowlists};
use serde_json::{Value, json};
use utoipa::OpenApi;

use crate::{
    handlers::{log::files, report, seal},
    routes,
};

/// What the routes do not say themselves. The report's forms share one route (see
/// [`report::report_file`]), and so do the files of a sealed day; tiles have paths of any length. They
/// are named here.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Wayleave API",
        version = "1",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
        description = "What way an agent has at a domain, with the evidence.\n\n\
            Credentials: a licence key, in the header `x-svc-key` or as a bearer token. \
            `POST /api/v1/scan` needs one; a private scan and its report need one for the domain; \
            nothing else reads one. Every answer may be read by scripts of any site, without \
            credentials; the routes for operators may not.\n\n\
            Rates: an address may ask for 5 scans in 10 seconds and 6 in a minute, and has 20 free \
            scans a day (`rate_limited`); all free scans together have a daily total \
            (`daily_budget`), and an operator can pause them (`scans_paused`). A domain is scanned by one request at a time (`scan_in_progress`), and a \
            domain scanned within the last two minutes is answered with that report. A process \
            that is answering as many requests as it can says `overloaded`. The log below \
            `/api/v1` and other feeds may be read 30 times in a minute by one address (`feed`), its files \
            without a limit; kept records 120 times (`read`); 60 decisions may be had (`decide`; a \
            batch counts its items), and 10 reads of a site may be begun (`live`). Answers of \
            limited addresses say so in `RateLimit-Policy` (how many in how many seconds) and \
            `RateLimit` (how many remain, and in how many seconds there are more). Whenever \
            waiting helps, `Retry-After` says how long.\n\n\
            Idempotency: what creates something (a scan, a report) takes an `Idempotency-Key`. The \
            same request with the same key is done once; its reply is kept for 24 hours and given \
            again, byte for byte, with `Idempotency-Replayed: true`. A key belongs to the address \
            and the credentials that it came with. What failed is not kept.\n\n\
            Requests are read strictly: a member or parameter that is not known, or given twice, \
            is refused, and so is a body of more than 1048576 bytes. Answers may grow: readers \
            pass over what they do not know.\n\n\
            Every answer carries `X-Request-Id`: yours, if you sent one of at most 128 visible \
            ASCII characters. Documents carry an `ETag`; `If-None-Match` saves sending them \
            again.\n\n\
            Every answer with a body carries `Content-Digest` (RFC 9530, SHA-256). With \
            `Accept-Signature` (RFC 9421, 5.1) an answer is signed by the key whose purpose is \
            `requests`, over the components you name: `@status`, fields of the answer, and with \
            `req` the method, target, authority and fields of your request; at least `@status` or \
            one of `req`. It is made for the address in `servers`. What cannot be signed as you \
            ask is answered unsigned.",
    ),
    paths(
        report::get_report,
        report::get_report_record,
        report::get_report_evidence,
        report::get_report_manifest,
        seal::get_proof_day,
        seal::get_proof_timestamps,
        files::get_log_tile,
    ),
    components(schemas(ErrorV1, contract::records::LiveAsk)),
    tags(
        (name = "scans", description = "Scans and reports"),
        (name = "resolve", description = "Answers about domains"),
        (name = "decisions", description = "Before and after an action"),
        (name = "outcomes", description = "What agents report"),
        (name = "seals", description = "Daily seals"),
        (name = "contract", description = "The contract and its shapes"),
        (name = "keys", description = "Keys"),
        (name = "log", description = "The transparency log"),
        (name = "operators", description = "For operators"),
    ),
    modifiers(&CloseAllowlists),
)]
pub(crate) struct Base;

/// The whole document, as served.
pub(crate) fn document(brand: &Brand, base_url: &str) -> Value {
    // Built from our own types; there is nothing in it that JSON cannot hold.
    let mut document = serde_json::to_value(routes::router().into_openapi()).unwrap_or_default();
    if let Value::Object(members) = &mut document {
        members.insert("servers".to_owned(), json!([{ "url": base_url }]));
        // Nothing is needed where an operation does not say so.
        members.insert("security".to_owned(), json!([]));
    }
    if let Some(Value::Object(components)) = document.get_mut("components") {
        let schemes = json!({
            "licence_key": {
                "type": "apiKey", "in": "header", "name": brand.key_header(),
                "description": "A licence key.",
            },
            "bearer": { "type": "http", "scheme": "bearer", "description": "The same key." },
        });
        components.insert("securitySchemes".to_owned(), schemes);
    }
    for operation in operations_mut(&mut document) {
        give_errors_both_forms(operation);
        add_default_error(operation);
    }
    name_the_brand(&mut document, brand);
    document
}

/// The operationIds of a document.
pub(crate) fn operation_ids(document: &Value) -> BTreeSet<String> {
    let items = document
        .get("paths")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|paths| paths.values());
    items
        .filter_map(Value::as_object)
        .flat_map(|item| item.values())
        .filter_map(|operation| operation.get("operationId")?.as_str().map(str::to_owned))
        .collect()
}

fn operations_mut(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    paths
        .into_iter()
        .flat_map(|paths| paths.values_mut())
        .filter_map(Value::as_object_mut)
        .flat_map(|item| item.values_mut())
        .filter(|operation| operation.get("operationId").is_some())
}

const PROBLEM: &str = "application/problem+json";

/// Wherever the flat shape is sent, a problem document may be asked for instead.
fn give_errors_both_forms(operation: &mut Value) {
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    for response in responses.into_iter().flat_map(|responses| responses.values_mut()) {
        let Some(content) = response.get_mut("content").and_then(Value::as_object_mut) else {
            continue;
        };
        let is_error = content
            .values()
            .any(|form| form.pointer("/schema/$ref").and_then(Value::as_str) == Some(ERROR_SCHEMA));
        if is_error {
            content.insert(PROBLEM.to_owned(), json!({ "schema": { "type": "object" } }));
        }
    }
}

const ERROR_SCHEMA: &str = "#/components/schemas/ErrorV1";

fn add_default_error(operation: &mut Value) {
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    if let Some(responses) = responses {
        let form = json!({ "schema": { "$ref": ERROR_SCHEMA } });
        let answer = json!({
            "description": "Any other error, in the same shape.",
            "content": {
                "application/json": form,
                PROBLEM: { "schema": { "type": "object" } },
            },
        });
        responses.insert("default".to_owned(), answer);
    }
}

/// Examples are written with the default brand; an operator's own takes its place.
fn name_the_brand(value: &mut Value, brand: &Brand) {
    match value {
        Value::String(text) => {
            if let Some(word) = text.strip_prefix("svc-") {
                *text = brand.kind(word);
            } else {
                for (ours, theirs) in [
                    ("`svc-", format!("`{brand}-")),
                    ("`x-svc-key`", format!("`{}`", brand.key_header())),
                ] {
                    if text.contains(ours) {
                        *text = text.replace(ours, &theirs);
                    }
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| name_the_brand(item, brand)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| name_the_brand(member, brand));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here(name: &str) -> std::path::PathBuf {
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("contract").join(name)
    }

    /// Compares with a checked-in file; `UPDATE_CONTRACT=1` writes it anew.
    fn check_file<T: PartialEq>(name: &str, now: &str, read: fn(&str) -> T) {
        let path = here(name);
        if std::env::var_os("UPDATE_CONTRACT").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, now).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            read(&kept) == read(now),
            "{name} is not what the code says; if that is meant, run the tests once with \
             UPDATE_CONTRACT=1 and look at the difference"
        );
    }

    #[test]
    fn the_document_is_the_one_checked_in() {
        let document = document(&Brand::default(), "https://svc.example");
        let text = format!("{}\n", serde_json::to_string_pretty(&document).unwrap());
        // As values: the order of members is the library's business.
        check_file("openapi.json", &text, |text| serde_json::from_str::<Value>(text).ok());
    }

    #[test]
    fn the_operations_are_those_checked_in() {
        let document = document(&Brand::default(), "https://svc.example");
        let ids: Vec<String> = operation_ids(&document).into_iter().collect();
        check_file("operation-ids.txt", &format!("{}\n", ids.join("\n")), str::to_owned);
    }

    #[test]
    fn every_operation_is_told_whole() {
        let mut document = document(&Brand::default(), "https://svc.example");
        assert!(document["openapi"].as_str().unwrap().starts_with("3.1."));
        let tags: Vec<Value> = document["tags"].as_array().unwrap().clone();
        let mut count = 0;
        for operation in operations_mut(&mut document) {
            count += 1;
            let id = operation["operationId"].as_str().unwrap();
            for member in ["summary", "description", "tags", "responses"] {
                assert!(operation.get(member).is_some(), "{id}: {member}");
            }
            assert!(operation["responses"]["default"].is_object(), "{id}");
            assert!(tags.iter().any(|tag| tag["name"] == operation["tags"][0]), "{id}");
        }
        assert_eq!(count, operation_ids(&document).len(), "an operationId is used twice");
    }

    #[test]
    fn every_reference_has_an_end() {
        let document = document(&Brand::default(), "https://svc.example");
        let mut stack = vec![&document];
        while let Some(value) = stack.pop() {
            if let Some(target) = value.get("$ref").and_then(Value::as_str) {
                let pointer = target.strip_prefix('#').unwrap();
                assert!(document.pointer(pointer).is_some(), "{target}");
            }
            match value {
                Value::Object(members) => stack.extend(members.values()),
                Value::Array(items) => stack.extend(items),
                _ => {}
            }
        }
    }

    #[test]
    fn an_operators_brand_takes_its_place() {
        let brand = Brand::new("acme").unwrap();
        let text = document(&brand, "https://acme.example").to_string();
        assert!(text.contains("acme-scan") && !text.contains("svc-scan"));
        assert!(text.contains("x-acme-key") && !text.contains("x-svc-key"));
        assert!(text.contains("\"servers\":[{\"url\":\"https://acme.example\"}]"));
    }
}
