//! Content clocks: a page that a caller asked about is read again every few hours, until some time
//! after the last request for it, and its changes are stored.

mod check_page;
mod due_clocks;
mod stored_clock;

use std::sync::Arc;
use std::time::Duration;

use contract::limits::{CLOCK_IDLE_DAYS, CLOCKS_PER_ADDRESS_A_DAY, CLOCKS_PER_DOMAIN};
use contract::records::ClockState;
use contract::{Issuer, Timestamp};
use judge::resolve::clock::{PageClock, answer};
use proof::keys::DeploymentSecret;
use proof::{KeyPurpose, ProofError, SignedDocument};
use store::{AllowanceDraw, AllowanceOutcome, Day, Store, StoreError, StoredClock};

use crate::access::{AddressBlock, LiveReadPermit};
use crate::answers::page_url::PageUrl;
use crate::in_flight::InFlightDomains;
use crate::scanner::Scanner;
use crate::signing_keys::SigningKeys;
use crate::target_domains::{ReadingKind, TargetDomains};

const DAY_MS: i64 = 24 * 3_600_000;

/// A request for the clock of a page.
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub struct ContentClockRequest {
    pub page: PageUrl,
    /// Whether to start a clock if none is running.
    pub start: bool,
    /// Versions returned at most.
    pub versions: usize,
    pub block: AddressBlock,
    pub live_read_permit: Arc<dyn LiveReadPermit>,
}

/// The signed record, and whether the clock was already running.
#[derive(Debug, Clone)]
pub struct ContentClockReply {
    pub document: SignedDocument,
    pub was_running: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum ContentClockError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
    #[error("the check failed because of an internal error: {0}")]
    Internal(String),
}

/// Watches pages for changes. Shared by all requests and the background job. Mutable state:
/// `checking` and `targets`, the domains being read, each guarded by its own mutex. The clocks are in the store.
pub struct ContentClocks {
    pub(crate) issuer: Issuer,
    pub(crate) scanner: Scanner,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<SigningKeys>,
    pub(crate) clock: Arc<dyn contract::Clock>,
    pub(crate) secret: DeploymentSecret,
    pub(crate) targets: TargetDomains,
    pub(crate) checking: InFlightDomains,
}

impl ContentClocks {
    /// The known changes of a page. Starts a clock if none is running and one may be started.
    pub async fn content_clock(
        &self,
        request: ContentClockRequest,
    ) -> Result<ContentClockReply, ContentClockError> {
        let now = self.clock.now();
        let found = self.store.clock(&request.page.url).await?;
        if let Some((clock, versions)) = found.filter(|(clock, _)| clock.expires_at > now) {
            let clock = self.extend_expiry(clock, request.start, now).await?;
            let page_clock = stored_clock::to_page_clock(&clock, &versions);
            return self.sign_reply(&request, Some(&page_clock), None, true);
        }
        if !request.start {
            return self.sign_reply(&request, None, None, false);
        }
        // Only one page of a site is read at a time.
        let Some(_checking) = self.checking.try_begin(&request.page.domain) else {
            let why = "Another page of this site is being read. Try again in a few seconds.";
            return self.sign_reply(&request, None, Some(why), false);
        };
        let begun =
            self.targets.begin(&request.page.domain, ReadingKind::Live, Duration::ZERO).await;
        let Ok(reading) = begun else {
            let why = "This site is read as often as this service may read it, over all callers. \
                       Try again in an hour.";
            return self.sign_reply(&request, None, Some(why), false);
        };
        if let Some(why) = self.find_start_refusal(&request, now).await? {
            reading.cancel();
            return self.sign_reply(&request, None, Some(why), false);
        }
        let new = StoredClock {
            url: request.page.url.clone(),
            domain: request.page.domain.clone(),
            state: ClockState::Running.as_str().to_owned(),
            why: None,
            started_at: now.whole_seconds(),
            checks: 0,
            last_checked_at: None,
            next_check_at: now,
            expires_at: expiry_from(now),
            declared: stored_clock::empty_details(),
        };
        let (clock, versions) = self.check_clock(new, Vec::new()).await?;
        let mut page_clock = stored_clock::to_page_clock(&clock, &versions);
        if page_clock.state == ClockState::Running {
            page_clock.state = ClockState::Started;
        }
        self.sign_reply(&request, Some(&page_clock), None, false)
    }

    /// A request extends the life of a clock. Stored at most once a day.
    async fn extend_expiry(
        &self,
        mut clock: StoredClock,
        extend: bool,
        now: Timestamp,
    ) -> Result<StoredClock, ContentClockError> {
        if extend && expiry_from(now).millis_since(clock.expires_at) > DAY_MS {
            clock.expires_at = expiry_from(now);
            self.store.put_clock(clock.clone(), None).await?;
        }
        Ok(clock)
    }

    /// Why no clock may be started; `None` if one may. The daily allowance is drawn last, so that a
    /// request refused for another reason does not count.
    async fn find_start_refusal(
        &self,
        request: &ContentClockRequest,
        now: Timestamp,
    ) -> Result<Option<&'static str>, ContentClockError> {
        let running = self.store.clocks_of(&request.page.domain, CLOCKS_PER_DOMAIN + 1).await?;
        let others = running
            .iter()
            .filter(|clock| clock.expires_at > now && clock.url != request.page.url)
            .count();
        if others >= CLOCKS_PER_DOMAIN {
            return Ok(Some("The limit of clocks for pages of this site is reached."));
        }
        if request.live_read_permit.acquire().is_err() {
            return Ok(Some("The limit of live reads for this address is reached."));
        }
        let day = Day::of(now);
        let parts = [&day.number().to_be_bytes()[..], request.block.text().as_bytes()].concat();
        let key = self.secret.mac("clocks by address", &[&parts]);
        let draw = AllowanceDraw { key, limit: CLOCKS_PER_ADDRESS_A_DAY };
        match self.store.draw_allowances(day.into(), vec![draw]).await? {
            AllowanceOutcome::Exhausted { .. } => {
                Ok(Some("The limit of clocks started today by this address is reached."))
            }
            _ => Ok(None),
        }
    }

    fn sign_reply(
        &self,
        request: &ContentClockRequest,
        clock: Option<&PageClock>,
        why: Option<&str>,
        running: bool,
    ) -> Result<ContentClockReply, ContentClockError> {
        let record = answer(&request.page.url, clock, why, request.versions, &self.issuer);
        let document = self.keys.sign_document(&record, KeyPurpose::Documents)?;
        Ok(ContentClockReply { document, was_running: running })
    }
}

/// When a clock that is requested now expires.
fn expiry_from(now: Timestamp) -> Timestamp {
    now.whole_seconds().plus_millis(i64::from(CLOCK_IDLE_DAYS) * DAY_MS)
}
