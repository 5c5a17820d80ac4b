//! What is published when a server lists something else than before.

use contract::Timestamp;
use contract::records::{
    Action, AnswerRef, ChangeCause, ChangeDirection, ChangeEntry, FieldValue, RevocationReason,
    RevocationTargetKind, RevocationType,
};
use proof::Digest;
use store::{McpScanExtras, NewChange, NewRevocation, StoredMcpScan};

use super::McpUrl;

/// The change entry and the revocation of the earlier scan, if the surface is another one.
pub(super) fn describe_change(
    server: &McpUrl,
    earlier: Option<&StoredMcpScan>,
    surface: Option<Digest>,
    scan_sha256: Digest,
    now: Timestamp,
) -> McpScanExtras {
    let (Some(earlier), Some(surface)) = (earlier, surface) else {
        return McpScanExtras::default();
    };
    let Some(before) = earlier.surface_sha256.filter(|before| *before != surface) else {
        return McpScanExtras::default();
    };
    let entry = ChangeEntry {
        seq: None,
        domain: server.domain.clone(),
        at: now,
        section: "mcp".to_owned(),
        field: "mcp.surface_sha256".to_owned(),
        from: Some(FieldValue::Text(before.to_string())),
        to: Some(FieldValue::Text(surface.to_string())),
        happened_between: vec![earlier.observed_at.whole_seconds(), now],
        cause: ChangeCause::Site,
        // Until somebody has looked at it, a changed surface permits nothing that the old one did.
        direction: ChangeDirection::Tightened,
        actions_affected: vec![Action::Connect],
        before: AnswerRef { answer_sha256: Some(earlier.scan_sha256.to_string()) },
        after: AnswerRef { answer_sha256: Some(scan_sha256.to_string()) },
        evidence: None,
    };
    let changes = match proof::canonical::to_vec(&entry) {
        Ok(body) => vec![NewChange {
            domain: server.domain.clone(),
            at: now,
            section: entry.section,
            direction: entry.direction.as_str().to_owned(),
            body: body.into(),
        }],
        Err(error) => {
            tracing::error!(%error, "a change of an MCP server cannot be serialised");
            Vec::new()
        }
    };
    let revocation = NewRevocation {
        at: now,
        effective_from: now,
        kind: RevocationType::Revoked.as_str().to_owned(),
        target_kind: RevocationTargetKind::McpScan.as_str().to_owned(),
        target_id: earlier.scan_sha256.to_string(),
        domain: Some(server.domain.clone()),
        actions: vec![Action::Connect.as_str().to_owned()],
        reason: RevocationReason::McpSurfaceChanged.as_str().to_owned(),
        why: "The MCP server lists something else than when it was scanned.".to_owned(),
        replaced_by: Some(scan_sha256),
    };
    McpScanExtras { changes, revocations: vec![revocation] }
}
