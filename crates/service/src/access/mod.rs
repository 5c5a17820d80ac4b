//! Who a caller is and what they may request: free allowances, licences with their plans and quotas,
//! sessions, free keys, idempotency keys, and tokens that identify our own pages.

pub mod account;
pub mod allowance;
pub mod audit;
mod capability_calls;
mod free_keys;
#[doc(hidden)]
pub mod fuzzing;
mod idempotency;
pub mod licence;
mod live_read_permit;
mod page_token;
pub mod plans;
pub mod quota;
pub mod sessions;

use std::sync::Arc;

use contract::Clock;
use proof::keys::DeploymentSecret;
use store::Store;

use self::page_token::PageTokenUses;
use self::plans::Plans;
use crate::live_setting::LiveSetting;
use crate::random_ids::Ids;

pub use allowance::{AddressBlock, AllowanceError, FreeScans, pause_scans, scans_paused};
pub(crate) use free_keys::FreeKeyParts;
pub use free_keys::{
    ClaimOutcome, FreeKeyError, FreeKeySettings, FreeKeys, LinkState, LinkToken, MailboxError,
    RefusedMailDomains,
};
pub use idempotency::{IdempotencyHandle, IdempotencyOutcome, IdempotencyRequest};
pub use licence::{LicenceError, LicenceKey, PresentedKey};
pub use live_read_permit::LiveReadPermit;
pub use quota::{CountedCall, QuotaError, QuotaState};
pub use sessions::{SessionToken, SignedIn};

/// Decides what a caller may request. Counts, licences and idempotency keys are in the store; only the
/// uses of page tokens are in memory.
pub struct Access {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    /// Authenticates page tokens, and hides client addresses in counters.
    pub(crate) secret: DeploymentSecret,
    pub(crate) ids: Arc<dyn Ids>,
    pub(crate) free_scans: LiveSetting<FreeScans>,
    pub(crate) plans: LiveSetting<Arc<Plans>>,
    pub(crate) page_token_uses: PageTokenUses,
}
