//! Answers one request to an MCP server.

use bytes::Bytes;
use serde_json::{Value, json};

use super::behaviour::{AuthFault, Behaviour, Era, Fault, Form};
use super::host::LabMcpHost;
use super::silence::{NEVER, silent};
use super::state::{McpServers, RunningServer};
use super::{auth, card, legacy_stream};
use crate::content::compressed;
use crate::http::reply::{Reply, ReplyBody, SiteRequest};

pub(crate) fn reply(request: &SiteRequest<'_>, servers: &McpServers) -> Reply {
    servers
        .with(request.site_name, |host, running| Answering { host, running, request }.reply())
        .unwrap_or_else(not_found)
}

struct Answering<'a> {
    host: &'a LabMcpHost,
    running: &'a mut RunningServer,
    request: &'a SiteRequest<'a>,
}

impl Answering<'_> {
    fn reply(&mut self) -> Reply {
        let Behaviour { fault, era, .. } = self.host.behaviour;
        let auth = match fault {
            Fault::Auth(kind) => Some(kind),
            Fault::AuthForLists | Fault::ForbiddenLists | Fault::AuthForPrompts => {
                Some(AuthFault::None)
            }
            _ => None,
        };
        let file = auth
            .and_then(|kind| auth::metadata(self.host.name, self.request.path, kind))
            .or_else(|| card::reply(self.host.name, self.request.path, self.host.behaviour.card));
        if let Some(reply) = file {
            return reply;
        }
        let is_message = era == Era::EventStream && self.request.path == "/message";
        if self.request.path != self.host.path && !is_message {
            return not_found();
        }
        match fault {
            Fault::Auth(kind) => return auth::challenge(self.host.name, kind),
            Fault::Silence => return silent(),
            Fault::Redirect => return Reply::redirect(307, "http://127.0.0.1/mcp"),
            Fault::Html => return Reply::html(200, "<!doctype html><title>Bakery</title>"),
            Fault::ServerError => return Reply::text(500, "Out of order.\n"),
            Fault::NotFound => return not_found(),
            _ => {}
        }
        match self.request.method {
            "GET" if era == Era::EventStream => legacy_stream::open(self.host, self.running),
            "POST" if era != Era::EventStream || is_message => self.answer_question(),
            "POST" => not_found(),
            "DELETE" if era != Era::Modern => self.end_session(),
            _ => Reply::text(405, "Method not allowed.\n"),
        }
    }

    fn end_session(&mut self) -> Reply {
        let session = self.request.header("mcp-session-id").unwrap_or_default();
        let known = self.running.sessions.remove(session);
        Reply::text(if known { 200 } else { 404 }, "")
    }

    fn answer_question(&mut self) -> Reply {
        let Ok(question) = serde_json::from_slice::<Value>(self.request.body) else {
            return error_reply(400, &Value::Null, -32700);
        };
        let method = question.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
        self.running.note_method(&method);
        let accept = self.request.accept;
        if !accept.contains("application/json") || !accept.contains("text/event-stream") {
            return Reply::text(406, "Both forms must be accepted.\n");
        }
        let id = question.get("id").cloned().unwrap_or(Value::Null);
        let Behaviour { era, fault, .. } = self.host.behaviour;
        let is_modern = self.request.header("mcp-protocol-version") == Some("2026-07-28");
        if is_modern && matches!(era, Era::Modern | Era::Both) {
            return self.answer_modern(&question, &method, &id);
        }
        match (era, fault, method.as_str()) {
            (Era::Modern, _, _) => error_reply(400, &id, -32022),
            (_, Fault::SilentDiscover, "server/discover") => silent(),
            (_, Fault::DiscoverWithStatus200, "server/discover") => error_reply(200, &id, -32601),
            (_, Fault::SessionHeaderRequired, "server/discover") => {
                Reply::text(400, "Mcp-Session-Id header is required\n")
            }
            (_, _, "server/discover") => error_reply(400, &Value::Null, -32000),
            (_, _, "initialize") => self.initialize(&question, &id),
            (_, _, "notifications/initialized") => Reply::text(202, ""),
            (_, _, method) => {
                let has_session = self.host.behaviour.has_session && era != Era::EventStream;
                let session = self.request.header("mcp-session-id").unwrap_or_default();
                if has_session && !self.running.sessions.contains(session) {
                    return error_reply(400, &Value::Null, -32000);
                }
                self.answer_list(&question, method, &id)
            }
        }
    }

    fn answer_modern(&mut self, question: &Value, method: &str, id: &Value) -> Reply {
        let has_meta = question.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion")
            == Some(&Value::from("2026-07-28"));
        if !has_meta || self.request.header("mcp-method") != Some(method) {
            return error_reply(400, id, -32020);
        }
        if method == "server/discover" && self.host.behaviour.fault == Fault::NoDiscover {
            return error_reply(404, id, -32601);
        }
        if method != "server/discover" {
            return self.answer_list(question, method, id);
        }
        if self.host.behaviour.fault == Fault::OtherModernVersion {
            let data = json!({"supported": ["2027-01-01"], "requested": "2026-07-28"});
            let error = json!({"code": -32022, "message": "Unsupported version", "data": data});
            let body = json!({"jsonrpc": "2.0", "id": id, "error": error});
            return Reply::new(400, "application/json", body.to_string());
        }
        let supported = match self.host.behaviour.fault {
            Fault::ListsOlderVersion => json!(["2026-07-28", "2025-11-25"]),
            _ => json!(["2026-07-28"]),
        };
        let result = json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "supportedVersions": supported,
            "capabilities": self.capabilities(),
            "instructions": self.running.content.instructions,
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "bakery", "version": "1.0"}},
        });
        self.send(id, &result.to_string())
    }

    fn capabilities(&self) -> Value {
        match self.host.behaviour.fault {
            Fault::NoTools => json!({"prompts": {}}),
            _ => json!({"tools": {"listChanged": true}, "prompts": {}, "resources": {}}),
        }
    }

    fn initialize(&mut self, question: &Value, id: &Value) -> Reply {
        let Behaviour { version, fault, has_session, era, .. } = self.host.behaviour;
        let asked = question.pointer("/params/protocolVersion").and_then(Value::as_str);
        if fault == Fault::RefusesOtherVersions && asked != Some(version) {
            return error_reply(200, id, -32602);
        }
        let version = if fault == Fault::UnknownVersion { "1999-01-01" } else { version };
        let result = json!({
            "protocolVersion": version,
            "capabilities": self.capabilities(),
            "serverInfo": {"name": "bakery", "version": "1.0", "title": "The bakery"},
            "instructions": self.running.content.instructions,
        });
        let reply = match fault {
            // The head comes, with the session; the response does not.
            Fault::SilentInitialize => silent_stream(),
            _ => self.send(id, &result.to_string()),
        };
        if !has_session || era == Era::EventStream {
            return reply;
        }
        self.running.opened += 1;
        let session = match fault {
            Fault::BadSessionId => "bad session".to_owned(),
            _ => format!("session-{}", self.running.opened),
        };
        self.running.sessions.insert(session.clone());
        reply.with_header("mcp-session-id", session)
    }

    fn answer_list(&mut self, question: &Value, method: &str, id: &Value) -> Reply {
        let Behaviour { fault, page_size, empty_cursor, .. } = self.host.behaviour;
        match (fault, method) {
            (Fault::AuthForLists, _) | (Fault::AuthForPrompts, "prompts/list") => {
                return auth::challenge(self.host.name, AuthFault::None);
            }
            (Fault::ForbiddenLists, _) => {
                let reply = auth::challenge(self.host.name, AuthFault::None);
                return Reply { status: 403, ..reply };
            }
            _ => {}
        }
        let content = &self.running.content;
        let (member, mut items) = match method {
            "tools/list" => ("tools", content.tools.clone()),
            "prompts/list" => ("prompts", content.prompts.clone()),
            "resources/list" => ("resources", content.resources.clone()),
            "resources/templates/list" => ("resourceTemplates", content.resource_templates.clone()),
            _ => return error_reply(404, id, -32601),
        };
        if member == "tools" {
            self.running.tool_lists += 1;
            let count = self.running.tool_lists;
            match fault {
                Fault::Unstable => {
                    items.push(super::content::tool("now", &format!("Now {count}.")))
                }
                Fault::UnstableOrder if count.is_multiple_of(2) => items.reverse(),
                _ => {}
            }
        }
        let cursor = question.pointer("/params/cursor").and_then(Value::as_str);
        let page = match cursor {
            None => 0,
            Some("") => 1,
            Some(text) => text.parse::<usize>().unwrap_or(1),
        };
        if page > 0 {
            match fault {
                Fault::PageTwoError => return error_reply(200, id, -32603),
                Fault::PageTwoSilence => return silent(),
                Fault::PageTwoNotFound => return not_found(),
                _ => {}
            }
        }
        let size = if page_size == 0 { items.len().max(1) } else { page_size };
        let shown: Vec<String> = match fault {
            Fault::EndlessPages => vec![super::content::tool(&format!("tool_{page}"), "Again.")],
            _ => items.iter().skip(page * size).take(size).cloned().collect(),
        };
        let has_more = (page + 1) * size < items.len();
        let next = match fault {
            Fault::RepeatingCursor => Some("1".to_owned()),
            Fault::EndlessPages => Some((page + 1).to_string()),
            _ if !has_more => None,
            _ if empty_cursor && page == 0 => Some(String::new()),
            _ => Some((page + 1).to_string()),
        };
        let next = next.map(|next| format!(",\"nextCursor\":\"{next}\"")).unwrap_or_default();
        let result = format!("{{\"{member}\":[{}]{next}}}", shown.join(","));
        match fault {
            Fault::GzipBomb => gzip_bomb(),
            Fault::EndlessSse => endless(b": nothing yet\n"),
            Fault::EndlessMessages => {
                endless(b"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n\n")
            }
            Fault::SseWithoutResponse => sse(": nothing\n\n".to_owned()),
            Fault::SseSilence => silent_stream(),
            Fault::WrongContentType => Reply::text(200, message(id, &result)),
            Fault::BadJson => {
                let text = message(id, &result);
                json_reply(text.get(..text.len() / 2).unwrap_or_default().to_owned())
            }
            Fault::DeepJson => {
                let deep = format!("{{\"tools\":{}{}}}", "[".repeat(1000), "]".repeat(1000));
                json_reply(message(id, &deep))
            }
            Fault::IdMismatch => json_reply(message(&Value::from(4711), &result)),
            _ => self.send(id, &result),
        }
    }

    /// Sends a response in the form of this server.
    fn send(&self, id: &Value, result: &str) -> Reply {
        let text = message(id, result);
        if self.host.behaviour.fault == Fault::WrongContentType {
            return Reply::text(200, text);
        }
        if self.host.behaviour.era == Era::EventStream {
            let SiteRequest { path, query, .. } = *self.request;
            let stream = legacy_stream::stream_of(self.running, path, query);
            let event = Bytes::from(format!("event: message\ndata: {text}\n\n"));
            let is_sent = stream.is_some_and(|stream| stream.send(event).is_ok());
            return if is_sent { Reply::text(202, "Accepted") } else { not_found() };
        }
        match self.host.behaviour.form {
            Form::Json => json_reply(text),
            Form::Gzip => json_reply(compressed::gzip(text.as_bytes()))
                .with_header("content-encoding", "gzip"),
            Form::Batch => json_reply(format!("[{text}]")),
            Form::Sse => sse(format!("event: message\nid: 1\ndata: {text}\n\n")),
            Form::OddSse => sse(format!(
                "\u{feff}: hello\r\nretry: 1000\r\nid: 0\r\ndata\r\n\r\nevent:message\r\ndata:{}\r\n\r\n",
                text.replacen("\"result\":", "\r\ndata:\"result\":\r\ndata:", 1)
            )),
            Form::ChattySse => sse(format!(
                "data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}}\n\n\
                 data: {{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}}\n\ndata: {text}\n\n"
            )),
        }
    }
}

fn message(id: &Value, result: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")
}

fn json_reply(body: impl Into<Bytes>) -> Reply {
    Reply::new(200, "application/json", body)
}

fn error_reply(status: u16, id: &Value, code: i64) -> Reply {
    let error = json!({"code": code, "message": "Not like this."});
    let body = json!({"jsonrpc": "2.0", "id": id, "error": error});
    Reply::new(status, "application/json", body.to_string())
}

fn sse(body: String) -> Reply {
    Reply::new(200, "text/event-stream", body)
}

fn endless(unit: &'static [u8]) -> Reply {
    let unit = Bytes::from(unit.repeat(64));
    let body = ReplyBody::Repeat { head: Bytes::new(), unit, times: 1 << 30, tail: Bytes::new() };
    sse(String::new()).with_body(body)
}

fn silent_stream() -> Reply {
    let body = ReplyBody::Drip { bytes: Bytes::from_static(b"::::::::::"), every: NEVER };
    sse(String::new()).with_body(body)
}

fn not_found() -> Reply {
    Reply::text(404, "There is no such page.\n")
}

fn gzip_bomb() -> Reply {
    json_reply(Bytes::new())
        .with_header("content-encoding", "gzip")
        .with_body(compressed::gzip_bomb(1 << 30))
}
