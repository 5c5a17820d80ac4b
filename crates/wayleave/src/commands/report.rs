//! `wayleave report delete`: deletes a stored report, for example because the owner of the site asked for it.

use std::io::{BufRead, IsTerminal};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use contract::{Clock, Day};
use door::SystemClock;
use serde_json::{Value, json};
use store::{DeletedParts, DeletedScan, DeletionOutcome, ScanDeletion};
use store_sqlite::SqliteAdmin;

use super::config_in_force;
use crate::config::ConfigArgs;
use crate::{audit, exit, output, wiring};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Delete a stored report with its evidence, and the response bodies that nothing else refers to
    #[command(
        after_help = "Works on store.data_dir, also while a server is running: the report is gone at once, its response \
                      bodies and cached answers within seconds. What was made from it goes too: the domain's answers that \
                      rest on it, so that the next resolve reads again. What stays: its id, the digest of its record, the \
                      day, when it was deleted, and the reason. Its addresses then answer 410 `report_deleted`. The log and \
                      the daily seals do not change. Backups from before still have the report (docs/operating.md).\n\n\
                      Exit codes: 0 deleted, or deleted already; 2 not done, or the report is deleted but its response bodies are \
                      still there (the message says which)."
    )]
    Delete(DeleteArgs),
}

#[derive(Debug, clap::Args)]
struct DeleteArgs {
    /// Id of the report, as in its address /r/ID
    id: String,
    /// Why it is deleted, in at most 200 characters. PUBLIC: everybody who opens its address sees it
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Only print what would be deleted
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

/// How long to wait for a running server to remove the bodies.
const SERVER_WAIT: Duration = Duration::from_secs(30);
const SERVER_LOOK: Duration = Duration::from_millis(250);

pub(crate) fn run(args: Args) -> Result<u8> {
    let Command::Delete(args) = args.command;
    let config = config_in_force(&args.config)?;
    check_reason(args.reason.as_deref())?;
    let folder = config.data_dir();
    // Opening would create an empty store.
    if !store_sqlite::has_database(&folder) {
        bail!("there is no store in {}", folder.display());
    }
    let admin = wiring::open_admin(&config)?;
    wiring::runtime()?.block_on(delete_report(&admin, args))
}

fn check_reason(reason: Option<&str>) -> Result<()> {
    let Some(reason) = reason else { return Ok(()) };
    if reason.trim().is_empty() || reason.chars().count() > DeletedScan::MAX_REASON_CHARS {
        bail!("--reason must have 1 to {} characters", DeletedScan::MAX_REASON_CHARS);
    }
    if reason.chars().any(char::is_control) {
        bail!("--reason must be one line without control characters");
    }
    Ok(())
}

async fn delete_report(admin: &SqliteAdmin, args: DeleteArgs) -> Result<u8> {
    let deletion = |dry_run| ScanDeletion {
        id: args.id.clone(),
        deleted_at: SystemClock.now().whole_seconds(),
        reason: args.reason.clone(),
        dry_run,
    };
    let delete = async |dry_run| {
        let deleted = admin.deletions().delete_scan(deletion(dry_run)).await;
        deleted.context("the report could not be deleted; nothing was changed")
    };
    let (deleted, parts) = match delete(true).await? {
        DeletionOutcome::Unknown => bail!(
            "there is no report {}. It may never have existed, or its time may be over (store.scan_days)",
            output::sanitize_for_terminal(&args.id)
        ),
        DeletionOutcome::AlreadyDeleted(deleted) => {
            return report_already_deleted(admin, &args, &deleted).await;
        }
        DeletionOutcome::Deleted(deleted, parts) => (deleted, parts),
    };
    if args.dry_run {
        print_result(&args, "would_delete", &deleted, Some(&parts), None)?;
        return Ok(exit::PASSED);
    }
    if !args.yes {
        output::print_note(&describe_parts("This deletes", &deleted, &parts));
        if !confirm()? {
            bail!("nothing was deleted");
        }
    }
    // Somebody may have been faster.
    let (deleted, parts) = match delete(false).await? {
        DeletionOutcome::Deleted(deleted, parts) => (deleted, parts),
        DeletionOutcome::AlreadyDeleted(deleted) => {
            return report_already_deleted(admin, &args, &deleted).await;
        }
        DeletionOutcome::Unknown => bail!("the report is gone already: its time was over"),
    };
    let detail = serde_json::json!({ "reason": args.reason });
    audit::record(admin.audit(), "report.delete", &args.id, detail).await?;
    let bodies = remove_bodies(admin).await?;
    print_result(&args, "deleted", &deleted, Some(&parts), Some(bodies))?;
    Ok(exit::PASSED)
}

/// Bodies may still be there if the first attempt was ended.
async fn report_already_deleted(
    admin: &SqliteAdmin,
    args: &DeleteArgs,
    deleted: &DeletedScan,
) -> Result<u8> {
    let bodies = if args.dry_run { None } else { Some(remove_bodies(admin).await?) };
    print_result(args, "already_deleted", deleted, None, bodies)?;
    Ok(exit::PASSED)
}

fn confirm() -> Result<bool> {
    if !std::io::stdin().is_terminal() {
        bail!("nothing was deleted: give --yes, or run it in a terminal");
    }
    output::print_note("It cannot be undone. Delete it? [y/N]");
    let mut reply = String::new();
    std::io::stdin().lock().read_line(&mut reply)?;
    Ok(matches!(reply.trim(), "y" | "Y" | "yes"))
}

/// Removes the bodies, or waits until the running server has done it. Returns how many wait still.
async fn remove_bodies(admin: &SqliteAdmin) -> Result<u64> {
    let context = "the report is deleted, but its response bodies are still there. The next start of the server \
                   removes them";
    if admin.remove_deleted_bodies().await.context(context)?.is_some() {
        return Ok(0);
    }
    let began = std::time::Instant::now();
    loop {
        let waiting = admin.deletions().count_bodies_to_remove().await.context(context)?;
        if waiting == 0 || began.elapsed() > SERVER_WAIT {
            return Ok(waiting);
        }
        tokio::time::sleep(SERVER_LOOK).await;
    }
}

fn print_result(
    args: &DeleteArgs,
    result: &str,
    deleted: &DeletedScan,
    parts: Option<&DeletedParts>,
    bodies_waiting: Option<u64>,
) -> Result<()> {
    if args.json {
        return output::print_json(&to_json(result, deleted, parts, bodies_waiting));
    }
    match (result, parts) {
        ("would_delete", Some(parts)) => {
            output::print_line(&describe_parts("Would delete", deleted, parts));
        }
        (_, Some(parts)) => output::print_line(&describe_parts("Deleted", deleted, parts)),
        _ => output::print_line(&format!(
            "Report {} was deleted already, on {}.",
            deleted.id,
            Day::of(deleted.deleted_at)
        )),
    }
    if let Some(digest) = &deleted.record_sha256
        && result != "would_delete"
    {
        output::print_line(&format!("Its digest stays: {digest}"));
    }
    if let Some(waiting @ 1..) = bodies_waiting {
        output::print_note(&format!(
            "The running server has not looked at {waiting} response bodies yet. It goes on by itself, also after a restart."
        ));
    }
    Ok(())
}

fn describe_parts(verb: &str, deleted: &DeletedScan, parts: &DeletedParts) -> String {
    format!(
        "{verb} report {} of {}, made at {}: record and evidence, the response bodies that nothing else refers to (of {}), \
         readings made from it ({}), answers ({}), stored replies ({}).",
        deleted.id,
        parts.domain,
        parts.scanned_at,
        parts.bodies,
        parts.readings,
        parts.answers,
        parts.replies
    )
}

fn to_json(
    result: &str,
    deleted: &DeletedScan,
    parts: Option<&DeletedParts>,
    bodies_waiting: Option<u64>,
) -> Value {
    json!({
        "result": result,
        "id": deleted.id,
        "record_sha256": deleted.record_sha256,
        "deleted_at": deleted.deleted_at,
        "reason": deleted.reason,
        "bodies_waiting": bodies_waiting,
        "parts": parts.map(|parts| json!({
            "domain": parts.domain,
            "scanned_at": parts.scanned_at,
            "bodies": parts.bodies,
            "readings": parts.readings,
            "answers": parts.answers,
            "replies": parts.replies,
        })),
    })
}
