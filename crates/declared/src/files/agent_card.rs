//! The A2A agent card, versions 0.3 and 1.0 and the files that try to be both.

use std::collections::BTreeSet;

use data_encoding::BASE64URL_NOPAD;
use serde_json::Value;
use url::Url;

use super::http::Media;
use super::json;
use super::node::{Need, Node};
use super::report::{Report, counted, quoted};
use crate::fault::Weight;

const MEDIA: Media = Media {
    right: &["application/json", "application/a2a-agent-card+json"],
    tolerated: &["application/a2a+json"],
    otherwise: Weight::Warning,
};

/// A protected header is a few members long.
const MAX_PROTECTED_CHARS: usize = 8_192;

const INTERFACES_FIX: &str = "Write: \"supportedInterfaces\": [{\"url\": \"https://your.site/a2a\", \"protocolBinding\": \"JSONRPC\", \"protocolVersion\": \"1.0\"}]";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    One,
    ZeroThree,
    Both,
    Older,
}

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let value = json::open_object(report, &MEDIA)?;
    let root = Node::root(&value);
    report.must_be_https();
    let shape = match (
        root.has("supportedInterfaces"),
        root.has("url"),
        root.has("protocolVersion"),
    ) {
        (true, true, true) => Shape::Both,
        (true, _, _) => Shape::One,
        (false, true, true) => Shape::ZeroThree,
        (false, true, false) => Shape::Older,
        (false, false, _) => {
            report.spoil(
                "unknown_shape",
                "",
                "The card says nowhere how the agent is reached: it has neither supportedInterfaces (1.0) nor url and protocolVersion (0.3).",
                INTERFACES_FIX,
            );
            return None;
        }
    };
    let mut interfaces = 0;
    if matches!(shape, Shape::One | Shape::Both) {
        interfaces += version_one(report, &root, shape);
    }
    if matches!(shape, Shape::ZeroThree | Shape::Both | Shape::Older) {
        interfaces += version_zero(report, &root, shape);
    }
    report.version = Some(
        match shape {
            Shape::One => "A2A 1.0",
            Shape::ZeroThree => "A2A 0.3",
            Shape::Both => "A2A 1.0 and 0.3 (hybrid)",
            Shape::Older => "A2A before 0.3",
        }
        .into(),
    );
    common(report, &root, shape);
    let skills = skills(report, &root);
    security(report, &root);
    let signatures = signatures(report, &root);
    report.count("interfaces", interfaces);
    report.count("skills", skills);
    report.count("signatures", signatures);
    Some(format!(
        "An agent with {} and {}{}.",
        counted(skills, "skill", "skills"),
        counted(interfaces, "interface", "interfaces"),
        if signatures > 0 { ", signed (the signature was not checked)" } else { "" }
    ))
}

fn common(report: &mut Report<'_>, root: &Node<'_>, shape: Shape) {
    report.text(root, "name", Need::Vital, "Give the agent a name: \"name\": \"Order helper\"");
    report.text(
        root,
        "description",
        Need::Vital,
        "Say what the agent does: \"description\": \"…\"",
    );
    report.text(
        root,
        "version",
        Need::Vital,
        "Give the agent's own version: \"version\": \"1.0.0\"",
    );
    for name in ["defaultInputModes", "defaultOutputModes"] {
        let fix = format!("List media types: \"{name}\": [\"text/plain\"]");
        for mode in report.texts(root, name, Need::Vital, &fix).unwrap_or_default() {
            if !mode.contains('/') {
                report.warn(
                    "bad_media_type",
                    root.path(name),
                    format!("{} is not a media type.", quoted(mode)),
                    fix.clone(),
                );
            }
        }
    }
    let fix = "Write an object, even an empty one: \"capabilities\": {\"streaming\": false}";
    if let Some(capabilities) = report.object(root, "capabilities", Need::Vital, fix) {
        for name in ["streaming", "pushNotifications", "extendedAgentCard"] {
            report.truth(&capabilities, name);
        }
        let list =
            report.list(&capabilities, "extensions", Need::May, "Write extensions as a list.");
        for extension in list.iter().flat_map(Node::items) {
            report.text(&extension, "uri", Need::Must, "Name the extension by its URI.");
        }
    }
    if let Some(provider) =
        report.object(root, "provider", Need::May, "Write provider as an object.")
    {
        let fix = "Give provider both organization and url.";
        report.text(&provider, "organization", Need::Must, fix);
        report.url(&provider, "url", Need::Must, fix);
    }
    for name in ["documentationUrl", "iconUrl"] {
        report.url(root, name, Need::May, "Write the full address.");
    }
    if shape == Shape::One {
        for name in [
            "url",
            "protocolVersion",
            "preferredTransport",
            "additionalInterfaces",
            "supportsAuthenticatedExtendedCard",
        ] {
            if root.has(name) {
                report.note(
                    "removed_member",
                    root.path(name),
                    format!(
                        "“{name}” is no longer part of the card in version 1.0; readers ignore it."
                    ),
                    "Say it in supportedInterfaces or capabilities and remove it here.",
                );
            }
        }
    }
}

fn version_one(report: &mut Report<'_>, root: &Node<'_>, shape: Shape) -> usize {
    // A card of both kinds can still be read by the other half.
    let need = if shape == Shape::One { Need::Vital } else { Need::Must };
    let Some(list) = report.list(root, "supportedInterfaces", need, INTERFACES_FIX) else {
        return 0;
    };
    if list.len() == 0 {
        let problem = "The list of interfaces is empty, so nobody can reach the agent.";
        let at = list.at.clone();
        match shape {
            Shape::One => report.spoil("no_interfaces", at, problem, INTERFACES_FIX),
            _ => report.error("no_interfaces", at, problem, INTERFACES_FIX),
        }
    }
    for interface in list.items() {
        report.url(&interface, "url", Need::Must, INTERFACES_FIX);
        if interface.has("transport") && !interface.has("protocolBinding") {
            report.error(
                "transport_for_binding",
                interface.path("transport"),
                "The member is called protocolBinding in version 1.0; transport was its name before.",
                "Rename transport to protocolBinding.",
            );
        } else if let Some(binding) =
            report.text(&interface, "protocolBinding", Need::Must, INTERFACES_FIX)
        {
            check_binding(report, &interface.path("protocolBinding"), binding);
        }
        if let Some(version) =
            report.text(&interface, "protocolVersion", Need::Must, INTERFACES_FIX)
            && !is_version(version)
        {
            report.warn(
                "bad_version",
                interface.path("protocolVersion"),
                format!("{} is not a version of A2A like 1.0.", quoted(version)),
                "Write: \"protocolVersion\": \"1.0\"",
            );
        }
    }
    list.len()
}

fn version_zero(report: &mut Report<'_>, root: &Node<'_>, shape: Shape) -> usize {
    let need = if shape == Shape::Both { Need::Must } else { Need::Vital };
    report.url(
        root,
        "url",
        need,
        "Give the address where the agent answers: \"url\": \"https://your.site/a2a\"",
    );
    match shape {
        Shape::Older => report.warn(
            "old_shape",
            "/protocolVersion",
            "The card has no protocolVersion: it is of a version before 0.3, which current clients do not read.",
            INTERFACES_FIX,
        ),
        _ => {
            if let Some(version) = report.text(root, "protocolVersion", need, "Write: \"protocolVersion\": \"0.3.0\"")
                && !is_version(version)
            {
                report.warn(
                    "bad_version",
                    "/protocolVersion",
                    format!("{} is not a version of A2A like 0.3.0.", quoted(version)),
                    "Write: \"protocolVersion\": \"0.3.0\"",
                );
            }
        }
    }
    if shape == Shape::ZeroThree {
        report.note(
            "older_version",
            "",
            "The card is of A2A 0.3; clients of version 1.0 look for supportedInterfaces.",
            format!("Add beside what is there: {INTERFACES_FIX}"),
        );
    }
    if let Some(transport) = report.text(root, "preferredTransport", Need::May, "Write it as text.")
    {
        check_binding(report, "/preferredTransport", transport);
    }
    let more = report.list(root, "additionalInterfaces", Need::May, "Write it as a list.");
    for interface in more.iter().flat_map(Node::items) {
        report.url(&interface, "url", Need::Must, "Give each interface a url and a transport.");
        if let Some(transport) = report.text(
            &interface,
            "transport",
            Need::Must,
            "Give each interface a url and a transport.",
        ) {
            check_binding(report, &interface.path("transport"), transport);
        }
    }
    1 + more.map_or(0, |more| more.len())
}

fn check_binding(report: &mut Report<'_>, at: &str, binding: &str) {
    if !matches!(binding, "JSONRPC" | "GRPC" | "HTTP+JSON") && !binding.contains(':') {
        report.warn(
            "unknown_binding",
            at,
            format!("{} is not a binding of A2A.", quoted(binding)),
            "Use JSONRPC, GRPC or HTTP+JSON; a binding of your own is named by a URI. An ordinary REST API is not HTTP+JSON.",
        );
    }
}

fn skills(report: &mut Report<'_>, root: &Node<'_>) -> usize {
    let fix = "Give every skill id, name, description and tags: {\"id\": \"track\", \"name\": \"Track an order\", \"description\": \"…\", \"tags\": [\"orders\"]}";
    let Some(list) = report.list(root, "skills", Need::Vital, fix) else { return 0 };
    if list.len() == 0 {
        report.warn(
            "no_skills",
            "/skills",
            "The list of skills is empty, so no client can tell what to ask the agent.",
            fix,
        );
    }
    let mut ids = BTreeSet::new();
    for skill in list.items() {
        if !skill.value.is_object() {
            report.wrong_type(&skill, "a skill (an object)", Need::Must, fix);
            continue;
        }
        if let Some(id) = report.text(&skill, "id", Need::Must, fix)
            && !ids.insert(id)
        {
            report.warn(
                "doubled_skill",
                skill.path("id"),
                format!("The id {} stands more than once.", quoted(id)),
                "Give every skill its own id.",
            );
        }
        report.text(&skill, "name", Need::Must, fix);
        report.text(&skill, "description", Need::Must, fix);
        report.texts(&skill, "tags", Need::Must, fix);
    }
    list.len()
}

/// What the card asks for must be among what it explains.
fn security(report: &mut Report<'_>, root: &Node<'_>) {
    let schemes =
        report.object(root, "securitySchemes", Need::May, "Write it as an object by name.");
    let known: BTreeSet<&str> =
        schemes.iter().flat_map(Node::members).map(|(name, _)| name).collect();
    for member in ["securityRequirements", "security"] {
        let list = report.list(root, member, Need::May, "Write it as a list of objects.");
        for requirement in list.iter().flat_map(Node::items) {
            // Version 1.0 puts the names one level deeper, under schemes.
            let names = match requirement.member("schemes") {
                Some(inner) if inner.value.is_object() => inner,
                _ => requirement,
            };
            for (name, found) in names.members().filter(|(name, _)| !known.contains(name)) {
                report.error(
                    "unknown_scheme",
                    found.at,
                    format!(
                        "The scheme {} is asked for and not explained in securitySchemes.",
                        quoted(name)
                    ),
                    "Add the scheme to securitySchemes, or take the requirement out.",
                );
            }
        }
    }
}

fn signatures(report: &mut Report<'_>, root: &Node<'_>) -> usize {
    let Some(list) = report.list(root, "signatures", Need::May, "Write signatures as a list.")
    else {
        return 0;
    };
    let fix = "Sign the card again with a current A2A library; the protected header must hold alg and kid.";
    for signature in list.items() {
        report.text(&signature, "signature", Need::Must, fix);
        let Some(protected) = report.text(&signature, "protected", Need::Must, fix) else {
            continue;
        };
        let at = signature.path("protected");
        let header = (protected.len() <= MAX_PROTECTED_CHARS)
            .then(|| BASE64URL_NOPAD.decode(protected.as_bytes()).ok())
            .flatten()
            .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())
            .filter(Value::is_object);
        let Some(header) = header else {
            report.error(
                "bad_signature",
                at,
                "The protected header is not base64url of a JSON object.",
                fix,
            );
            continue;
        };
        let member = |name: &str| header.get(name).and_then(Value::as_str);
        match member("alg") {
            Some("none") | None => report.error(
                "bad_signature",
                at.clone(),
                "The protected header names no algorithm, so the signature proves nothing.",
                fix,
            ),
            Some(_) => {}
        }
        if member("kid").is_none() {
            report.error(
                "bad_signature",
                at.clone(),
                "The protected header names no key (kid).",
                fix,
            );
        }
        if let Some(jku) = member("jku") {
            let own = report.base.as_ref().and_then(Url::host_str).map(str::to_owned);
            let theirs = Url::parse(jku).ok().and_then(|url| url.host_str().map(str::to_owned));
            if own != theirs {
                report.warn(
                    "keys_elsewhere",
                    at,
                    format!("The keys are said to be at {}, on another host; careful clients do not trust that.", quoted(jku)),
                    "Serve the key set on the host of the card.",
                );
            }
        }
    }
    list.len()
}

fn is_version(version: &str) -> bool {
    let parts: Vec<&str> = version.splitn(4, '.').collect();
    (2..=3).contains(&parts.len())
        && parts.iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()))
}
