//! What all parts of one running lab share.

use std::{
    collections::HashMap,
    future::Future,
    net::Ipv4Addr,
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::runtime::Handle;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{authority::Authority, hits::HitLog, site::Site, sites};

/// The ports of one lab.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ports {
    pub(crate) http: u16,
    pub(crate) https: u16,
    /// A port at which only the trap listens.
    pub(crate) odd: u16,
}

/// Everything a lab has running; all of it ends when the token is cancelled.
#[derive(Debug, Clone)]
pub(crate) struct Tasks {
    token: CancellationToken,
    tracker: TaskTracker,
    runtime: Handle,
}

impl Tasks {
    /// Must run inside a runtime: that one will run the lab.
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

    pub(crate) async fn ended(&self) {
        self.tracker.wait().await;
    }
}

/// One site of one lab, with what it has seen.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) site: &'static Site,
    pub(crate) address: Ipv4Addr,
    /// Set once its sockets were opened, or could not be.
    pub(crate) opened: OnceLock<Result<(), String>>,
    pub(crate) hits: HitLog,
    pub(crate) visits: AtomicU64,
    pub(crate) connections: AtomicU64,
    /// What its visitors last made of it, for a site that can be turned.
    pub(crate) turned_away: AtomicBool,
}

/// Shared by every task of a lab, never changed but for the counters inside.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) ports: Ports,
    pub(crate) authority: Authority,
    pub(crate) tasks: Tasks,
    pub(crate) places: Vec<Place>,
    by_address: HashMap<Ipv4Addr, usize>,
    order: AtomicU64,
}

impl World {
    pub(crate) fn new(ports: Ports, authority: Authority, tasks: Tasks) -> Self {
        let places: Vec<Place> = sites::catalogue()
            .iter()
            .chain(sites::crowd())
            .chain(sites::stalling_crowd())
            .enumerate()
            .map(|(index, site)| Place {
                site,
                address: address(index),
                opened: OnceLock::new(),
                hits: HitLog::default(),
                visits: AtomicU64::new(0),
                connections: AtomicU64::new(0),
                turned_away: AtomicBool::new(false),
            })
            .collect();
        let by_address =
            places.iter().enumerate().map(|(index, place)| (place.address, index)).collect();
        Self { ports, authority, tasks, places, by_address, order: AtomicU64::new(0) }
    }

    pub(crate) fn index_at(&self, address: Ipv4Addr) -> Option<usize> {
        self.by_address.get(&address).copied()
    }

    /// The place that owns this name: a site's own name, or one below it.
    pub(crate) fn place_named(&self, host: &str) -> Option<&Place> {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        self.places.iter().find(|place| {
            host.strip_suffix(place.site.name)
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
    }

    pub(crate) fn next_order(&self) -> u64 {
        self.order.fetch_add(1, Ordering::SeqCst)
    }
}

/// After a failed accept (mostly: no descriptors left) others get a chance before the next try.
pub(crate) async fn breathe() {
    tokio::time::sleep(Duration::from_millis(10)).await;
}

/// The address of the site at this place of the catalogue: 127.77.1.1, 127.77.1.2, …
pub(crate) fn address(index: usize) -> Ipv4Addr {
    let third = u8::try_from(1 + index / 250).unwrap_or(u8::MAX);
    let fourth = u8::try_from(1 + index % 250).unwrap_or(u8::MAX);
    Ipv4Addr::new(127, 77, third, fourth)
}
