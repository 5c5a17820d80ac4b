//! The server card of a server: right, wrong and hostile ones.

use bytes::Bytes;
use serde_json::{Value, json};

use super::behaviour::Card;
use super::silence::silent;
use crate::http::reply::{Reply, ReplyBody};

const CURRENT_PLACE: &str = "/.well-known/mcp/server-card.json";
const EARLIER_PLACE: &str = "/.well-known/mcp.json";

/// `None` if there is no card at this path.
pub(super) fn reply(host: &str, path: &str, kind: Card) -> Option<Reply> {
    let place = match kind {
        Card::None => return None,
        Card::Beside => "/mcp/server-card",
        Card::Earlier => EARLIER_PLACE,
        _ => CURRENT_PLACE,
    };
    if path != place {
        return None;
    }
    Some(match kind {
        Card::Earlier => card(&json!({
            "serverInfo": {"name": "bakery", "version": "1.0"},
            "protocolVersion": "2026-07-28",
            "transport": {"type": "streamable-http", "endpoint": "/mcp"},
            "capabilities": {"tools": {}, "prompts": {}, "resources": {}},
            "tools": [{"name": "order_bread"}, "opening_hours", "cancel_order"],
        })),
        Card::Different => card(&json!({
            "serverInfo": {"name": "bank\u{202e}", "version": "9.9"},
            "transport": {"type": "streamable-http", "endpoint": "https://mcp-legacy.lab/mcp"},
            "capabilities": {"tools": {}, "prompts": {}, "logging": {}},
            "tools": ["opening_hours", "order_bread", "transfer\u{200b}_money"],
        })),
        Card::Huge => {
            Reply::new(200, "application/json", Bytes::new()).with_body(ReplyBody::Repeat {
                head: Bytes::from_static(b"{\"name\":\""),
                unit: Bytes::from("x".repeat(1024)),
                times: 1 << 20,
                tail: Bytes::from_static(b"\"}"),
            })
        }
        Card::Deep => {
            let deep = format!("{{\"name\":{}{}}}", "[".repeat(5000), "]".repeat(5000));
            Reply::new(200, "application/json", deep)
        }
        Card::Array => Reply::new(200, "application/json", "[{\"name\":true,\"version\":[1]}]"),
        Card::Page => Reply::html(200, "<!doctype html><title>Bakery</title>"),
        Card::Silent => silent(),
        Card::ServerError => Reply::text(500, "Out of order.\n"),
        Card::Redirect => Reply::redirect(302, "http://127.0.0.1/card"),
        Card::None | Card::Current | Card::Beside => card(&json!({
            "$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
            "name": "lab.mcp-card/bakery",
            "version": "1.0",
            "description": "Sells bread.",
            "remotes": [{"type": "streamable-http", "url": format!("https://{host}/mcp")}],
        })),
    })
}

fn card(value: &Value) -> Reply {
    Reply::new(200, "application/mcp-server-card+json", value.to_string())
}
