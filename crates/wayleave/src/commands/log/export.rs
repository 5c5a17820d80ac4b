//! `wayleave log export`: the log as files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use door::SystemClock;
use service::log::export::{ExportAsk, ExportError, ExportFile, Placing, Rule, export};

use super::files;
use crate::commands::in_force;
use crate::config::ConfigArgs;
use crate::{exit, output, wiring};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Reads the store in store.data_dir; a server that runs on it has to be stopped first. \
                  Run again, it adds what is new; a file that is not what the log says is named and \
                  left as it is.\n\n\
                  The folder holds log.json (the signed record), keys.json, rotation.json, sths/ (the \
                  signed heads, a thousand a file), checkpoint, and tile/ (C2SP tlog-tiles: hashes \
                  and entries). `wayleave verify --log DIR` checks documents against it.\n\n\
                  Exit codes: 0 exported, 1 the log or the folder does not hold, 2 it could not be \
                  read or written."
)]
pub(crate) struct Args {
    /// The folder, made if it is not there
    dir: PathBuf,
    /// As JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    config: ConfigArgs,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let config = in_force(&args.config)?;
    let (store, _) = super::open(&config)?;
    let ask = ExportAsk {
        store: &store,
        keys: wiring::keys(&config)?,
        clock: Arc::new(SystemClock),
        brand: wiring::brand(&config)?,
        base_url: config.base_url(),
        origin: wiring::origin(&config)?,
    };
    let mut folder = Folder { root: &args.dir, written: 0, to_sync: BTreeSet::new() };
    let done = wiring::runtime()?.block_on(export(ask, &mut |file| folder.put(&file)));
    let done = done.and_then(|done| folder.sync(&args.dir).map(|()| done));
    match done {
        Ok(done) if args.json => {
            output::json(&serde_json::json!({
                "batches": done.batches,
                "tree_size": done.tree_size,
                "files": done.files,
                "written": folder.written,
            }))?;
            Ok(exit::GOOD)
        }
        Ok(done) => {
            output::line(&format!(
                "{}: {} batches, {} leaves; {} of {} files were new",
                args.dir.display(),
                done.batches,
                done.tree_size,
                folder.written,
                done.files
            ));
            Ok(exit::GOOD)
        }
        Err(
            error @ (ExportError::Log(_) | ExportError::Missing(_) | ExportError::Conflict { .. }),
        ) => {
            output::problem(&error.to_string());
            Ok(exit::BAD)
        }
        Err(error) => Err(error.into()),
    }
}

struct Folder<'a> {
    root: &'a Path,
    written: u64,
    to_sync: BTreeSet<PathBuf>,
}

impl Folder<'_> {
    fn put(&mut self, file: &ExportFile) -> Result<(), ExportError> {
        let path = self.root.join(&file.path);
        let failed = |e: std::io::Error| ExportError::Write {
            path: path.display().to_string(),
            why: e.to_string(),
        };
        let there = files::read(&path).map_err(failed)?;
        if file.placing(there.as_deref())? == Placing::Keep {
            return Ok(());
        }
        // What a checkpoint speaks of is on the disk before it.
        if file.rule == Rule::Checkpoint {
            self.sync(&path)?;
        }
        files::put(&path, &file.bytes, &mut self.to_sync).map_err(failed)?;
        self.written += 1;
        Ok(())
    }

    fn sync(&mut self, path: &Path) -> Result<(), ExportError> {
        files::sync(&mut self.to_sync).map_err(|e| ExportError::Write {
            path: path.display().to_string(),
            why: e.to_string(),
        })
    }
}
