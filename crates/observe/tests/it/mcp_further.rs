//! What a walk over an MCP server finds out besides its lists: both eras, servers without discovery,
//! challenges that come late, the end of sessions, and server cards.

use std::time::{Duration, Instant};

use contract::mcp_evidence::{
    McpAuthState, McpCardReading, McpCardState, McpEra, McpEvidence, McpListKind,
    McpMetadataSource, McpMetadataState, McpState,
};
use door::{Door, TargetLimits};
use lab::Lab;
use observe::McpBudget;

use crate::mcp::walk;
use crate::setup;

/// Shorter than in service, so that silent servers do not make the tests slow.
fn budget() -> McpBudget {
    McpBudget {
        request: Duration::from_millis(2500),
        discover: Duration::from_millis(800),
        ..McpBudget::default()
    }
}

async fn lab_and_door() -> (Lab, Door) {
    let lab = setup::lab().await;
    let door = setup::door_with_limits(&lab, TargetLimits::none());
    (lab, door)
}

async fn walk_host(door: &Door, host: &str) -> McpEvidence {
    walk(door, &format!("https://{host}/mcp"), budget()).await
}

fn count(lab: &Lab, host: &str, method: &str) -> usize {
    lab.mcp_methods(host).iter().filter(|asked| *asked == method).count()
}

#[tokio::test]
async fn a_server_of_both_eras_is_read_in_the_newest_form() {
    let (lab, door) = lab_and_door().await;
    let found = walk_host(&door, "mcp-both.lab").await;
    assert!(found.is_complete(), "{:?}", found.why);
    assert_eq!(found.transport.era, McpEra::Both);
    assert_eq!(found.transport.protocol_version.as_deref(), Some("2026-07-28"));
    assert_eq!(found.transport.supported_versions, ["2026-07-28"], "as the server lists them");
    // It was asked once, after the lists, and the session that came of it was ended.
    assert_eq!(count(&lab, "mcp-both.lab", "initialize"), 1);
    assert_eq!(lab.mcp_methods("mcp-both.lab").last().map(String::as_str), Some("initialize"));
    assert_eq!(found.transport.session_ended, Some(true));
    assert_eq!(lab.mcp_open_sessions("mcp-both.lab"), 0);

    let listed = walk_host(&door, "mcp-both-listed.lab").await;
    assert_eq!(listed.transport.era, McpEra::Both);
    assert_eq!(count(&lab, "mcp-both-listed.lab", "initialize"), 0, "discovery said it");
    assert!(!listed.transport.session_issued);

    let modern = walk_host(&door, "mcp-modern.lab").await;
    assert_eq!(modern.transport.era, McpEra::Modern);
    assert!(modern.is_complete(), "a refused initialize is no fault: {:?}", modern.why);
    assert_eq!(count(&lab, "mcp-modern.lab", "initialize"), 1);
}

#[tokio::test]
async fn a_server_without_discovery_is_read() {
    let (lab, door) = lab_and_door().await;
    let found = walk_host(&door, "mcp-no-discover.lab").await;
    let good = walk_host(&door, "mcp-modern.lab").await;
    assert!(found.is_complete(), "{:?}", found.why);
    assert_eq!(found.transport.era, McpEra::Modern);
    assert_eq!(found.transport.protocol_version.as_deref(), Some("2026-07-28"));
    assert_eq!(found.server, None, "it says nothing about itself");
    assert_eq!(found.lists, good.lists);
    assert_eq!(found.stability.stable_content, Some(true));
    // The older form comes first: once for each version that is offered.
    assert_eq!(count(&lab, "mcp-no-discover.lab", "initialize"), 3);
    assert_eq!(count(&lab, "mcp-no-discover.lab", "tools/list"), 3);
}

#[tokio::test]
async fn a_challenge_that_comes_late_is_read_like_an_early_one() {
    let (lab, door) = lab_and_door().await;
    for (host, path, status) in [
        ("mcp-auth-lists.lab", "mcp", 401),
        ("mcp-auth-lists-modern.lab", "mcp", 401),
        ("mcp-auth-lists-stream.lab", "sse", 401),
        ("mcp-forbidden-lists.lab", "mcp", 403),
    ] {
        let found = walk(&door, &format!("https://{host}/{path}"), budget()).await;
        assert_eq!(found.state, McpState::AuthRequired, "{host}: {:?}", found.why);
        assert_eq!(found.auth.state, McpAuthState::Required, "{host}");
        assert_eq!(found.auth.http_status, Some(status), "{host}");
        assert_eq!(found.auth.scheme.as_deref(), Some("Bearer"), "{host}");
        assert_eq!(found.auth.scopes, ["read", "list"], "{host}");
        let metadata = found.auth.resource_metadata.as_ref().unwrap();
        assert_eq!(metadata.source, Some(McpMetadataSource::Header), "{host}");
        let issuer = metadata.issuer.as_ref().and_then(|issuer| issuer.matches);
        assert_eq!(issuer, Some(true), "{host}: {metadata:?}");
        if path == "mcp" {
            assert_eq!(metadata.state, McpMetadataState::Found, "{host}: {metadata:?}");
        }
        assert_eq!(count(&lab, host, "tools/list"), 1, "{host}: not asked again");
        assert_eq!(lab.mcp_open_sessions(host), 0, "{host}");
        assert!(found.server.is_some(), "{host}: what the handshake said is kept");
        let places = found.requests.iter().filter(|request| request.url.contains("oauth"));
        assert_eq!(places.count(), 2, "{host}: reads of metadata are recorded");
    }
    let found = walk_host(&door, "mcp-auth-prompts.lab").await;
    assert_eq!(found.state, McpState::Incomplete);
    assert!(found.list(&McpListKind::Tools).unwrap().complete);
    assert_eq!(found.auth.state, McpAuthState::Required, "some of it needs credentials");
    assert_eq!(found.auth.resource_metadata.unwrap().state, McpMetadataState::Found);
}

#[tokio::test]
async fn sessions_are_ended_whatever_happens() {
    let (lab, door) = lab_and_door().await;
    let short = McpBudget::default().within(Duration::from_millis(1500));
    for (host, budget) in [
        ("mcp-large-session.lab", budget()),
        ("mcp-silent-initialize.lab", budget()),
        ("mcp-unknown-version.lab", budget()),
        ("mcp-page-2-error.lab", budget()),
        ("mcp-auth-lists.lab", budget()),
        ("mcp-page-2-silence.lab", short),
        ("mcp-sse-silence.lab", short),
        ("mcp-endless-sse.lab", short),
    ] {
        let start = Instant::now();
        let found = walk(&door, &format!("https://{host}/mcp"), budget).await;
        assert!(start.elapsed() <= budget.total + Duration::from_millis(400), "{host}");
        assert!(found.transport.session_issued, "{host}");
        assert_eq!(found.transport.session_ended, Some(true), "{host}");
        assert_eq!(lab.mcp_open_sessions(host), 0, "{host}");
    }
}

fn card_of(found: &McpEvidence) -> &McpCardReading {
    found.card.as_ref().unwrap()
}

#[tokio::test]
async fn cards_are_read_at_every_place() {
    let (lab, door) = lab_and_door().await;
    for (host, path, name, tools) in [
        ("mcp-card.lab", "/.well-known/mcp/server-card.json", "lab.mcp-card/bakery", None),
        ("mcp-card-beside.lab", "/mcp/server-card", "lab.mcp-card/bakery", None),
        ("mcp-card-earlier.lab", "/.well-known/mcp.json", "bakery", Some(3)),
    ] {
        let found = walk_host(&door, host).await;
        let card = card_of(&found);
        assert_eq!((&card.state, &card.why), (&McpCardState::Found, &None), "{host}");
        assert_eq!(card.url, Some(format!("https://{host}{path}")));
        assert_eq!(card.name.as_deref(), Some(name), "{host}");
        assert_eq!(card.version.as_deref(), Some("1.0"), "{host}");
        assert_eq!(card.endpoints, [format!("https://{host}/mcp")]);
        assert_eq!(card.tools.as_ref().map(Vec::len), tools, "{host}");
        // The card comes after everything that is asked of the server.
        let hits = lab.hits(host);
        let first_get = hits.iter().position(|hit| hit.method == "GET").unwrap();
        assert!(hits.iter().skip(first_get).all(|hit| hit.method == "GET"), "{host}");
        let recorded = found.requests.iter().filter(|request| request.http_method == "GET");
        assert_eq!(recorded.count(), hits.len() - first_get, "{host}: every read is recorded");
    }
    let found = walk_host(&door, "mcp-modern.lab").await;
    assert_eq!(card_of(&found).state, McpCardState::Absent);
    let found = walk_host(&door, "mcp-auth.lab").await;
    assert_eq!(card_of(&found).state, McpCardState::NotMeasured);
    assert!(lab.hits("mcp-auth.lab").iter().all(|hit| !hit.path.contains("card")));
}

#[tokio::test]
async fn a_hostile_card_changes_nothing_else() {
    let (lab, door) = lab_and_door().await;
    let good = walk_host(&door, "mcp-modern.lab").await;
    for (host, state) in [
        ("mcp-card-differs.lab", McpCardState::Found),
        ("mcp-card-huge.lab", McpCardState::Faulty),
        ("mcp-card-deep.lab", McpCardState::Faulty),
        ("mcp-card-array.lab", McpCardState::Faulty),
        ("mcp-card-page.lab", McpCardState::Absent),
        ("mcp-card-silent.lab", McpCardState::NotMeasured),
        ("mcp-card-error.lab", McpCardState::NotMeasured),
        ("mcp-card-redirect.lab", McpCardState::Absent),
    ] {
        let start = Instant::now();
        let found = walk_host(&door, host).await;
        assert!(start.elapsed() < Duration::from_secs(5), "{host}: {:?}", start.elapsed());
        assert_eq!(card_of(&found).state, state, "{host}: {:?}", card_of(&found).why);
        assert_eq!((&found.state, &found.why), (&good.state, &good.why), "{host}");
        assert_eq!((&found.lists, &found.server), (&good.lists, &good.server), "{host}");
        assert_eq!(found.transport.era, McpEra::Modern, "{host}");
        let bytes: u64 = found.requests.iter().map(|request| request.bytes).sum();
        assert!(bytes < 1 << 20, "{host}: {bytes}");
    }
    assert!(lab.trap().connections() == 0, "a redirect of a card was followed");
}
