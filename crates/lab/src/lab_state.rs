//! The state that all parts of one running lab share.

use std::{
    collections::HashMap,
    future::Future,
    net::Ipv4Addr,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::runtime::Handle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    LabClock,
    certificate_authority::CertificateAuthority,
    engine::EngineState,
    feeds::FeedState,
    forwards::Forwards,
    hits::HitLog,
    mcp::McpServers,
    ports::Ports,
    proofs::{LabProof, ProofKind, PublishError, PublishedProof, PublishedProofs},
    rdap::RdapState,
    signing_bot::DirectoryState,
    site::LabSite,
    sites,
};

/// All background tasks of a lab. They end when the token is cancelled.
#[derive(Debug, Clone)]
pub(crate) struct LabTasks {
    token: CancellationToken,
    tracker: TaskTracker,
    runtime: Handle,
}

impl LabTasks {
    /// Must be called inside a runtime; that runtime runs the lab.
    pub(crate) fn new() -> Self {
        Self {
            token: CancellationToken::new(),
            tracker: TaskTracker::new(),
            runtime: Handle::current(),
        }
    }

    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let token = self.token.clone();
        let until_stopped = async move {
            token.run_until_cancelled_owned(task).await;
        };
        self.tracker.spawn_on(until_stopped, &self.runtime);
    }

    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    pub(crate) fn cancel(&self) {
        self.token.cancel();
        self.tracker.close();
    }

    pub(crate) async fn wait(&self) {
        self.tracker.wait().await;
    }
}

/// One site of a running lab and its counters. The site's connections write them; all are atomics
/// or lock themselves.
#[derive(Debug)]
pub(crate) struct RunningSite {
    pub(crate) site: &'static LabSite,
    pub(crate) address: Ipv4Addr,
    /// Set when its sockets were opened, or failed to open.
    pub(crate) opened: OnceLock<Result<(), String>>,
    pub(crate) hits: HitLog,
    pub(crate) requests: AtomicU64,
    pub(crate) connections: AtomicU64,
    /// Whether the last request for `/turn/…` was `/turn/away`, for sites that can be switched.
    pub(crate) has_moved: AtomicBool,
}

/// Shared by every task of a lab. Nothing changes after the start except the counters, which are
/// atomics, and what tests set, which locks itself.
#[derive(Debug)]
pub(crate) struct LabState {
    pub(crate) ports: Ports,
    pub(crate) authority: CertificateAuthority,
    pub(crate) tasks: LabTasks,
    pub(crate) sites: Vec<RunningSite>,
    pub(crate) feeds: FeedState,
    pub(crate) rdap: RdapState,
    pub(crate) engine: EngineState,
    pub(crate) key_directories: DirectoryState,
    pub(crate) mcp: McpServers,
    pub(crate) forwards: Forwards,
    pub(crate) published: Arc<PublishedProofs>,
    /// The clock of the service that reads the lab, if it has one that can be moved.
    pub(crate) clock: OnceLock<Arc<LabClock>>,
    by_address: HashMap<Ipv4Addr, usize>,
    next_request: AtomicU64,
}

impl LabState {
    pub(crate) fn new(
        ports: Ports,
        authority: CertificateAuthority,
        tasks: LabTasks,
        more_sites: &[&'static LabSite],
    ) -> Self {
        let places: Vec<RunningSite> = sites::catalogue()
            .iter()
            .chain(sites::load_test_sites())
            .chain(sites::stalling_load_test_sites())
            .chain(sites::shared_address_sites())
            .chain(sites::infrastructure())
            .chain(sites::control_proof_sites())
            .chain(more_sites.iter().copied())
            .enumerate()
            .map(|(index, site)| RunningSite {
                site,
                address: site_address(index),
                opened: OnceLock::new(),
                hits: HitLog::default(),
                requests: AtomicU64::new(0),
                connections: AtomicU64::new(0),
                has_moved: AtomicBool::new(false),
            })
            .collect();
        let by_address = places
            .iter()
            .enumerate()
            .map(|(index, running_site)| (running_site.address, index))
            .collect();
        Self {
            ports,
            authority,
            tasks,
            sites: places,
            feeds: FeedState::default(),
            rdap: RdapState::default(),
            engine: EngineState::default(),
            key_directories: DirectoryState::default(),
            mcp: McpServers::default(),
            forwards: Forwards::default(),
            published: Arc::default(),
            clock: OnceLock::new(),
            by_address,
            next_request: AtomicU64::new(0),
        }
    }

    pub(crate) fn index_at(&self, address: Ipv4Addr) -> Option<usize> {
        self.by_address.get(&address).copied()
    }

    /// The site that owns this name: its own name or one below it.
    pub(crate) fn site_named(&self, host: &str) -> Option<&RunningSite> {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        self.sites.iter().find(|running_site| {
            host.strip_suffix(running_site.site.name)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    }

    /// Publishes a proof of control for a site or, for TXT records, for a name below one.
    pub(crate) fn publish(
        &self,
        domain: &str,
        proof: LabProof,
    ) -> Result<PublishedProof, PublishError> {
        let domain = domain.trim().trim_end_matches('.').to_ascii_lowercase();
        match self.site_named(&domain) {
            Some(running_site) => self.published.publish(running_site.site, &domain, proof),
            None => Err(PublishError::UnknownSite(domain.chars().take(253).collect())),
        }
    }

    /// Removes what is published: all, of one kind, or one value. Returns how many.
    pub(crate) fn unpublish(
        &self,
        domain: &str,
        kind: Option<ProofKind>,
        value: Option<&str>,
    ) -> usize {
        let site = self.site_named(domain.trim());
        site.map_or(0, |running_site| self.published.unpublish(running_site.site, kind, value))
    }

    pub(crate) fn next_request_number(&self) -> u64 {
        self.next_request.fetch_add(1, Ordering::SeqCst)
    }
}

/// Waits after a failed accept (usually: no file descriptors left), so that other tasks can run
/// before the next try.
pub(crate) async fn pause_after_error() {
    tokio::time::sleep(Duration::from_millis(10)).await;
}

/// The address of the site at this index of the catalogue: 127.77.1.1, 127.77.1.2, …
pub(crate) fn site_address(index: usize) -> Ipv4Addr {
    let third = u8::try_from(1 + index / 250).unwrap_or(u8::MAX);
    let fourth = u8::try_from(1 + index % 250).unwrap_or(u8::MAX);
    Ipv4Addr::new(127, 77, third, fourth)
}
