//! Who controls a domain: claims, their proofs and checks, and what owners may do.
//!
//! `challenge` begins a claim and checks its proof for the first time, `recheck` does so again and again,
//! `record` is the signed record, `owners` knows who may act as an owner. `incidents` and `disputes` are what
//! owners report. The states and what leads from one to another are in `judge::control`.

mod challenge;
mod client_slots;
mod disputes;
mod error;
mod events;
mod follow;
mod incidents;
mod lists;
mod offer;
mod operator;
mod owners;
mod proof_reading;
mod recheck;
mod record;
mod timeline;
mod tokens;

use std::sync::Arc;
use std::time::Duration;

use contract::{Clock, Issuer};
use proof::keys::DeploymentSecret;
use store::Store;

pub use challenge::{ClaimDetails, ProvenClaim};
pub use disputes::DisputeView;
pub use error::ControlError;
pub use events::read_event as read_control_event;
pub use incidents::end_incident_as_operator;
pub use lists::transition_rows;
pub use operator::{ClaimRow, list_claims, request_recheck, suspend_claim};
pub use owners::{OWNER_IDLE_HOURS, Owner};
pub use tokens::ClaimSecret;

use self::client_slots::ClientSlots;
use crate::answers::Answers;
use crate::domains::Domains;
use crate::in_flight::InFlightDomains;
use crate::random_ids::Ids;
use crate::scanner::Scanner;
use crate::scanning::Scanning;
use crate::signing_keys::SigningKeys;

/// The deadline for all reads of one check.
const CHECK_TIME: Duration = Duration::from_secs(15);

/// Claims of control, incidents and disputes. Shared by all requests. Mutable state: `checking`, the domains
/// being checked, and `slots`, the clients whose proofs are being read, each guarded by its own mutex. Everything else is in the store.
pub struct DomainControl {
    pub(crate) issuer: Issuer,
    pub(crate) scanner: Scanner,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<SigningKeys>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) secret: DeploymentSecret,
    pub(crate) answers: Arc<Answers>,
    pub(crate) scanning: Arc<Scanning>,
    pub(crate) domains: Arc<Domains>,
    /// Checks of one domain for one client in a day; `None` for no limit.
    pub(crate) checks_per_day: Option<u32>,
    /// The name of the place that proofs are read from, and its network.
    pub(crate) vantage: String,
    pub(crate) network: String,
    checking: InFlightDomains,
    slots: ClientSlots,
}

/// What a [`DomainControl`] is made of.
pub(crate) struct ControlParts {
    pub(crate) issuer: Issuer,
    pub(crate) scanner: Scanner,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<SigningKeys>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) secret: DeploymentSecret,
    pub(crate) answers: Arc<Answers>,
    pub(crate) scanning: Arc<Scanning>,
    pub(crate) domains: Arc<Domains>,
    pub(crate) checks_per_day: Option<u32>,
    pub(crate) vantage: String,
    pub(crate) network: String,
}

impl DomainControl {
    pub(crate) fn new(parts: ControlParts) -> Self {
        Self {
            issuer: parts.issuer,
            scanner: parts.scanner,
            store: parts.store,
            keys: parts.keys,
            clock: parts.clock,
            ids: parts.ids,
            secret: parts.secret,
            answers: parts.answers,
            scanning: parts.scanning,
            domains: parts.domains,
            checks_per_day: parts.checks_per_day,
            vantage: parts.vantage,
            network: parts.network,
            checking: InFlightDomains::default(),
            slots: ClientSlots::default(),
        }
    }
}
