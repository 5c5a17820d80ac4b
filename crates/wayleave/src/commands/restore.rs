//! `wayleave restore`: puts a backup into service.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use contract::Clock;
use door::SystemClock;
use proof::keys::write_next_entry;
use service::log::LogEpoch;
use service::log::mark::accept_mark;
use store_sqlite::{SqliteOptions, abandon_restore, begin_restore, copy_data_dir, finish_restore};
use supervisor::Supervisor;

use super::backup::{BackupDescription, DESCRIPTION};
use super::config_in_force;
use crate::config::{Config, ConfigArgs};
use crate::output::{Tone, colour_for_terminal, sanitize_for_terminal};
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Copies the backup into store.data_dir, and its keys into store.keys_dir if that is set; both must be empty \
                  or missing. Then every witness in \
                  proof.witnesses is asked for the last end of the log that it knows. If one knows a later one, or if \
                  none knows this one and --accept is not given, the copy is removed again. The log itself records that \
                  it was restored (an entry of kind `{brand}-log-epoch`, such as `svc-log-epoch`) before anything else is signed. If \
                  the command is interrupted, run it again.\n\n\
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
    let (data_dir, keys) = (config.data_dir(), config.keys_dir());
    // From here to `finish`, a server that is started on the directory refuses it.
    let target = RestoreTarget::begin(&config)?;
    let copied = copy_data_dir(&args.dir, &data_dir)
        .with_context(|| format!("cannot copy to {}", data_dir.display()))?;
    proof::keys::copy_keys(&args.dir.join(Config::KEYS_FOLDER), &keys)?;
    let runtime = wiring::runtime()?;
    // On the copy, so that the backup stays as it is.
    let confirmed = runtime.block_on(async {
        let options = SqliteOptions { during_restore: true, ..SqliteOptions::default() };
        let service = wiring::build_service_with(&config, wiring::system_clock(), options)?;
        service.log.confirm_end().await.map_err(anyhow::Error::from)
    });
    let confirmed = match confirmed {
        Ok(confirmed) => confirmed,
        Err(why) => return target.refuse(&format!("{why:#}")),
    };
    if confirmed.witnesses.is_empty() && confirmed.end.head.is_some() && !args.accept {
        return target.refuse(
            "no witness has the end of this log, so nobody can tell whether it was extended after the backup was \
             made. If you know that nothing was signed since, run the command again with --accept. Otherwise begin a \
             new log with an empty store.data_dir and another server.brand",
        );
    }
    // An empty log has nothing to record.
    if confirmed.end.head.is_some() {
        let epoch = LogEpoch {
            backup_made_at: description.made_at,
            after: confirmed.end.clone(),
            confirmed_by: confirmed.witnesses.clone(),
        };
        let entry = epoch.to_entry(&wiring::brand(&config)?, SystemClock.now())?;
        // Whoever opens the log next seals this first, whatever happens to this process.
        write_next_entry(&keys, &entry)?;
    }
    accept_mark(&keys, &confirmed.end)?;
    target.finish()?;
    runtime.block_on(record_restore(&config))?;
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

/// Opens the log, which records that it was restored.
async fn record_restore(config: &Config) -> Result<()> {
    let service = wiring::build_service(config, wiring::system_clock(), &Supervisor::default())?;
    wiring::open_log(config, &service).await?;
    let fault = service.log.fault();
    service.log.close().await;
    match fault {
        None => Ok(()),
        Some(fault) => bail!("everything was copied, but the log cannot be continued: {fault}"),
    }
}

/// The folders that a restore fills. Each says that it is not finished until [`Self::finish`].
struct RestoreTarget {
    data_dir: PathBuf,
    /// Only if the keys have a folder of their own (`store.keys_dir`).
    keys_dir: Option<PathBuf>,
}

impl RestoreTarget {
    fn begin(config: &Config) -> Result<Self> {
        let target = Self { data_dir: config.data_dir(), keys_dir: config.store.keys_dir.clone() };
        begin_restore(&target.data_dir)?;
        if let Some(keys_dir) = &target.keys_dir {
            // Keys that are there may belong to another log, and their mark says what was signed last.
            begin_restore(keys_dir).inspect_err(|_| drop(abandon_restore(&target.data_dir)))?;
        }
        Ok(target)
    }

    /// The data first: it decides whether a server starts. If the process ends before the second step,
    /// whoever opens the keys next does it (`wiring::open_keys_of_store`).
    fn finish(&self) -> Result<()> {
        finish_restore(&self.data_dir)?;
        Ok(self.keys_dir.as_deref().map_or(Ok(()), finish_restore)?)
    }

    fn refuse(&self, why: &str) -> Result<u8> {
        self.keys_dir.as_deref().map_or(Ok(()), abandon_restore)?;
        abandon_restore(&self.data_dir)?;
        output::print_error(&colour_for_terminal(Tone::Bad, "refused; nothing was restored"));
        output::print_error(&sanitize_for_terminal(why));
        Ok(exit::CHECK_FAILED)
    }
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
