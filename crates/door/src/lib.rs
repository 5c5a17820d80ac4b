//! The only way out: guarded names, addresses, sockets, TLS and HTTP.
//!
//! Everything a stranger chose (a name, an address, a redirect, a byte) passes through here and
//! nowhere else, and everything is bounded. The order is always the same, for each hop anew:
//! the URL is checked as text, its name is resolved once per visit, every address of the name is
//! vetted, one vetted address is dialled and compared with the peer, and only then is anything
//! said. What comes back is recorded as [`contract::evidence`]; what it means is not known here.
//!
//! Life of a fetch: [`Visit::fetch`] → `guard::url` → `Visit::addresses` (`dns`) →
//! `guard::address` → `http::dial` → `tls` → `http::wire` → `http::body` → [`Fetched`].

mod clock;
mod dns;
mod error;
mod failure;
mod fetch;
mod guard;
mod http;
pub mod operator;
mod policy;
mod request;
mod tls;
mod visit;
mod watch;

use std::sync::Arc;
use std::time::Duration;

use contract::Clock;

pub use clock::SystemClock;
pub use dns::RecordType;
pub use error::DoorError;
pub use guard::address::{AddressKind, AddressRefusal, AddressRule};
pub use policy::{Caps, Limits, Phases, Policy, ResolverChoice, read_pem};
pub use request::{Fetched, Follow, Gate, ReadKind, Refusal, Request};
pub use visit::Visit;

/// The way out under one policy. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Door(Arc<Frame>);

/// What all visits share and none changes.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) policy: Policy,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) rule: AddressRule,
    pub(crate) resolver: dns::Resolver,
    pub(crate) tls: tls::Tls,
}

impl Door {
    /// Reads the resolver's address and the trusted roots once, for the life of the door.
    pub fn new(policy: Policy, clock: Arc<dyn Clock>) -> Result<Self, DoorError> {
        let resolver = dns::Resolver::new(&policy)?;
        let tls = tls::Tls::new(&policy.extra_ca)?;
        let rule = AddressRule::new(&policy.allow_networks, &policy.refuse_networks);
        Ok(Self(Arc::new(Frame { policy, clock, rule, resolver, tls })))
    }

    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.0.policy
    }

    /// Begins one scan: everything read through the visit shares its names, its connections and
    /// this one deadline.
    #[must_use]
    pub fn visit(&self, deadline: Duration) -> Visit {
        Visit::new(Arc::clone(&self.0), deadline)
    }
}
