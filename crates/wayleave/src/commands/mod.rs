//! The commands, one file each.

pub(crate) mod canonical;
pub(crate) mod census;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod key;
pub(crate) mod lab;
pub(crate) mod licence;
pub(crate) mod log;
pub(crate) mod preflight;
mod remote;
pub(crate) mod replay;
pub(crate) mod resolve;
pub(crate) mod robots;
pub(crate) mod scan;
mod scan_progress;
pub(crate) mod scans;
pub(crate) mod serve;
pub(crate) mod verify;
pub(crate) mod witness;

use anyhow::Result;

use crate::config::{Config, ConfigArgs, load};

/// The configuration in force for a command.
fn in_force(args: &ConfigArgs) -> Result<Config> {
    load(args, &|name| std::env::var(name).ok())
}
