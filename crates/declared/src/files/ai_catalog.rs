//! AI Catalog and ARD, which derives from it: lists of what a publisher offers to agents.

use std::collections::BTreeSet;

use super::http::MediaTypes;
use super::json;
use super::node::{JsonNode, Requirement};
use super::report::{Report, count_with_noun, quoted};
use crate::fault::Weight;

const CATALOG_TYPE: &str = "application/ai-catalog+json";

const CATALOG_MEDIA: MediaTypes = MediaTypes {
    accepted: &[CATALOG_TYPE],
    tolerated: &["application/json"],
    weight_otherwise: Weight::Warning,
};

const ARD_MEDIA: MediaTypes = MediaTypes {
    accepted: &["application/json", CATALOG_TYPE],
    tolerated: &[],
    weight_otherwise: Weight::Warning,
};

pub(super) fn check(report: &mut Report<'_>, ard: bool) -> Option<String> {
    let value = json::parse_object(report, if ard { &ARD_MEDIA } else { &CATALOG_MEDIA })?;
    let root = JsonNode::root(&value);
    report.must_be_https();
    let fix = "Write: \"specVersion\": \"1.0\"";
    if let Some(version) = report.text(&root, "specVersion", Requirement::Must, fix) {
        if version == "1.0" {
            report.version = Some("1.0".into());
        } else {
            report.warn(
                "unknown_version",
                "/specVersion",
                format!("{} is not a version that readers support.", quoted(version)),
                fix,
            );
        }
    }
    if let Some(host) = report.object(&root, "host", Requirement::May, "Write host as an object.") {
        report.text(
            &host,
            "displayName",
            Requirement::Must,
            "Give host a displayName, the publisher's name.",
        );
        report.url(&host, "documentationUrl", Requirement::May, "Write the full URL.");
        report.url(&host, "logoUrl", Requirement::May, "Write the full URL.");
    }
    let entries =
        report.list(&root, "entries", Requirement::Vital, "Add a list: \"entries\": [ … ]")?;
    if entries.len() == 0 {
        report.warn(
            "no_entries",
            "/entries",
            "The catalog is empty.",
            "List your agents, MCP servers and skills, or answer 404 if you have none.",
        );
    }
    let mut identifiers = BTreeSet::new();
    let mut nested = 0;
    for entry in entries.items() {
        check_entry(report, &entry, ard, &mut identifiers);
        if entry.text("type").or_else(|| entry.text("mediaType")) == Some(CATALOG_TYPE) {
            nested += 1;
        }
    }
    report.set_count("entries", entries.len());
    report.set_count("nested_catalogs", nested);
    Some(format!("{}.", count_with_noun(entries.len(), "entry", "entries")))
}

fn check_entry<'v>(
    report: &mut Report<'_>,
    entry: &JsonNode<'v>,
    ard: bool,
    seen: &mut BTreeSet<&'v str>,
) {
    if !entry.value.is_object() {
        report.wrong_type(
            entry,
            "an entry (an object)",
            Requirement::Must,
            "Write each entry as an object.",
        );
        return;
    }
    let fix =
        "Write a name like urn:air:your.site:shop:orders (publisher's domain, namespace, name).";
    if let Some(identifier) = report.text(entry, "identifier", Requirement::Must, fix) {
        if !is_urn_air(identifier) {
            report.warn(
                "bad_identifier",
                entry.pointer_to("identifier"),
                format!("{} is not of the form urn:air:publisher:name.", quoted(identifier)),
                fix,
            );
        }
        if !seen.insert(identifier) {
            report.error(
                "doubled_identifier",
                entry.pointer_to("identifier"),
                format!("{} is used more than once.", quoted(identifier)),
                "Give every entry a unique identifier.",
            );
        }
    }
    report.text(
        entry,
        "displayName",
        if ard { Requirement::Must } else { Requirement::May },
        "Give the entry a name for people: \"displayName\": \"Order tracking\"",
    );
    let fix = "State the type of the document: \"type\": \"application/mcp-server-card+json\" or \"application/a2a-agent-card+json\"";
    if !entry.has("type") && entry.has("mediaType") {
        report.warn(
            "old_member",
            entry.pointer_to("mediaType"),
            "The member is now called type. Current readers do not look for mediaType.",
            "Rename mediaType to type.",
        );
    } else if let Some(kind) = report.text(entry, "type", Requirement::Must, fix)
        && !is_media_type(kind)
    {
        report.error(
            "bad_type",
            entry.pointer_to("type"),
            format!("{} is not a media type.", quoted(kind)),
            fix,
        );
    }
    match (entry.has("url"), entry.has("data")) {
        (true, true) => report.error(
            "url_and_data",
            entry.pointer_to("data"),
            "The entry has both url and data. Exactly one of them is allowed.",
            "Keep url and serve the data at that URL.",
        ),
        (false, false) => report.error(
            "missing_member",
            entry.pointer_to("url"),
            "The entry has neither url nor data, so readers cannot find what it describes.",
            "Add the URL of the card or document: \"url\": \"https://…\"",
        ),
        _ => {}
    }
    report.url(entry, "url", Requirement::May, "Write the full URL.");
    if let Some(trust) =
        report.object(entry, "trustManifest", Requirement::May, "Write it as an object.")
    {
        report.text(
            &trust,
            "identity",
            Requirement::Must,
            "Give trustManifest an identity, a DID or SPIFFE id.",
        );
    }
    if ard {
        check_queries(report, entry);
    }
}

/// Checks the queries by which ARD indexes entries.
fn check_queries(report: &mut Report<'_>, entry: &JsonNode<'_>) {
    let fix = "Add 2 to 5 questions that people would ask: \"representativeQueries\": [\"where is my parcel\", …]";
    match report.texts(entry, "representativeQueries", Requirement::May, fix) {
        None => report.note(
            "no_queries",
            entry.pointer_to("representativeQueries"),
            "The entry lists no representative queries. Indexes use them to find entries.",
            fix,
        ),
        Some(queries) if !(2..=5).contains(&queries.len()) => report.warn(
            "number_of_queries",
            entry.pointer_to("representativeQueries"),
            format!(
                "The entry gives {}; the draft asks for 2 to 5.",
                count_with_noun(queries.len(), "question", "questions")
            ),
            fix,
        ),
        Some(_) => {}
    }
}

fn is_urn_air(identifier: &str) -> bool {
    let Some(rest) = identifier.strip_prefix("urn:air:") else { return false };
    let mut parts = rest.split(':');
    let domain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-');
    let publisher = parts.next().unwrap_or_default();
    let mut own = 0;
    let fine = parts.all(|part| {
        own += 1;
        !part.is_empty() && part.bytes().all(|b| domain(b) || b == b'_')
    });
    fine && own > 0 && !publisher.is_empty() && publisher.bytes().all(domain)
}

fn is_media_type(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim();
    let token = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b))
    };
    essence.split_once('/').is_some_and(|(kind, sub)| token(kind) && token(sub))
}
