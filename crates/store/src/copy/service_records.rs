//! Copying what stays of deleted scans, outcome reports, content clocks, the census, feeds, counts of
//! agents, registrations of domains and jobs.

use crate::census::CensusQuery;
use crate::{NewJob, Store, StoreError};

use super::report::{CopyReport, PAGE};

pub(super) async fn copy_service_records(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    copy_outcomes(from, to, report).await?;
    copy_clocks(from, to, report).await?;
    copy_census(from, to, report).await?;
    copy_feeds(from, to, report).await?;
    copy_conduct(from, to, report).await?;
    copy_registrations(from, to, report).await?;
    copy_jobs(from, to, report).await
}

pub(super) async fn copy_deleted_scans(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = from.list_deleted_scans(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.id.clone());
        for deleted in page {
            to.put_deleted_scan(deleted).await?;
            report.deleted_scans += 1;
        }
    }
}

async fn copy_outcomes(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = from.export_outcomes(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.seq);
        report.outcomes += page.len() as u64;
        to.import_outcomes(page).await?;
    }
}

async fn copy_clocks(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = from.export_clocks(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.url.clone());
        for listed in page {
            // Deleted since it was listed.
            let Some((clock, versions)) = from.clock(&listed.url).await? else { continue };
            to.put_clock(clock.clone(), None).await?;
            for version in versions.into_iter().rev() {
                to.put_clock(clock.clone(), Some(version)).await?;
            }
            report.clocks += 1;
        }
    }
}

async fn copy_census(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let runs = from.census_runs(after, PAGE).await?;
        let Some(last) = runs.last() else { return Ok(()) };
        after = Some(last.run);
        for run in runs {
            let number = run.run;
            to.import_census_run(run).await?;
            let mut after_rank = None;
            loop {
                let ask = CensusQuery { after_rank, limit: PAGE, ..CensusQuery::default() };
                let rows = from.census_rows(number, ask).await?;
                let Some(last) = rows.last() else { break };
                after_rank = Some(last.rank);
                report.census_rows += rows.len() as u64;
                to.put_census_rows(rows).await?;
            }
        }
    }
}

/// Copies feeds. One in the target is replaced, even if it was fetched later: it is fetched again when
/// it is due.
async fn copy_feeds(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    for id in from.feed_ids().await? {
        // Deleted since it was listed, if there is none.
        if let Some(feed) = report.unless_damaged(from.feed(&id).await)?.flatten() {
            to.put_feed(feed).await?;
            report.feeds += 1;
        }
    }
    Ok(())
}

/// Copies the counts of agents day by day. A day in the target is replaced: the counts only grow.
async fn copy_conduct(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = from.list_conduct_days(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(*last);
        for day in page {
            // Removed since it was listed, if there is none.
            if let Some(counts) = report.unless_damaged(from.conduct_day(day).await)?.flatten() {
                to.put_conduct_day(counts).await?;
                report.conduct_days += 1;
            }
        }
    }
}

/// Copies registrations with their changes. One in the target is replaced: it is read again when it is due.
async fn copy_registrations(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = from.list_registrations(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.clone());
        for domain in page {
            // Removed since it was listed, if there is none.
            let Some(registration) =
                report.unless_damaged(from.registration(&domain).await)?.flatten()
            else {
                continue;
            };
            let changes = report.unless_damaged(from.registration_changes(&domain).await)?;
            to.put_registration(registration, changes.unwrap_or_default()).await?;
            report.registrations += 1;
        }
    }
}

/// Copies jobs. A job that finishes in the source after being copied stays queued in the target;
/// running it again is harmless. The number of tries is not copied.
async fn copy_jobs(
    from: &dyn Store,
    to: &dyn Store,
    report: &mut CopyReport,
) -> Result<(), StoreError> {
    let mut after = None;
    loop {
        let page = from.export_jobs(after, PAGE).await?;
        let Some(last) = page.last() else { return Ok(()) };
        after = Some(last.id);
        for job in page {
            let new = NewJob { kind: job.kind, key: job.key, due_at: job.due_at, body: job.body };
            to.queue_job(new, job.queued_at).await?;
            report.jobs += 1;
        }
    }
}
