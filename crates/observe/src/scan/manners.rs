//! Where we are asked to stay away. A robots.txt group for our own token counts for every read, and
//! every host speaks for itself: those that redirects and sitemaps lead to are asked as well, once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract::evidence::Exchange;
use declared::robots::{Robots, Scope};
use door::{Fetched, Gate, Refusal, Request, Visit};
use futures_util::future::BoxFuture;
use tokio::sync::OnceCell;
use url::{Position, Url};

/// Hosts besides the site's own that one scan lets itself be led to.
const MOST_HOSTS: usize = 8;

pub(crate) const OPT_OUT: Refusal = Refusal {
    reason: "opt_out",
    detail: "The robots.txt of this host has a group for our own token that asks us to stay away.",
};
const TOO_MANY_HOSTS: Refusal = Refusal {
    reason: "too_many_hosts",
    detail: "The redirects of this scan lead to more hosts than are asked.",
};

/// What the hosts of one scan ask of us.
#[derive(Debug)]
pub(crate) struct Manners {
    visit: Visit,
    /// Our own product token.
    token: String,
    /// How robots.txt is read; the address is filled in.
    ask: Request,
    hosts: Mutex<Vec<Arc<Host>>>,
}

#[derive(Debug)]
struct Host {
    authority: String,
    said: OnceCell<Said>,
}

#[derive(Debug)]
struct Said {
    policy: Robots,
    /// What was read for it, unless it was known before.
    read: Option<Fetched>,
}

impl Manners {
    pub(crate) fn new(visit: Visit, token: &str, ask: Request) -> Self {
        Self { visit, token: token.to_owned(), ask, hosts: Mutex::default() }
    }

    /// Takes down what a host of the site itself says.
    pub(crate) fn know(&self, authority: &str, policy: Robots) {
        let said = OnceCell::new_with(Some(Said { policy, read: None }));
        self.hosts().push(Arc::new(Host { authority: authority.to_owned(), said }));
    }

    /// Whether any host of the site itself asks us not to read this path there.
    pub(super) fn is_unwelcome(&self, path: &str) -> bool {
        self.hosts()
            .iter()
            .filter_map(|host| host.said.get())
            .any(|said| said.asks_away(&self.token, path))
    }

    /// The robots.txt files that were read on the way, by host.
    pub(super) fn reads(&self) -> Vec<Fetched> {
        let mut hosts = self.hosts().clone();
        hosts.sort_by(|a, b| a.authority.cmp(&b.authority));
        hosts.iter().filter_map(|host| host.said.get()?.read.clone()).collect()
    }

    fn host(&self, authority: &str) -> Option<Arc<Host>> {
        let mut hosts = self.hosts();
        if let Some(known) = hosts.iter().find(|host| host.authority == authority) {
            return Some(Arc::clone(known));
        }
        // The site's own are two at most.
        if hosts.len() >= MOST_HOSTS + 2 {
            return None;
        }
        let new = Arc::new(Host { authority: authority.to_owned(), said: OnceCell::new() });
        hosts.push(Arc::clone(&new));
        Some(new)
    }

    fn hosts(&self) -> MutexGuard<'_, Vec<Arc<Host>>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn read(&self, origin: &str) -> Said {
        let request = Request { url: format!("{origin}/robots.txt"), ..self.ask.clone() };
        let read = self.visit.fetch(request).await;
        Said { policy: policy(&read), read: Some(read) }
    }
}

impl Gate for Manners {
    fn refuses<'a>(&'a self, url: &'a str) -> BoxFuture<'a, Option<Refusal>> {
        Box::pin(async move {
            // What is no URL is refused elsewhere.
            let url = Url::parse(url).ok()?;
            let origin = &url[..Position::BeforePath];
            let Some(host) = self.host(&url[Position::BeforeHost..Position::BeforePath]) else {
                return Some(TOO_MANY_HOSTS);
            };
            let said = host.said.get_or_init(|| self.read(origin)).await;
            let path = &url[Position::BeforePath..Position::AfterQuery];
            said.asks_away(&self.token, path).then_some(OPT_OUT)
        })
    }
}

impl Said {
    fn asks_away(&self, token: &str, path: &str) -> bool {
        let access = self.policy.access(token, path);
        access.scope == Scope::Named && !access.allowed
    }
}

/// What robots.txt says to us. Only a file that was really served can ask us to stay away.
pub(crate) fn policy(robots: &Fetched) -> Robots {
    match robots.exchange.response() {
        Some(response)
            if (200..300).contains(&response.status)
                && !declared::shape::looks_like_html(&robots.body) =>
        {
            Robots::parse(&robots.body)
        }
        _ => Robots::default(),
    }
}

/// The origin robots.txt was sent on to, when that is another host than the one asked.
pub(super) fn moved_to(exchange: &Exchange, host: &str) -> Option<Moved> {
    let url = Url::parse(&exchange.response()?.url).ok()?;
    let authority = &url[Position::BeforeHost..Position::BeforePath];
    (authority != host).then(|| Moved {
        authority: authority.to_owned(),
        origin: url[..Position::BeforePath].to_owned(),
        same_file: url.path() == "/robots.txt",
    })
}

pub(super) struct Moved {
    pub(super) authority: String,
    pub(super) origin: String,
    /// Whether what was read is that host's own robots.txt.
    pub(super) same_file: bool,
}
