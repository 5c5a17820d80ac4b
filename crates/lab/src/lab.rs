//! Starts and stops a lab.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, atomic::Ordering},
};

use contract::Brand;

use crate::{
    BootstrapBehaviour, BusinessFacts, DirectoryBehaviour, ENGINE_KEY, EngineBehaviour,
    EngineRequest, FeedBehaviour, Hit, LabClock, LabError, LabMcpServer, LabNetwork, LabProof,
    LabSite, ProofKind, PublishError, RegistryEntry, TimestampCalendar, Trap,
    certificate_authority::CertificateAuthority,
    control, dns, engine,
    forwards::FORWARDED_HOST,
    http,
    lab_state::{LabState, LabTasks, site_address},
    ports::{self, Ports},
    rdap::rdap_bootstrap_url,
    sites::{self, TRAP_PORT_SITE},
};

/// The ports of a lab. 0 means: use any free port.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LabOptions {
    pub http_port: u16,
    pub https_port: u16,
    pub dns_port: u16,
}

/// A running lab. It stops when dropped; [`Lab::stop`] also waits until it has stopped.
#[derive(Debug)]
pub struct Lab {
    network: LabNetwork,
    trap: Trap,
    calendar: TimestampCalendar,
    world: Arc<LabState>,
}

impl Lab {
    /// Starts a lab on the current runtime.
    pub async fn start(options: LabOptions) -> Result<Self, LabError> {
        Self::start_with_sites(options, &[]).await
    }

    /// Starts a lab that has these sites besides those of the catalogue.
    pub async fn start_with_sites(
        options: LabOptions,
        more_sites: &[&'static LabSite],
    ) -> Result<Self, LabError> {
        let tasks = LabTasks::new();
        let (http_port, mut traps) = ports::take_web_port(options.http_port)?;
        let (https_port, more) = ports::take_web_port(options.https_port)?;
        traps.extend(more);
        let (odd_port, odd) = odd_port()?;
        traps.push(odd);
        let (udp, tcp) = ports::take_dns_port(options.dns_port).await?;
        let authority = CertificateAuthority::new()?;
        let calendar = TimestampCalendar::start(&tasks)?;
        let engine_socket = engine::open_socket()?;
        let network = LabNetwork {
            resolver: udp.local_addr().map_err(|source| LabError::Listen {
                address: SocketAddr::new(IpAddr::V4(ports::RESOLVER_ADDRESS), options.dns_port),
                source,
            })?,
            http_port,
            https_port,
            ca_pem: authority.ca_pem().to_owned(),
            allow_networks: vec!["127.77.0.0/16".to_owned()],
            allow_names: vec!["lab".to_owned()],
            calendars: vec![calendar.url()],
            explorers: vec![calendar.explorer_url()],
            rdap_bootstrap: rdap_bootstrap_url(),
            engine: engine_socket.base_url.clone(),
            engine_key: ENGINE_KEY.to_owned(),
        };
        let ports = Ports { http: http_port, https: https_port, trap_only: odd_port };
        let trap = Trap::start(traps, &tasks);
        let world = Arc::new(LabState::new(ports, authority, tasks, more_sites));
        dns::start(udp, tcp, &world);
        engine::start(engine_socket, &world)?;
        Ok(Self { network, trap, calendar, world })
    }

    #[must_use]
    pub fn network(&self) -> &LabNetwork {
        &self.network
    }

    #[must_use]
    pub fn sites(&self) -> &'static [LabSite] {
        sites::catalogue()
    }

    #[must_use]
    pub fn trap(&self) -> &Trap {
        &self.trap
    }

    /// The timestamp calendar and its chain.
    #[must_use]
    pub fn calendar(&self) -> &TimestampCalendar {
        &self.calendar
    }

    /// Starts another calendar with its own chain.
    pub fn another_calendar(&self) -> Result<TimestampCalendar, LabError> {
        TimestampCalendar::start(&self.world.tasks)
    }

    /// Changes what this feed of `feeds.lab` serves from now on. False if there is no such feed.
    #[must_use]
    pub fn set_feed(&self, id: &str, behaviour: FeedBehaviour) -> bool {
        self.world.feeds.set(id, behaviour)
    }

    /// Changes what the registry answers about this domain from now on.
    pub fn set_registration(&self, domain: &str, entry: RegistryEntry) {
        self.world.rdap.set(domain, entry);
    }

    /// Changes what the list of registries contains from now on.
    pub fn set_rdap_bootstrap(&self, behaviour: BootstrapBehaviour) {
        self.world.rdap.set_bootstrap(behaviour);
    }

    /// Changes how the AI engine answers for this model from now on; there need not be such a model yet.
    /// False if there are too many.
    #[must_use]
    pub fn set_engine_behaviour(&self, model: &str, behaviour: EngineBehaviour) -> bool {
        self.world.engine.set(model, behaviour)
    }

    /// The requests that the AI engine received, oldest first; at most the last ten thousand.
    #[must_use]
    pub fn engine_requests(&self) -> Vec<EngineRequest> {
        self.world.engine.requests()
    }

    /// How many bytes of bodies the AI engine has sent.
    #[must_use]
    pub fn engine_sent_bytes(&self) -> u64 {
        self.world.engine.sent_bytes()
    }

    /// What a site publishes about itself, as the AI engine knows it. `None` if there is no such site.
    #[must_use]
    pub fn business_facts(&self, domain: &str) -> Option<BusinessFacts> {
        engine::facts_of(&self.world, domain)
    }

    /// Changes how the key directory of this host behaves from now on. False if no such host has
    /// one.
    #[must_use]
    pub fn set_key_directory(&self, host: &str, behaviour: DirectoryBehaviour) -> bool {
        self.world.key_directories.set(host, behaviour)
    }

    /// Publishes a proof of control for a domain, which is a site or, for TXT records, a name below
    /// one. Several proofs of one kind can be published; publishing one twice changes nothing.
    pub fn publish(&self, domain: &str, proof: LabProof) -> Result<(), PublishError> {
        self.world.publish(domain, proof).map(drop)
    }

    /// Removes published proofs of a site: all, of one kind, or one value. Returns how many.
    #[must_use]
    pub fn unpublish(&self, domain: &str, kind: Option<ProofKind>, value: Option<&str>) -> usize {
        self.world.unpublish(domain, kind, value)
    }

    /// Publishes proofs under the names of this brand from now on; before, of the default brand.
    pub fn set_brand(&self, brand: Brand) {
        self.world.published.set_brand(brand);
    }

    /// Lets the control channel move this clock, which the service that reads the lab uses. The first
    /// call counts.
    pub fn set_clock(&self, clock: Arc<LabClock>) {
        let _ = self.world.clock.set(clock);
    }

    /// Starts the control channel and returns its URL, which is as secret as a password.
    pub fn start_control(&self) -> Result<String, LabError> {
        control::start(&self.world)
    }

    /// Lets [`crate::FORWARDED_HOST`] lead to this server, as a proxy that ends TLS does.
    pub fn forward(&self, target: SocketAddr) {
        self.world.forwards.set(FORWARDED_HOST, target);
    }

    /// Changes what this MCP server lists from now on. False if there is no such server.
    #[must_use]
    pub fn edit_mcp(&self, host: &str, change: impl FnOnce(&mut LabMcpServer)) -> bool {
        self.world.mcp.edit(host, change)
    }

    /// How many sessions of this MCP server are open.
    #[must_use]
    pub fn mcp_open_sessions(&self, host: &str) -> usize {
        self.world.mcp.open_sessions(host)
    }

    /// The methods that this MCP server was asked, oldest first; at most the first ten thousand.
    #[must_use]
    pub fn mcp_methods(&self, host: &str) -> Vec<String> {
        self.world.mcp.methods(host)
    }

    /// The requests that this site (or the site that owns this name) received, oldest first; at
    /// most the last ten thousand.
    #[must_use]
    pub fn hits(&self, host: &str) -> Vec<Hit> {
        self.world.site_named(host).map(|running_site| running_site.hits.all()).unwrap_or_default()
    }

    /// The number of connections that this site accepted.
    #[must_use]
    pub fn connections(&self, host: &str) -> u64 {
        self.world
            .site_named(host)
            .map_or(0, |running_site| running_site.connections.load(Ordering::SeqCst))
    }

    /// The address of this site, for tests that dial it without a DNS look-up. Opens its sockets,
    /// as a look-up would.
    #[must_use]
    pub fn address(&self, host: &str) -> Option<Ipv4Addr> {
        let address = self.world.site_named(host)?.address;
        http::open_site(&self.world, address).ok()?;
        Some(address)
    }

    /// Stops everything and waits until the ports are free again.
    pub async fn stop(self) {
        self.world.tasks.cancel();
        self.world.tasks.wait().await;
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.world.tasks.cancel();
    }
}

/// Opens the trap's port at an address that a service may dial: there only the port itself can be
/// the reason for a refusal.
fn odd_port() -> Result<(u16, tokio::net::TcpListener), LabError> {
    let index = sites::catalogue().iter().position(|site| site.name == TRAP_PORT_SITE);
    let address = SocketAddr::new(IpAddr::V4(site_address(index.unwrap_or_default())), 0);
    let failed = |source| LabError::Listen { address, source };
    let listener = ports::listen(address).map_err(failed)?;
    Ok((listener.local_addr().map_err(failed)?.port(), listener))
}
