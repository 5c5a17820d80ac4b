//! The API catalog (RFC 9727): a linkset (RFC 9264) of the APIs a publisher offers.

use super::http::Media;
use super::json;
use super::node::{Need, Node};
use super::report::{Report, counted, quoted};
use crate::fault::Weight;

const PROFILE: &str = "https://www.rfc-editor.org/info/rfc9727";
const EXAMPLE: &str = "{\"linkset\": [{\"anchor\": \"https://your.site/api\", \"service-desc\": [{\"href\": \"https://your.site/openapi.json\", \"type\": \"application/json\"}]}]}";

/// Relations by which a catalog names APIs or what describes them.
const API_RELATIONS: [&str; 6] =
    ["item", "service-desc", "service-doc", "service-meta", "status", "api-catalog"];

const MEDIA: Media =
    Media { right: &["application/linkset+json"], tolerated: &[], otherwise: Weight::Warning };

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    if report.served.media_type().as_deref() == Some("application/linkset") {
        report.spoil(
            "not_json_linkset",
            "Content-Type",
            "The catalog came in the header notation of linksets; the JSON form is the one that must always be offered.",
            "Serve the JSON form with Content-Type: application/linkset+json",
        );
        return None;
    }
    let value = json::open(report, &MEDIA)?;
    report.must_be_https();
    let root = Node::root(&value);
    if report.served.media_type().as_deref() == Some("application/linkset+json")
        && report.served.media_parameter("profile") != Some(PROFILE)
    {
        report.note(
            "no_profile",
            "Content-Type",
            "The media type does not carry the profile by which readers know an API catalog.",
            format!(
                "Send the header: Content-Type: application/linkset+json; profile=\"{PROFILE}\""
            ),
        );
    }
    if !root.has("linkset") {
        let problem = if root.has("apis") {
            "This is an APIs.json file; the standard asks for a linkset."
        } else if root.value.is_array() {
            "This is a plain list; the standard asks for an object with one member, linkset."
        } else {
            "“linkset” is missing, the one member the file must have."
        };
        report.spoil("not_a_linkset", "", problem, format!("Write it like this: {EXAMPLE}"));
        return None;
    }
    for (name, member) in root.members().filter(|(name, _)| *name != "linkset") {
        report.note(
            "unknown_member",
            member.at,
            format!("{} stands beside linkset, where the standard has nothing.", quoted(name)),
            "Take it out, or say it as a link.",
        );
    }
    report.version = Some("linkset".into());
    let contexts = report.list(&root, "linkset", Need::Vital, EXAMPLE)?;
    let mut links = 0;
    let mut api_links = 0;
    for context in contexts.items() {
        let (all, api) = one_context(report, &context);
        links += all;
        api_links += api;
    }
    if links == 0 {
        report.spoil(
            "no_links",
            "/linkset",
            "The catalog holds no link at all.",
            format!("List your APIs: {EXAMPLE}"),
        );
    } else if api_links == 0 {
        report.warn(
            "no_api_relation",
            "/linkset",
            "None of the relations says that a link leads to an API or its description.",
            "Use item for an API, service-desc for its machine-readable description and service-doc for its documentation.",
        );
    }
    report.count("contexts", contexts.len());
    report.count("links", links);
    Some(format!(
        "{} about {}.",
        counted(links, "link", "links"),
        counted(contexts.len(), "subject", "subjects")
    ))
}

/// One link context: how many links it holds, and how many of them are about APIs.
fn one_context(report: &mut Report<'_>, context: &Node<'_>) -> (usize, usize) {
    if !context.value.is_object() {
        report.wrong_type(context, "a link context (an object)", Need::Must, EXAMPLE);
        return (0, 0);
    }
    let (mut links, mut api_links) = (0, 0);
    for (name, member) in context.members() {
        if name == "anchor" {
            match member.value.as_str() {
                Some(text) => {
                    report.reference(&member.at, text);
                }
                None => report.wrong_type(
                    &member,
                    "one address",
                    Need::Must,
                    "Write the anchor as a single text.",
                ),
            }
            continue;
        }
        if !member.value.is_array() {
            report.wrong_type(
                &member,
                "a list of links",
                Need::Must,
                "Every relation holds a list of objects, even for one link: [{\"href\": \"https://…\"}]",
            );
            continue;
        }
        for target in member.items() {
            links += 1;
            if API_RELATIONS.contains(&name) {
                api_links += 1;
            }
            one_target(report, &target);
        }
    }
    (links, api_links)
}

fn one_target(report: &mut Report<'_>, target: &Node<'_>) {
    let fix = "Write each link as an object: {\"href\": \"https://…\"}";
    if !target.value.is_object() {
        report.wrong_type(target, "a link (an object with href)", Need::Must, fix);
        return;
    }
    if let Some(href) = report.text(target, "href", Need::Must, fix) {
        report.reference(&target.path("href"), href);
    }
    report.text(target, "type", Need::May, "Write the media type as one text.");
    if let Some(found) = target.member("hreflang")
        && !found.value.is_array()
    {
        report.wrong_type(
            &found,
            "a list of languages",
            Need::May,
            "Write hreflang as a list: [\"en\"].",
        );
    }
}
