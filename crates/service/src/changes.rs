//! What changed about domains, as it is told (`/api/v1/changes`).

use contract::limits::INDEPENDENT_READINGS;
use contract::records::{ChangeDirection, ChangeEntry, Changes, ChangesCoverage};
use contract::{Domain, Timestamp};
use data_encoding::BASE64URL_NOPAD;
use proof::keys::Secret;
use proof::{Digest, KeyPurpose, ProofError, SignedDocument};
use store::{ChangesAsk, KeptChange, StoreError};

use crate::Service;

/// Which changes somebody wants to see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangesWish {
    pub domain: Option<Domain>,
    pub since: Option<Timestamp>,
    pub section: Option<String>,
    pub direction: Option<ChangeDirection>,
    /// As it was given out before, or [`FROM_THE_FIRST`].
    pub cursor: Option<String>,
    pub limit: usize,
}

/// The cursor before the oldest entry that is kept.
pub const FROM_THE_FIRST: &str = "0";

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangesError {
    #[error("the cursor is not one that was given out here")]
    BadCursor,
    #[error("what came after the cursor is no longer kept")]
    CursorExpired,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
    #[error("a kept change cannot be read: {0}")]
    Unreadable(String),
}

/// A signed list that keeps its name while it says the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub document: SignedDocument,
    /// Over everything in it but the time it was made.
    pub name: Digest,
}

impl Service {
    /// The newest first; with a cursor, what was recorded after it, in that order.
    pub async fn changes(&self, wish: ChangesWish) -> Result<Listed, ChangesError> {
        let first = self.store.first_change().await?;
        let newest = self.newest_change().await?;
        let after = match wish.cursor.as_deref() {
            Some(FROM_THE_FIRST) => {
                Some(first.as_ref().map_or(0, |first| first.seq.saturating_sub(1)))
            }
            Some(cursor) => {
                let after = read_cursor(&self.secret, cursor).ok_or(ChangesError::BadCursor)?;
                // Further on than we are: what it was given for was put back since.
                let kept_from = first.as_ref().map_or(0, |first| first.seq.saturating_sub(1));
                if after < kept_from || after > newest {
                    return Err(ChangesError::CursorExpired);
                }
                Some(after)
            }
            None => None,
        };
        let mut kept = self
            .store
            .changes(ChangesAsk {
                domain: wish.domain.clone(),
                section: wish.section,
                direction: wish.direction.map(|direction| direction.to_string()),
                after,
                since: wish.since,
                limit: wish.limit.saturating_add(1),
            })
            .await?;
        let has_more = kept.len() > wish.limit;
        kept.truncate(wish.limit);
        let shown_to = kept.iter().map(|change| change.seq).max();
        // Where nothing fits the wish, what comes next is still told apart from what was. All that
        // there is now was looked through, unless it was cut off.
        let reached = match (after, has_more) {
            (Some(_), true) => shown_to,
            _ => Some(newest),
        };
        let readings = match &wish.domain {
            Some(domain) => {
                let kept = self.store.readings_of(domain, INDEPENDENT_READINGS).await?;
                Some(kept.len() as u32)
            }
            None => None,
        };
        let mut record = Changes {
            kind: self.settings.brand.kind("changes"),
            v: 1,
            schema: contract::schema::address(
                "changes",
                &self.settings.brand,
                &self.settings.base_url,
            ),
            domain: wish.domain,
            generated_at: Timestamp::from_millis(0),
            entries: kept.into_iter().map(entry).collect::<Result<_, _>>()?,
            cursor: first.as_ref().and(reached).map(|seq| cursor(&self.secret, seq)),
            has_more,
            coverage: ChangesCoverage {
                from: first.map(|first| first.at),
                readings,
                gaps: Vec::new(),
            },
            sha256: None,
            signature: None,
        };
        let name = proof::sha256(&proof::canonical::to_vec(&record)?);
        record.generated_at = self.clock.now().whole_seconds();
        let document = self.sign_document(&record, KeyPurpose::Documents)?;
        Ok(Listed { document, name })
    }

    /// The number of the newest change, 0 when there is none.
    async fn newest_change(&self) -> Result<u64, StoreError> {
        let newest = self.store.changes(ChangesAsk { limit: 1, ..ChangesAsk::default() }).await?;
        Ok(newest.first().map_or(0, |newest| newest.seq))
    }
}

fn entry(kept: KeptChange) -> Result<ChangeEntry, ChangesError> {
    let entry = serde_json::from_slice::<ChangeEntry>(&kept.body);
    let mut entry = entry.map_err(|e| ChangesError::Unreadable(e.to_string()))?;
    entry.seq = Some(kept.seq);
    Ok(entry)
}

const LABEL: &str = "cursor of changes";
const FORM: &str = "c1";
/// No cursor of ours is longer.
const LONGEST: usize = 80;

/// `c1-<number>-<mac>`: nobody can make up where we would have to begin.
fn cursor(secret: &Secret, seq: u64) -> String {
    let mac = secret.mac(LABEL, &[&seq.to_be_bytes()]);
    format!("{FORM}-{seq}-{}", BASE64URL_NOPAD.encode(mac.as_bytes()))
}

fn read_cursor(secret: &Secret, cursor: &str) -> Option<u64> {
    if cursor.len() > LONGEST {
        return None;
    }
    // The mac may hold hyphens itself.
    let (form, rest) = cursor.split_once('-')?;
    let (number, mac) = rest.split_once('-')?;
    let seq: u64 = number.parse().ok()?;
    let mac = BASE64URL_NOPAD.decode(mac.as_bytes()).ok()?;
    let ours = form == FORM
        && number == seq.to_string()
        && secret.knows(LABEL, &[&seq.to_be_bytes()], &mac);
    ours.then_some(seq)
}

#[cfg(test)]
mod tests;
