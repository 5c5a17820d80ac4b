//! Checks the tables whose rows have consecutive numbers: changes, the chain of revocations, and the audit
//! log.

use store::{ChangesQuery, RevocationsQuery, StoreError, StoredRevocation};

use super::{FsckRun, StorePart};

const PAGE_SIZE: usize = 256;
/// After this many unreadable rows in a row, the rest of the table is given up.
const MAX_UNREADABLE: u64 = 1_000;

/// Where the walk through a table is.
struct Walk {
    part: StorePart,
    /// The last number that was read.
    last: Option<u64>,
    unreadable: u64,
}

impl FsckRun<'_> {
    pub(super) async fn check_numbered_records(&mut self) {
        self.check_changes().await;
        self.check_revocations().await;
        self.check_withheld_actions().await;
        self.check_audit().await;
    }

    async fn check_changes(&mut self) {
        let store = self.request.store;
        // Earlier ones may have been removed after their time.
        let first = store.first_change().await.map(|first| first.map(|first| first.seq));
        let mut walk = self.begin_walk(StorePart::Changes, first);
        let mut limit = PAGE_SIZE;
        loop {
            self.report_progress("changes", walk.last.unwrap_or(0), None);
            let ask =
                ChangesQuery { after: Some(walk.last.unwrap_or(0)), limit, ..Default::default() };
            match store.changes(ask).await {
                Ok(page) if page.is_empty() => return,
                Ok(page) => {
                    self.count_records(StorePart::Changes, page.len());
                    page.iter().for_each(|change| self.check_number(&mut walk, change.seq));
                    limit = PAGE_SIZE;
                }
                // One by one, so that one damaged row does not hide the others.
                Err(_) if limit > 1 => limit = 1,
                Err(error) => {
                    if !self.skip_unreadable(&mut walk, &error) {
                        return;
                    }
                }
            }
        }
    }

    async fn check_revocations(&mut self) {
        let store = self.request.store;
        let first = store.first_revocation().await.map(|first| first.map(|first| first.seq));
        let mut walk = self.begin_walk(StorePart::Revocations, first);
        let mut previous: Option<StoredRevocation> = None;
        let mut limit = PAGE_SIZE;
        loop {
            self.report_progress("revocations", walk.last.unwrap_or(0), None);
            let after = Some(walk.last.unwrap_or(0));
            match store.revocations(RevocationsQuery { after, limit, ..Default::default() }).await {
                Ok(page) if page.is_empty() => return,
                Ok(page) => {
                    self.count_records(StorePart::Revocations, page.len());
                    for entry in page {
                        self.check_number(&mut walk, entry.seq);
                        let linked = previous.as_ref().is_none_or(|last| {
                            entry.seq != last.seq.saturating_add(1) || entry.follows(last)
                        });
                        if !linked {
                            let detail =
                                format!("revocation {} does not name the one before it", entry.seq);
                            self.add_fault(StorePart::Revocations, None, detail);
                        }
                        previous = Some(entry);
                    }
                    limit = PAGE_SIZE;
                }
                Err(_) if limit > 1 => limit = 1,
                Err(error) => {
                    if !self.skip_unreadable(&mut walk, &error) {
                        return;
                    }
                }
            }
        }
    }

    async fn check_audit(&mut self) {
        let store = self.request.store;
        // Nothing of it is ever removed, so its numbers begin with 1.
        let mut walk = Walk { part: StorePart::Audit, last: Some(0), unreadable: 0 };
        let mut limit = PAGE_SIZE;
        loop {
            match store.export_audit(walk.last.unwrap_or(0), limit).await {
                Ok(page) if page.is_empty() => return,
                Ok(page) => {
                    self.count_records(StorePart::Audit, page.len());
                    page.iter().for_each(|entry| self.check_number(&mut walk, entry.seq));
                    limit = PAGE_SIZE;
                }
                Err(_) if limit > 1 => limit = 1,
                Err(error) => {
                    if !self.skip_unreadable(&mut walk, &error) {
                        return;
                    }
                }
            }
        }
    }

    async fn check_withheld_actions(&mut self) {
        let since = contract::Timestamp::from_millis(i64::MIN);
        match self.request.store.withheld_actions(Some(since)).await {
            Ok(all) => self.count_records(StorePart::WithheldActions, all.len()),
            Err(error) => self.add_fault(StorePart::WithheldActions, None, error.to_string()),
        }
    }

    fn begin_walk(&mut self, part: StorePart, first: Result<Option<u64>, StoreError>) -> Walk {
        let last = match first {
            Ok(Some(0)) => {
                self.add_fault(part, None, "number 0 is stored, but numbers begin with 1");
                None
            }
            Ok(first) => first.map(|first| first - 1),
            Err(error) => {
                self.add_fault(part, None, error.to_string());
                None
            }
        };
        Walk { part, last, unreadable: 0 }
    }

    fn check_number(&mut self, walk: &mut Walk, number: u64) {
        if let Some(last) = walk.last.filter(|last| last.saturating_add(1) != number) {
            let detail = format!("number {number} comes after number {last}");
            self.add_fault(walk.part, None, detail);
        }
        walk.last = Some(number);
        walk.unreadable = 0;
    }

    /// Reports the row that could not be read and goes on behind it; false if there are too many.
    fn skip_unreadable(&mut self, walk: &mut Walk, error: &StoreError) -> bool {
        let detail = error.to_string();
        // The first row of a table may have been reported when the walk began.
        if self.report.faults.last().is_none_or(|last| last.detail != detail) {
            self.add_fault(walk.part, None, detail);
        }
        walk.unreadable += 1;
        walk.last = Some(walk.last.unwrap_or(0).saturating_add(1));
        walk.unreadable < MAX_UNREADABLE
    }
}
