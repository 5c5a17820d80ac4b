//! Free keys: whoever gives a mail address is sent a link, and the link shows a key once.
//!
//! What a caller is told never depends on the mailbox: everything that does happens after the answer, in
//! [`delivery`]. Mailboxes and tokens are stored as digests only, and appear in no log.

mod delivery;
mod link;
mod mailbox;
mod texts;

use std::sync::Arc;

use contract::limits::{FREE_KEY_MAILS_PER_DAY, FREE_KEYS_PER_ADDRESS_A_DAY};
use contract::{Clock, Issuer};
use door::mail::Mailer;
use proof::keys::DeploymentSecret;
use store::{AllowanceDraw, AllowanceOutcome, Day, Store, StoreError};

use self::delivery::Deliveries;
use self::mailbox::Mailbox;
use super::allowance::{AddressBlock, DAY_TIER, ceil_seconds};
use crate::live_setting::LiveSetting;
use crate::random_ids::{Ids, RandomnessError};

pub use link::{ClaimOutcome, LinkState, LinkToken};
pub use mailbox::{MailboxError, RefusedMailDomains};

/// How free keys are offered.
#[derive(Debug, Clone)]
pub struct FreeKeySettings {
    pub mailer: Mailer,
    pub refused_domains: RefusedMailDomains,
    /// Requests per address and UTC day; `None` for no limit.
    pub per_address_and_day: Option<u32>,
}

impl FreeKeySettings {
    #[must_use]
    pub fn new(mailer: Mailer) -> Self {
        Self {
            mailer,
            refused_domains: RefusedMailDomains::default(),
            per_address_and_day: Some(FREE_KEYS_PER_ADDRESS_A_DAY),
        }
    }
}

/// Why a request for a key is refused.
#[derive(Debug, thiserror::Error)]
pub enum FreeKeyError {
    #[error(transparent)]
    BadMailbox(#[from] MailboxError),
    #[error("no keys are sent to mail addresses of this domain")]
    RefusedDomain,
    #[error("this address has asked for a key today")]
    AddressLimitReached { retry_after_s: u64 },
    #[error("too many keys were requested from the network {network} today")]
    NetworkLimitReached { network: String, retry_after_s: u64 },
    #[error("the daily limit of mails with keys is reached")]
    ServiceLimitReached { retry_after_s: u64 },
    #[error("too many mails are waiting to be sent")]
    Busy,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    NoChance(#[from] RandomnessError),
}

/// Makes free keys. Requests, licences and counts are in the store; mails that are being sent are in memory.
pub struct FreeKeys {
    issuer: Issuer,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    /// Hides mailboxes and client addresses.
    secret: DeploymentSecret,
    mailer: Mailer,
    refused_domains: RefusedMailDomains,
    /// How to reach the operator, for the mails.
    contact: Option<String>,
    pub(crate) per_address_and_day: LiveSetting<Option<u32>>,
    deliveries: Deliveries,
}

/// What [`FreeKeys`] uses of the service.
pub(crate) struct FreeKeyParts {
    pub(crate) issuer: Issuer,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) secret: DeploymentSecret,
    pub(crate) contact: Option<String>,
}

impl FreeKeys {
    pub(crate) fn new(settings: FreeKeySettings, parts: FreeKeyParts) -> Self {
        let FreeKeyParts { issuer, store, clock, ids, secret, contact } = parts;
        Self {
            issuer,
            store,
            clock,
            ids,
            secret,
            mailer: settings.mailer,
            refused_domains: settings.refused_domains,
            contact,
            per_address_and_day: LiveSetting::new(settings.per_address_and_day),
            deliveries: Deliveries::default(),
        }
    }

    /// Takes a request. Whether a link is sent, and whether the mailbox has a key, is decided later.
    pub async fn request_key(
        self: &Arc<Self>,
        mailbox: &str,
        block: AddressBlock,
    ) -> Result<(), FreeKeyError> {
        let mailbox = Mailbox::parse(mailbox)?;
        if self.refused_domains.refuses(&mailbox) {
            return Err(FreeKeyError::RefusedDomain);
        }
        let slot = self.deliveries.reserve().ok_or(FreeKeyError::Busy)?;
        self.count_request(block).await?;
        let free_keys = Arc::clone(self);
        slot.start(async move { free_keys.deliver(&mailbox).await });
        Ok(())
    }

    /// Counts a request of this address against the limits of today.
    async fn count_request(&self, block: AddressBlock) -> Result<(), FreeKeyError> {
        let now = self.clock.now();
        let day = Day::of(now);
        let retry_after_s = ceil_seconds(day.ends_at().millis_since(now));
        let (mut draws, mut refusals) = (Vec::new(), Vec::new());
        if let Some(limit) = self.per_address_and_day.get() {
            let key = self.block_counter_key("free keys by address", day, block);
            draws.push(AllowanceDraw { key, limit });
            refusals.push(FreeKeyError::AddressLimitReached { retry_after_s });
            if let Some(network) = block.ipv6_network(DAY_TIER.prefix_bits) {
                let key = self.block_counter_key("free keys by network", day, network);
                let limit = limit.saturating_mul(DAY_TIER.factor);
                draws.push(AllowanceDraw { key, limit });
                let network = format!("{}/{}", network.text(), DAY_TIER.prefix_bits);
                refusals.push(FreeKeyError::NetworkLimitReached { network, retry_after_s });
            }
        }
        let key = self.secret.mac("free keys of everybody", &[]);
        draws.push(AllowanceDraw { key, limit: FREE_KEY_MAILS_PER_DAY });
        refusals.push(FreeKeyError::ServiceLimitReached { retry_after_s });
        match self.store.draw_allowances(day.into(), draws).await? {
            AllowanceOutcome::Granted => Ok(()),
            AllowanceOutcome::Exhausted { which } => {
                let refusal = refusals.into_iter().nth(which);
                Err(refusal.unwrap_or(FreeKeyError::ServiceLimitReached { retry_after_s }))
            }
        }
    }

    /// Without the secret, the key cannot be turned back into an address.
    fn block_counter_key(&self, label: &str, day: Day, block: AddressBlock) -> proof::Digest {
        self.secret.mac(label, &[&day.number().to_be_bytes(), block.text().as_bytes()])
    }

    /// The mailbox as it is stored with licences and requests.
    fn mailbox_digest(&self, mailbox: &Mailbox) -> proof::Digest {
        self.secret.mac("mailbox of a free key", &[mailbox.counted_as().as_bytes()])
    }

    /// Waits until mails that are being sent are sent. No further ones are begun.
    pub async fn finish_mails(&self) {
        self.deliveries.finish().await;
    }
}

#[cfg(test)]
mod tests;
