//! Which limits hold for which route, or why none does. A test compares the table with the routes.

use contract::policies::{
    CLAIM_CHECK_DAY, DECIDE, FEED, FREE_KEY_DAY, LIVE, LOG_FILE, MCP, METRICS, OUTCOME,
    OUTCOME_DAY, READ, READINESS, SCAN, SCAN_BURST, SCAN_DAY, STREAM, VISITORS, WRONG_KEY,
};

/// What limits the requests of one route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RouteLimit {
    /// The names of its policies. The first one counts every request; the others count some. With a licence
    /// key, the policy with `keyed-` before its name counts in its place.
    Policies(&'static [&'static str]),
    /// Why it has none.
    Unlimited(&'static str),
}

/// A route as the router has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoutePolicy {
    pub method: &'static str,
    pub path: &'static str,
    pub limit: RouteLimit,
}

const fn get(path: &'static str, policies: &'static [&'static str]) -> RoutePolicy {
    RoutePolicy { method: "GET", path, limit: RouteLimit::Policies(policies) }
}

const fn post(path: &'static str, policies: &'static [&'static str]) -> RoutePolicy {
    RoutePolicy { method: "POST", path, limit: RouteLimit::Policies(policies) }
}

const fn delete(path: &'static str, policies: &'static [&'static str]) -> RoutePolicy {
    RoutePolicy { method: "DELETE", path, limit: RouteLimit::Policies(policies) }
}

const fn open(path: &'static str, reason: &'static str) -> RoutePolicy {
    RoutePolicy { method: "GET", path, limit: RouteLimit::Unlimited(reason) }
}

const READS: &[&str] = &[READ.name];
const READS_WITH_KEY: &[&str] = &[READ.name, WRONG_KEY.name];
const READS_LIVE: &[&str] = &[READ.name, LIVE.name];
const DECIDES: &[&str] = &[DECIDE.name];
const DECIDES_LIVE: &[&str] = &[DECIDE.name, LIVE.name];
const SCANS: &[&str] = &[READ.name, SCAN_BURST.name, SCAN.name, SCAN_DAY.name, WRONG_KEY.name];
const FREE_KEYS: &[&str] = &[READ.name, FREE_KEY_DAY.name];
const CLAIM_CHECKS: &[&str] = &[READ.name, LIVE.name, CLAIM_CHECK_DAY.name];
const FEEDS: &[&str] = &[FEED.name];
const LOG_FILES: &[&str] = &[LOG_FILE.name];

/// Built once at the start, the same bytes for everybody.
const BUILT_ONCE: &str = "built once when the server starts, and the same bytes for everybody";
/// Written anew for each request, from what is in memory.
const FROM_MEMORY: &str =
    "a short text from what is in memory: nothing is read, computed or stored";

/// Every route, in the order of `routes.rs`.
pub const ROUTE_POLICIES: &[RoutePolicy] = &[
    // Scans and reports
    post("/api/scan", SCANS),
    post("/api/v1/scan", SCANS),
    get("/r/{file}", &[READ.name, FEED.name, WRONG_KEY.name]),
    get("/api/graph/{id}", READS_WITH_KEY),
    get("/api/v1/machine-record", READS_WITH_KEY),
    // Changes over time, and comparison of readings
    get("/api/v1/changes", FEEDS),
    get("/api/corroboration", READS),
    // Resolve
    get("/api/v1/resolve", DECIDES_LIVE),
    post("/api/v1/resolve", DECIDES_LIVE),
    get("/api/v1/resolve-prefix/{hex}", DECIDES),
    // Decisions about actions: receipts, revocations, staples
    post("/api/v1/preflight", DECIDES_LIVE),
    get("/api/v1/decisions/{sha256}", READS),
    get("/api/v1/revocations", FEEDS),
    get("/api/v1/staple", READS),
    // Visitors
    get("/api/v1/visitor", &[VISITORS.name]),
    post("/api/v1/visitor", &[VISITORS.name]),
    get("/api/v1/visitor/gate", &[VISITORS.name]),
    get("/api/v1/agents", READS),
    get("/spec/visitor-resolve", READS),
    get("/api/v1/conduct", READS),
    get("/conduct/{file}", READS),
    // Outcomes
    post("/api/v1/outcome", &[OUTCOME.name, OUTCOME_DAY.name]),
    get("/api/v1/outcomes", READS),
    // The details behind an answer
    get("/api/v1/rights", READS),
    get("/api/v1/read-equivalence", READS_LIVE),
    get("/api/v1/claims", READS),
    get("/api/v1/content-clock", READS_LIVE),
    // Who controls a domain
    get("/api/v1/domain/control", READS),
    get("/registry/{domain}/claim", READS),
    post("/registry/{domain}/claim", READS),
    delete("/registry/{domain}/claim", READS),
    post("/registry/{domain}/claim/verify", CLAIM_CHECKS),
    post("/registry/{domain}/incident", READS),
    delete("/registry/{domain}/incident", READS),
    post("/registry/{domain}/dispute", READS),
    get("/registry/{domain}/dispute/{id}", READS),
    // Registrations and timelines of domains
    get("/api/v1/domain", READS_LIVE),
    get("/registry/{domain}", READS_LIVE),
    // What is said about a business
    get("/api/v1/accuracy", READS),
    get("/api/v1/field-check", READS_LIVE),
    // MCP servers
    get("/api/v1/mcp/scan", READS_LIVE),
    post("/api/v1/mcp/scan", DECIDES),
    get("/api/v1/mcp/lock", READS_LIVE),
    post("/api/v1/mcp/lock/check", DECIDES_LIVE),
    get("/api/census/records", FEEDS),
    get("/api/v1/census/export", &[READ.name, FEED.name, WRONG_KEY.name]),
    get("/.well-known/crawlcheck-observers.json", READS),
    // Seals
    get("/api/seal/lookup", READS),
    get("/proof", READS),
    get("/proof.json", READS),
    get("/proof/{file}", READS),
    // Core contract, schemas, builds
    open("/api/v1/core", FROM_MEMORY),
    get("/api/v1/schema", READS),
    get("/api/v1/schema/{kind}", READS),
    open("/openapi.json", BUILT_ONCE),
    open("/spec/graph-context.jsonld", BUILT_ONCE),
    get("/api/v1/builds/{version_id}", READS),
    // Licences
    get("/api/v1/usage", READS_WITH_KEY),
    // Keys
    get("/.well-known/http-message-signatures-directory", READS),
    get("/.well-known/security-key-rotation.json", READS),
    open("/crawlcheck-verify.mjs", BUILT_ONCE),
    // Free keys by mail, if the operator offers them
    post("/api/v1/keys/free", FREE_KEYS),
    get("/keys/free", READS),
    post("/keys/free", FREE_KEYS),
    get("/keys/free/{token}", READS),
    post("/keys/free/{token}", READS),
    // The log
    get("/api/v1/log", FEEDS),
    get("/api/v1/log/sth/{batch}", FEEDS),
    get("/api/v1/log/sths", FEEDS),
    get("/api/v1/log/leaves/{batch}", FEEDS),
    get("/api/v1/log/inclusion", FEEDS),
    get("/api/v1/log/consistency", FEEDS),
    get("/api/v1/log/absence", FEEDS),
    get("/api/v1/log/witness/latest", FEEDS),
    get("/api/v1/log/checkpoint", FEEDS),
    post("/api/v1/log/gossip", FEEDS),
    get("/log/tile/{*path}", LOG_FILES),
    get("/log/sths/{file}", LOG_FILES),
    get("/log/checkpoint", LOG_FILES),
    get("/log/log.json", LOG_FILES),
    get("/log/keys.json", LOG_FILES),
    get("/log/rotation.json", LOG_FILES),
    // Operators
    open("/healthz", "must answer under any load, and touches nothing"),
    get("/readyz", &[READINESS.name]),
    get("/metrics", &[METRICS.name]),
    // Pages
    get("/", READS),
    post("/scan", &[READ.name, SCAN_BURST.name, SCAN.name, WRONG_KEY.name]),
    get("/scan/{id}", READS),
    get("/scan/{id}/events", &[READ.name, STREAM.name]),
    get("/preflight", READS),
    post("/preflight", DECIDES_LIVE),
    get("/manage", READS),
    post("/manage/sign-in", READS_WITH_KEY),
    post("/manage/sign-out", READS),
    post("/manage/sign-out-everywhere", READS),
    post("/manage/sessions/end", READS),
    post("/manage/keys/rotate", READS),
    post("/manage/keys/revoke", READS),
    post("/manage/scans", SCANS),
    get("/manage/webhooks", READS),
    post("/manage/webhooks/add", READS),
    post("/manage/webhooks/delete", READS),
    post("/manage/webhooks/on", READS),
    post("/manage/webhooks/retry", READS),
    get("/manage/data.json", &[READ.name, FEED.name]),
    post("/manage/data/delete", READS),
    post("/registry/{domain}/claim/begin", READS),
    post("/registry/{domain}/claim/check", CLAIM_CHECKS),
    post("/registry/{domain}/claim/sign-in", READS),
    get("/registry/{domain}/owner", READS),
    post("/registry/{domain}/owner/sign-out", READS),
    post("/registry/{domain}/owner/withdraw", READS),
    post("/registry/{domain}/owner/scan", SCANS),
    post("/registry/{domain}/owner/incident", READS),
    post("/registry/{domain}/owner/incident/end", READS),
    post("/registry/{domain}/owner/dispute", READS),
    get("/badge/{file}", READS),
    get("/og/{file}", &[READ.name, FEED.name, WRONG_KEY.name]),
    get("/visitor", READS),
    post("/visitor", &[VISITORS.name]),
    get("/agents", READS),
    get("/conduct", READS),
    get("/not-for-agents/page", READS),
    get("/method", READS),
    get("/log", READS),
    open("/docs", BUILT_ONCE),
    open("/docs/{page}", BUILT_ONCE),
    open("/style.css", BUILT_ONCE),
    open("/pages.js", BUILT_ONCE),
    open("/favicon.svg", BUILT_ONCE),
    open("/favicon.ico", BUILT_ONCE),
    // Machine-readable files about this service
    open("/robots.txt", BUILT_ONCE),
    open("/llms.txt", BUILT_ONCE),
    open("/agents.md", BUILT_ONCE),
    open("/sitemap.xml", BUILT_ONCE),
    open("/.well-known/agent-card.json", BUILT_ONCE),
    open("/.well-known/mcp/server-card.json", BUILT_ONCE),
    open("/.well-known/ai-catalog.json", BUILT_ONCE),
    open("/.well-known/api-catalog", BUILT_ONCE),
    open("/.well-known/agent-skills/index.json", BUILT_ONCE),
    open("/.well-known/agent-skills/ask-before-acting/SKILL.md", BUILT_ONCE),
    open("/.well-known/security.txt", FROM_MEMORY),
    post("/mcp", &[MCP.name]),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use contract::policies::POLICIES;

    use super::*;
    use crate::routes;

    /// Every route has a policy or a reason, and the table has no other routes.
    #[test]
    fn the_table_has_exactly_the_routes_of_the_router() {
        let routed = routes::router(routes::OptionalRoutes::ALL).paths();
        let listed: BTreeSet<String> =
            ROUTE_POLICIES.iter().map(|route| route.path.to_owned()).collect();
        let missing: Vec<&String> = routed.difference(&listed).collect();
        assert!(missing.is_empty(), "neither a policy nor a reason: {missing:?}");
        // The MCP server is added to the routes later.
        let extra: Vec<&String> = listed.difference(&routed).collect();
        assert_eq!(extra, ["/mcp"], "no such route");
        let both: BTreeSet<(&str, &str)> =
            ROUTE_POLICIES.iter().map(|route| (route.method, route.path)).collect();
        assert_eq!(both.len(), ROUTE_POLICIES.len(), "a route is listed twice");
    }

    #[test]
    fn the_policies_of_routes_are_those_of_the_table() {
        for route in ROUTE_POLICIES {
            match route.limit {
                RouteLimit::Unlimited(reason) => assert!(!reason.is_empty(), "{}", route.path),
                RouteLimit::Policies(names) => {
                    assert!(!names.is_empty(), "{}", route.path);
                    for name in names {
                        let known = POLICIES.iter().any(|policy| policy.name == *name);
                        assert!(known, "{}: {name}", route.path);
                    }
                }
            }
        }
    }
}
