//! The signed record of a domain: its registration and its timeline (`/api/v1/domain`).

use std::sync::Arc;

use contract::limits::TIMELINE_ANSWER_CHANGES;
use contract::records::{DomainRecord, TimelineEntry};
use contract::{Domain, Timestamp};
use data_encoding::BASE64URL_NOPAD;
use judge::registry::{
    RegistryChange, RegistryFacts, TimelineSources, build_timeline, registry_section,
};
use proof::keys::DeploymentSecret;
use proof::{KeyPurpose, ProofError};
use store::{ChangesQuery, RegistrationChange, StoreError};

use super::{Domains, RegistrationError, RegistrationReading};
use crate::access::LiveReadPermit;
use crate::answers::DocumentWithEtag;
use crate::answers::changes::{CURSOR_AT_START, ChangesError, parse_entry};

/// Which part of which domain's record is asked for.
#[derive(Clone)]
#[allow(missing_debug_implementations, reason = "a permit is not shown")]
pub struct DomainRecordQuery {
    pub domain: Domain,
    /// A cursor from an earlier page: only entries of the timeline after it. `0` is the beginning.
    pub cursor: Option<String>,
    /// The most entries of the timeline.
    pub limit: usize,
    pub live_read_permit: Arc<dyn LiveReadPermit>,
    /// Events of control over the domain, which the timeline shows among the others.
    pub control_events: Vec<TimelineEntry>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DomainRecordError {
    #[error("this service did not issue this cursor")]
    BadCursor,
    #[error(transparent)]
    Registration(#[from] RegistrationError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Signing(#[from] ProofError),
    #[error("a stored change cannot be parsed: {0}")]
    Unreadable(String),
}

impl Domains {
    /// The record with one page of the timeline, newest entries first.
    pub async fn domain_record(
        &self,
        query: DomainRecordQuery,
    ) -> Result<DocumentWithEtag, DomainRecordError> {
        let after = match query.cursor.as_deref() {
            None | Some(CURSOR_AT_START) => None,
            Some(cursor) => {
                let after = decode_cursor(&self.secret, query.domain.as_str(), cursor);
                Some(after.ok_or(DomainRecordError::BadCursor)?)
            }
        };
        let reading = self.registration(&query.domain, &*query.live_read_permit).await?;
        let timeline = self.timeline(&query.domain, &reading, query.control_events).await?;
        let page = page_after(&timeline, after, query.limit);
        let next = page.last().filter(|_| page.has_more);
        let mut record = DomainRecord {
            kind: self.issuer.brand.kind("domain"),
            v: 1,
            schema: self.issuer.schema_url("domain"),
            generated_at: Timestamp::from_millis(0),
            registry: registry_section(&RegistryFacts {
                registered_domain: &reading.domain,
                state: reading.state.clone(),
                why: reading.why.as_deref(),
                registration: reading.registration.as_ref(),
                source: reading.source.as_deref(),
                read_at: reading.read_at,
            }),
            cursor: next.map(|at| encode_cursor(&self.secret, query.domain.as_str(), at)),
            domain: query.domain,
            timeline: page.entries,
            has_more: page.has_more,
            sha256: None,
            signature: None,
        };
        let etag = proof::sha256(&proof::canonical::to_vec(&record)?);
        record.generated_at = self.clock.now().whole_seconds();
        let document = self.keys.sign_document(&record, KeyPurpose::Documents)?;
        Ok(DocumentWithEtag { document, etag })
    }

    /// The whole timeline of a domain, newest first.
    async fn timeline(
        &self,
        domain: &Domain,
        reading: &RegistrationReading,
        control_events: Vec<TimelineEntry>,
    ) -> Result<Vec<TimelineEntry>, DomainRecordError> {
        let registry_changes = self.store.registration_changes(reading.domain.as_str()).await?;
        let registry_changes: Vec<RegistryChange> =
            registry_changes.into_iter().map(to_registry_change).collect();
        let answer_changes = self
            .store
            .changes(ChangesQuery {
                domain: Some(domain.clone()),
                limit: TIMELINE_ANSWER_CHANGES,
                ..ChangesQuery::default()
            })
            .await?;
        let answer_changes: Result<Vec<_>, ChangesError> =
            answer_changes.into_iter().map(parse_entry).collect();
        let answer_changes =
            answer_changes.map_err(|error| DomainRecordError::Unreadable(error.to_string()))?;
        let registration = reading.registration.as_ref();
        Ok(build_timeline(TimelineSources {
            registered_at: registration.and_then(|registration| registration.created),
            registrar: registration.and_then(|registration| registration.registrar.as_deref()),
            first_read_at: reading.first_read_at,
            registry_changes: &registry_changes,
            answer_changes: &answer_changes,
            control_events,
            brand: self.issuer.brand.as_str(),
        }))
    }
}

fn to_registry_change(change: RegistrationChange) -> RegistryChange {
    let RegistrationChange { at, since, field, from, to, .. } = change;
    RegistryChange { at, since, field, from, to }
}

/// A place in a timeline: after this many entries of this time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TimelinePosition {
    at: Timestamp,
    entries: u64,
}

struct TimelinePage {
    entries: Vec<TimelineEntry>,
    has_more: bool,
    last: Option<TimelinePosition>,
}

impl TimelinePage {
    fn last(&self) -> Option<TimelinePosition> {
        self.last
    }
}

/// The entries after a position. By time and number, so that an entry that is added later at the top moves
/// nothing.
fn page_after(
    timeline: &[TimelineEntry],
    after: Option<TimelinePosition>,
    limit: usize,
) -> TimelinePage {
    let mut position = TimelinePosition { at: Timestamp::from_millis(i64::MAX), entries: 0 };
    let mut page = TimelinePage { entries: Vec::new(), has_more: false, last: None };
    for entry in timeline {
        position = match entry.at == position.at {
            true => TimelinePosition { entries: position.entries + 1, ..position },
            false => TimelinePosition { at: entry.at, entries: 1 },
        };
        let is_shown_before = after.is_some_and(|after| {
            position.at > after.at || (position.at == after.at && position.entries <= after.entries)
        });
        if is_shown_before {
            continue;
        }
        if page.entries.len() == limit {
            page.has_more = true;
            break;
        }
        page.entries.push(entry.clone());
        page.last = Some(position);
    }
    page
}

const CURSOR_MAC_LABEL: &str = "cursor of a timeline";
const CURSOR_VERSION: &str = "t1";
/// No valid cursor is longer.
const MAX_CURSOR_BYTES: usize = 120;

/// `t1_<milliseconds>_<entries>_<mac>`. The MAC prevents callers from making up cursors, and from using one of
/// another domain.
fn encode_cursor(secret: &DeploymentSecret, domain: &str, position: TimelinePosition) -> String {
    let (at, entries) = (position.at.as_millis(), position.entries);
    let parts = [domain.as_bytes(), &at.to_be_bytes(), &entries.to_be_bytes()];
    let mac = secret.mac(CURSOR_MAC_LABEL, &parts);
    format!("{CURSOR_VERSION}_{at}_{entries}_{}", BASE64URL_NOPAD.encode(mac.as_bytes()))
}

fn decode_cursor(
    secret: &DeploymentSecret,
    domain: &str,
    cursor: &str,
) -> Option<TimelinePosition> {
    if cursor.len() > MAX_CURSOR_BYTES {
        return None;
    }
    // The MAC itself may contain underscores.
    let mut parts = cursor.splitn(4, '_');
    let (version, at, entries) = (parts.next()?, parts.next()?, parts.next()?);
    let mac = BASE64URL_NOPAD.decode(parts.next()?.as_bytes()).ok()?;
    let (at_ms, number): (i64, u64) = (at.parse().ok()?, entries.parse().ok()?);
    let signed_parts = [domain.as_bytes(), &at_ms.to_be_bytes(), &number.to_be_bytes()];
    let is_ours = version == CURSOR_VERSION
        && at == at_ms.to_string()
        && entries == number.to_string()
        && secret.verifies(CURSOR_MAC_LABEL, &signed_parts, &mac);
    is_ours.then(|| TimelinePosition { at: Timestamp::from_millis(at_ms), entries: number })
}

#[cfg(test)]
mod tests {
    use contract::records::TimelineType;
    use proptest::prelude::*;

    use super::*;

    fn timeline(times: &[i64]) -> Vec<TimelineEntry> {
        let mut times = times.to_vec();
        times.sort_unstable_by(|one, other| other.cmp(one));
        let entry = |(number, at): (usize, &i64)| TimelineEntry {
            at: Timestamp::from_millis(*at),
            event: TimelineType::AnswerChanged,
            detail: number.to_string(),
            source: "svc".to_owned(),
        };
        times.iter().enumerate().map(entry).collect()
    }

    proptest! {
        #[test]
        fn pages_together_are_the_timeline(
            times in prop::collection::vec(0_i64..6, 0..30),
            limit in 1_usize..8,
        ) {
            let all = timeline(&times);
            let (mut after, mut seen) = (None, Vec::new());
            loop {
                let page = page_after(&all, after, limit);
                prop_assert!(page.entries.len() <= limit);
                seen.extend(page.entries);
                if !page.has_more {
                    break;
                }
                after = page.last;
            }
            prop_assert_eq!(seen, all);
        }

        #[test]
        fn entries_that_are_added_at_the_top_move_no_page(
            times in prop::collection::vec(0_i64..6, 3..30),
        ) {
            let before = timeline(&times);
            let first = page_after(&before, None, 2);
            let grown: Vec<i64> = times.iter().copied().chain([7, 8, 9]).collect();
            let after = timeline(&grown);
            let number = |page: TimelinePage, offset: usize| -> Vec<usize> {
                page.entries.iter().map(|entry| entry.detail.parse::<usize>().unwrap() - offset).collect()
            };
            let expected = number(page_after(&before, first.last, 5), 0);
            prop_assert_eq!(number(page_after(&after, first.last, 5), 3), expected);
        }
    }

    #[test]
    fn only_cursors_of_this_deployment_and_domain_are_taken() {
        let dir = tempfile::tempdir().unwrap();
        let secret = DeploymentSecret::open(&dir.path().join("keys")).unwrap();
        let position = TimelinePosition { at: Timestamp::from_millis(-1_234), entries: 3 };
        let cursor = encode_cursor(&secret, "a.lab", position);
        assert!(cursor.len() <= MAX_CURSOR_BYTES);
        assert_eq!(decode_cursor(&secret, "a.lab", &cursor), Some(position));
        assert_eq!(decode_cursor(&secret, "b.lab", &cursor), None);
        for bad in [
            "",
            "0",
            "t1",
            "t1_0_0_",
            &cursor.replace("_3_", "_4_"),
            &cursor.replace("_3_", "_03_"),
            &cursor.replace("t1", "t2"),
            &"x".repeat(5_000),
        ] {
            assert_eq!(decode_cursor(&secret, "a.lab", bad), None, "{bad}");
        }
    }
}
