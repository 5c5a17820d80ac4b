//! A small real internet on loopback: real sockets, real DNS, TLS and HTTP, and sites that behave
//! and misbehave in known ways. For tests of every crate and for `wayleave demo`.
//!
//! ```no_run
//! # async fn demo() -> Result<(), lab::LabError> {
//! let lab = lab::Lab::start(lab::LabOptions::default()).await?;
//! println!("{}", lab.network().to_toml(std::path::Path::new("lab-ca.pem")));
//! lab.stop().await;
//! # Ok(()) }
//! ```
//!
//! Every site has its own address inside 127.77.0.0/16 and shares the lab's two ports, so that a
//! service pointed at the lab is allowed this one network and still refuses 127.0.0.1 and the
//! rest. Listeners that nothing may ever dial (the [`Trap`]) stand where a broken guard would go.
//! A site's sockets are opened when its name is first looked up, so a lab costs a dozen
//! descriptors and not hundreds, and many labs run side by side.
//!
//! To add a site, add a few lines to the table of its theme in `src/sites/`. Other kinds of server
//! (RDAP, agent feeds, AI engines, MCP servers) get a folder each beside `dns/`, `http/` and
//! `calendar/`, are opened by [`Lab::start`], and are named in [`LabNetwork`].

mod audience;
mod authority;
mod calendar;
mod content;
mod dns;
mod error;
mod hits;
mod http;
mod lab;
mod network;
mod ports;
mod site;
mod sites;
mod trap;
mod world;

pub use audience::AI_TOKENS;
pub use calendar::{Calendar, Mood};
pub use error::LabError;
pub use hits::Hit;
pub use lab::{Lab, LabOptions};
pub use network::LabNetwork;
pub use site::{Expect, ExpectedFailure, Site};
pub use sites::{catalogue, crowd, stalling_crowd};
pub use trap::Trap;
