//! The discovery document of the Agentic Commerce Protocol.

use super::http::MediaTypes;
use super::node::{JsonNode, Requirement};
use super::report::{Report, count_with_noun, quoted};
use super::{json, timestamps};

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let value = json::parse_object(report, &MediaTypes::JSON)?;
    let root = JsonNode::root(&value);
    report.must_be_https();
    let fix = "Add: \"protocol\": {\"name\": \"acp\", \"version\": \"2026-04-17\", \"supported_versions\": [\"2026-04-17\"]}";
    if let Some(protocol) = report.object(&root, "protocol", Requirement::Vital, fix) {
        if let Some(name) = report.text(&protocol, "name", Requirement::Must, fix)
            && name != "acp"
        {
            report.fatal(
                "other_protocol",
                "/protocol/name",
                format!("The file declares the protocol {} instead of acp.", quoted(name)),
                fix,
            );
        }
        let version = report.text(&protocol, "version", Requirement::Must, fix);
        let supported = report
            .texts(&protocol, "supported_versions", Requirement::Must, fix)
            .unwrap_or_default();
        for text in version.iter().chain(&supported).filter(|text| !timestamps::is_date(text)) {
            report.error(
                "bad_version",
                "/protocol",
                format!(
                    "{} is not a protocol version. Versions are dates (YYYY-MM-DD).",
                    quoted(text)
                ),
                fix,
            );
        }
        if let Some(version) = version.filter(|version| timestamps::is_date(version)) {
            report.version = Some(format!("ACP {version}"));
            if !supported.is_empty() && !supported.contains(&version) {
                report.warn(
                    "version_not_supported",
                    "/protocol/supported_versions",
                    format!("The version {} is not listed in supported_versions.", quoted(version)),
                    "Add it to supported_versions.",
                );
            }
        }
    }
    let fix = "Give the base URL of the API: \"api_base_url\": \"https://your.site/acp\"";
    report.url(&root, "api_base_url", Requirement::Vital, fix);
    let fix = "Write: \"transports\": [\"rest\"] (or \"mcp\").";
    for transport in report.texts(&root, "transports", Requirement::Must, fix).unwrap_or_default() {
        if !matches!(transport, "rest" | "mcp") {
            report.warn(
                "unknown_transport",
                "/transports",
                format!("{} is not a transport that the protocol defines.", quoted(transport)),
                fix,
            );
        }
    }
    let fix = "Write: \"capabilities\": {\"services\": [\"checkout\"]}";
    let mut services = Vec::new();
    if let Some(capabilities) = report.object(&root, "capabilities", Requirement::Must, fix) {
        services =
            report.texts(&capabilities, "services", Requirement::Must, fix).unwrap_or_default();
    }
    for service in &services {
        if !matches!(*service, "checkout" | "orders" | "delegate_payment" | "carts") {
            report.warn(
                "unknown_service",
                "/capabilities/services",
                format!("{} is not a service that the protocol defines.", quoted(service)),
                "Use checkout, orders, delegate_payment or carts.",
            );
        }
    }
    report.set_count("services", services.len());
    Some(format!("A shop with {}.", count_with_noun(services.len(), "service", "services")))
}
