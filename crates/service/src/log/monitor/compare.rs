//! Compares several addresses of one log. Each address was verified by itself; that does not show whether
//! they serve the same log to everybody.

use contract::records::LogConsistency;
use proof::audit::LogAudit;
use proof::merkle_tree::verify_consistency;
use proof::{Digest, KeyPolicy};
use serde_json::Value;

use super::events::{AlarmKind, MonitorError, MonitorStateError, alarm_error, malformed};
use super::{Monitor, MonitorState};

const MAX_PROOF_BYTES: usize = 64 * 1024;

/// An address with the state of its monitor after a check.
#[derive(Debug)]
pub struct CheckedAddress<'a> {
    pub monitor: &'a Monitor<'a>,
    pub state: &'a MonitorState,
}

impl CheckedAddress<'_> {
    /// Checks that one of the two logs begins with the other: the same head at the end of the shorter one,
    /// and a tree that only grew from there.
    pub async fn compare(&self, other: &CheckedAddress<'_>) -> Result<(), MonitorError> {
        let (ours, theirs) = (self.audit()?, other.audit()?);
        let is_shorter = ours.right_edge().size() <= theirs.right_edge().size();
        let (short, short_audit, long, long_audit) = match is_shorter {
            true => (self, ours, other, theirs),
            false => (other, theirs, self, ours),
        };
        // An empty log is the beginning of every log.
        let Some(last) = short_audit.last_head() else { return Ok(()) };
        let heads = long.monitor.fetch_heads(last.batch, 1).await?;
        let stated = heads.first().and_then(|head| head.get("sha256")).and_then(Value::as_str);
        let fork = |detail: String, evidence: Option<Value>| {
            let detail = format!(
                "{} and {} serve different logs: {detail}",
                short.state.url, long.state.url
            );
            Err(alarm_error(AlarmKind::Fork, Some(last.batch), &detail, evidence))
        };
        if stated != Some(last.sha256.to_hex().as_str()) {
            let detail = format!("the head of this batch is {} at the first", last.sha256);
            let own = short.monitor.fetch_heads(last.batch, 1).await?;
            let both = serde_json::json!([own.first(), heads.first()]);
            return fork(detail, Some(both));
        }
        let (old, new) = (short_audit.right_edge(), long_audit.right_edge());
        if old.size() == new.size() {
            return match old.root() == new.root() {
                true => Ok(()),
                false => fork("their trees of this size have different roots".to_owned(), None),
            };
        }
        let proof = long.fetch_consistency_proof(old.size(), new.size()).await?;
        match verify_consistency(old.size(), new.size(), &old.root(), &new.root(), &proof) {
            true => Ok(()),
            false => fork("the longer one does not extend the shorter one".to_owned(), None),
        }
    }

    fn audit(&self) -> Result<LogAudit, MonitorError> {
        let (policy, brand) = (KeyPolicy::without_directory(), self.monitor.brand.clone());
        match self.state.audit.clone() {
            None => Ok(LogAudit::new(policy, brand)),
            Some(saved) => LogAudit::resume(policy, brand, saved)
                .map_err(|e| MonitorStateError(e.to_string()).into()),
        }
    }

    async fn fetch_consistency_proof(
        &self,
        from: u64,
        to: u64,
    ) -> Result<Vec<Digest>, MonitorError> {
        let path = format!("/api/v1/log/consistency?from={from}&to={to}");
        let answer = self.monitor.fetch_json(&path, MAX_PROOF_BYTES).await?;
        let detail = "the log does not serve a proof of its own growth";
        let answer = answer.ok_or_else(|| alarm_error(AlarmKind::Withheld, None, detail, None))?;
        let answer: LogConsistency = serde_json::from_value(answer)
            .map_err(|e| malformed(&format!("{path} is not a consistency proof: {e}")))?;
        let hashes: Option<Vec<Digest>> =
            answer.proof.iter().map(|hash| hash.parse().ok()).collect();
        hashes.ok_or_else(|| malformed(&format!("{path} has a hash that is not a digest")))
    }
}
