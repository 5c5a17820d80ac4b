//! The entry point of the crate: one door for one policy, from which visits are started.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use contract::Clock;

use crate::context::DoorContext;
use crate::dns::Resolver;
use crate::guard::url::PortSet;
use crate::request_signer::SignedIdentity;
use crate::targets::TargetTable;
use crate::tls::TlsClient;
use crate::{AddressRule, DoorError, Policy, RequestSigner, Visit};

/// Outbound access under one policy. Cheap to clone: all clones share one context and
/// its counts of what is read of each target.
#[derive(Debug, Clone)]
pub struct Door(Arc<DoorContext>);

impl Door {
    /// Reads the resolver's address and the trusted root certificates once, for the lifetime of the
    /// door.
    pub fn new(policy: Policy, clock: Arc<dyn Clock>) -> Result<Self, DoorError> {
        let resolver = Resolver::new(&policy)?;
        let tls = TlsClient::new(&policy.extra_ca)?;
        let rule = AddressRule::new(&policy.allow_networks, &policy.refuse_networks);
        let targets = Arc::new(TargetTable::new(policy.targets));
        let context = DoorContext {
            policy,
            clock,
            address_rule: rule,
            resolver,
            tls,
            targets,
            signed_identity: OnceLock::new(),
        };
        Ok(Self(Arc::new(context)))
    }

    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.0.policy
    }

    /// From now on, requests of this identity over https carry a signature. The first call counts: all
    /// clones of a door share one signer.
    pub fn sign_requests(&self, identity: &str, signer: Arc<dyn RequestSigner>) {
        let identity = identity.to_owned();
        let _ = self.0.signed_identity.set(SignedIdentity { identity, signer });
    }

    /// Whether requests of this identity over https are signed.
    #[must_use]
    pub fn signs_requests(&self, identity: &str) -> bool {
        self.0.signed_identity.get().is_some_and(|signed| signed.identity == identity)
    }

    /// Starts one visit. All reads of the visit share its resolved names, its connections and this
    /// one deadline.
    #[must_use]
    pub fn visit(&self, deadline: Duration) -> Visit {
        Visit::new(Arc::clone(&self.0), deadline, PortSet::Web)
    }

    /// Starts a visit of an MCP server. Its URLs may also name the ports of
    /// [`Policy::mcp_ports`]; everything else is as in any visit.
    #[must_use]
    pub fn mcp_visit(&self, deadline: Duration) -> Visit {
        Visit::new(Arc::clone(&self.0), deadline, PortSet::Mcp)
    }
}
