//! `wayleave man`: writes the manual pages, made from the same texts as `--help`.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::CommandFactory;

use crate::{Cli, exit, output};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Writes wayleave.1 and one page for each command, such as wayleave-scan.1.\n\
                  Read one with:  man -l DIR/wayleave.1\n\n\
                  Exit codes: 0 written, 2 the folder cannot be written."
)]
pub(crate) struct Args {
    /// Folder to write into; created if it does not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let context = || format!("{} cannot be written", args.folder.display());
    std::fs::create_dir_all(&args.folder).with_context(context)?;
    clap_mangen::generate_to(Cli::command(), &args.folder).with_context(context)?;
    let pages = std::fs::read_dir(&args.folder).with_context(context)?.count();
    output::print_line(&format!("{pages} manual pages in {}", args.folder.display()));
    Ok(exit::PASSED)
}
