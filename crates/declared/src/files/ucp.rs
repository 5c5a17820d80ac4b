//! The business profile of the Universal Commerce Protocol.

use super::http::Media;
use super::node::{Need, Node};
use super::report::{Report, counted, quoted};
use super::{json, jwk, when};

const SERVICES_FIX: &str = "Write: \"services\": {\"dev.ucp.shopping\": [{\"version\": \"2026-04-08\", \"transport\": \"rest\", \"endpoint\": \"https://your.site/ucp\"}]}";
const CACHE_FIX: &str = "Send the header: Cache-Control: public, max-age=3600";

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    report.must_not_redirect();
    report.must_be_https();
    let value = json::open_object(report, &Media::JSON)?;
    caching(report);
    let root = Node::root(&value);
    let fix = "Put everything under one member: {\"ucp\": {\"version\": \"2026-04-08\", \"services\": {…}, \"payment_handlers\": {…}}}";
    let ucp = report.object(&root, "ucp", Need::Vital, fix)?;
    let fix = "Name the version by its day: \"version\": \"2026-04-08\"";
    if let Some(version) = report.text(&ucp, "version", Need::Vital, fix) {
        if when::is_day(version) {
            report.version = Some(format!("UCP {version}"));
        } else {
            report.error(
                "bad_version",
                "/ucp/version",
                format!("{} is not a version of UCP; they are named by days.", quoted(version)),
                fix,
            );
        }
    }
    let mut bindings = 0;
    let mut old = false;
    let services = report.object(&ucp, "services", Need::Vital, SERVICES_FIX);
    for (name, service) in services.iter().flat_map(Node::members) {
        reverse_name(report, name, &service.at);
        if service.value.is_object() {
            old = true;
            bindings += old_service(report, &service);
        } else if service.value.is_array() {
            for binding in service.items() {
                bindings += 1;
                one_binding(report, &binding);
            }
        } else {
            report.wrong_type(&service, "a list of bindings", Need::Must, SERVICES_FIX);
        }
    }
    if services.as_ref().is_some_and(|services| services.len() == 0) {
        report.error(
            "no_services",
            "/ucp/services",
            "The profile offers no service.",
            SERVICES_FIX,
        );
    }
    let capabilities = capabilities(report, &ucp, &mut old);
    if old {
        report.warn(
            "old_shape",
            "/ucp",
            "Services or capabilities are in the shape of the first version (2026-01-11); current agents expect lists by name.",
            SERVICES_FIX,
        );
    }
    payment(report, &root, &ucp, old);
    let mut keys = 0;
    for name in ["signing_keys", "keys"] {
        let list = report.list(&root, name, Need::May, "Write the keys as a list of JWKs.");
        for key in list.iter().flat_map(Node::items) {
            keys += 1;
            if jwk::check(report, &key) {
                report.text(
                    &key,
                    "kid",
                    Need::Must,
                    "Give every key a kid, by which signatures name it.",
                );
            }
        }
    }
    let services = services.map_or(0, |services| services.len());
    report.count("services", services);
    report.count("bindings", bindings);
    report.count("capabilities", capabilities);
    report.count("keys", keys);
    Some(format!(
        "A shop with {} and {}.",
        counted(services, "service", "services"),
        counted(capabilities, "capability", "capabilities")
    ))
}

/// Agents keep the profile; a server that forbids it is asked again for every purchase.
fn caching(report: &mut Report<'_>) {
    let mut said = false;
    let mut max_age = None;
    let mut forbidden = false;
    for element in report.served.listed("cache-control") {
        said = true;
        forbidden |= matches!(element.as_str(), "private" | "no-store" | "no-cache");
        if let Some(seconds) = element.strip_prefix("max-age=") {
            max_age = seconds.trim_matches('"').parse::<u64>().ok();
        }
    }
    if forbidden {
        report.error(
            "not_cacheable",
            "Cache-Control",
            "The answer forbids agents to keep the profile, which the protocol requires them to be allowed.",
            CACHE_FIX,
        );
    } else if !said || max_age.is_none_or(|seconds| seconds < 60) {
        report.warn(
            "short_caching",
            "Cache-Control",
            "The answer does not let agents keep the profile for at least a minute.",
            CACHE_FIX,
        );
    }
}

fn one_binding(report: &mut Report<'_>, binding: &Node<'_>) {
    if !binding.value.is_object() {
        report.wrong_type(binding, "a binding (an object)", Need::Must, SERVICES_FIX);
        return;
    }
    dated(report, binding);
    let Some(transport) = report.text(binding, "transport", Need::Must, SERVICES_FIX) else {
        return;
    };
    match transport {
        "rest" | "mcp" | "a2a" => {
            report.url(binding, "endpoint", Need::Must, SERVICES_FIX);
        }
        "embedded" => {
            report.url(binding, "endpoint", Need::May, SERVICES_FIX);
        }
        other => report.warn(
            "unknown_transport",
            binding.path("transport"),
            format!("{} is not a transport of the protocol.", quoted(other)),
            "Use rest, mcp, a2a or embedded.",
        ),
    }
}

/// The shape of the first version: transports as members of the service.
fn old_service(report: &mut Report<'_>, service: &Node<'_>) -> usize {
    dated(report, service);
    let mut bindings = 0;
    for name in ["rest", "mcp", "a2a"] {
        if let Some(binding) = service.member(name).filter(|found| found.value.is_object()) {
            bindings += 1;
            let member = if name == "a2a" { "agentCard" } else { "endpoint" };
            let member = if binding.has(member) { member } else { "endpoint" };
            report.url(&binding, member, Need::Must, SERVICES_FIX);
        }
    }
    bindings
}

fn dated(report: &mut Report<'_>, node: &Node<'_>) {
    let fix = "Name the version by its day: \"version\": \"2026-04-08\"";
    if let Some(version) = report.text(node, "version", Need::Must, fix)
        && !when::is_day(version)
    {
        report.error(
            "bad_version",
            node.path("version"),
            format!("{} is not a version of UCP; they are named by days.", quoted(version)),
            fix,
        );
    }
}

fn capabilities(report: &mut Report<'_>, ucp: &Node<'_>, old: &mut bool) -> usize {
    let fix =
        "Write: \"capabilities\": {\"dev.ucp.shopping.checkout\": [{\"version\": \"2026-04-08\"}]}";
    let Some(found) = ucp.member("capabilities") else { return 0 };
    if found.value.is_array() {
        *old = true;
        return found.len();
    }
    if !found.value.is_object() {
        report.wrong_type(&found, "an object of lists", Need::May, fix);
        return 0;
    }
    for (name, capability) in found.members() {
        reverse_name(report, name, &capability.at);
        if capability.value.is_array() {
            for version in capability.items() {
                dated(report, &version);
            }
        } else {
            report.wrong_type(&capability, "a list", Need::Must, fix);
        }
    }
    found.len()
}

fn payment(report: &mut Report<'_>, root: &Node<'_>, ucp: &Node<'_>, old: bool) {
    let fix = "Write: \"payment_handlers\": {\"com.google.pay\": [{\"id\": \"gpay\", \"version\": \"2026-04-08\"}]}";
    if old && !ucp.has("payment_handlers") {
        let handlers = root.member("payment").and_then(|payment| payment.member("handlers"));
        report.count("payment_handlers", handlers.map_or(0, |handlers| handlers.len()));
        return;
    }
    let Some(handlers) = report.object(ucp, "payment_handlers", Need::Must, fix) else { return };
    for (name, handler) in handlers.members() {
        reverse_name(report, name, &handler.at);
        if !handler.value.is_array() {
            report.wrong_type(&handler, "a list", Need::Must, fix);
        }
    }
    report.count("payment_handlers", handlers.len());
}

fn reverse_name(report: &mut Report<'_>, name: &str, at: &str) {
    let label = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    if !(name.contains('.') && name.split('.').all(label)) {
        report.warn(
            "bad_name",
            at,
            format!("{} is not a name under a domain written backwards.", quoted(name)),
            "Use a name like dev.ucp.shopping or com.yoursite.returns.",
        );
    }
}
