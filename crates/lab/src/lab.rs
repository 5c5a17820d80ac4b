//! Starting and stopping.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, atomic::Ordering},
};

use crate::{
    Calendar, Hit, LabError, LabNetwork, Site, Trap,
    authority::Authority,
    dns, http, ports,
    sites::{self, ODD_PORT_SITE},
    world::{Ports, Tasks, World, address},
};

/// Where a lab listens. 0 means: pick a port that is free.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LabOptions {
    pub http_port: u16,
    pub https_port: u16,
    pub dns_port: u16,
}

/// A running lab. It stops when dropped; [`Lab::stop`] also waits for the end.
#[derive(Debug)]
pub struct Lab {
    network: LabNetwork,
    trap: Trap,
    calendar: Calendar,
    world: Arc<World>,
}

impl Lab {
    /// Starts a lab on the runtime this is called in.
    pub async fn start(options: LabOptions) -> Result<Self, LabError> {
        let tasks = Tasks::new();
        let (http_port, mut traps) = ports::take_web_port(options.http_port)?;
        let (https_port, more) = ports::take_web_port(options.https_port)?;
        traps.extend(more);
        let (odd_port, odd) = odd_port()?;
        traps.push(odd);
        let (udp, tcp) = ports::take_dns_port(options.dns_port).await?;
        let authority = Authority::new()?;
        let calendar = Calendar::start(&tasks)?;
        let network = LabNetwork {
            resolver: udp.local_addr().map_err(|source| LabError::Listen {
                address: SocketAddr::new(IpAddr::V4(ports::RESOLVER), options.dns_port),
                source,
            })?,
            http_port,
            https_port,
            ca_pem: authority.ca_pem().to_owned(),
            allow_networks: vec!["127.77.0.0/16".to_owned()],
            allow_names: vec!["lab".to_owned()],
            calendars: vec![calendar.url()],
            explorers: vec![calendar.explorer_url()],
        };
        let ports = Ports { http: http_port, https: https_port, odd: odd_port };
        let trap = Trap::set(traps, &tasks);
        let world = Arc::new(World::new(ports, authority, tasks));
        dns::run(udp, tcp, &world);
        Ok(Self { network, trap, calendar, world })
    }

    #[must_use]
    pub fn network(&self) -> &LabNetwork {
        &self.network
    }

    #[must_use]
    pub fn sites(&self) -> &'static [Site] {
        sites::catalogue()
    }

    #[must_use]
    pub fn trap(&self) -> &Trap {
        &self.trap
    }

    /// The timestamp calendar and its chain.
    #[must_use]
    pub fn calendar(&self) -> &Calendar {
        &self.calendar
    }

    /// Another calendar beside the first, with a chain of its own.
    pub fn another_calendar(&self) -> Result<Calendar, LabError> {
        Calendar::start(&self.world.tasks)
    }

    /// The requests that the site of this name (or the one it lies under) saw, oldest first; at
    /// most the last ten thousand.
    #[must_use]
    pub fn hits(&self, host: &str) -> Vec<Hit> {
        self.world.place_named(host).map(|place| place.hits.all()).unwrap_or_default()
    }

    /// The connections that the site of this name accepted.
    #[must_use]
    pub fn connections(&self, host: &str) -> u64 {
        self.world.place_named(host).map_or(0, |place| place.connections.load(Ordering::SeqCst))
    }

    /// The address of the site of this name, for tests that dial it without asking the name
    /// server. Opens its sockets, as a look-up would.
    #[must_use]
    pub fn address(&self, host: &str) -> Option<Ipv4Addr> {
        let address = self.world.place_named(host)?.address;
        http::open(&self.world, address).ok()?;
        Some(address)
    }

    /// Stops everything and waits until the ports are free again.
    pub async fn stop(self) {
        self.world.tasks.cancel();
        self.world.tasks.ended().await;
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.world.tasks.cancel();
    }
}

/// The port that only the trap has, at an address that a service may dial: there the port alone is
/// what must be refused.
fn odd_port() -> Result<(u16, tokio::net::TcpListener), LabError> {
    let index = sites::catalogue().iter().position(|site| site.name == ODD_PORT_SITE);
    let address = SocketAddr::new(IpAddr::V4(address(index.unwrap_or_default())), 0);
    let failed = |source| LabError::Listen { address, source };
    let listener = ports::listen(address).map_err(failed)?;
    Ok((listener.local_addr().map_err(failed)?.port(), listener))
}
