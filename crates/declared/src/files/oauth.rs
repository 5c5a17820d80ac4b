//! OAuth metadata: of a protected resource (RFC 9728) and of an authorization server (RFC 8414).

use url::Url;

use super::http::MediaTypes;
use super::json;
use super::node::{JsonNode, Requirement};
use super::report::{Report, count_with_noun, quoted};
use super::urls::same_origin;

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const SERVER: &str = "/.well-known/oauth-authorization-server";

pub(super) fn check_resource(report: &mut Report<'_>) -> Option<String> {
    let value = json::parse_object(report, &MediaTypes::JSON)?;
    let root = JsonNode::root(&value);
    report.must_be_https();
    let expected = expected_identifier(report.served.requested_url, RESOURCE);
    let fix = match &expected {
        Some(expected) => format!("Write exactly: \"resource\": \"{expected}\""),
        None => "Write the URL of the resource: \"resource\": \"https://your.site\"".to_owned(),
    };
    if let Some(text) = report.text(&root, "resource", Requirement::Vital, &fix) {
        if let Some(url) = report.check_absolute_url("/resource", text) {
            if url.fragment().is_some() {
                report.error(
                    "has_fragment",
                    "/resource",
                    "The identifier contains a fragment (#…), which the standard forbids.",
                    fix.clone(),
                );
            }
            if url.query().is_some() {
                report.warn(
                    "has_query",
                    "/resource",
                    "The identifier contains a query (?…), which the standard advises against.",
                    fix.clone(),
                );
            }
            if let Some(expected) = &expected {
                check_resource_identifier(report, text, &url, expected);
            }
        } else {
            report.fatal(
                "bad_identifier",
                "/resource",
                "The identifier is not a full https URL, so clients must discard the file.",
                fix,
            );
        }
    }
    let fix = "Add the servers that issue tokens: \"authorization_servers\": [\"https://login.your.site\"]";
    let servers =
        report.texts(&root, "authorization_servers", Requirement::Should, fix).unwrap_or_default();
    for issuer in &servers {
        check_issuer(report, "/authorization_servers", issuer);
    }
    for name in ["scopes_supported", "resource_signing_alg_values_supported"] {
        report.texts(&root, name, Requirement::May, "Write it as a list of strings.");
    }
    let fix = "Write: \"bearer_methods_supported\": [\"header\"]";
    for method in
        report.texts(&root, "bearer_methods_supported", Requirement::May, fix).unwrap_or_default()
    {
        match method {
            "header" | "body" => {}
            "query" => report.warn(
                "token_in_query",
                "/bearer_methods_supported",
                "Tokens are accepted in the URL query, where they end up in logs.",
                fix,
            ),
            other => report.error(
                "unknown_method",
                "/bearer_methods_supported",
                format!("{} is not a defined method for sending a token.", quoted(other)),
                fix,
            ),
        }
    }
    for name in ["jwks_uri", "resource_documentation", "resource_policy_uri", "resource_tos_uri"] {
        report.url(&root, name, Requirement::May, "Write the full https URL.");
    }
    if report
        .text(&root, "resource_name", Requirement::May, "Write the name as a string.")
        .is_none()
    {
        report.note(
            "no_resource_name",
            "/resource_name",
            "The resource has no name that clients can show when they ask for consent.",
            "Add a readable name: \"resource_name\": \"Orders API\"",
        );
    }
    report.set_count("authorization_servers", servers.len());
    Some(format!(
        "A protected resource with {}.",
        count_with_noun(servers.len(), "authorization server", "authorization servers")
    ))
}

/// RFC 9728 3.3: clients must not use the data unless the two are identical.
fn check_resource_identifier(report: &mut Report<'_>, text: &str, url: &Url, expected: &str) {
    if text == expected {
        return;
    }
    let fix = format!("Write exactly: \"resource\": \"{expected}\"");
    if text.strip_suffix('/') == Some(expected) {
        report.note(
            "trailing_slash",
            "/resource",
            "The identifier ends with a slash. Strict clients compare it exactly and expect no slash.",
            fix,
        );
        return;
    }
    let same = Url::parse(expected).is_ok_and(|expected| same_origin(&expected, url));
    if same {
        let path = url.path().to_owned();
        report.fatal(
            "resource_mismatch",
            "/resource",
            format!("The identifier does not match this path (expected {}), so strict clients discard the file. Only clients that fall back to the root read it.", quoted(expected)),
            format!("Serve this file at {RESOURCE}{}.", contract::text::display_safe(&path, 100)),
        );
    } else {
        report.fatal(
            "resource_mismatch",
            "/resource",
            format!("The identifier belongs to another site (expected {}), so clients must discard the file.", quoted(expected)),
            fix,
        );
    }
}

pub(super) fn check_server(report: &mut Report<'_>) -> Option<String> {
    let value = json::parse_object(report, &MediaTypes::JSON)?;
    let root = JsonNode::root(&value);
    report.must_be_https();
    let expected = expected_identifier(report.served.requested_url, SERVER);
    let fix = match &expected {
        Some(expected) => format!("Write exactly: \"issuer\": \"{expected}\""),
        None => "Write: \"issuer\": \"https://login.your.site\"".to_owned(),
    };
    if let Some(issuer) = report.text(&root, "issuer", Requirement::Vital, &fix) {
        check_issuer(report, "/issuer", issuer);
        if let Some(expected) = &expected
            && issuer != expected
        {
            if issuer.strip_suffix('/') == Some(expected.as_str()) {
                report.note(
                    "trailing_slash",
                    "/issuer",
                    "The issuer ends with a slash. Clients compare it exactly and expect no slash.",
                    fix,
                );
            } else {
                report.fatal(
                    "issuer_mismatch",
                    "/issuer",
                    format!("The issuer does not match this path (expected {}), so clients must not use the file.", quoted(expected)),
                    fix,
                );
            }
        }
    }
    let fix = "Write: \"response_types_supported\": [\"code\"]";
    report.texts(&root, "response_types_supported", Requirement::Must, fix);
    let grants = report.texts(
        &root,
        "grant_types_supported",
        Requirement::May,
        "Write it as a list of strings.",
    );
    let default = ["authorization_code", "implicit"];
    let grants = grants.unwrap_or_else(|| default.to_vec());
    let interactive = grants.iter().any(|grant| default.contains(grant));
    // Without these two, no client gets a token, whatever else the file says.
    let fix = "Add the address where users log in: \"authorization_endpoint\": \"https://login.your.site/authorize\"";
    check_endpoint(report, &root, "authorization_endpoint", interactive, fix);
    let fix = "Add the address where tokens are issued: \"token_endpoint\": \"https://login.your.site/token\"";
    check_endpoint(report, &root, "token_endpoint", grants != ["implicit"], fix);
    for name in [
        "jwks_uri",
        "registration_endpoint",
        "revocation_endpoint",
        "introspection_endpoint",
        "service_documentation",
    ] {
        report.url(&root, name, Requirement::May, "Write the full https URL.");
    }
    let fix = "Write: \"code_challenge_methods_supported\": [\"S256\"]";
    let methods = report.texts(&root, "code_challenge_methods_supported", Requirement::May, fix);
    if grants.contains(&"authorization_code")
        && !methods.as_ref().is_some_and(|methods| methods.contains(&"S256"))
    {
        report.warn(
            "no_pkce",
            "/code_challenge_methods_supported",
            "The file does not declare support for PKCE with S256. MCP clients then refuse to log in.",
            fix,
        );
    }
    report.set_count("grant_types", grants.len());
    Some(format!(
        "An authorization server with {}.",
        count_with_noun(grants.len(), "grant type", "grant types")
    ))
}

fn check_endpoint(
    report: &mut Report<'_>,
    root: &JsonNode<'_>,
    name: &str,
    required: bool,
    fix: &str,
) {
    let need = if required { Requirement::Vital } else { Requirement::May };
    if report.url(root, name, need, fix).is_none() && required {
        report.mark_unusable();
    }
}

fn check_issuer(report: &mut Report<'_>, at: &str, issuer: &str) {
    let Some(url) = report.check_absolute_url(at, issuer) else { return };
    if url.scheme() != "https" {
        report.error(
            "issuer_not_https",
            at,
            "An issuer must be an https URL.",
            "Write the issuer with https://.",
        );
    }
    if url.query().is_some() || url.fragment().is_some() {
        report.error(
            "issuer_with_query",
            at,
            "An issuer must not contain a query or a fragment.",
            "Write the issuer as scheme, host and path only.",
        );
    }
}

/// The identifier that a well-known URL stands for: the suffix is inserted between host and path.
fn expected_identifier(asked: &str, suffix: &str) -> Option<String> {
    let url = Url::parse(asked).ok()?;
    let path = url.path().strip_prefix(suffix)?;
    if !(path.is_empty() || path.starts_with('/')) {
        return None;
    }
    let origin = url.origin().ascii_serialization();
    Some(format!("{origin}{}", if path == "/" { "" } else { path }))
}
