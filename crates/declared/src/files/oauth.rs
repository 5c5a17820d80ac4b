//! OAuth metadata: of a protected resource (RFC 9728) and of an authorization server (RFC 8414).

use url::Url;

use super::address::same_origin;
use super::http::Media;
use super::json;
use super::node::{Need, Node};
use super::report::{Report, counted, quoted};

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const SERVER: &str = "/.well-known/oauth-authorization-server";

pub(super) fn resource(report: &mut Report<'_>) -> Option<String> {
    let value = json::open_object(report, &Media::JSON)?;
    let root = Node::root(&value);
    report.must_be_https();
    let expected = identifier(report.served.asked_url, RESOURCE);
    let fix = match &expected {
        Some(expected) => format!("Write exactly: \"resource\": \"{expected}\""),
        None => "Write the address of the resource: \"resource\": \"https://your.site\"".to_owned(),
    };
    if let Some(text) = report.text(&root, "resource", Need::Vital, &fix) {
        if let Some(url) = report.absolute("/resource", text) {
            if url.fragment().is_some() {
                report.error(
                    "has_fragment",
                    "/resource",
                    "The identifier holds a fragment (#…), which is forbidden.",
                    fix.clone(),
                );
            }
            if url.query().is_some() {
                report.warn(
                    "has_query",
                    "/resource",
                    "The identifier holds a query (?…), which is advised against.",
                    fix.clone(),
                );
            }
            if let Some(expected) = &expected {
                equal(report, text, &url, expected);
            }
        } else {
            report.spoil(
                "bad_identifier",
                "/resource",
                "The identifier is not a full https address, so clients must discard the file.",
                fix,
            );
        }
    }
    let fix =
        "Name where tokens are issued: \"authorization_servers\": [\"https://login.your.site\"]";
    let servers =
        report.texts(&root, "authorization_servers", Need::Should, fix).unwrap_or_default();
    for issuer in &servers {
        check_issuer(report, "/authorization_servers", issuer);
    }
    for name in ["scopes_supported", "resource_signing_alg_values_supported"] {
        report.texts(&root, name, Need::May, "Write it as a list of texts.");
    }
    let fix = "Write: \"bearer_methods_supported\": [\"header\"]";
    for method in
        report.texts(&root, "bearer_methods_supported", Need::May, fix).unwrap_or_default()
    {
        match method {
            "header" | "body" => {}
            "query" => report.warn(
                "token_in_query",
                "/bearer_methods_supported",
                "Tokens are accepted in the query of an address, where they end up in logs.",
                fix,
            ),
            other => report.error(
                "unknown_method",
                "/bearer_methods_supported",
                format!("{} is not a way to send a token.", quoted(other)),
                fix,
            ),
        }
    }
    for name in ["jwks_uri", "resource_documentation", "resource_policy_uri", "resource_tos_uri"] {
        report.url(&root, name, Need::May, "Write the full https address.");
    }
    if report.text(&root, "resource_name", Need::May, "Write the name as text.").is_none() {
        report.note(
            "no_resource_name",
            "/resource_name",
            "The resource has no name that a client could show when it asks for consent.",
            "Add a name for people: \"resource_name\": \"Orders API\"",
        );
    }
    report.count("authorization_servers", servers.len());
    Some(format!(
        "A protected resource with {}.",
        counted(servers.len(), "authorization server", "authorization servers")
    ))
}

/// RFC 9728 3.3: unless the two are identical, the data must not be used.
fn equal(report: &mut Report<'_>, text: &str, url: &Url, expected: &str) {
    if text == expected {
        return;
    }
    let fix = format!("Write exactly: \"resource\": \"{expected}\"");
    if text.strip_suffix('/') == Some(expected) {
        report.note(
            "trailing_slash",
            "/resource",
            "The identifier ends with a slash that strict clients, which compare letter by letter, did not ask with.",
            fix,
        );
        return;
    }
    let same = Url::parse(expected).is_ok_and(|expected| same_origin(&expected, url));
    if same {
        let path = url.path().to_owned();
        report.spoil(
            "resource_mismatch",
            "/resource",
            format!("The identifier is not the one this path stands for, {}, so strict clients discard the file; only those that fall back to the root still read it.", quoted(expected)),
            format!("Serve this file at {RESOURCE}{}.", crate::shown::shown(&path, 100)),
        );
    } else {
        report.spoil(
            "resource_mismatch",
            "/resource",
            format!("The identifier belongs to another site than the one asked, {}; clients must discard the file.", quoted(expected)),
            fix,
        );
    }
}

pub(super) fn server(report: &mut Report<'_>) -> Option<String> {
    let value = json::open_object(report, &Media::JSON)?;
    let root = Node::root(&value);
    report.must_be_https();
    let expected = identifier(report.served.asked_url, SERVER);
    let fix = match &expected {
        Some(expected) => format!("Write exactly: \"issuer\": \"{expected}\""),
        None => "Write: \"issuer\": \"https://login.your.site\"".to_owned(),
    };
    if let Some(issuer) = report.text(&root, "issuer", Need::Vital, &fix) {
        check_issuer(report, "/issuer", issuer);
        if let Some(expected) = &expected
            && issuer != expected
        {
            if issuer.strip_suffix('/') == Some(expected.as_str()) {
                report.note(
                    "trailing_slash",
                    "/issuer",
                    "The issuer ends with a slash; clients compare it letter by letter.",
                    fix,
                );
            } else {
                report.spoil(
                    "issuer_mismatch",
                    "/issuer",
                    format!("The issuer is not the one this path stands for, {}; clients must not use the file.", quoted(expected)),
                    fix,
                );
            }
        }
    }
    let fix = "Write: \"response_types_supported\": [\"code\"]";
    report.texts(&root, "response_types_supported", Need::Must, fix);
    let grants =
        report.texts(&root, "grant_types_supported", Need::May, "Write it as a list of texts.");
    let default = ["authorization_code", "implicit"];
    let grants = grants.unwrap_or_else(|| default.to_vec());
    let interactive = grants.iter().any(|grant| default.contains(grant));
    let need = if interactive { Need::Must } else { Need::May };
    report.url(&root, "authorization_endpoint", need, "Add the address where users log in.");
    let need = if grants == ["implicit"] { Need::May } else { Need::Must };
    report.url(&root, "token_endpoint", need, "Add the address where tokens are issued.");
    for name in [
        "jwks_uri",
        "registration_endpoint",
        "revocation_endpoint",
        "introspection_endpoint",
        "service_documentation",
    ] {
        report.url(&root, name, Need::May, "Write the full https address.");
    }
    let fix = "Write: \"code_challenge_methods_supported\": [\"S256\"]";
    let methods = report.texts(&root, "code_challenge_methods_supported", Need::May, fix);
    if grants.contains(&"authorization_code")
        && !methods.as_ref().is_some_and(|methods| methods.contains(&"S256"))
    {
        report.warn(
            "no_pkce",
            "/code_challenge_methods_supported",
            "The file does not say that PKCE with S256 is supported; MCP clients then refuse to log in.",
            fix,
        );
    }
    report.count("grant_types", grants.len());
    Some(format!(
        "An authorization server with {}.",
        counted(grants.len(), "grant type", "grant types")
    ))
}

fn check_issuer(report: &mut Report<'_>, at: &str, issuer: &str) {
    let Some(url) = report.absolute(at, issuer) else { return };
    if url.scheme() != "https" {
        report.error(
            "issuer_not_https",
            at,
            "An issuer must be an https address.",
            "Write the issuer with https://.",
        );
    }
    if url.query().is_some() || url.fragment().is_some() {
        report.error(
            "issuer_with_query",
            at,
            "An issuer has no query and no fragment.",
            "Write the issuer as scheme, host and path only.",
        );
    }
}

/// The identifier a well-known address stands for: the suffix stands between host and path.
fn identifier(asked: &str, suffix: &str) -> Option<String> {
    let url = Url::parse(asked).ok()?;
    let path = url.path().strip_prefix(suffix)?;
    if !(path.is_empty() || path.starts_with('/')) {
        return None;
    }
    let origin = url.origin().ascii_serialization();
    Some(format!("{origin}{}", if path == "/" { "" } else { path }))
}
