//! The x402 discovery document: which URLs require payment. A convention, not a standard.

use super::http::MediaTypes;
use super::json;
use super::json_text::describe_value;
use super::node::{JsonNode, Requirement};
use super::report::{Report, count_with_noun};

const EXAMPLE: &str = "{\"version\": 1, \"resources\": [\"https://your.site/api/paid\"]}";

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let value = json::parse_object(report, &MediaTypes::JSON)?;
    let root = JsonNode::root(&value);
    let version = root.member("x402Version").or_else(|| root.member("version"));
    match version.as_ref().map(|found| found.value) {
        Some(found) if found.is_u64() => report.version = Some(format!("x402 {found}")),
        Some(found) => {
            let found = describe_value(found);
            report.warn(
                "bad_version",
                "/version",
                format!("The version is {found}; a whole number is required."),
                "Write: \"version\": 1",
            );
        }
        None => report.warn(
            "missing_member",
            "/version",
            "“version” is missing. Readers use it to detect the format.",
            "Write: \"version\": 1",
        ),
    }
    let name = if root.has("resources") || !root.has("accepts") { "resources" } else { "accepts" };
    let resources = report.list(&root, name, Requirement::Vital, EXAMPLE)?;
    if resources.len() == 0 {
        report.warn(
            "no_resources",
            resources.at.clone(),
            "The document lists no URLs.",
            format!("List the URLs that require payment: {EXAMPLE}"),
        );
    }
    for resource in resources.items() {
        let (at, text) = match resource.value.as_str() {
            Some(text) => (resource.at.clone(), Some(text)),
            None => {
                let name = if resource.has("url") { "url" } else { "resource" };
                (resource.pointer_to(name), resource.text(name))
            }
        };
        match text {
            // Some lists put the method before the URL.
            Some(text) => {
                let address = text.rsplit(' ').next().unwrap_or(text);
                report.check_absolute_url(&at, address);
            }
            None => report.wrong_type(&resource, "a URL", Requirement::Must, EXAMPLE),
        }
    }
    report.set_count("resources", resources.len());
    report.note(
        "no_standard",
        "",
        "No specification defines this path. Payment terms apply only if the URL itself answers with status 402.",
        "No action is needed. Consider describing paid operations in your OpenAPI document as well.",
    );
    Some(format!(
        "{}.",
        count_with_noun(resources.len(), "URL that requires payment", "URLs that require payment")
    ))
}
