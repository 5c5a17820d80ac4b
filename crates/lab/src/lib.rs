//! A small test internet on loopback, with real sockets, DNS, TLS and HTTP, and sites that behave
//! or misbehave in known ways. Used by the tests of every crate and by `wayleave demo`.
//!
//! ```no_run
//! # async fn demo() -> Result<(), lab::LabError> {
//! let lab = lab::Lab::start(lab::LabOptions::default()).await?;
//! println!("{}", lab.network().to_toml(std::path::Path::new("lab-ca.pem")));
//! lab.stop().await;
//! # Ok(()) }
//! ```
//!
//! Every site has its own address inside 127.77.0.0/16 and shares the lab's two ports. A service
//! that reads the lab is therefore allowed this one network, and still refuses 127.0.0.1 and
//! everything else. The [`Trap`] listens at addresses that only a broken guard would dial. A site's
//! sockets are opened when its name is first looked up, so that a lab needs a dozen file
//! descriptors instead of hundreds, and many labs can run in parallel.
//!
//! To add a site, add a few lines to the table of its theme in `src/sites/`. Hosts that are no sites
//! but belong to the internet that a service needs get a folder each, next to `feeds/` (the address
//! lists of the operators of agents), `rdap/` (the registry) and `signing_bot/` (key directories), and an entry in
//! `src/sites/infrastructure.rs`; so do the MCP servers (`mcp/`). Servers that a service knows by
//! their address (`calendar/`, `engine/`) are started by [`Lab::start`] and named in [`LabNetwork`]. `proofs/` is what people publish on the sites while the lab runs, and `control/` the
//! channel by which they do.

mod calendar;
mod cases;
mod certificate_authority;
mod chance;
mod clock;
mod content;
mod control;
mod dns;
mod dns_entry;
mod engine;
mod error;
mod feeds;
mod forwards;
mod hits;
mod http;
mod lab;
mod lab_state;
mod mcp;
mod network;
mod ports;
mod proofs;
mod rdap;
mod reverse_dns;
mod signing_bot;
mod site;
mod sites;
mod trap;
mod user_agents;

pub use calendar::{CalendarBehaviour, TimestampCalendar};
pub use cases::{CaseError, CaseSite, Comparison, EXPECTATION_WORDS, Expectation, case_sites};
pub use clock::{ClockTooFar, LabClock};
pub use engine::{BusinessFacts, ENGINE_KEY, EngineBehaviour, EngineRequest};
pub use error::LabError;
pub use feeds::{
    FEEDS_HOST, FeedBehaviour, FeedFormat, LabFeed, feed_addresses, feed_prefixes, feed_url, feeds,
};
pub use forwards::FORWARDED_HOST;
pub use hits::Hit;
pub use lab::{Lab, LabOptions};
pub use mcp::{LabMcpHost, LabMcpServer, MCP_PEER_HOST, mcp_servers};
pub use network::LabNetwork;
pub use proofs::{LabProof, ProofKind, PublishError};
pub use rdap::{
    BootstrapBehaviour, LabRegistration, RDAP_HOST, RdapResult, RdapVariant, RegistryEntry,
    rdap_bootstrap_url, rdap_domain_url, rdap_variants,
};
pub use reverse_dns::{DOCUMENTED_SUFFIXES, PtrCase, PtrOutcome, ptr_cases};
pub use signing_bot::{
    BotKey, BotRequest, BotSignature, DIRECTORY_MEDIA_TYPE, DIRECTORY_PATH, DirectoryBehaviour,
    SIGNING_BOT_HOST, SignatureAgent, SignedFields, sign_as_bot, signing_hosts,
};
pub use site::{ExpectedFailure, ExpectedRecord, LabSite};
pub use sites::{
    PUBLIC_API_PATHS, catalogue, control_proof_sites, load_test_sites, shared_address_sites,
    stalling_load_test_sites,
};
pub use trap::Trap;
pub use user_agents::AI_TOKENS;
