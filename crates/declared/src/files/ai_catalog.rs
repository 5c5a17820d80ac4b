//! AI Catalog and its offspring ARD: lists of what a publisher offers to agents.

use std::collections::BTreeSet;

use super::http::Media;
use super::json;
use super::node::{Need, Node};
use super::report::{Report, counted, quoted};
use crate::fault::Weight;

const CATALOG_TYPE: &str = "application/ai-catalog+json";

const CATALOG_MEDIA: Media =
    Media { right: &[CATALOG_TYPE], tolerated: &["application/json"], otherwise: Weight::Warning };

const ARD_MEDIA: Media = Media {
    right: &["application/json", CATALOG_TYPE],
    tolerated: &[],
    otherwise: Weight::Warning,
};

pub(super) fn check(report: &mut Report<'_>, ard: bool) -> Option<String> {
    let value = json::open_object(report, if ard { &ARD_MEDIA } else { &CATALOG_MEDIA })?;
    let root = Node::root(&value);
    report.must_be_https();
    let fix = "Write: \"specVersion\": \"1.0\"";
    if let Some(version) = report.text(&root, "specVersion", Need::Must, fix) {
        if version == "1.0" {
            report.version = Some("1.0".into());
        } else {
            report.warn(
                "unknown_version",
                "/specVersion",
                format!("{} is not a version that readers know.", quoted(version)),
                fix,
            );
        }
    }
    if let Some(host) = report.object(&root, "host", Need::May, "Write host as an object.") {
        report.text(
            &host,
            "displayName",
            Need::Must,
            "Give host a displayName, the publisher's name.",
        );
        report.url(&host, "documentationUrl", Need::May, "Write the full address.");
        report.url(&host, "logoUrl", Need::May, "Write the full address.");
    }
    let entries = report.list(&root, "entries", Need::Vital, "Add a list: \"entries\": [ … ]")?;
    if entries.len() == 0 {
        report.warn(
            "no_entries",
            "/entries",
            "The catalog lists nothing.",
            "List your agents, MCP servers and skills, or answer 404 until you have some.",
        );
    }
    let mut identifiers = BTreeSet::new();
    let mut nested = 0;
    for entry in entries.items() {
        one(report, &entry, ard, &mut identifiers);
        if entry.text("type").or_else(|| entry.text("mediaType")) == Some(CATALOG_TYPE) {
            nested += 1;
        }
    }
    report.count("entries", entries.len());
    report.count("nested_catalogs", nested);
    Some(format!("{}.", counted(entries.len(), "entry", "entries")))
}

fn one<'v>(report: &mut Report<'_>, entry: &Node<'v>, ard: bool, seen: &mut BTreeSet<&'v str>) {
    if !entry.value.is_object() {
        report.wrong_type(
            entry,
            "an entry (an object)",
            Need::Must,
            "Write each entry as an object.",
        );
        return;
    }
    let fix =
        "Write a name like urn:air:your.site:shop:orders (publisher's domain, name space, name).";
    if let Some(identifier) = report.text(entry, "identifier", Need::Must, fix) {
        if !is_urn_air(identifier) {
            report.warn(
                "bad_identifier",
                entry.path("identifier"),
                format!("{} is not of the form urn:air:publisher:name.", quoted(identifier)),
                fix,
            );
        }
        if !seen.insert(identifier) {
            report.error(
                "doubled_identifier",
                entry.path("identifier"),
                format!("{} stands more than once.", quoted(identifier)),
                "Give every entry its own identifier.",
            );
        }
    }
    report.text(
        entry,
        "displayName",
        if ard { Need::Must } else { Need::May },
        "Give the entry a name for people: \"displayName\": \"Order tracking\"",
    );
    let fix = "Say what the address holds: \"type\": \"application/mcp-server-card+json\" or \"application/a2a-agent-card+json\"";
    if !entry.has("type") && entry.has("mediaType") {
        report.warn(
            "old_member",
            entry.path("mediaType"),
            "The member is called type by now; current readers do not look for mediaType.",
            "Rename mediaType to type.",
        );
    } else if let Some(kind) = report.text(entry, "type", Need::Must, fix)
        && !is_media_type(kind)
    {
        report.error(
            "bad_type",
            entry.path("type"),
            format!("{} is not a media type.", quoted(kind)),
            fix,
        );
    }
    match (entry.has("url"), entry.has("data")) {
        (true, true) => report.error(
            "url_and_data",
            entry.path("data"),
            "The entry has both url and data; exactly one is allowed.",
            "Keep url and serve the data there.",
        ),
        (false, false) => report.error(
            "missing_member",
            entry.path("url"),
            "The entry has neither url nor data, so it leads nowhere.",
            "Add the address of the card or the document: \"url\": \"https://…\"",
        ),
        _ => {}
    }
    report.url(entry, "url", Need::May, "Write the full address.");
    if let Some(trust) = report.object(entry, "trustManifest", Need::May, "Write it as an object.")
    {
        report.text(
            &trust,
            "identity",
            Need::Must,
            "Give trustManifest an identity, a DID or SPIFFE id.",
        );
    }
    if ard {
        queries(report, entry);
    }
}

/// ARD indexes entries by the questions they answer.
fn queries(report: &mut Report<'_>, entry: &Node<'_>) {
    let fix = "Add 2 to 5 questions people would ask: \"representativeQueries\": [\"where is my parcel\", …]";
    match report.texts(entry, "representativeQueries", Need::May, fix) {
        None => report.note(
            "no_queries",
            entry.path("representativeQueries"),
            "The entry says no questions it answers, by which indexes find it.",
            fix,
        ),
        Some(queries) if !(2..=5).contains(&queries.len()) => report.warn(
            "number_of_queries",
            entry.path("representativeQueries"),
            format!(
                "The entry gives {}, where 2 to 5 are asked for.",
                counted(queries.len(), "question", "questions")
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
