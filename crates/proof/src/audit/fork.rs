//! A head that somebody else was shown, beside what is known here. Two heads of one log that
//! cannot both stand in one history are the proof of a split view: both bear the log's signature.

use super::{AuditFault, LogAudit};
use crate::head::{ChainHead, check_link};

/// What a head that was shown elsewhere is to what is known here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// It is part of the history that is known here.
    Same,
    /// It and the known head cannot both be of one history, for this reason.
    Forked(String),
    /// It is of an earlier batch, and nothing speaks against it; compare it with the head of that
    /// batch ([`LogAudit::fork_from`]).
    Earlier,
    /// It is of a later batch, and nothing speaks against it so far.
    Later,
}

impl LogAudit {
    /// Compares a head that somebody else showed with the last head known here. A head that does
    /// not hold by itself is a fault: whoever showed it may have made it up, and it proves nothing
    /// against the log.
    pub fn fork(&self, shown: &[u8]) -> Result<Shown, AuditFault> {
        let (shown, _) = self.read_head(shown)?;
        Ok(match self.last() {
            Some(known) => compare(known, &shown.head),
            None => Shown::Later,
        })
    }

    /// The same, beside a head that was known before, best of the same batch.
    pub fn fork_from(&self, shown: &[u8], known: &ChainHead) -> Result<Shown, AuditFault> {
        let (shown, _) = self.read_head(shown)?;
        Ok(compare(known, &shown.head))
    }
}

fn compare(known: &ChainHead, shown: &ChainHead) -> Shown {
    if known.log_id != shown.log_id {
        return Shown::Forked("the two heads are of different logs".to_owned());
    }
    if known.batch == shown.batch {
        return if known.sha256 == shown.sha256 {
            Shown::Same
        } else {
            Shown::Forked(format!(
                "there are two heads of batch {}: {} and {}",
                known.batch, known.sha256, shown.sha256
            ))
        };
    }
    let shown_is_later = shown.batch > known.batch;
    let (first, then) = if shown_is_later { (known, shown) } else { (shown, known) };
    let batches = then.batch - first.batch;
    if batches == 1 {
        return match check_link(Some(first), then) {
            Err(error) => Shown::Forked(error.to_string()),
            // The later one names the earlier one by its digest.
            Ok(()) if shown_is_later => Shown::Later,
            Ok(()) => Shown::Same,
        };
    }
    // Every batch has a leaf at least, and no head dates from before the one in front of it.
    let fewest = first.tree_size.saturating_add(batches - 1);
    if then.first_index < fewest {
        Shown::Forked(format!(
            "batch {} begins at leaf {}, which leaves no room for the batches since batch {}",
            then.batch, then.first_index, first.batch
        ))
    } else if then.created_at < first.created_at {
        Shown::Forked(format!("batch {} is older than batch {}", then.batch, first.batch))
    } else if shown_is_later {
        Shown::Later
    } else {
        Shown::Earlier
    }
}
