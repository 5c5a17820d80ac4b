//! The feed of changes between answers (`/api/v1/changes`).

use contract::limits::READINGS_KEPT_PER_DOMAIN;
use contract::records::{ChangeDirection, ChangeEntry, Changes, ChangesCoverage};
use contract::{Domain, Timestamp};
use data_encoding::BASE64URL_NOPAD;
use proof::keys::DeploymentSecret;
use proof::{KeyPurpose, ProofError};
use store::{ChangesQuery, StoreError, StoredChange};

use crate::answers::{Answers, DocumentWithEtag};

/// Selects changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangesPageQuery {
    pub domain: Option<Domain>,
    pub since: Option<Timestamp>,
    pub section: Option<String>,
    pub direction: Option<ChangeDirection>,
    /// A cursor from an earlier page, or `CURSOR_AT_START`.
    pub cursor: Option<String>,
    pub limit: usize,
}

/// The cursor before the oldest stored entry.
pub const CURSOR_AT_START: &str = "0";

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChangesError {
    #[error("this service did not issue this cursor")]
    BadCursor,
    #[error("entries after this cursor are no longer stored")]
    CursorExpired,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
    #[error("a stored change cannot be parsed: {0}")]
    Unreadable(String),
}

impl Answers {
    /// Without a cursor: the newest changes, newest first. With a cursor: the changes after it, oldest
    /// first.
    pub async fn changes(&self, query: ChangesPageQuery) -> Result<DocumentWithEtag, ChangesError> {
        let first = self.store.first_change().await?;
        let newest = self.newest_change_seq().await?;
        let after = match query.cursor.as_deref() {
            Some(CURSOR_AT_START) => {
                Some(first.as_ref().map_or(0, |first| first.seq.saturating_sub(1)))
            }
            Some(cursor) => {
                let after = decode_cursor(&self.secret, cursor).ok_or(ChangesError::BadCursor)?;
                // A cursor beyond the newest entry means that the store was restored from a backup.
                let stored_from = first.as_ref().map_or(0, |first| first.seq.saturating_sub(1));
                if after < stored_from || after > newest {
                    return Err(ChangesError::CursorExpired);
                }
                Some(after)
            }
            None => None,
        };
        let mut stored = self
            .store
            .changes(ChangesQuery {
                domain: query.domain.clone(),
                section: query.section,
                direction: query.direction.map(|direction| direction.to_string()),
                after,
                since: query.since,
                limit: query.limit.saturating_add(1),
            })
            .await?;
        let has_more = stored.len() > query.limit;
        stored.truncate(query.limit);
        let last_shown = stored.iter().map(|change| change.seq).max();
        // All entries up to the newest were examined, unless the page was cut off. So the next cursor
        // moves forward even when no entry matched.
        let examined_to = match (after, has_more) {
            (Some(_), true) => last_shown,
            _ => Some(newest),
        };
        let readings = match &query.domain {
            Some(domain) => {
                let readings = self.store.readings_of(domain, READINGS_KEPT_PER_DOMAIN).await?;
                Some(readings.len() as u32)
            }
            None => None,
        };
        let mut record = Changes {
            kind: self.issuer.brand.kind("changes"),
            v: 1,
            schema: self.issuer.schema_url("changes"),
            domain: query.domain,
            generated_at: Timestamp::from_millis(0),
            entries: stored.into_iter().map(parse_entry).collect::<Result<_, _>>()?,
            cursor: first.as_ref().and(examined_to).map(|seq| encode_cursor(&self.secret, seq)),
            has_more,
            coverage: ChangesCoverage {
                from: first.map(|first| first.at),
                readings,
                gaps: Vec::new(),
            },
            sha256: None,
            signature: None,
        };
        let etag = proof::sha256(&proof::canonical::to_vec(&record)?);
        record.generated_at = self.clock.now().whole_seconds();
        let document = self.keys.sign_document(&record, KeyPurpose::Documents)?;
        Ok(DocumentWithEtag { document, etag })
    }

    /// The sequence number of the newest change, 0 when there is none.
    async fn newest_change_seq(&self) -> Result<u64, StoreError> {
        let newest =
            self.store.changes(ChangesQuery { limit: 1, ..ChangesQuery::default() }).await?;
        Ok(newest.first().map_or(0, |newest| newest.seq))
    }
}

pub(crate) fn parse_entry(stored: StoredChange) -> Result<ChangeEntry, ChangesError> {
    let entry = serde_json::from_slice::<ChangeEntry>(&stored.body);
    let mut entry = entry.map_err(|e| ChangesError::Unreadable(e.to_string()))?;
    entry.seq = Some(stored.seq);
    Ok(entry)
}

const CURSOR_MAC_LABEL: &str = "cursor of changes";
const CURSOR_VERSION: &str = "c1";
/// No valid cursor is longer.
const MAX_CURSOR_BYTES: usize = 80;

/// `c1-<number>-<mac>`. The MAC prevents callers from making up cursors.
fn encode_cursor(secret: &DeploymentSecret, seq: u64) -> String {
    let mac = secret.mac(CURSOR_MAC_LABEL, &[&seq.to_be_bytes()]);
    format!("{CURSOR_VERSION}-{seq}-{}", BASE64URL_NOPAD.encode(mac.as_bytes()))
}

fn decode_cursor(secret: &DeploymentSecret, cursor: &str) -> Option<u64> {
    if cursor.len() > MAX_CURSOR_BYTES {
        return None;
    }
    // The MAC itself may contain hyphens.
    let (version, rest) = cursor.split_once('-')?;
    let (number, mac) = rest.split_once('-')?;
    let seq: u64 = number.parse().ok()?;
    let mac = BASE64URL_NOPAD.decode(mac.as_bytes()).ok()?;
    let is_ours = version == CURSOR_VERSION
        && number == seq.to_string()
        && secret.verifies(CURSOR_MAC_LABEL, &[&seq.to_be_bytes()], &mac);
    is_ours.then_some(seq)
}

/// For the fuzz targets in `fuzz/`. Not part of the interface.
#[doc(hidden)]
pub mod fuzzing {
    use proof::keys::DeploymentSecret;

    #[must_use]
    pub fn encode_cursor(secret: &DeploymentSecret, seq: u64) -> String {
        super::encode_cursor(secret, seq)
    }

    #[must_use]
    pub fn decode_cursor(secret: &DeploymentSecret, cursor: &str) -> Option<u64> {
        super::decode_cursor(secret, cursor)
    }
}

#[cfg(test)]
mod tests;
