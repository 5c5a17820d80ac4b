//! `wayleave completions`: prints a completion script for a shell.

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::{Cli, exit, output};

#[derive(Debug, clap::Args)]
#[command(
    after_help = "For bash:  wayleave completions bash > ~/.local/share/bash-completion/completions/wayleave\n\
                  For zsh:   wayleave completions zsh > \"${fpath[1]}/_wayleave\"\n\
                  For fish:  wayleave completions fish > ~/.config/fish/completions/wayleave.fish\n\n\
                  Exit codes: 0 printed, 2 unknown shell."
)]
pub(crate) struct Args {
    /// The shell to complete for
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: Args) -> Result<u8> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "wayleave", &mut script);
    output::print_bytes(&script);
    Ok(exit::PASSED)
}
