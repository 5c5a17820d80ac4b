//! The business profile of the Universal Commerce Protocol.

use super::http::MediaTypes;
use super::node::{JsonNode, Requirement};
use super::report::{Report, count_with_noun, quoted};
use super::{json, jwk, timestamps};

const SERVICES_FIX: &str = "Write: \"services\": {\"dev.ucp.shopping\": [{\"version\": \"2026-04-08\", \"transport\": \"rest\", \"endpoint\": \"https://your.site/ucp\"}]}";
const CACHE_FIX: &str = "Send the header: Cache-Control: public, max-age=3600";

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    report.must_not_redirect();
    report.must_be_https();
    let value = json::parse_object(report, &MediaTypes::JSON)?;
    check_caching(report);
    let root = JsonNode::root(&value);
    let fix = "Put everything under one member: {\"ucp\": {\"version\": \"2026-04-08\", \"services\": {…}, \"payment_handlers\": {…}}}";
    let ucp = report.object(&root, "ucp", Requirement::Vital, fix)?;
    let fix = "Give the version (a date): \"version\": \"2026-04-08\"";
    if let Some(version) = report.text(&ucp, "version", Requirement::Vital, fix) {
        if timestamps::is_date(version) {
            report.version = Some(format!("UCP {version}"));
        } else {
            report.error(
                "bad_version",
                "/ucp/version",
                format!(
                    "{} is not a UCP version. Versions are dates (YYYY-MM-DD).",
                    quoted(version)
                ),
                fix,
            );
        }
    }
    let mut bindings = 0;
    let mut old = false;
    let services = report.object(&ucp, "services", Requirement::Vital, SERVICES_FIX);
    for (name, service) in services.iter().flat_map(JsonNode::members) {
        check_reverse_name(report, name, &service.at);
        if service.value.is_object() {
            old = true;
            bindings += check_old_service(report, &service);
        } else if service.value.is_array() {
            for binding in service.items() {
                bindings += 1;
                check_binding(report, &binding);
            }
        } else {
            report.wrong_type(&service, "a list of bindings", Requirement::Must, SERVICES_FIX);
        }
    }
    if services.as_ref().is_some_and(|services| services.len() == 0) {
        report.error(
            "no_services",
            "/ucp/services",
            "The profile lists no services.",
            SERVICES_FIX,
        );
    }
    let capabilities = check_capabilities(report, &ucp, &mut old);
    if old {
        report.warn(
            "old_shape",
            "/ucp",
            "Services or capabilities have the format of the first version (2026-01-11). Current agents expect an object of lists.",
            SERVICES_FIX,
        );
    }
    check_payment_handlers(report, &root, &ucp, old);
    let mut keys = 0;
    for name in ["signing_keys", "keys"] {
        let list = report.list(&root, name, Requirement::May, "Write the keys as a list of JWKs.");
        for key in list.iter().flat_map(JsonNode::items) {
            keys += 1;
            if jwk::check(report, &key) {
                report.text(
                    &key,
                    "kid",
                    Requirement::Must,
                    "Give every key a kid. Signatures refer to keys by it.",
                );
            }
        }
    }
    let services = services.map_or(0, |services| services.len());
    report.set_count("services", services);
    report.set_count("bindings", bindings);
    report.set_count("capabilities", capabilities);
    report.set_count("keys", keys);
    Some(format!(
        "A shop with {} and {}.",
        count_with_noun(services, "service", "services"),
        count_with_noun(capabilities, "capability", "capabilities")
    ))
}

/// Agents cache the profile; without caching they would request it for every purchase.
fn check_caching(report: &mut Report<'_>) {
    let mut has_cache_control = false;
    let mut max_age = None;
    let mut forbidden = false;
    for element in report.served.list_elements("cache-control") {
        has_cache_control = true;
        forbidden |= matches!(element.as_str(), "private" | "no-store" | "no-cache");
        if let Some(seconds) = element.strip_prefix("max-age=") {
            max_age = seconds.trim_matches('"').parse::<u64>().ok();
        }
    }
    if forbidden {
        report.error(
            "not_cacheable",
            "Cache-Control",
            "The Cache-Control header forbids caching the profile. The protocol requires that agents may cache it.",
            CACHE_FIX,
        );
    } else if !has_cache_control || max_age.is_none_or(|seconds| seconds < 60) {
        report.warn(
            "short_caching",
            "Cache-Control",
            "The response does not let agents cache the profile for at least 60 seconds.",
            CACHE_FIX,
        );
    }
}

fn check_binding(report: &mut Report<'_>, binding: &JsonNode<'_>) {
    if !binding.value.is_object() {
        report.wrong_type(binding, "a binding (an object)", Requirement::Must, SERVICES_FIX);
        return;
    }
    check_version(report, binding);
    let Some(transport) = report.text(binding, "transport", Requirement::Must, SERVICES_FIX) else {
        return;
    };
    match transport {
        "rest" | "mcp" | "a2a" => {
            report.url(binding, "endpoint", Requirement::Must, SERVICES_FIX);
        }
        "embedded" => {
            report.url(binding, "endpoint", Requirement::May, SERVICES_FIX);
        }
        other => report.warn(
            "unknown_transport",
            binding.pointer_to("transport"),
            format!("{} is not a transport that the protocol defines.", quoted(other)),
            "Use rest, mcp, a2a or embedded.",
        ),
    }
}

/// The format of the first version: transports are members of the service.
fn check_old_service(report: &mut Report<'_>, service: &JsonNode<'_>) -> usize {
    check_version(report, service);
    let mut bindings = 0;
    for name in ["rest", "mcp", "a2a"] {
        if let Some(binding) = service.member(name).filter(|found| found.value.is_object()) {
            bindings += 1;
            let member = if name == "a2a" { "agentCard" } else { "endpoint" };
            let member = if binding.has(member) { member } else { "endpoint" };
            report.url(&binding, member, Requirement::Must, SERVICES_FIX);
        }
    }
    bindings
}

fn check_version(report: &mut Report<'_>, node: &JsonNode<'_>) {
    let fix = "Give the version (a date): \"version\": \"2026-04-08\"";
    if let Some(version) = report.text(node, "version", Requirement::Must, fix)
        && !timestamps::is_date(version)
    {
        report.error(
            "bad_version",
            node.pointer_to("version"),
            format!("{} is not a UCP version. Versions are dates (YYYY-MM-DD).", quoted(version)),
            fix,
        );
    }
}

fn check_capabilities(report: &mut Report<'_>, ucp: &JsonNode<'_>, old: &mut bool) -> usize {
    let fix =
        "Write: \"capabilities\": {\"dev.ucp.shopping.checkout\": [{\"version\": \"2026-04-08\"}]}";
    let Some(found) = ucp.member("capabilities") else { return 0 };
    if found.value.is_array() {
        *old = true;
        return found.len();
    }
    if !found.value.is_object() {
        report.wrong_type(&found, "an object of lists", Requirement::May, fix);
        return 0;
    }
    for (name, capability) in found.members() {
        check_reverse_name(report, name, &capability.at);
        if capability.value.is_array() {
            for version in capability.items() {
                check_version(report, &version);
            }
        } else {
            report.wrong_type(&capability, "a list", Requirement::Must, fix);
        }
    }
    found.len()
}

fn check_payment_handlers(
    report: &mut Report<'_>,
    root: &JsonNode<'_>,
    ucp: &JsonNode<'_>,
    old: bool,
) {
    let fix = "Write: \"payment_handlers\": {\"com.google.pay\": [{\"id\": \"gpay\", \"version\": \"2026-04-08\"}]}";
    if old && !ucp.has("payment_handlers") {
        let handlers = root.member("payment").and_then(|payment| payment.member("handlers"));
        report.set_count("payment_handlers", handlers.map_or(0, |handlers| handlers.len()));
        return;
    }
    let Some(handlers) = report.object(ucp, "payment_handlers", Requirement::Must, fix) else {
        return;
    };
    for (name, handler) in handlers.members() {
        check_reverse_name(report, name, &handler.at);
        if !handler.value.is_array() {
            report.wrong_type(&handler, "a list", Requirement::Must, fix);
        }
    }
    report.set_count("payment_handlers", handlers.len());
}

fn check_reverse_name(report: &mut Report<'_>, name: &str, at: &str) {
    let label = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    if !(name.contains('.') && name.split('.').all(label)) {
        report.warn(
            "bad_name",
            at,
            format!("{} is not a name that starts with a reversed domain.", quoted(name)),
            "Use a name such as dev.ucp.shopping or com.yoursite.returns.",
        );
    }
}
