//! OpenAPI descriptions, by shape: enough to know whether an agent can call anything.

use std::collections::BTreeSet;

use super::http::Media;
use super::json;
use super::node::{Need, Node};
use super::report::{Report, counted, quoted};
use crate::fault::Weight;

const MEDIA: Media = Media {
    right: &["application/json", "application/vnd.oai.openapi+json"],
    tolerated: &["application/openapi+json", "text/json"],
    otherwise: Weight::Warning,
};

const METHODS: [&str; 9] =
    ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let start = report.served.body.trim_ascii_start();
    if start.starts_with(b"openapi:") || start.starts_with(b"swagger:") {
        report.spoil(
            "yaml_instead",
            "",
            "The description is YAML at an address that ends in .json.",
            "Serve the JSON form here and the YAML at /openapi.yaml.",
        );
        return None;
    }
    let value = json::open_object(report, &MEDIA)?;
    let root = Node::root(&value);
    let swagger = root.has("swagger") && !root.has("openapi");
    let fix = "Begin with: \"openapi\": \"3.1.0\"";
    let member = if swagger { "swagger" } else { "openapi" };
    let version = report.text(&root, member, Need::Vital, fix)?;
    match version {
        "2.0" if swagger => report.note(
            "older_version",
            "/swagger",
            "The description is Swagger 2.0; many tools for agents read only OpenAPI 3.",
            "Convert it to OpenAPI 3.1.",
        ),
        version if !swagger && version.starts_with("3.") => {}
        other => {
            report.spoil(
                "unknown_version",
                root.path(member),
                format!("{} is not a version of OpenAPI.", quoted(other)),
                fix,
            );
            return None;
        }
    }
    let known = ["2.0", "3.0", "3.1", "3.2"].into_iter().find(|known| {
        version.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    let named = if swagger { "Swagger" } else { "OpenAPI" };
    report.version = Some(format!("{named} {}", known.unwrap_or("3")));
    let fix = "Write: \"info\": {\"title\": \"Orders API\", \"version\": \"1.0.0\"}";
    if let Some(info) = report.object(&root, "info", Need::Must, fix) {
        report.text(&info, "title", Need::Must, fix);
        report.text(&info, "version", Need::Must, fix);
    }
    servers(report, &root, swagger);
    // From 3.1 on a description may hold only webhooks or components.
    let optional =
        matches!(known, Some("3.1" | "3.2")) && (root.has("webhooks") || root.has("components"));
    let need = if optional { Need::May } else { Need::Vital };
    let paths = report.object(
        &root,
        "paths",
        need,
        "Add the operations: \"paths\": {\"/orders\": {\"get\": …}}",
    );
    let operations = paths.as_ref().map_or(0, |paths| operations(report, paths));
    let number = paths.map_or(0, |paths| paths.len());
    if number > 0 && operations == 0 {
        report.warn(
            "no_operations",
            "/paths",
            "The paths hold no operation, so there is nothing to call.",
            "Describe at least one operation (get, post, …).",
        );
    }
    report.count("paths", number);
    report.count("operations", operations);
    Some(format!(
        "{} at {}.",
        counted(operations, "operation", "operations"),
        counted(number, "path", "paths")
    ))
}

fn servers(report: &mut Report<'_>, root: &Node<'_>, swagger: bool) {
    if swagger {
        return;
    }
    let fix = "Say where the API answers: \"servers\": [{\"url\": \"https://api.your.site\"}]";
    let Some(list) = report.list(root, "servers", Need::May, fix) else {
        if !root.has("servers") {
            report.note("no_servers", "/servers", "The description does not say where the API answers; readers take the host of this file.", fix);
        }
        return;
    };
    for server in list.items() {
        if let Some(url) = report.text(&server, "url", Need::Must, fix)
            && !url.contains('{')
        {
            report.reference(&server.path("url"), url);
        }
    }
}

fn operations(report: &mut Report<'_>, paths: &Node<'_>) -> usize {
    let mut operations = 0;
    let mut ids = BTreeSet::new();
    for (path, item) in paths.members() {
        if path.starts_with("x-") {
            continue;
        }
        if !path.starts_with('/') {
            report.error(
                "bad_path",
                item.at.clone(),
                format!("The path {} does not begin with a slash.", quoted(path)),
                "Begin every path with /; the host belongs in servers.",
            );
        }
        for (method, operation) in item.members().filter(|(method, _)| METHODS.contains(method)) {
            operations += 1;
            if let Some(id) = operation.text("operationId") {
                if !ids.insert(id) {
                    report.error("doubled_operation_id", operation.path("operationId"), format!("The operationId {} stands more than once; tools named after it collide.", quoted(id)), "Give every operation its own operationId.");
                }
            } else {
                report.note("no_operation_id", operation.at.clone(), format!("The operation ({method}) has no operationId; agents name their tools by it."), "Add one: \"operationId\": \"listOrders\"");
            }
            if !operation.has("summary") && !operation.has("description") {
                report.note(
                    "no_description",
                    operation.at.clone(),
                    "The operation is not explained, so an agent must guess what it does.",
                    "Add: \"summary\": \"List the customer's orders\"",
                );
            }
            if !operation.has("responses") {
                report.warn(
                    "missing_member",
                    operation.path("responses"),
                    "“responses” is missing.",
                    "Describe at least the success answer.",
                );
            }
        }
    }
    operations
}
