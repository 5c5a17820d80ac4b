//! Whether a scan or a lock of an MCP server still holds.

use contract::records::{
    Action, ActionCheck, Decision, DecisionCheck, DecisionLogPosition, DecisionState, McpScan,
    SupersedingAnswer,
};
use contract::{Domain, Timestamp};
use judge::decide::held_state::{HeldDecisionFacts, describe_state, held_state, still_stands};
use proof::Digest;
use store::{StoredMcpScan, StoredRevocation};

use super::{DecisionError, DecisionQuery, MAX_CLOCK_SKEW_MS, to_revoking_entry};
use crate::answers::Answers;
use crate::answers::revocations::LIST_VALID_MS;

/// How long a scan may be relied on: as long as a decision to connect.
const SCAN_VALID_MS: i64 = 3_600_000;

/// A scan or a lock that was issued.
struct IssuedMcpRecord {
    of_kind: &'static str,
    url: String,
    domain: Domain,
    issued_at: Timestamp,
    /// The end of its validity; a lock has none.
    valid_until: Option<Timestamp>,
    surface: Option<Digest>,
    /// The scan, or the scan that the lock was made from.
    scan_sha256: Option<Digest>,
    then: Decision,
}

impl Answers {
    /// The check of a scan or a lock; `None` if there is none with this digest.
    pub(super) async fn check_mcp_record(
        &self,
        query: &DecisionQuery,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<Option<DecisionCheck>, DecisionError> {
        let Some(issued) = self.find_mcp_record(query.digest, now).await? else { return Ok(None) };
        if query.action.as_ref().is_some_and(|action| *action != Action::Connect) {
            return Err(DecisionError::ActionMismatch);
        }
        if at.plus_millis(MAX_CLOCK_SKEW_MS) < issued.issued_at {
            return Err(DecisionError::NotIssuedYet);
        }
        let newest = self.store.latest_complete_mcp_scan(&issued.url).await?;
        let newest = newest.filter(|newest| query.at.is_none_or(|at| newest.observed_at <= at));
        let newest = newest.filter(|newest| Some(newest.scan_sha256) != issued.scan_sha256);
        let revocation = self.surface_revocation(&issued, query.at).await?;
        let check = self.build_mcp_check(query, &issued, newest.as_ref(), revocation, at, now)?;
        Ok(Some(check))
    }

    async fn find_mcp_record(
        &self,
        digest: Digest,
        now: Timestamp,
    ) -> Result<Option<IssuedMcpRecord>, DecisionError> {
        if let Some(scan) = self.store.mcp_scan(self.mcp.stored_digest(digest, now)).await? {
            return Ok(Some(IssuedMcpRecord {
                of_kind: "mcp-scan",
                then: connect_decision(&scan)?,
                valid_until: Some(scan.observed_at.plus_millis(SCAN_VALID_MS).whole_seconds()),
                url: scan.url,
                domain: scan.domain,
                issued_at: scan.observed_at.whole_seconds(),
                surface: scan.surface_sha256,
                scan_sha256: Some(scan.scan_sha256),
            }));
        }
        let Some(lock) = self.store.mcp_lock(digest).await? else { return Ok(None) };
        let scan = match lock.scan_sha256 {
            Some(scan) => self.store.mcp_scan(scan).await?,
            None => None,
        };
        Ok(Some(IssuedMcpRecord {
            of_kind: "mcp-lock",
            // Without the scan that it was made from, a lock is worth a warning at most.
            then: scan.as_ref().map(connect_decision).transpose()?.unwrap_or(Decision::Warn),
            valid_until: None,
            url: lock.url,
            domain: lock.domain,
            issued_at: lock.issued_at,
            surface: Some(lock.surface_sha256),
            scan_sha256: lock.scan_sha256,
        }))
    }

    /// The entry that was published when the server listed something else.
    async fn surface_revocation(
        &self,
        issued: &IssuedMcpRecord,
        until: Option<Timestamp>,
    ) -> Result<Option<StoredRevocation>, DecisionError> {
        let Some(scan) = issued.scan_sha256 else { return Ok(None) };
        let entries = self.store.revocations_of("mcp_scan", &scan.to_hex()).await?;
        let counts = |entry: &StoredRevocation| until.is_none_or(|until| entry.entry.at <= until);
        Ok(entries.into_iter().rfind(counts))
    }

    fn build_mcp_check(
        &self,
        query: &DecisionQuery,
        issued: &IssuedMcpRecord,
        newest: Option<&StoredMcpScan>,
        revocation: Option<StoredRevocation>,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<DecisionCheck, DecisionError> {
        let newest_decision = newest.map(connect_decision).transpose()?;
        let is_another_surface =
            newest.is_some_and(|newest| newest.surface_sha256 != issued.surface);
        let state = held_state(HeldDecisionFacts {
            earlier: &issued.then,
            newest: newest_decision.as_ref(),
            revoked: revocation.is_some() || is_another_surface,
            tightened: false,
            expired: issued.valid_until.is_some_and(|end| at > end),
            is_receipt: false,
        });
        let stands = still_stands(&state);
        let action = ActionCheck {
            then: issued.then.clone(),
            now: newest_decision.unwrap_or_else(|| issued.then.clone()),
            state: state.clone(),
            stands,
        };
        let (brand, base_url) = (&self.issuer.brand, &self.issuer.base_url);
        Ok(DecisionCheck {
            kind: brand.kind("decision-check"),
            v: 1,
            schema: contract::schema::schema_url("decision-check", brand, base_url),
            checked_at: now,
            accept: false,
            reason: "This is a record about an MCP server, not a decision receipt.".to_owned(),
            receipt: None,
            decision_sha256: query.digest.to_hex(),
            of_kind: brand.kind(issued.of_kind),
            domain: issued.domain.clone(),
            issued_at: issued.issued_at,
            means: match state {
                DecisionState::Revoked => "The MCP server lists something else now. Scan it again.",
                _ => describe_state(&state),
            }
            .to_owned(),
            state,
            stands,
            actions: [(Action::Connect.to_string(), action)].into(),
            valid_until: issued.valid_until,
            superseded_by: newest.map(|newest| SupersedingAnswer {
                answer_sha256: newest.scan_sha256.to_hex(),
                at: newest.observed_at.whole_seconds(),
                address: self.mcp.scan_address(&newest.url),
            }),
            revoked: revocation.as_ref().map(to_revoking_entry),
            changed_sections: match is_another_surface {
                true => vec!["mcp".to_owned()],
                false => Vec::new(),
            },
            log: DecisionLogPosition {
                state: "not_logged".to_owned(),
                batch: None,
                index: None,
                leaf_hash: None,
                sth: None,
            },
            this_update: now,
            next_update: now.plus_millis(LIST_VALID_MS),
            sha256: None,
            signature: None,
        })
    }
}

fn connect_decision(scan: &StoredMcpScan) -> Result<Decision, DecisionError> {
    let record: McpScan = serde_json::from_slice(&scan.document).map_err(|error| {
        DecisionError::Unreadable(format!("scan {}: {error}", scan.scan_sha256))
    })?;
    Ok(record.connect.decision)
}
