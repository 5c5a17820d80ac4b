//! The API catalog (RFC 9727): a linkset (RFC 9264) of the APIs a publisher offers.

use super::http::MediaTypes;
use super::json;
use super::node::{JsonNode, Requirement};
use super::report::{Report, count_with_noun, quoted};
use crate::fault::Weight;

const PROFILE: &str = "https://www.rfc-editor.org/info/rfc9727";
const EXAMPLE: &str = "{\"linkset\": [{\"anchor\": \"https://your.site/api\", \"service-desc\": [{\"href\": \"https://your.site/openapi.json\", \"type\": \"application/json\"}]}]}";

/// Link relations for APIs and their descriptions.
const API_RELATIONS: [&str; 6] =
    ["item", "service-desc", "service-doc", "service-meta", "status", "api-catalog"];

const MEDIA: MediaTypes = MediaTypes {
    accepted: &["application/linkset+json"],
    tolerated: &[],
    weight_otherwise: Weight::Warning,
};

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    if report.served.media_type().as_deref() == Some("application/linkset") {
        report.fatal(
            "not_json_linkset",
            "Content-Type",
            "The catalog is in the text format for linksets. The standard requires the JSON format.",
            "Serve the JSON format with Content-Type: application/linkset+json",
        );
        return None;
    }
    let value = json::parse_body(report, &MEDIA)?;
    report.must_be_https();
    let root = JsonNode::root(&value);
    if report.served.media_type().as_deref() == Some("application/linkset+json")
        && report.served.media_parameter("profile") != Some(PROFILE)
    {
        report.note(
            "no_profile",
            "Content-Type",
            "The media type lacks the profile parameter that identifies an API catalog.",
            format!(
                "Send the header: Content-Type: application/linkset+json; profile=\"{PROFILE}\""
            ),
        );
    }
    if !root.has("linkset") {
        let problem = if root.has("apis") {
            "This is an APIs.json file. The standard requires a linkset."
        } else if root.value.is_array() {
            "This is a plain list. The standard requires an object with the member linkset."
        } else {
            "“linkset” is missing. The standard requires it."
        };
        report.fatal("not_a_linkset", "", problem, format!("Write it like this: {EXAMPLE}"));
        return None;
    }
    for (name, member) in root.members().filter(|(name, _)| *name != "linkset") {
        report.note(
            "unknown_member",
            member.at,
            format!(
                "{} is not defined by the standard; linkset is the only top-level member.",
                quoted(name)
            ),
            "Remove it, or express it as a link.",
        );
    }
    report.version = Some("linkset".into());
    let contexts = report.list(&root, "linkset", Requirement::Vital, EXAMPLE)?;
    let mut links = 0;
    let mut api_links = 0;
    for context in contexts.items() {
        let (all, api) = check_context(report, &context);
        links += all;
        api_links += api;
    }
    if links == 0 {
        report.fatal(
            "no_links",
            "/linkset",
            "The catalog contains no links.",
            format!("List your APIs: {EXAMPLE}"),
        );
    } else if api_links == 0 {
        report.warn(
            "no_api_relation",
            "/linkset",
            "No link has a relation that identifies an API or its description.",
            "Use item for an API, service-desc for its machine-readable description and service-doc for its documentation.",
        );
    }
    report.set_count("contexts", contexts.len());
    report.set_count("links", links);
    Some(format!(
        "{} about {}.",
        count_with_noun(links, "link", "links"),
        count_with_noun(contexts.len(), "subject", "subjects")
    ))
}

/// Checks one link context. Returns the number of links, and how many of them are about APIs.
fn check_context(report: &mut Report<'_>, context: &JsonNode<'_>) -> (usize, usize) {
    if !context.value.is_object() {
        report.wrong_type(context, "a link context (an object)", Requirement::Must, EXAMPLE);
        return (0, 0);
    }
    let (mut links, mut api_links) = (0, 0);
    for (name, member) in context.members() {
        if name == "anchor" {
            match member.value.as_str() {
                Some(text) => {
                    report.check_url_reference(&member.at, text);
                }
                None => report.wrong_type(
                    &member,
                    "one URL",
                    Requirement::Must,
                    "Write the anchor as a single string.",
                ),
            }
            continue;
        }
        if !member.value.is_array() {
            report.wrong_type(
                &member,
                "a list of links",
                Requirement::Must,
                "Every relation must be a list of objects, even for one link: [{\"href\": \"https://…\"}]",
            );
            continue;
        }
        for target in member.items() {
            links += 1;
            if API_RELATIONS.contains(&name) {
                api_links += 1;
            }
            check_target(report, &target);
        }
    }
    (links, api_links)
}

fn check_target(report: &mut Report<'_>, target: &JsonNode<'_>) {
    let fix = "Write each link as an object: {\"href\": \"https://…\"}";
    if !target.value.is_object() {
        report.wrong_type(target, "a link (an object with href)", Requirement::Must, fix);
        return;
    }
    if let Some(href) = report.text(target, "href", Requirement::Must, fix) {
        report.check_url_reference(&target.pointer_to("href"), href);
    }
    report.text(target, "type", Requirement::May, "Write the media type as a string.");
    if let Some(found) = target.member("hreflang")
        && !found.value.is_array()
    {
        report.wrong_type(
            &found,
            "a list of languages",
            Requirement::May,
            "Write hreflang as a list: [\"en\"].",
        );
    }
}
