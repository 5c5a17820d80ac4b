//! `wayleave restore`: puts a backup into service.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use service::log::mark::accept_mark;
use service::log::{ConfirmedEnd, LogEpoch};
use store_sqlite::copy_data_dir;
use supervisor::Supervisor;

use super::backup::{BackupDescription, DESCRIPTION};
use super::config_in_force;
use crate::config::{Config, ConfigArgs};
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Copies the backup into store.data_dir, which must be empty or missing. Before that, every witness in \
                  proof.witnesses is asked whether it knows a later end of the log; if one does, or if none knows the \
                  log and --accept is not given, nothing is restored. The log itself then records that it was restored \
                  (entry `log-epoch`).\n\n\
                  Exit codes: 0 restored, 1 refused, 2 could not be done."
)]
pub(crate) struct Args {
    /// The backup, made by `wayleave backup`
    dir: PathBuf,
    /// Declare that nothing was signed after this backup was made. Dangerous: if something was, the log has
    /// two histories, and that cannot be repaired
    #[arg(long)]
    accept: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = config_in_force(&args.config)?;
    let description = read_description(&args.dir)?;
    require_empty(&config.data_dir())?;
    let runtime = wiring::runtime()?;
    // Asked on the backup itself, so that a refusal leaves nothing behind.
    let confirmed = runtime.block_on(async {
        let mut backup = config.clone();
        backup.store.data_dir = Some(args.dir.clone());
        let service = wiring::build_service(&backup, &Supervisor::default())?;
        service.log.confirm_end().await.map_err(anyhow::Error::from)
    });
    let confirmed = match confirmed {
        Ok(confirmed) => confirmed,
        Err(why) => return Ok(refuse(&format!("{why:#}"))),
    };
    if confirmed.witnesses.is_empty() && confirmed.end.head.is_some() && !args.accept {
        return Ok(refuse(
            "no witness knows this log, so nobody can tell whether it was extended after the backup was made. If you \
             know that nothing was signed since, run the command again with --accept. Otherwise begin a new log with \
             an empty store.data_dir and another server.brand",
        ));
    }
    let data_dir = config.data_dir();
    let copied = copy_data_dir(&args.dir, &data_dir)
        .with_context(|| format!("cannot copy to {}", data_dir.display()))?;
    let keys = data_dir.join(wiring::KEYS_FOLDER);
    proof::keys::copy_keys(&args.dir.join(wiring::KEYS_FOLDER), &keys)?;
    accept_mark(&keys, &confirmed.end)?;
    runtime.block_on(record_restore(&config, description, &confirmed))?;
    output::print_line(&format!(
        "{}: restored, with {} leaves in the log and {} artefacts.",
        data_dir.display(),
        confirmed.end.tree_size,
        copied.artifacts
    ));
    let by = match confirmed.witnesses.as_slice() {
        [] => "Nobody but you says that nothing was signed since the backup was made.".to_owned(),
        names => format!("Confirmed by {}.", sanitize_for_terminal(&names.join(", "))),
    };
    output::print_line(&by);
    Ok(exit::PASSED)
}

/// Records in the log that it was restored. An empty log has nothing to record.
async fn record_restore(
    config: &Config,
    description: BackupDescription,
    confirmed: &ConfirmedEnd,
) -> Result<()> {
    if confirmed.end.head.is_none() {
        return Ok(());
    }
    let service = wiring::build_service(config, &Supervisor::default())?;
    wiring::open_log(config, &service).await?;
    let epoch = LogEpoch {
        backup_made_at: description.made_at,
        after: confirmed.end.clone(),
        confirmed_by: confirmed.witnesses.clone(),
    };
    let sealed = service.log.seal_epoch(&epoch).await;
    service.log.close().await;
    sealed.map(|_| ()).context("the log was copied, but cannot be continued")
}

fn refuse(why: &str) -> u8 {
    output::print_error(&colour_for_terminal(Tone::Bad, "refused; nothing was restored"));
    output::print_error(&sanitize_for_terminal(why));
    exit::CHECK_FAILED
}

fn read_description(dir: &Path) -> Result<BackupDescription> {
    let path = dir.join(DESCRIPTION);
    let bytes = std::fs::read(&path).with_context(|| {
        format!("{} cannot be read; is this a backup made by `wayleave backup`?", path.display())
    })?;
    let description: BackupDescription =
        serde_json::from_slice(&bytes).with_context(|| path.display().to_string())?;
    if description.v != 1 {
        bail!("{} was made by a newer version of this program", dir.display());
    }
    Ok(description)
}

fn require_empty(data_dir: &Path) -> Result<()> {
    match std::fs::read_dir(data_dir) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => bail!(
                "{} is not empty; restore into an empty store.data_dir, and keep what is there",
                data_dir.display()
            ),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| data_dir.display().to_string()),
    }
}
