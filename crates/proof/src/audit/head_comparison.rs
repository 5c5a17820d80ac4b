//! Compares a head that somebody else received with the heads known here. Two signed heads of one
//! log that cannot belong to one history prove a split view (a fork).

use super::fault::AuditFault;
use super::log_audit::LogAudit;
use crate::tree_head::{ChainHead, check_link};

/// How a head from elsewhere relates to the head known here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeadComparison {
    /// It is part of the history known here.
    SameHistory,
    /// It and the known head cannot belong to one history, for this reason.
    Forked(String),
    /// It is from an earlier batch, and nothing contradicts it. Compare it with the head of that
    /// batch ([`LogAudit::compare_head_with`]).
    Earlier,
    /// It is from a later batch, and nothing contradicts it so far.
    Later,
}

impl LogAudit {
    /// Compares a head from elsewhere with the last head known here. A head that fails its own
    /// checks is a fault: it may be invented, so it proves nothing against the log.
    pub fn compare_head(&self, shown: &[u8]) -> Result<HeadComparison, AuditFault> {
        let (shown, _) = self.verify_head(shown)?;
        Ok(match self.last_head() {
            Some(known) => compare_heads(known, &shown.head),
            None => HeadComparison::Later,
        })
    }

    /// Like [`Self::compare_head`], but compares with an earlier known head, ideally of the same
    /// batch.
    pub fn compare_head_with(
        &self,
        shown: &[u8],
        known: &ChainHead,
    ) -> Result<HeadComparison, AuditFault> {
        let (shown, _) = self.verify_head(shown)?;
        Ok(compare_heads(known, &shown.head))
    }
}

fn compare_heads(known: &ChainHead, shown: &ChainHead) -> HeadComparison {
    if known.log_id != shown.log_id {
        return HeadComparison::Forked("the two heads belong to different logs".to_owned());
    }
    if known.batch == shown.batch {
        return if known.sha256 == shown.sha256 {
            HeadComparison::SameHistory
        } else {
            HeadComparison::Forked(format!(
                "there are two heads for batch {}: {} and {}",
                known.batch, known.sha256, shown.sha256
            ))
        };
    }
    let shown_is_later = shown.batch > known.batch;
    let (first, then) = if shown_is_later { (known, shown) } else { (shown, known) };
    let batches = then.batch - first.batch;
    if batches == 1 {
        return match check_link(Some(first), then) {
            Err(error) => HeadComparison::Forked(error.to_string()),
            // The later head names the earlier one by its digest.
            Ok(()) if shown_is_later => HeadComparison::Later,
            Ok(()) => HeadComparison::SameHistory,
        };
    }
    // Every batch has at least one leaf, and no head is older than the previous one.
    let fewest = first.tree_size.saturating_add(batches - 1);
    if then.first_index < fewest {
        HeadComparison::Forked(format!(
            "batch {} begins at leaf {}, which leaves no room for the batches since batch {}",
            then.batch, then.first_index, first.batch
        ))
    } else if then.created_at < first.created_at {
        HeadComparison::Forked(format!("batch {} is older than batch {}", then.batch, first.batch))
    } else if shown_is_later {
        HeadComparison::Later
    } else {
        HeadComparison::Earlier
    }
}
