//! `wayleave log export`: writes the log as files for mirrors.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use door::SystemClock;
use service::log::export::{
    ExportError, ExportFile, ExportRequest, FileAction, OverwriteRule, export_log,
};

use super::files;
use crate::commands::config_in_force;
use crate::config::ConfigArgs;
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads the store in store.data_dir; stop the server first. Run the command again to add new \
                  batches. A file in the folder that contradicts the log is reported and not overwritten.\n\n\
                  The folder contains log.json (the signed record), keys.json, rotation.json, sths/ (the signed \
                  tree heads, 1000 per file), checkpoint, and tile/ (C2SP tlog-tiles: hashes and entries). \
                  `wayleave verify --log DIR` checks documents against it.\n\n\
                  Exit codes: 0 exported, 1 the log is inconsistent or the folder contradicts it, 2 could not be \
                  read or written."
)]
pub(crate) struct Args {
    /// Folder to write to; created if it does not exist
    dir: PathBuf,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = config_in_force(&args.config)?;
    let (store, _) = super::open_store(&config)?;
    let request = ExportRequest {
        store: &store,
        keys: wiring::open_keys(&config)?,
        clock: Arc::new(SystemClock),
        brand: wiring::brand(&config)?,
        base_url: config.base_url(),
        origin: wiring::log_origin(&config)?,
    };
    let mut folder = ExportFolder { root: &args.dir, written: 0, to_sync: BTreeSet::new() };
    let result =
        wiring::runtime()?.block_on(export_log(request, &mut |file| folder.write_file(&file)));
    let result = result.and_then(|summary| folder.sync(&args.dir).map(|()| summary));
    match result {
        Ok(summary) if args.json => {
            output::print_json(&serde_json::json!({
                "batches": summary.batches,
                "tree_size": summary.tree_size,
                "files": summary.files,
                "written": folder.written,
            }))?;
            Ok(exit::PASSED)
        }
        Ok(summary) => {
            output::print_line(&format!(
                "{}: exported {} batches, {} leaves; wrote {} of {} files, the others were up to date",
                args.dir.display(),
                summary.batches,
                summary.tree_size,
                folder.written,
                summary.files
            ));
            Ok(exit::PASSED)
        }
        Err(
            error @ (ExportError::Log(_) | ExportError::Missing(_) | ExportError::Conflict { .. }),
        ) => {
            output::print_error(&error.to_string());
            Ok(exit::CHECK_FAILED)
        }
        Err(error) => Err(error.into()),
    }
}

struct ExportFolder<'a> {
    root: &'a Path,
    written: u64,
    to_sync: BTreeSet<PathBuf>,
}

impl ExportFolder<'_> {
    fn write_file(&mut self, file: &ExportFile) -> Result<(), ExportError> {
        let path = self.root.join(&file.path);
        let failed = |e: std::io::Error| ExportError::Write {
            path: path.display().to_string(),
            why: e.to_string(),
        };
        let existing = files::read_if_exists(&path).map_err(failed)?;
        if file.action(existing.as_deref())? == FileAction::Keep {
            return Ok(());
        }
        // Everything a checkpoint covers is on disk before the checkpoint itself.
        if file.overwrite_rule == OverwriteRule::NewerCheckpoint {
            self.sync(&path)?;
        }
        files::write_atomically(&path, &file.bytes, &mut self.to_sync).map_err(failed)?;
        self.written += 1;
        Ok(())
    }

    fn sync(&mut self, path: &Path) -> Result<(), ExportError> {
        files::sync_folders(&mut self.to_sync).map_err(|e| ExportError::Write {
            path: path.display().to_string(),
            why: e.to_string(),
        })
    }
}
