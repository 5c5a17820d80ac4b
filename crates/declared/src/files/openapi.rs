//! OpenAPI descriptions: only the structure that an agent needs to call an operation is checked.

use std::collections::BTreeSet;

use serde_json::Value;
use url::Url;

use super::http::MediaTypes;
use super::json;
use super::node::{JsonNode, Requirement};
use super::report::{Report, count_with_noun, quoted};
use super::yaml::{self, ParsedYaml, YamlError};
use crate::fault::Weight;
use crate::sniff::looks_like_html;

const MEDIA: MediaTypes = MediaTypes {
    accepted: &["application/json", "application/vnd.oai.openapi+json"],
    tolerated: &["application/openapi+json", "text/json"],
    weight_otherwise: Weight::Warning,
};

const YAML_MEDIA: MediaTypes = MediaTypes {
    accepted: &[
        "application/yaml",
        "application/vnd.oai.openapi",
        "application/vnd.oai.openapi+yaml",
    ],
    tolerated: &[
        "application/openapi+yaml",
        "application/x-yaml",
        "text/yaml",
        "text/x-yaml",
        "text/vnd.yaml",
        "text/plain",
    ],
    weight_otherwise: Weight::Note,
};

/// Where the version of a description is looked for. Files of other kinds may be long.
const MAX_BYTES_BEFORE_VERSION: usize = 64 * 1024;

const METHODS: [&str; 9] =
    ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

pub(super) fn check(report: &mut Report<'_>) -> Option<String> {
    let is_at_yaml_url = has_ending(report.served.final_url, &[".yaml", ".yml"]);
    let value = match parse_yaml(report.served.body, is_at_yaml_url) {
        Some(parsed) => read_yaml(report, parsed)?,
        None => json::parse_object(report, &MEDIA)?,
    };
    let root = JsonNode::root(&value);
    let swagger = root.has("swagger") && !root.has("openapi");
    let fix = "Start the document with: \"openapi\": \"3.1.0\"";
    let member = if swagger { "swagger" } else { "openapi" };
    let version = report.text(&root, member, Requirement::Vital, fix)?;
    match version {
        "2.0" if swagger => report.note(
            "older_version",
            "/swagger",
            "The description is Swagger 2.0. Many agent tools read only OpenAPI 3.",
            "Convert it to OpenAPI 3.1.",
        ),
        version if !swagger && version.starts_with("3.") => {}
        other => {
            report.fatal(
                "unknown_version",
                root.pointer_to(member),
                format!("{} is not an OpenAPI version.", quoted(other)),
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
    if let Some(info) = report.object(&root, "info", Requirement::Must, fix) {
        report.text(&info, "title", Requirement::Must, fix);
        report.text(&info, "version", Requirement::Must, fix);
    }
    check_servers(report, &root, swagger);
    // Since 3.1 a description may contain only webhooks or components.
    let optional =
        matches!(known, Some("3.1" | "3.2")) && (root.has("webhooks") || root.has("components"));
    let need = if optional { Requirement::May } else { Requirement::Vital };
    let paths = report.object(
        &root,
        "paths",
        need,
        "Add the operations: \"paths\": {\"/orders\": {\"get\": …}}",
    );
    let operations = paths.as_ref().map_or(0, |paths| check_operations(report, paths));
    let number = paths.map_or(0, |paths| paths.len());
    if number > 0 && operations == 0 {
        report.warn(
            "no_operations",
            "/paths",
            "The paths contain no operations, so there is nothing to call.",
            "Describe at least one operation (get, post, …).",
        );
    }
    report.set_count("paths", number);
    report.set_count("operations", operations);
    Some(format!(
        "{} at {}.",
        count_with_noun(operations, "operation", "operations"),
        count_with_noun(number, "path", "paths")
    ))
}

/// The description in a file, in either format, without reporting faults.
pub(crate) fn parse_description(body: &[u8]) -> Option<Value> {
    match parse_yaml(body, false) {
        Some(parsed) => parsed.ok().map(|parsed| parsed.value),
        None => json::parse_unreported(body),
    }
}

/// Parses a body that is YAML: a mapping that names a version, or any mapping at a URL for YAML. `None` if
/// it is something else, such as JSON or a web page.
fn parse_yaml(body: &[u8], is_at_yaml_url: bool) -> Option<Result<ParsedYaml, YamlError>> {
    let start = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii_start();
    if start.starts_with(b"{") || start.starts_with(b"[") || looks_like_html(body) {
        return None;
    }
    let beginning = start.get(..MAX_BYTES_BEFORE_VERSION).unwrap_or(start);
    let names_version = beginning.split(|byte| *byte == b'\n').any(|line| {
        let name = line.strip_prefix(b"\"").or_else(|| line.strip_prefix(b"'")).unwrap_or(line);
        name.starts_with(b"openapi") || name.starts_with(b"swagger")
    });
    // Anything else is parsed only where YAML is expected, and only if it is short.
    let is_short = body.len() <= MAX_BYTES_BEFORE_VERSION;
    if !(names_version || is_at_yaml_url && is_short) {
        return None;
    }
    let parsed = yaml::parse(body);
    let is_description = match &parsed {
        Ok(parsed) => parsed.value.is_object(),
        Err(_) => names_version,
    };
    is_description.then_some(parsed)
}

/// Reports what is special about a description in YAML.
fn read_yaml(report: &mut Report<'_>, parsed: Result<ParsedYaml, YamlError>) -> Option<Value> {
    report.check_media_type(&YAML_MEDIA);
    if report.served.truncated {
        report.add_not_read_whole();
        return None;
    }
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            report.fatal(
                "not_yaml",
                format!("line {}", error.line),
                format!("The file cannot be read as YAML: {}.", error.reason),
                "Check the file with a YAML validator. Common causes are tabs, wrong indentation and unquoted colons.",
            );
            return None;
        }
    };
    if has_ending(report.served.final_url, &[".json"]) {
        report.warn(
            "yaml_instead",
            "",
            "The description is YAML, but its URL ends in .json. Clients that choose the parser by the URL cannot read it.",
            "Serve JSON at this URL and YAML at /openapi.yaml.",
        );
    }
    for line in parsed.duplicate_lines {
        report.warn(
            "doubled_name",
            format!("line {line}"),
            "The same name appears twice in one mapping. YAML forbids this, and readers differ in what they do.",
            "Remove one of them.",
        );
    }
    Some(parsed.value)
}

fn has_ending(url: &str, endings: &[&str]) -> bool {
    let path = Url::parse(url).map(|url| url.path().to_ascii_lowercase()).unwrap_or_default();
    endings.iter().any(|ending| path.ends_with(ending))
}

fn check_servers(report: &mut Report<'_>, root: &JsonNode<'_>, swagger: bool) {
    if swagger {
        return;
    }
    let fix = "Add the URL of the API: \"servers\": [{\"url\": \"https://api.your.site\"}]";
    let Some(list) = report.list(root, "servers", Requirement::May, fix) else {
        if !root.has("servers") {
            report.note("no_servers", "/servers", "The description does not give the URL of the API. Readers assume the host of this file.", fix);
        }
        return;
    };
    for server in list.items() {
        if let Some(url) = report.text(&server, "url", Requirement::Must, fix)
            && !url.contains('{')
        {
            report.check_url_reference(&server.pointer_to("url"), url);
        }
    }
}

fn check_operations(report: &mut Report<'_>, paths: &JsonNode<'_>) -> usize {
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
                format!("The path {} does not start with a slash.", quoted(path)),
                "Start every path with /. Put the host into servers.",
            );
        }
        for (method, operation) in item.members().filter(|(method, _)| METHODS.contains(method)) {
            operations += 1;
            if let Some(id) = operation.text("operationId") {
                if !ids.insert(id) {
                    report.error("doubled_operation_id", operation.pointer_to("operationId"), format!("The operationId {} is used more than once. Tools named after it collide.", quoted(id)), "Give every operation a unique operationId.");
                }
            } else {
                report.note("no_operation_id", operation.at.clone(), format!("The operation ({method}) has no operationId. Agents use it as the tool name."), "Add one: \"operationId\": \"listOrders\"");
            }
            if !operation.has("summary") && !operation.has("description") {
                report.note(
                    "no_description",
                    operation.at.clone(),
                    "The operation has no summary or description, so agents must guess what it does.",
                    "Add: \"summary\": \"List the customer's orders\"",
                );
            }
            if !operation.has("responses") {
                report.warn(
                    "missing_member",
                    operation.pointer_to("responses"),
                    "“responses” is missing. The standard requires it.",
                    "Describe at least the success response.",
                );
            }
        }
    }
    operations
}
