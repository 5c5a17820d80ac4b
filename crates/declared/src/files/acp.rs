//! The discovery document of the Agentic Commerce Protocol.

use super::http::Media;
use super::node::{Need, Node};
use super::report::{Report, counted, quoted};
use super::{json, when};

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let value = json::open_object(report, &Media::JSON)?;
    let root = Node::root(&value);
    report.must_be_https();
    let fix = "Add: \"protocol\": {\"name\": \"acp\", \"version\": \"2026-04-17\", \"supported_versions\": [\"2026-04-17\"]}";
    if let Some(protocol) = report.object(&root, "protocol", Need::Vital, fix) {
        if let Some(name) = report.text(&protocol, "name", Need::Must, fix)
            && name != "acp"
        {
            report.spoil(
                "other_protocol",
                "/protocol/name",
                format!("The file says it is of the protocol {}, not of acp.", quoted(name)),
                fix,
            );
        }
        let version = report.text(&protocol, "version", Need::Must, fix);
        let supported =
            report.texts(&protocol, "supported_versions", Need::Must, fix).unwrap_or_default();
        for text in version.iter().chain(&supported).filter(|text| !when::is_day(text)) {
            report.error(
                "bad_version",
                "/protocol",
                format!(
                    "{} is not a version of the protocol; they are named by days.",
                    quoted(text)
                ),
                fix,
            );
        }
        if let Some(version) = version.filter(|version| when::is_day(version)) {
            report.version = Some(format!("ACP {version}"));
            if !supported.is_empty() && !supported.contains(&version) {
                report.warn(
                    "version_not_supported",
                    "/protocol/supported_versions",
                    format!("The version {} is not among the supported ones.", quoted(version)),
                    "List it there as well.",
                );
            }
        }
    }
    let fix = "Say where the API answers: \"api_base_url\": \"https://your.site/acp\"";
    report.url(&root, "api_base_url", Need::Vital, fix);
    let fix = "Write: \"transports\": [\"rest\"] (or \"mcp\").";
    for transport in report.texts(&root, "transports", Need::Must, fix).unwrap_or_default() {
        if !matches!(transport, "rest" | "mcp") {
            report.warn(
                "unknown_transport",
                "/transports",
                format!("{} is not a transport of the protocol.", quoted(transport)),
                fix,
            );
        }
    }
    let fix = "Write: \"capabilities\": {\"services\": [\"checkout\"]}";
    let mut services = Vec::new();
    if let Some(capabilities) = report.object(&root, "capabilities", Need::Must, fix) {
        services = report.texts(&capabilities, "services", Need::Must, fix).unwrap_or_default();
    }
    for service in &services {
        if !matches!(*service, "checkout" | "orders" | "delegate_payment" | "carts") {
            report.warn(
                "unknown_service",
                "/capabilities/services",
                format!("{} is not a service of the protocol.", quoted(service)),
                "Use checkout, orders, delegate_payment or carts.",
            );
        }
    }
    report.count("services", services.len());
    Some(format!("A shop with {}.", counted(services.len(), "service", "services")))
}
