//! The x402 discovery document: which addresses ask for payment. A habit, not a standard.

use super::http::Media;
use super::json;
use super::node::{Need, Node};
use super::report::{Report, counted};

const EXAMPLE: &str = "{\"version\": 1, \"resources\": [\"https://your.site/api/paid\"]}";

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let value = json::open_object(report, &Media::JSON)?;
    let root = Node::root(&value);
    let version = root.member("x402Version").or_else(|| root.member("version"));
    match version.as_ref().map(|found| found.value) {
        Some(found) if found.is_u64() => report.version = Some(format!("x402 {found}")),
        Some(found) => {
            let found = json::glimpse(found);
            report.warn(
                "bad_version",
                "/version",
                format!("The version is {found} where a whole number is expected."),
                "Write: \"version\": 1",
            );
        }
        None => report.warn(
            "missing_member",
            "/version",
            "“version” is missing, by which readers know the shape.",
            "Write: \"version\": 1",
        ),
    }
    let name = if root.has("resources") || !root.has("accepts") { "resources" } else { "accepts" };
    let resources = report.list(&root, name, Need::Vital, EXAMPLE)?;
    if resources.len() == 0 {
        report.warn(
            "no_resources",
            resources.at.clone(),
            "The document lists no address.",
            format!("List what asks for payment: {EXAMPLE}"),
        );
    }
    for resource in resources.items() {
        let (at, text) = match resource.value.as_str() {
            Some(text) => (resource.at.clone(), Some(text)),
            None => {
                let name = if resource.has("url") { "url" } else { "resource" };
                (resource.path(name), resource.text(name))
            }
        };
        match text {
            // Some lists write the method before the address.
            Some(text) => {
                let address = text.rsplit(' ').next().unwrap_or(text);
                report.absolute(&at, address);
            }
            None => report.wrong_type(&resource, "an address", Need::Must, EXAMPLE),
        }
    }
    report.count("resources", resources.len());
    report.note(
        "no_standard",
        "",
        "No specification gives this path a meaning; payment terms count only when the address itself answers 402.",
        "Nothing must be done; describe paid operations in your OpenAPI document as well.",
    );
    Some(format!(
        "{}.",
        counted(resources.len(), "address that asks for payment", "addresses that ask for payment")
    ))
}
