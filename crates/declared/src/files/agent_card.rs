//! The A2A agent card, versions 0.3 and 1.0, including cards that combine both.

use std::collections::BTreeSet;

use data_encoding::BASE64URL_NOPAD;
use serde_json::Value;
use url::Url;

use super::http::MediaTypes;
use super::json;
use super::node::{JsonNode, Requirement};
use super::report::{Report, count_with_noun, quoted};
use crate::fault::Weight;

const MEDIA: MediaTypes = MediaTypes {
    accepted: &["application/json", "application/a2a-agent-card+json"],
    tolerated: &["application/a2a+json"],
    weight_otherwise: Weight::Warning,
};

/// Longer protected headers are not decoded.
const MAX_PROTECTED_CHARS: usize = 8_192;

const INTERFACES_FIX: &str = "Write: \"supportedInterfaces\": [{\"url\": \"https://your.site/a2a\", \"protocolBinding\": \"JSONRPC\", \"protocolVersion\": \"1.0\"}]";

#[derive(Clone, Copy, PartialEq, Eq)]
enum CardShape {
    V1,
    V03,
    Both,
    BeforeV03,
}

/// How many interfaces a card lists, and how many of them have an address that a client can use.
#[derive(Default)]
struct Interfaces {
    listed: usize,
    reachable: usize,
}

impl Interfaces {
    fn add(&mut self, url: Option<&Url>) {
        self.listed += 1;
        self.reachable += usize::from(url.is_some());
    }
}

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let value = json::parse_object(report, &MEDIA)?;
    let root = JsonNode::root(&value);
    report.must_be_https();
    let shape = match (
        root.has("supportedInterfaces"),
        root.has("url"),
        root.has("protocolVersion"),
    ) {
        (true, true, true) => CardShape::Both,
        (true, _, _) => CardShape::V1,
        (false, true, true) => CardShape::V03,
        (false, true, false) => CardShape::BeforeV03,
        (false, false, _) => {
            report.fatal(
                "unknown_shape",
                "",
                "The card does not say how to reach the agent: it has neither supportedInterfaces (1.0) nor url and protocolVersion (0.3).",
                INTERFACES_FIX,
            );
            return None;
        }
    };
    let mut found = Interfaces::default();
    if matches!(shape, CardShape::V1 | CardShape::Both) {
        check_version_1(report, &root, shape, &mut found);
    }
    if matches!(shape, CardShape::V03 | CardShape::Both | CardShape::BeforeV03) {
        check_version_0(report, &root, shape, &mut found);
    }
    let interfaces = found.listed;
    if found.listed > 0 && found.reachable == 0 {
        report.fatal(
            "no_reachable_interface",
            "",
            "None of the interfaces has a full URL, so no client can reach the agent.",
            INTERFACES_FIX,
        );
    }
    report.version = Some(
        match shape {
            CardShape::V1 => "A2A 1.0",
            CardShape::V03 => "A2A 0.3",
            CardShape::Both => "A2A 1.0 and 0.3 (hybrid)",
            CardShape::BeforeV03 => "A2A before 0.3",
        }
        .into(),
    );
    check_common(report, &root, shape);
    let skills = check_skills(report, &root);
    check_security(report, &root);
    let signatures = check_signatures(report, &root);
    report.set_count("interfaces", interfaces);
    report.set_count("skills", skills);
    report.set_count("signatures", signatures);
    Some(format!(
        "An agent with {} and {}{}.",
        count_with_noun(skills, "skill", "skills"),
        count_with_noun(interfaces, "interface", "interfaces"),
        if signatures > 0 { ", signed" } else { "" }
    ))
}

fn check_common(report: &mut Report<'_>, root: &JsonNode<'_>, shape: CardShape) {
    report.text(
        root,
        "name",
        Requirement::Vital,
        "Give the agent a name: \"name\": \"Order helper\"",
    );
    report.text(
        root,
        "description",
        Requirement::Vital,
        "Describe what the agent does: \"description\": \"…\"",
    );
    report.text(
        root,
        "version",
        Requirement::Vital,
        "Add the agent's own version: \"version\": \"1.0.0\"",
    );
    for name in ["defaultInputModes", "defaultOutputModes"] {
        let fix = format!("List media types: \"{name}\": [\"text/plain\"]");
        for mode in report.texts(root, name, Requirement::Vital, &fix).unwrap_or_default() {
            if !mode.contains('/') {
                report.warn(
                    "bad_media_type",
                    root.pointer_to(name),
                    format!("{} is not a media type.", quoted(mode)),
                    fix.clone(),
                );
            }
        }
    }
    let fix = "Write an object, even an empty one: \"capabilities\": {\"streaming\": false}";
    if let Some(capabilities) = report.object(root, "capabilities", Requirement::Vital, fix) {
        for name in ["streaming", "pushNotifications", "extendedAgentCard"] {
            report.boolean(&capabilities, name);
        }
        let list = report.list(
            &capabilities,
            "extensions",
            Requirement::May,
            "Write extensions as a list.",
        );
        for extension in list.iter().flat_map(JsonNode::items) {
            report.text(&extension, "uri", Requirement::Must, "Add the URI of the extension.");
        }
    }
    if let Some(provider) =
        report.object(root, "provider", Requirement::May, "Write provider as an object.")
    {
        let fix = "Give provider both organization and url.";
        report.text(&provider, "organization", Requirement::Must, fix);
        report.url(&provider, "url", Requirement::Must, fix);
    }
    for name in ["documentationUrl", "iconUrl"] {
        report.url(root, name, Requirement::May, "Write the full address.");
    }
    if shape == CardShape::V1 {
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
                    root.pointer_to(name),
                    format!(
                        "“{name}” was removed in version 1.0. Readers ignore it."
                    ),
                    "Move the information to supportedInterfaces or capabilities and remove this member.",
                );
            }
        }
    }
}

fn check_version_1(
    report: &mut Report<'_>,
    root: &JsonNode<'_>,
    shape: CardShape,
    found: &mut Interfaces,
) {
    // A hybrid card is still usable through its other half.
    let need = if shape == CardShape::V1 { Requirement::Vital } else { Requirement::Must };
    let Some(list) = report.list(root, "supportedInterfaces", need, INTERFACES_FIX) else {
        return;
    };
    if list.len() == 0 {
        let problem = "The list of interfaces is empty, so no client can reach the agent.";
        let at = list.at.clone();
        match shape {
            CardShape::V1 => report.fatal("no_interfaces", at, problem, INTERFACES_FIX),
            _ => report.error("no_interfaces", at, problem, INTERFACES_FIX),
        }
    }
    for interface in list.items() {
        let url = report.url(&interface, "url", Requirement::Must, INTERFACES_FIX);
        found.add(url.as_ref());
        if interface.has("transport") && !interface.has("protocolBinding") {
            report.error(
                "transport_for_binding",
                interface.pointer_to("transport"),
                "In version 1.0 this member is called protocolBinding; transport is the old name.",
                "Rename transport to protocolBinding.",
            );
        } else if let Some(binding) =
            report.text(&interface, "protocolBinding", Requirement::Must, INTERFACES_FIX)
        {
            check_binding(report, &interface.pointer_to("protocolBinding"), binding);
        }
        if let Some(version) =
            report.text(&interface, "protocolVersion", Requirement::Must, INTERFACES_FIX)
            && !is_version(version)
        {
            report.warn(
                "bad_version",
                interface.pointer_to("protocolVersion"),
                format!("{} is not an A2A version such as 1.0.", quoted(version)),
                "Write: \"protocolVersion\": \"1.0\"",
            );
        }
    }
}

fn check_version_0(
    report: &mut Report<'_>,
    root: &JsonNode<'_>,
    shape: CardShape,
    found: &mut Interfaces,
) {
    let need = if shape == CardShape::Both { Requirement::Must } else { Requirement::Vital };
    let fix = "Add the URL of the agent: \"url\": \"https://your.site/a2a\"";
    found.add(report.url(root, "url", need, fix).as_ref());
    match shape {
        CardShape::BeforeV03 => report.warn(
            "old_shape",
            "/protocolVersion",
            "The card has no protocolVersion, so it is older than 0.3. Current clients do not read it.",
            INTERFACES_FIX,
        ),
        _ => {
            if let Some(version) = report.text(root, "protocolVersion", need, "Write: \"protocolVersion\": \"0.3.0\"")
                && !is_version(version)
            {
                report.warn(
                    "bad_version",
                    "/protocolVersion",
                    format!("{} is not an A2A version such as 0.3.0.", quoted(version)),
                    "Write: \"protocolVersion\": \"0.3.0\"",
                );
            }
        }
    }
    if shape == CardShape::V03 {
        report.note(
            "older_version",
            "",
            "The card follows A2A 0.3. Clients for version 1.0 look for supportedInterfaces.",
            format!("Keep the existing members. {INTERFACES_FIX}"),
        );
    }
    if let Some(transport) =
        report.text(root, "preferredTransport", Requirement::May, "Write it as a string.")
    {
        check_binding(report, "/preferredTransport", transport);
    }
    let more = report.list(root, "additionalInterfaces", Requirement::May, "Write it as a list.");
    for interface in more.iter().flat_map(JsonNode::items) {
        let fix = "Give each interface a url and a transport.";
        found.add(report.url(&interface, "url", Requirement::Must, fix).as_ref());
        if let Some(transport) = report.text(
            &interface,
            "transport",
            Requirement::Must,
            "Give each interface a url and a transport.",
        ) {
            check_binding(report, &interface.pointer_to("transport"), transport);
        }
    }
}

fn check_binding(report: &mut Report<'_>, at: &str, binding: &str) {
    if !matches!(binding, "JSONRPC" | "GRPC" | "HTTP+JSON") && !binding.contains(':') {
        report.warn(
            "unknown_binding",
            at,
            format!("{} is not an A2A binding.", quoted(binding)),
            "Use JSONRPC, GRPC or HTTP+JSON. Identify a custom binding by a URI. An ordinary REST API is not HTTP+JSON.",
        );
    }
}

fn check_skills(report: &mut Report<'_>, root: &JsonNode<'_>) -> usize {
    let fix = "Give every skill id, name, description and tags: {\"id\": \"track\", \"name\": \"Track an order\", \"description\": \"…\", \"tags\": [\"orders\"]}";
    let Some(list) = report.list(root, "skills", Requirement::Vital, fix) else { return 0 };
    if list.len() == 0 {
        report.warn(
            "no_skills",
            "/skills",
            "The list of skills is empty, so clients cannot tell what the agent can do.",
            fix,
        );
    }
    let mut ids = BTreeSet::new();
    for skill in list.items() {
        if !skill.value.is_object() {
            report.wrong_type(&skill, "a skill (an object)", Requirement::Must, fix);
            continue;
        }
        if let Some(id) = report.text(&skill, "id", Requirement::Must, fix)
            && !ids.insert(id)
        {
            report.warn(
                "doubled_skill",
                skill.pointer_to("id"),
                format!("The id {} is used more than once.", quoted(id)),
                "Give every skill a unique id.",
            );
        }
        report.text(&skill, "name", Requirement::Must, fix);
        report.text(&skill, "description", Requirement::Must, fix);
        report.texts(&skill, "tags", Requirement::Must, fix);
    }
    list.len()
}

/// Every scheme that the card requires must be defined in securitySchemes.
fn check_security(report: &mut Report<'_>, root: &JsonNode<'_>) {
    let schemes = report.object(
        root,
        "securitySchemes",
        Requirement::May,
        "Write it as an object with one member per scheme name.",
    );
    let known: BTreeSet<&str> =
        schemes.iter().flat_map(JsonNode::members).map(|(name, _)| name).collect();
    for member in ["securityRequirements", "security"] {
        let list = report.list(root, member, Requirement::May, "Write it as a list of objects.");
        for requirement in list.iter().flat_map(JsonNode::items) {
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
                        "The scheme {} is required but not defined in securitySchemes.",
                        quoted(name)
                    ),
                    "Add the scheme to securitySchemes, or remove the requirement.",
                );
            }
        }
    }
}

fn check_signatures(report: &mut Report<'_>, root: &JsonNode<'_>) -> usize {
    let Some(list) =
        report.list(root, "signatures", Requirement::May, "Write signatures as a list.")
    else {
        return 0;
    };
    let fix = "Sign the card again with a current A2A library. The protected header must contain alg and kid.";
    for signature in list.items() {
        report.text(&signature, "signature", Requirement::Must, fix);
        let Some(protected) = report.text(&signature, "protected", Requirement::Must, fix) else {
            continue;
        };
        let at = signature.pointer_to("protected");
        let header = (protected.len() <= MAX_PROTECTED_CHARS)
            .then(|| BASE64URL_NOPAD.decode(protected.as_bytes()).ok())
            .flatten()
            .and_then(|bytes| contract::json::parse_value(&bytes).ok())
            .filter(Value::is_object);
        let Some(header) = header else {
            report.error(
                "bad_signature",
                at,
                "The protected header is not a base64url-encoded JSON object.",
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
                    format!("The signature refers to keys at {}, on another host. Careful clients do not trust them.", quoted(jku)),
                    "Serve the key set on the same host as the card.",
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
