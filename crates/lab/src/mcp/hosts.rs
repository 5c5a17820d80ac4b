//! The table of servers.

use std::sync::LazyLock;

use super::behaviour::{AuthFault, Behaviour, Era, Fault, Form};
use super::content;
use super::further_hosts;
use super::host::{LEGACY, LabMcpHost, MODERN, STREAM, fault, form, pages};

/// Leads to 127.77.0.99, where a test can run real servers. Their ports must be allowed.
pub const MCP_PEER_HOST: &str = "peer.lab";

/// Every MCP server of the lab.
#[must_use]
pub fn mcp_servers() -> &'static [LabMcpHost] {
    &SERVERS
}

const fn auth(kind: AuthFault) -> Behaviour {
    fault(LEGACY, Fault::Auth(kind))
}

static SERVERS: LazyLock<Vec<LabMcpHost>> = LazyLock::new(|| {
    let new = LabMcpHost::new;
    let two = |base| pages(base, 2);
    let mut servers = vec![
        new("mcp-modern.lab", "Speaks 2026-07-28, in JSON.", MODERN),
        new("mcp-modern-sse.lab", "Speaks 2026-07-28, in streams.", form(MODERN, Form::Sse)),
        new("mcp-both.lab", "Speaks both eras.", Behaviour { era: Era::Both, ..LEGACY }),
        new("mcp-legacy.lab", "Speaks 2025-11-25 with a session, in JSON.", LEGACY),
        new("mcp-legacy-sse.lab", "Speaks 2025-11-25, in streams.", form(LEGACY, Form::Sse)),
        new("mcp-2025-06.lab", "Speaks 2025-06-18.", Behaviour { version: "2025-06-18", ..LEGACY }),
        new(
            "mcp-2025-03.lab",
            "Speaks 2025-03-26 and answers with arrays, without a session.",
            Behaviour { version: "2025-03-26", form: Form::Batch, has_session: false, ..LEGACY },
        ),
        new("mcp-http-sse.lab", "Speaks 2024-11-05: a stream and a second address.", STREAM),
        new("mcp-gzip.lab", "Compresses its answers.", form(MODERN, Form::Gzip)),
        new(
            "mcp-odd-sse.lab",
            "Sends streams with a mark, comments, CR LF and several lines.",
            form(LEGACY, Form::OddSse),
        ),
        new(
            "mcp-chatty.lab",
            "Sends a notification and a request before each response.",
            form(LEGACY, Form::ChattySse),
        ),
        new("mcp-pages.lab", "Lists five tools on three pages.", two(MODERN))
            .lists(content::five_tools),
        new(
            "mcp-empty-cursor.lab",
            "The cursor of its second page is an empty text.",
            Behaviour { empty_cursor: true, ..two(LEGACY) },
        )
        .lists(content::five_tools),
        new("mcp-stream-pages.lab", "Speaks 2024-11-05 and has several pages.", two(STREAM))
            .lists(content::five_tools),
        new("mcp-no-tools.lab", "Declares only prompts.", fault(LEGACY, Fault::NoTools)),
        new("mcp-thousand.lab", "Lists a thousand tools.", pages(MODERN, 100))
            .lists(content::thousand_tools),
        new(
            "mcp-silent-discover.lab",
            "Never answers discovery; speaks 2025-11-25.",
            fault(LEGACY, Fault::SilentDiscover),
        ),
        new(
            "mcp-discover-200.lab",
            "Answers discovery with status 200 and an error.",
            fault(LEGACY, Fault::DiscoverWithStatus200),
        ),
        new(
            "mcp-session-required.lab",
            "Answers discovery with 400: it wants a session.",
            fault(LEGACY, Fault::SessionHeaderRequired),
        ),
        new(
            "mcp-refuses-versions.lab",
            "Answers other versions than 2025-06-18 with an error.",
            Behaviour { version: "2025-06-18", ..fault(LEGACY, Fault::RefusesOtherVersions) },
        ),
        new(
            "mcp-unstable.lab",
            "Describes a tool differently each time.",
            fault(MODERN, Fault::Unstable),
        ),
        new(
            "mcp-unstable-order.lab",
            "Lists its tools in another order each time.",
            fault(MODERN, Fault::UnstableOrder),
        ),
        new("mcp-duplicate-keys.lab", "A tool has two descriptions.", MODERN)
            .lists(content::duplicate_keys),
        new("mcp-int64.lab", "A schema has the largest 64-bit integer.", MODERN)
            .lists(content::large_integer),
        new("mcp-control-names.lab", "Tools have control characters in their names.", MODERN)
            .lists(content::control_names),
        new("mcp-poisoned.lab", "Tools give orders to models, some of them hidden.", MODERN)
            .lists(content::poisoned),
        new("mcp-unicode.lab", "Honest texts with flags, joined emoji and Persian.", MODERN)
            .lists(content::honest_unicode),
        new(
            "mcp-unknown-version.lab",
            "Chooses a version that nobody knows.",
            fault(LEGACY, Fault::UnknownVersion),
        )
        .ends("incomplete", "unsupported_version"),
        new(
            "mcp-later-version.lab",
            "Speaks only a later version without handshake.",
            fault(MODERN, Fault::OtherModernVersion),
        )
        .ends("incomplete", "unsupported_version"),
        new(
            "mcp-bad-session.lab",
            "Its session id has a space.",
            fault(LEGACY, Fault::BadSessionId),
        )
        .ends("incomplete", "bad_response"),
        new(
            "mcp-repeating-cursor.lab",
            "Every page names the same next page.",
            fault(two(MODERN), Fault::RepeatingCursor),
        )
        .lists(content::five_tools)
        .ends("incomplete", "repeated_cursor"),
        new(
            "mcp-endless-pages.lab",
            "Every page names a new next page.",
            fault(two(MODERN), Fault::EndlessPages),
        )
        .ends("incomplete", "too_many_pages"),
        new(
            "mcp-page-2-error.lab",
            "The second page is an error.",
            fault(two(LEGACY), Fault::PageTwoError),
        )
        .ends("incomplete", "rpc_error"),
        new(
            "mcp-page-2-silence.lab",
            "The second page never comes.",
            fault(two(LEGACY), Fault::PageTwoSilence),
        )
        .ends("incomplete", "timeout"),
        new(
            "mcp-page-2-lost.lab",
            "The session is gone at the second page.",
            fault(two(LEGACY), Fault::PageTwoNotFound),
        )
        .ends("incomplete", "http_status"),
        new("mcp-duplicate-names.lab", "Two tools have the same name.", MODERN)
            .lists(content::duplicate_names)
            .ends("incomplete", "duplicate_name"),
        new("mcp-huge.lab", "A description has 3 MiB.", MODERN)
            .lists(content::huge_description)
            .ends("incomplete", "response_too_large"),
        new("mcp-large.lab", "Eight tools of 1.5 MiB, one a page.", pages(MODERN, 1))
            .lists(content::large_tools)
            .ends("incomplete", "walk_too_large"),
        new("mcp-many.lab", "Lists 100,000 tools.", MODERN)
            .lists(content::many_tools)
            .ends("incomplete", "too_many_items"),
        new("mcp-gzip-bomb.lab", "Its lists expand to gigabytes.", fault(MODERN, Fault::GzipBomb))
            .ends("incomplete", "response_too_large"),
        new(
            "mcp-endless-sse.lab",
            "Its lists are streams of comments without end.",
            fault(LEGACY, Fault::EndlessSse),
        )
        .ends("incomplete", "response_too_large"),
        new(
            "mcp-endless-messages.lab",
            "Its lists are streams of notifications without end.",
            fault(LEGACY, Fault::EndlessMessages),
        )
        .ends("incomplete", "too_many_messages"),
        new(
            "mcp-no-response.lab",
            "Its streams end without a response.",
            fault(LEGACY, Fault::SseWithoutResponse),
        )
        .ends("incomplete", "no_response"),
        new(
            "mcp-sse-silence.lab",
            "Its streams stay open without a response.",
            fault(LEGACY, Fault::SseSilence),
        )
        .ends("incomplete", "timeout"),
        new(
            "mcp-id-mismatch.lab",
            "Its lists have the id of another request.",
            fault(MODERN, Fault::IdMismatch),
        )
        .ends("incomplete", "id_mismatch"),
        new("mcp-bad-json.lab", "Its lists are cut off.", fault(MODERN, Fault::BadJson))
            .ends("incomplete", "bad_json"),
        new(
            "mcp-deep-json.lab",
            "Its lists are nested a thousand times.",
            fault(MODERN, Fault::DeepJson),
        )
        .ends("incomplete", "bad_json"),
        new("mcp-silence.lab", "Takes questions and never answers.", fault(LEGACY, Fault::Silence))
            .ends("unreachable", "timeout"),
        new(
            "mcp-redirect.lab",
            "Redirects questions to 127.0.0.1.",
            fault(LEGACY, Fault::Redirect),
        )
        .ends("not_mcp", "redirected"),
        new(
            "mcp-wrong-type.lab",
            "Answers with text/plain.",
            Behaviour { has_session: false, ..fault(LEGACY, Fault::WrongContentType) },
        )
        .ends("not_mcp", "wrong_content_type"),
        new("mcp-html.lab", "Answers everything with a page.", fault(LEGACY, Fault::Html))
            .ends("not_mcp", "wrong_content_type"),
        new(
            "mcp-server-error.lab",
            "Answers everything with 500.",
            fault(LEGACY, Fault::ServerError),
        )
        .ends("unreachable", "http_status"),
        new("mcp-not-found.lab", "Answers everything with 404.", fault(LEGACY, Fault::NotFound))
            .ends("not_mcp", "http_status"),
        new(
            "mcp-foreign-endpoint.lab",
            "Its stream names an address on another host.",
            fault(STREAM, Fault::ForeignEndpoint),
        )
        .ends("incomplete", "foreign_endpoint"),
        new("mcp-auth.lab", "Asks for credentials; its metadata are right.", auth(AuthFault::None))
            .ends("auth_required", "auth_required"),
        new(
            "mcp-auth-path.lab",
            "The same, without an address in the challenge.",
            auth(AuthFault::OnlyWellKnownPath),
        )
        .ends("auth_required", "auth_required"),
        new(
            "mcp-auth-root.lab",
            "The same, with metadata at the root only.",
            auth(AuthFault::OnlyWellKnownRoot),
        )
        .ends("auth_required", "auth_required"),
        new(
            "mcp-auth-foreign.lab",
            "Its challenge names metadata on another host.",
            auth(AuthFault::ForeignHost),
        )
        .ends("auth_required", "auth_required"),
        new(
            "mcp-auth-issuer.lab",
            "Its authorization server calls itself by another name.",
            auth(AuthFault::WrongIssuer),
        )
        .ends("auth_required", "auth_required"),
        new(
            "mcp-auth-resource.lab",
            "Its metadata are about another resource.",
            auth(AuthFault::WrongResource),
        )
        .ends("auth_required", "auth_required"),
        new(
            "mcp-auth-no-servers.lab",
            "Its metadata name no authorization server.",
            auth(AuthFault::NoServers),
        )
        .ends("auth_required", "auth_required"),
        new(
            "mcp-auth-missing.lab",
            "Asks for credentials and has no metadata.",
            auth(AuthFault::Missing),
        )
        .ends("auth_required", "auth_required"),
    ];
    servers.extend(further_hosts::servers());
    servers
});
