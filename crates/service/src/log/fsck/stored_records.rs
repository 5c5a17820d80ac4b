//! Checks what is stored one record at a time: scans, deleted scans, bodies, readings, receipts, feeds,
//! registrations, counts of agents (`accuracy` checks AI-accuracy records, `mcp_scans` what is stored of MCP servers, `owner_records` claims of
//! control, `account_records` reads licences); and reads the tables that have no digests, which finds only what
//! cannot be read.

use proof::{Digest, canonical};
use serde_json::Value;
use store::{CensusQuery, Scan, StoreError};

use crate::log::daily_seals::DayCounts;

use super::parallel::{map_on_all_cores, read_all};
use super::{FsckRequest, FsckRun, StorePart, VerifiedDocument};

pub(super) const PAGE_SIZE: usize = 256;
/// Scans and bodies can be large.
pub(super) const LARGE_PAGE_SIZE: usize = 32;

impl FsckRun<'_> {
    pub(super) async fn check_stored_records(&mut self) {
        self.check_scans().await;
        self.check_deleted_scans().await;
        self.check_artifacts().await;
        self.check_readings().await;
        self.check_decisions().await;
        self.check_feeds().await;
        self.check_conduct().await;
        self.check_registrations().await;
        self.check_accuracy_records().await;
        self.check_mcp_scans().await;
        self.check_mcp_surfaces().await;
        self.check_mcp_locks().await;
        self.read_outcomes().await;
        self.read_clocks().await;
        self.read_census().await;
        self.read_jobs().await;
        self.check_owner_records().await;
        self.read_account_records().await;
        self.read_switches().await;
    }

    async fn check_scans(&mut self) {
        let store = self.request.store;
        let mut ids = Vec::new();
        let mut after = None;
        loop {
            match store.export_scans(after.clone(), PAGE_SIZE).await {
                Ok(page) => {
                    let Some(last) = page.last() else { break };
                    let next = Some(last.cursor());
                    if next <= after {
                        let detail = format!("scan {} is stored under an impossible time", last.id);
                        self.add_fault(StorePart::Scans, None, detail);
                        break;
                    }
                    after = next;
                    ids.extend(page.into_iter().map(|row| row.id));
                }
                Err(error) => {
                    self.add_fault(StorePart::Scans, None, error.to_string());
                    break;
                }
            }
        }
        let total = Some(ids.len() as u64);
        for (page, done) in ids.chunks(LARGE_PAGE_SIZE).zip((0..).step_by(LARGE_PAGE_SIZE)) {
            self.report_progress("scans", done, total);
            let read = read_all(page, |id| async move { (id, store.scan(id).await) }).await;
            let request = self.request;
            let checked = map_on_all_cores(&read, |(id, scan)| match scan {
                Ok(Some(scan)) => request.check_scan(scan),
                Ok(None) => VerifiedDocument::failed(format!("scan {id} is listed but not found")),
                Err(error) => VerifiedDocument::failed(error.to_string()),
            });
            self.count_records(StorePart::Scans, page.len());
            for checked in checked {
                self.count_wrong_time(checked.wrong_time);
                for fault in checked.failed {
                    self.add_fault(StorePart::Scans, None, fault);
                }
            }
        }
    }

    async fn check_deleted_scans(&mut self) {
        let part = StorePart::DeletedScans;
        let mut after: Option<String> = None;
        loop {
            match self.request.store.list_deleted_scans(after, PAGE_SIZE).await {
                Ok(page) => {
                    let Some(last) = page.last() else { return };
                    after = Some(last.id.clone());
                    self.count_records(part, page.len());
                }
                Err(error) => return self.add_fault(part, None, error.to_string()),
            }
        }
    }

    /// Bodies that scans name may be gone, because they are kept for a shorter time. Those that are
    /// stored must match their names.
    async fn check_artifacts(&mut self) {
        let store = self.request.store;
        let mut after: Option<Digest> = None;
        loop {
            let done = self.report.records.get(&StorePart::Artifacts).copied().unwrap_or(0);
            self.report_progress("bodies", done, None);
            let page = match store.export_artifacts(after, LARGE_PAGE_SIZE).await {
                Ok(page) => page,
                Err(error) => {
                    return self.add_fault(StorePart::Artifacts, None, error.to_string());
                }
            };
            let Some(last) = page.last() else { return };
            after = Some(last.sha256);
            self.count_records(StorePart::Artifacts, page.len());
            let read =
                read_all(page, |row| async move { (row.sha256, store.artifact(row.sha256).await) });
            for (sha256, body) in read.await {
                match body {
                    Ok(Some(_)) => {}
                    Ok(None) => {
                        let detail = format!("body {sha256} is listed but not found");
                        self.add_fault(StorePart::Artifacts, None, detail);
                    }
                    Err(error) => self.add_fault(StorePart::Artifacts, None, error.to_string()),
                }
            }
        }
    }

    async fn check_readings(&mut self) {
        let store = self.request.store;
        let mut after: Option<String> = None;
        loop {
            let done = self.report.records.get(&StorePart::Readings).copied().unwrap_or(0);
            self.report_progress("readings", done, None);
            let page = match store.list_readings(after, PAGE_SIZE).await {
                Ok(page) => page,
                Err(error) => return self.add_fault(StorePart::Readings, None, error.to_string()),
            };
            let Some(last) = page.last() else { return };
            after = Some(last.clone());
            self.count_records(StorePart::Readings, page.len());
            let read = read_all(&page, |id| store.reading(id)).await;
            for (id, reading) in page.iter().zip(read) {
                self.check_found(StorePart::Readings, &format!("reading {id}"), reading);
            }
        }
    }

    /// Receipts are encrypted, so only their fingerprints can be compared.
    async fn check_decisions(&mut self) {
        let store = self.request.store;
        let mut after: Option<Digest> = None;
        loop {
            let done = self.report.records.get(&StorePart::Decisions).copied().unwrap_or(0);
            self.report_progress("receipts", done, None);
            let page = match store.list_decisions(after, PAGE_SIZE).await {
                Ok(page) => page,
                Err(error) => return self.add_fault(StorePart::Decisions, None, error.to_string()),
            };
            let Some(last) = page.last() else { return };
            after = Some(*last);
            self.count_records(StorePart::Decisions, page.len());
            let read = read_all(&page, |lookup| store.decision(*lookup)).await;
            for (lookup, decision) in page.iter().zip(read) {
                self.check_found(StorePart::Decisions, &format!("receipt {lookup}"), decision);
            }
        }
    }

    async fn check_feeds(&mut self) {
        let store = self.request.store;
        let ids = match store.feed_ids().await {
            Ok(ids) => ids,
            Err(error) => return self.add_fault(StorePart::Feeds, None, error.to_string()),
        };
        self.count_records(StorePart::Feeds, ids.len());
        // One at a time: they can be large.
        for id in &ids {
            let feed = store.feed(id).await;
            self.check_found(StorePart::Feeds, &format!("the feed {id}"), feed);
        }
    }

    async fn check_conduct(&mut self) {
        let store = self.request.store;
        let mut after = None;
        loop {
            let page = match store.list_conduct_days(after, PAGE_SIZE).await {
                Ok(page) => page,
                Err(error) => return self.add_fault(StorePart::Conduct, None, error.to_string()),
            };
            let Some(last) = page.last() else { return };
            after = Some(*last);
            self.count_records(StorePart::Conduct, page.len());
            for day in page {
                let counts = store.conduct_day(day).await;
                let parsed = match counts {
                    Ok(Some(stored)) => DayCounts::parse(&stored).map(Some),
                    Ok(None) => Ok(None),
                    Err(error) => Err(error),
                };
                self.check_found(StorePart::Conduct, &format!("the counts of {day}"), parsed);
            }
        }
    }

    async fn check_registrations(&mut self) {
        let (store, part) = (self.request.store, StorePart::Registrations);
        let mut after = None;
        loop {
            let page = match store.list_registrations(after, PAGE_SIZE).await {
                Ok(page) => page,
                Err(error) => return self.add_fault(part, None, error.to_string()),
            };
            let Some(last) = page.last() else { return };
            after = Some(last.clone());
            self.count_records(part, page.len());
            for domain in &page {
                let read = store.registration(domain).await;
                self.check_found(part, &format!("the registration of {domain}"), read);
                if let Err(error) = store.registration_changes(domain).await {
                    self.add_fault(part, None, error.to_string());
                }
            }
        }
    }

    pub(super) fn check_found<T>(
        &mut self,
        part: StorePart,
        what: &str,
        read: Result<Option<T>, StoreError>,
    ) {
        match read {
            Ok(Some(_)) => {}
            Ok(None) => self.add_fault(part, None, format!("{what} is listed but not found")),
            Err(error) => self.add_fault(part, None, error.to_string()),
        }
    }

    async fn read_outcomes(&mut self) {
        let mut after = None;
        loop {
            match self.request.store.export_outcomes(after, PAGE_SIZE).await {
                Ok(page) => {
                    let Some(last) = page.last() else { return };
                    after = Some(last.seq);
                    self.count_records(StorePart::Outcomes, page.len());
                }
                Err(error) => return self.add_fault(StorePart::Outcomes, None, error.to_string()),
            }
        }
    }

    async fn read_clocks(&mut self) {
        let store = self.request.store;
        let mut after: Option<String> = None;
        loop {
            let page = match store.export_clocks(after, PAGE_SIZE).await {
                Ok(page) => page,
                Err(error) => return self.add_fault(StorePart::Clocks, None, error.to_string()),
            };
            let Some(last) = page.last() else { return };
            after = Some(last.url.clone());
            self.count_records(StorePart::Clocks, page.len());
            for clock in &page {
                let what = format!("the content clock of {}", clock.url);
                let read = store.clock(&clock.url).await;
                self.check_found(StorePart::Clocks, &what, read);
            }
        }
    }

    async fn read_census(&mut self) {
        let store = self.request.store;
        let mut after = None;
        loop {
            let runs = match store.census_runs(after, PAGE_SIZE).await {
                Ok(runs) => runs,
                Err(error) => return self.add_fault(StorePart::Census, None, error.to_string()),
            };
            let Some(last) = runs.last() else { return };
            after = Some(last.run);
            for run in &runs {
                let mut after_rank = None;
                loop {
                    let ask = CensusQuery { after_rank, limit: PAGE_SIZE, ..Default::default() };
                    match store.census_rows(run.run, ask).await {
                        Ok(rows) => {
                            let Some(last) = rows.last() else { break };
                            after_rank = Some(last.rank);
                            self.count_records(StorePart::Census, rows.len());
                        }
                        Err(error) => {
                            self.add_fault(StorePart::Census, None, error.to_string());
                            break;
                        }
                    }
                }
            }
        }
    }

    async fn read_jobs(&mut self) {
        let mut after = None;
        loop {
            match self.request.store.export_jobs(after, PAGE_SIZE).await {
                Ok(page) => {
                    let Some(last) = page.last() else { return };
                    after = Some(last.id);
                    self.count_records(StorePart::Jobs, page.len());
                }
                Err(error) => return self.add_fault(StorePart::Jobs, None, error.to_string()),
            }
        }
    }

    async fn read_switches(&mut self) {
        match self.request.store.switches().await {
            Ok(switches) => self.count_records(StorePart::Switches, switches.len()),
            Err(error) => self.add_fault(StorePart::Switches, None, error.to_string()),
        }
    }
}

impl FsckRequest<'_> {
    fn check_scan(&self, scan: &Scan) -> VerifiedDocument {
        let what = format!("scan {}", scan.id);
        let VerifiedDocument { failed: mut wrong, wrong_time } = self.verify(&scan.record, &what);
        let record = canonical::parse_strict(&scan.record).unwrap_or_default();
        let text = |name: &str| record.get(name).and_then(Value::as_str);
        if text("kind") != Some(&self.brand.kind("scan")) {
            wrong.push("its record is not that of a scan".to_owned());
        }
        if text("id") != Some(&scan.id)
            || text("domain") != Some(scan.domain.as_str())
            || text("scannedAt").and_then(|at| at.parse().ok()) != Some(scan.scanned_at)
        {
            wrong.push("it is stored under values that are not its own".to_owned());
        }
        let failed = wrong.into_iter().map(|why| format!("{what}: {why}")).collect();
        VerifiedDocument { failed, wrong_time }
    }
}
