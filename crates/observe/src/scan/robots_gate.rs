//! Decides which reads robots.txt forbids to us. A group for our own token applies to every read.
//! Each host's own file counts, so the robots.txt of every host that a redirect or a sitemap leads
//! to is read as well, once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::evidence::Exchange;
use declared::robots::{Robots, Scope};
use door::{FetchRequest, FetchResult, RedirectGate, RedirectRefusal, Visit};
use futures_util::future::BoxFuture;
use tokio::sync::OnceCell;
use url::{Position, Url};

/// The most other hosts whose robots.txt one scan reads.
const MAX_OTHER_HOSTS: usize = 8;

pub(crate) const OPT_OUT: RedirectRefusal = RedirectRefusal {
    reason: "opt_out",
    detail: "The robots.txt of this host has a group for our own token that disallows this path.",
};
const TOO_MANY_HOSTS: RedirectRefusal = RedirectRefusal {
    reason: "too_many_hosts",
    detail: "The redirects of this scan lead to more hosts than we contact.",
};

/// The robots.txt rules of all hosts of one scan. Shared by all reads; any read may add a host. The
/// mutex guards the list and is never held across an await; each host's cell is filled once.
#[derive(Debug)]
pub(crate) struct RobotsGate {
    visit: Visit,
    /// Our own product token.
    token: String,
    /// The request for robots.txt; only the URL is replaced.
    robots_request: FetchRequest,
    hosts: Mutex<Vec<Arc<HostEntry>>>,
}

#[derive(Debug)]
struct HostEntry {
    authority: String,
    robots: OnceCell<HostRobots>,
}

#[derive(Debug)]
struct HostRobots {
    policy: Robots,
    /// The read of the file; `None` if the caller provided the policy.
    robots_read: Option<FetchResult>,
}

impl RobotsGate {
    pub(crate) fn new(visit: Visit, token: &str, ask: FetchRequest) -> Self {
        Self { visit, token: token.to_owned(), robots_request: ask, hosts: Mutex::default() }
    }

    /// Adds the policy of one of the site's own hosts.
    pub(crate) fn add_policy(&self, authority: &str, policy: Robots) {
        let robots = OnceCell::new_with(Some(HostRobots { policy, robots_read: None }));
        self.hosts().push(Arc::new(HostEntry { authority: authority.to_owned(), robots }));
    }

    /// Whether one of the site's own hosts disallows this path for us.
    pub(super) fn is_disallowed(&self, path: &str) -> bool {
        self.hosts()
            .iter()
            .filter_map(|host| host.robots.get())
            .any(|robots| robots.disallows(&self.token, path))
    }

    /// Whether the host's robots.txt lets this token read the URL. False if the file was not loaded
    /// or could not be read.
    pub(super) fn lets_read(&self, url: &Url, token: &str) -> bool {
        let authority = &url[Position::BeforeHost..Position::BeforePath];
        let path = &url[Position::BeforePath..Position::AfterQuery];
        self.hosts()
            .iter()
            .filter(|host| host.authority == authority)
            .filter_map(|host| host.robots.get())
            .any(|robots| robots.is_readable() && robots.policy.access(token, path).allowed)
    }

    /// Reads the robots.txt of a host, unless it was read before or there are too many hosts.
    pub(super) async fn load(&self, url: &Url) {
        if let Some(host) = self.host(&url[Position::BeforeHost..Position::BeforePath]) {
            host.robots.get_or_init(|| self.read_robots(&url[..Position::BeforePath])).await;
        }
    }

    /// The robots.txt files that this gate read, sorted by host.
    pub(super) fn robots_reads(&self) -> Vec<FetchResult> {
        let mut hosts = self.hosts().clone();
        hosts.sort_by(|a, b| a.authority.cmp(&b.authority));
        hosts.iter().filter_map(|host| host.robots.get()?.robots_read.clone()).collect()
    }

    fn host(&self, authority: &str) -> Option<Arc<HostEntry>> {
        let mut hosts = self.hosts();
        if let Some(known) = hosts.iter().find(|host| host.authority == authority) {
            return Some(Arc::clone(known));
        }
        // Two entries at most are the site's own hosts.
        if hosts.len() >= MAX_OTHER_HOSTS + 2 {
            return None;
        }
        let new = Arc::new(HostEntry { authority: authority.to_owned(), robots: OnceCell::new() });
        hosts.push(Arc::clone(&new));
        Some(new)
    }

    fn hosts(&self) -> MutexGuard<'_, Vec<Arc<HostEntry>>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn read_robots(&self, origin: &str) -> HostRobots {
        let request =
            FetchRequest { url: format!("{origin}/robots.txt"), ..self.robots_request.clone() };
        let read = self.visit.fetch(request).await;
        HostRobots { policy: robots_policy(&read), robots_read: Some(read) }
    }
}

impl RedirectGate for RobotsGate {
    fn check_redirect<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Option<RedirectRefusal>> {
        Box::pin(async move {
            // The door refuses invalid URLs itself.
            let url = Url::parse(url).ok()?;
            let origin = &url[..Position::BeforePath];
            let Some(host) = self.host(&url[Position::BeforeHost..Position::BeforePath]) else {
                return Some(TOO_MANY_HOSTS);
            };
            let robots = host.robots.get_or_init(|| self.read_robots(origin)).await;
            let path = &url[Position::BeforePath..Position::AfterQuery];
            robots.disallows(&self.token, path).then_some(OPT_OUT)
        })
    }
}

impl HostRobots {
    /// Whether the file was read, or the host says that there is none.
    fn is_readable(&self) -> bool {
        self.robots_read.as_ref().is_none_or(|read| is_reachable(&read.exchange))
    }

    fn disallows(&self, token: &str, path: &str) -> bool {
        let access = self.policy.access(token, path);
        access.scope == Scope::Named && !access.allowed
    }
}

/// The parsed robots.txt. Only a file that was actually served can disallow anything; an error or
/// an HTML page counts as empty.
pub(crate) fn robots_policy(robots: &FetchResult) -> Robots {
    let response = robots.exchange.response();
    response.map_or_else(Robots::default, |response| {
        parse_policy(response.status, &robots.body, response.body.cut.is_some())
    })
}

/// The policy of a robots.txt that was answered with this status.
pub(super) fn parse_policy(status: u16, body: &[u8], is_cut: bool) -> Robots {
    if (200..300).contains(&status) && !declared::sniff::looks_like_html(body) {
        Robots::parse_received(body, is_cut)
    } else {
        Robots::default()
    }
}

/// Whether robots.txt was answered by something other than an error of the server or "too busy".
pub(super) fn is_reachable(exchange: &Exchange) -> bool {
    exchange.response().is_some_and(|response| !matches!(response.status, 429 | 500..=599))
}

/// The origin to which robots.txt was redirected, if it is another host.
pub(super) fn redirected_origin(exchange: &Exchange, host: &str) -> Option<RedirectedOrigin> {
    let url = Url::parse(&exchange.response()?.url).ok()?;
    let authority = &url[Position::BeforeHost..Position::BeforePath];
    (authority != host).then(|| RedirectedOrigin {
        authority: authority.to_owned(),
        origin: url[..Position::BeforePath].to_owned(),
        is_robots_file: url.path() == "/robots.txt",
    })
}

pub(super) struct RedirectedOrigin {
    pub(super) authority: String,
    pub(super) origin: String,
    /// Whether the file that was read is that host's own robots.txt.
    pub(super) is_robots_file: bool,
}
