//! What every visit of one door shares.

use std::sync::{Arc, OnceLock};

use contract::Clock;

use crate::dns::Resolver;
use crate::guard::url::CheckedTarget;
use crate::request_signer::SignedIdentity;
use crate::targets::TargetTable;
use crate::tls::TlsClient;
use crate::{AddressRule, Policy};

/// The settings and clients that all visits share. Built once by [`crate::Door::new`]; only the counts
/// in `targets` change, under a lock of their own.
#[derive(Debug)]
pub(crate) struct DoorContext {
    pub(crate) policy: Policy,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) address_rule: AddressRule,
    pub(crate) resolver: Resolver,
    pub(crate) tls: TlsClient,
    pub(crate) targets: Arc<TargetTable>,
    /// Set once, at the start, if requests are signed.
    pub(crate) signed_identity: OnceLock<SignedIdentity>,
}

impl DoorContext {
    /// The fields that sign a request of this identity; none if it is not signed.
    pub(crate) fn signature_fields(
        &self,
        identity: &str,
        target: &CheckedTarget,
    ) -> Vec<(String, String)> {
        let signed = self.signed_identity.get();
        signed.map(|signed| signed.sign(identity, target)).unwrap_or_default()
    }
}
