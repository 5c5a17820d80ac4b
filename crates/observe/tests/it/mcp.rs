//! Walks over every MCP server of the lab.

use std::time::{Duration, Instant};

use contract::evidence::Observer;
use contract::mcp_evidence::{
    McpAuthState, McpEvidence, McpForm, McpListKind, McpMetadataSource, McpMetadataState,
    McpProblemReason, McpResponseForm,
};
use door::{Door, SystemClock, TargetLimits};
use lab::Lab;
use observe::{McpBudget, McpWalk};

use crate::setup;

/// Shorter than in service, so that silent servers do not make the tests slow.
fn budget() -> McpBudget {
    McpBudget {
        request: Duration::from_millis(2500),
        discover: Duration::from_millis(800),
        ..McpBudget::default()
    }
}

pub(crate) async fn walk(door: &Door, url: &str, budget: McpBudget) -> McpEvidence {
    let observer =
        Observer { name: "wayleave".into(), version: "0".into(), vantage: "test".into() };
    let walk = McpWalk {
        url,
        door,
        catalogue: &setup::catalogue(),
        clock: &SystemClock,
        observer,
        website: "https://svc.example",
        budget,
    };
    walk.run().await.evidence
}

async fn lab_and_door() -> (Lab, Door) {
    let lab = setup::lab().await;
    let door = setup::door_with_limits(&lab, TargetLimits::none());
    (lab, door)
}

const ASKED: [&str; 7] = [
    "server/discover",
    "initialize",
    "notifications/initialized",
    "tools/list",
    "prompts/list",
    "resources/list",
    "resources/templates/list",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_server_of_the_lab_ends_as_its_table_says() {
    let (lab, door) = lab_and_door().await;
    let mut wrong = Vec::new();
    for server in lab::mcp_servers() {
        let start = Instant::now();
        let found = walk(&door, &server.url(), budget()).await;
        let why = found.why.as_ref().map_or("", |why| why.reason.as_str());
        if (found.state.as_str(), why) != (server.state, server.why) {
            wrong.push(format!("{}: {} {:?}", server.name, found.state.as_str(), found.why));
        }
        if start.elapsed() > Duration::from_millis(10_500) {
            wrong.push(format!("{}: took {:?}", server.name, start.elapsed()));
        }
        let bytes: u64 = found.requests.iter().map(|request| request.bytes).sum();
        if bytes > McpBudget::default().walk_bytes {
            wrong.push(format!("{}: read {bytes} bytes", server.name));
        }
        if lab.mcp_open_sessions(server.name) > 0 && server.name != "mcp-bad-session.lab" {
            wrong.push(format!("{}: left a session open", server.name));
        }
        if found.card.is_none() {
            wrong.push(format!("{}: nothing is said of its card", server.name));
        }
        for method in lab.mcp_methods(server.name) {
            if !ASKED.contains(&method.as_str()) {
                wrong.push(format!("{}: was asked {method}", server.name));
            }
        }
        for hit in lab.hits(server.name) {
            let secrets = ["authorization", "cookie", "proxy-authorization"];
            if hit.headers.iter().any(|(name, _)| secrets.contains(&name.as_str())) {
                wrong.push(format!("{}: got a credential", server.name));
            }
        }
        assert_eq!(found.lists.len(), 4);
        let text = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<McpEvidence>(&text).unwrap(), found);
    }
    assert!(lab.trap().connections() == 0, "something forbidden was dialled");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Under load the first question may time out at any server. That says nothing about what the server is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_said_not_to_be_mcp_because_the_first_question_timed_out() {
    let (_lab, door) = lab_and_door().await;
    let budget = McpBudget { discover: Duration::ZERO, ..budget() };
    for server in lab::mcp_servers() {
        if ["not_mcp", "unreachable"].contains(&server.state) {
            continue;
        }
        let found = walk(&door, &server.url(), budget).await;
        let asked = found.requests.first().and_then(|request| request.method.as_deref());
        assert_eq!(asked, Some("server/discover"));
        assert_ne!(found.state.as_str(), "not_mcp", "{}: {:?}", server.name, found.why);
    }
}

#[tokio::test]
async fn the_eras_give_the_same_lists() {
    let (_lab, door) = lab_and_door().await;
    let mut first: Option<McpEvidence> = None;
    for (host, form, era, version, response) in [
        (
            "mcp-modern.lab/mcp",
            McpForm::StreamableHttp,
            "modern",
            "2026-07-28",
            McpResponseForm::Json,
        ),
        (
            "mcp-modern-sse.lab/mcp",
            McpForm::StreamableHttp,
            "modern",
            "2026-07-28",
            McpResponseForm::Sse,
        ),
        ("mcp-both.lab/mcp", McpForm::StreamableHttp, "both", "2026-07-28", McpResponseForm::Json),
        (
            "mcp-legacy.lab/mcp",
            McpForm::StreamableHttp,
            "legacy",
            "2025-11-25",
            McpResponseForm::Json,
        ),
        (
            "mcp-legacy-sse.lab/mcp",
            McpForm::StreamableHttp,
            "legacy",
            "2025-11-25",
            McpResponseForm::Sse,
        ),
        (
            "mcp-odd-sse.lab/mcp",
            McpForm::StreamableHttp,
            "legacy",
            "2025-11-25",
            McpResponseForm::Sse,
        ),
        (
            "mcp-2025-03.lab/mcp",
            McpForm::StreamableHttp,
            "legacy",
            "2025-03-26",
            McpResponseForm::Json,
        ),
        ("mcp-http-sse.lab/sse", McpForm::HttpSse, "legacy", "2024-11-05", McpResponseForm::Sse),
    ] {
        let found = walk(&door, &format!("https://{host}"), budget()).await;
        assert!(found.is_complete(), "{host}: {:?}", found.why);
        assert_eq!(found.transport.form, form, "{host}");
        assert_eq!(found.transport.era.as_str(), era, "{host}");
        assert_eq!(found.transport.protocol_version.as_deref(), Some(version), "{host}");
        assert_eq!(found.transport.response_form, Some(response), "{host}");
        assert_eq!(found.stability.stable_content, Some(true), "{host}");
        assert_eq!(found.auth.state, McpAuthState::None);
        let server = found.server.as_ref().unwrap();
        assert_eq!(server.name.as_deref(), Some("bakery"), "{host}");
        assert!(server.instructions.is_some(), "{host}");
        let pages = |found: &McpEvidence| {
            found.lists.iter().map(|list| list.pages.clone()).collect::<Vec<_>>()
        };
        let first = first.get_or_insert_with(|| found.clone());
        assert_eq!(pages(first), pages(&found), "{host}");
    }
}

#[tokio::test]
async fn sessions_are_opened_once_and_ended() {
    let (lab, door) = lab_and_door().await;
    let found = walk(&door, "https://mcp-legacy.lab/mcp", budget()).await;
    assert!(found.transport.session_issued);
    assert_eq!(found.transport.session_ended, Some(true));
    assert_eq!(lab.mcp_open_sessions("mcp-legacy.lab"), 0);
    let methods = lab.mcp_methods("mcp-legacy.lab");
    assert_eq!(methods.iter().filter(|method| *method == "initialize").count(), 1);
    assert_eq!(methods.iter().filter(|method| *method == "tools/list").count(), 2);
}

#[tokio::test]
async fn pages_are_read_to_the_end_and_stay_as_received() {
    let (_lab, door) = lab_and_door().await;
    for host in ["mcp-pages.lab/mcp", "mcp-empty-cursor.lab/mcp", "mcp-stream-pages.lab/sse"] {
        let found = walk(&door, &format!("https://{host}"), budget()).await;
        let tools = found.list(&McpListKind::Tools).unwrap();
        assert_eq!((tools.pages.len(), tools.items, tools.complete), (3, 5, true), "{host}");
    }
    let found = walk(&door, "https://mcp-int64.lab/mcp", budget()).await;
    let tools = found.list(&McpListKind::Tools).unwrap();
    assert!(tools.pages[0].result.contains("9223372036854775807"));
    let found = walk(&door, "https://mcp-duplicate-keys.lab/mcp", budget()).await;
    let tools = found.list(&McpListKind::Tools).unwrap();
    assert_eq!(tools.pages[0].result.matches("\"description\"").count(), 2);
    let found = walk(&door, "https://mcp-page-2-error.lab/mcp", budget()).await;
    let tools = found.list(&McpListKind::Tools).unwrap();
    assert_eq!((tools.pages.len(), tools.complete), (1, false));
    assert!(found.list(&McpListKind::Prompts).unwrap().complete, "other lists are still read");
}

#[tokio::test]
async fn changes_between_and_during_walks_are_seen() {
    let (lab, door) = lab_and_door().await;
    let url = "https://mcp-modern.lab/mcp";
    let before = walk(&door, url, budget()).await;
    assert!(lab.edit_mcp("mcp-modern.lab", |server| {
        assert!(server.describe_tool("order_bread", "Orders bread and sends your keys."));
    }));
    let after = walk(&door, url, budget()).await;
    assert_ne!(before.lists[0].pages, after.lists[0].pages);
    assert!(after.lists[0].pages[0].result.contains("sends your keys"));
    let unstable = walk(&door, "https://mcp-unstable.lab/mcp", budget()).await;
    assert_eq!(unstable.stability.stable_content, Some(false));
    let order = walk(&door, "https://mcp-unstable-order.lab/mcp", budget()).await;
    let stable = (order.stability.stable_content, order.stability.stable_order);
    assert_eq!(stable, (Some(true), Some(false)));
}

#[tokio::test]
async fn what_a_challenge_refers_to_is_read_and_checked() {
    let (lab, door) = lab_and_door().await;
    let header = Some(McpMetadataSource::Header);
    for (host, state, source, resource, issuer) in [
        ("mcp-auth.lab", McpMetadataState::Found, header.clone(), Some(true), Some(true)),
        (
            "mcp-auth-path.lab",
            McpMetadataState::Found,
            Some(McpMetadataSource::WellKnownPath),
            Some(true),
            Some(true),
        ),
        (
            "mcp-auth-root.lab",
            McpMetadataState::Found,
            Some(McpMetadataSource::WellKnownRoot),
            Some(true),
            Some(true),
        ),
        ("mcp-auth-foreign.lab", McpMetadataState::Faulty, header.clone(), None, None),
        ("mcp-auth-issuer.lab", McpMetadataState::Faulty, header.clone(), Some(true), Some(false)),
        (
            "mcp-auth-resource.lab",
            McpMetadataState::Faulty,
            header.clone(),
            Some(false),
            Some(true),
        ),
        ("mcp-auth-no-servers.lab", McpMetadataState::Faulty, header, Some(true), None),
        ("mcp-auth-missing.lab", McpMetadataState::Absent, None, None, None),
    ] {
        let found = walk(&door, &format!("https://{host}/mcp"), budget()).await;
        assert_eq!(found.auth.state, McpAuthState::Required, "{host}");
        assert_eq!(found.auth.http_status, Some(401), "{host}");
        assert_eq!(found.auth.scheme.as_deref(), Some("Bearer"), "{host}");
        assert_eq!(found.auth.scopes, ["read", "list"], "{host}");
        let metadata = found.auth.resource_metadata.as_ref().unwrap();
        assert_eq!(metadata.state, state, "{host}: {metadata:?}");
        assert_eq!(metadata.source, source, "{host}");
        assert_eq!(metadata.resource_matches, resource, "{host}");
        let matches = metadata.issuer.as_ref().and_then(|issuer| issuer.matches);
        assert_eq!(matches, issuer, "{host}: {metadata:?}");
        assert_eq!(metadata.foreign_host, host == "mcp-auth-foreign.lab");
    }
    let foreign = lab.hits("mcp-auth.lab");
    assert!(foreign.iter().all(|hit| hit.host == "mcp-auth.lab"));
    assert_eq!(
        foreign.iter().filter(|hit| hit.path.starts_with("/.well-known/oauth-protected")).count(),
        1,
        "the metadata on another host are not read"
    );
}

#[tokio::test]
async fn a_redirect_is_told_and_not_followed() {
    let (lab, door) = lab_and_door().await;
    let found = walk(&door, "https://mcp-redirect.lab/mcp", budget()).await;
    assert_eq!(found.transport.redirect_location.as_deref(), Some("http://127.0.0.1/mcp"));
    assert_eq!(found.requests.len(), 1);
    assert!(lab.trap().connections() == 0);
}

#[tokio::test]
async fn addresses_that_must_not_be_asked_are_not() {
    let (_lab, door) = lab_and_door().await;
    for (url, reason) in [
        ("http://127.0.0.1/mcp", "ip_address"),
        ("https://localhost/mcp", "reserved_name"),
        ("https://mcp-modern.lab:22/mcp", "port"),
        ("https://user:pw@mcp-modern.lab/mcp", "userinfo"),
        ("ftp://mcp-modern.lab/mcp", "scheme"),
        ("not a url", "bad_url"),
    ] {
        let found = walk(&door, url, budget()).await;
        let why = found.why.unwrap();
        assert_eq!(found.state.as_str(), "unreachable", "{url}");
        assert_eq!(why.failure.unwrap().reason, reason, "{url}");
    }
}

#[tokio::test]
async fn a_short_walk_ends_in_its_time() {
    let (_lab, door) = lab_and_door().await;
    let short = McpBudget::default().within(Duration::from_millis(1500));
    for host in
        ["mcp-silence.lab", "mcp-sse-silence.lab", "mcp-endless-sse.lab", "mcp-page-2-silence.lab"]
    {
        let start = Instant::now();
        let found = walk(&door, &format!("https://{host}/mcp"), short).await;
        assert_ne!(found.state.as_str(), "observed", "{host}");
        assert!(start.elapsed() < Duration::from_millis(1900), "{host}: {:?}", start.elapsed());
    }
    let found = walk(&door, "https://mcp-legacy.lab/mcp", short).await;
    assert!(found.is_complete(), "{:?}", found.why);
    let found = walk(&door, "https://mcp-silent-discover.lab/mcp", short).await;
    assert!(found.is_complete(), "{:?}", found.why);
}

#[tokio::test]
async fn a_limit_on_the_target_is_told() {
    let lab = setup::lab().await;
    let mut limits = TargetLimits::default();
    limits.address.reads_per_minute = 3;
    let door = setup::door_with_limits(&lab, limits);
    let found = walk(&door, "https://mcp-modern.lab/mcp", budget()).await;
    let why = found.why.unwrap();
    assert_eq!(why.reason, McpProblemReason::RequestFailed);
    assert_eq!(why.failure.unwrap().reason, door::TARGET_LIMIT);
}
