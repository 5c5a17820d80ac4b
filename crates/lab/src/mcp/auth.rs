//! The challenge of a server that asks for credentials, and the metadata that it refers to. The
//! authorization server is on the same host.

use serde_json::json;

use super::behaviour::AuthFault;
use crate::http::reply::Reply;

const RESOURCE: &str = "/.well-known/oauth-protected-resource";
const ISSUER: &str = "/.well-known/oauth-authorization-server/login";

pub(super) fn challenge(host: &str, kind: AuthFault) -> Reply {
    let address = match kind {
        AuthFault::OnlyWellKnownPath | AuthFault::OnlyWellKnownRoot | AuthFault::Missing => None,
        AuthFault::ForeignHost => Some(format!("https://mcp-auth.lab{RESOURCE}/mcp")),
        _ => Some(format!("https://{host}{RESOURCE}/mcp")),
    };
    let named = address.map(|address| format!(", resource_metadata=\"{address}\""));
    let value =
        format!("Bearer error=\"invalid_token\"{}, scope=\"read list\"", named.unwrap_or_default());
    Reply::new(401, "application/json", r#"{"error":"invalid_token"}"#)
        .with_header("www-authenticate", value)
}

/// `None` if the path is no metadata.
pub(super) fn metadata(host: &str, path: &str, kind: AuthFault) -> Option<Reply> {
    let at_root = kind == AuthFault::OnlyWellKnownRoot;
    let is_resource = match path {
        "/.well-known/oauth-protected-resource" => at_root,
        "/.well-known/oauth-protected-resource/mcp" => !at_root,
        ISSUER => {
            let name = if kind == AuthFault::WrongIssuer { "other" } else { "login" };
            let issuer = json!({"issuer": format!("https://{host}/{name}")});
            return Some(Reply::new(200, "application/json", issuer.to_string()));
        }
        _ => return None,
    };
    if !is_resource || kind == AuthFault::Missing {
        return None;
    }
    let resource = match kind {
        AuthFault::WrongResource => "https://mcp-auth.lab/mcp".to_owned(),
        _ => format!("https://{host}/mcp"),
    };
    let servers = match kind {
        AuthFault::NoServers => json!([]),
        _ => json!([format!("https://{host}/login")]),
    };
    let body = json!({"resource": resource, "authorization_servers": servers});
    Some(Reply::new(200, "application/json", body.to_string()))
}
