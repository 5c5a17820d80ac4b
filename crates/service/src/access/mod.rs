//! What a caller may request: free allowances, licences, idempotency keys, and tokens that identify
//! our own pages.

pub mod allowance;
mod capability_calls;
#[doc(hidden)]
pub mod fuzzing;
mod idempotency;
pub mod licence;
mod live_read_permit;
mod page_token;

use std::sync::Arc;

use contract::Clock;
use proof::keys::DeploymentSecret;
use store::Store;

use self::page_token::PageTokenUses;
use crate::live_setting::LiveSetting;

pub use allowance::{AddressBlock, AllowanceError, FreeScans, pause_scans, scans_paused};
pub use idempotency::{IdempotencyHandle, IdempotencyOutcome, IdempotencyRequest};
pub use licence::{LicenceError, LicenceKey, PresentedKey};
pub use live_read_permit::LiveReadPermit;

/// Decides what a caller may request. Counts, licences and idempotency keys are in the store; only the
/// uses of page tokens are in memory.
pub struct Access {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    /// Authenticates page tokens, and hides client addresses in counters.
    pub(crate) secret: DeploymentSecret,
    pub(crate) free_scans: LiveSetting<FreeScans>,
    pub(crate) page_token_uses: PageTokenUses,
}
