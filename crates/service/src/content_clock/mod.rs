//! Content clocks: a page that somebody asked about is looked at again every few hours, for a while
//! after the last reader, and what changed is kept.

mod check;
mod kept;

use std::sync::Arc;

use contract::Timestamp;
use contract::limits::{CLOCK_DAYS, CLOCKS_PER_ADDRESS_A_DAY, CLOCKS_PER_DOMAIN};
use contract::records::ClockState;
use judge::resolve::Letterhead;
use judge::resolve::clock::{Clock, answer};
use proof::{KeyPurpose, ProofError, SignedDocument};
use store::{Day, Draw, KeptClock, StoreError, Taking};

use crate::page::Page;
use crate::{AddressBlock, MayRead, Service};

const DAY_MS: i64 = 24 * 3_600_000;

/// What a caller asks for.
#[allow(missing_debug_implementations, reason = "holds a callback")]
pub struct ClockAsk {
    pub page: Page,
    /// Whether a clock is to be started where none runs.
    pub start: bool,
    /// Versions shown at most.
    pub versions: usize,
    pub block: AddressBlock,
    pub may_read: Arc<dyn MayRead>,
}

/// The signed answer, and whether a clock ran before it.
#[derive(Debug, Clone)]
pub struct ClockReply {
    pub document: SignedDocument,
    pub running: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum ClockError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
    #[error("the check failed on our side: {0}")]
    Internal(String),
}

impl Service {
    /// What is known of a page's changes; starts a clock where none runs, if it may.
    pub async fn content_clock(&self, ask: ClockAsk) -> Result<ClockReply, ClockError> {
        let now = self.clock.now();
        let found = self.store.clock(&ask.page.url).await?;
        if let Some((clock, versions)) = found.filter(|(clock, _)| clock.expires_at > now) {
            let clock = self.read_again(clock, ask.start, now).await?;
            let told = kept::clock(&clock, &versions);
            return self.clock_reply(&ask, Some(&told), None, true);
        }
        if !ask.start {
            return self.clock_reply(&ask, None, None, false);
        }
        // Two that start the same clock at once: one does, and the other is told so.
        let Some(_checking) = self.checking.begin(&ask.page.domain) else {
            let why = "Another page of this site is being looked at; try again in a moment.";
            return self.clock_reply(&ask, None, Some(why), false);
        };
        if let Some(why) = self.may_not_start(&ask, now).await? {
            return self.clock_reply(&ask, None, Some(why), false);
        }
        let new = KeptClock {
            url: ask.page.url.clone(),
            domain: ask.page.domain.clone(),
            state: ClockState::Running.as_str().to_owned(),
            why: None,
            started_at: now.whole_seconds(),
            checks: 0,
            last_checked_at: None,
            next_check_at: now,
            expires_at: until(now),
            declared: kept::nothing_declared(),
        };
        let (clock, versions) = self.check_clock(new, Vec::new()).await?;
        let mut told = kept::clock(&clock, &versions);
        if told.state == ClockState::Running {
            told.state = ClockState::Started;
        }
        self.clock_reply(&ask, Some(&told), None, false)
    }

    /// A reader keeps a clock going. Written down once a day at most.
    async fn read_again(
        &self,
        mut clock: KeptClock,
        keep: bool,
        now: Timestamp,
    ) -> Result<KeptClock, ClockError> {
        if keep && until(now).millis_since(clock.expires_at) > DAY_MS {
            clock.expires_at = until(now);
            self.store.put_clock(clock.clone(), None).await?;
        }
        Ok(clock)
    }

    /// Why no clock may be started; nothing when one may. What is refused for another reason costs
    /// the asker nothing, so the day's allowance is taken last.
    async fn may_not_start(
        &self,
        ask: &ClockAsk,
        now: Timestamp,
    ) -> Result<Option<&'static str>, ClockError> {
        let running = self.store.clocks_of(&ask.page.domain, CLOCKS_PER_DOMAIN + 1).await?;
        let others = running
            .iter()
            .filter(|clock| clock.expires_at > now && clock.url != ask.page.url)
            .count();
        if others >= CLOCKS_PER_DOMAIN {
            return Ok(Some("As many clocks run for pages of this site as there may."));
        }
        if ask.may_read.take().is_err() {
            return Ok(Some("This address has made us read as many sites as it may for now."));
        }
        let day = Day::of(now);
        let parts = [&day.number().to_be_bytes()[..], ask.block.text().as_bytes()].concat();
        let what = self.secret.mac("clocks by address", &[&parts]);
        let draw = Draw { what, most: CLOCKS_PER_ADDRESS_A_DAY };
        match self.store.take(day, vec![draw]).await? {
            Taking::Spent { .. } => {
                Ok(Some("This address has started as many clocks today as it may."))
            }
            _ => Ok(None),
        }
    }

    fn clock_reply(
        &self,
        ask: &ClockAsk,
        clock: Option<&Clock>,
        why: Option<&str>,
        running: bool,
    ) -> Result<ClockReply, ClockError> {
        let head = Letterhead { brand: self.brand(), base_url: self.base_url(), now: self.now() };
        let record = answer(&ask.page.url, clock, why, ask.versions, &head);
        let document = self.sign_document(&record, KeyPurpose::Documents)?;
        Ok(ClockReply { document, running })
    }
}

/// How long a clock runs for whoever reads it now.
fn until(now: Timestamp) -> Timestamp {
    now.whole_seconds().plus_millis(i64::from(CLOCK_DAYS) * DAY_MS)
}
