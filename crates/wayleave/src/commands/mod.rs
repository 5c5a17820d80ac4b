//! The commands of the program, one file each.

pub(crate) mod accuracy;
pub(crate) mod agents;
pub(crate) mod audit;
pub(crate) mod backup;
pub(crate) mod canonical;
pub(crate) mod census;
pub(crate) mod completions;
pub(crate) mod conduct;
pub(crate) mod config;
pub(crate) mod control;
#[cfg(feature = "demo")]
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod domain;
pub(crate) mod field_check;
pub(crate) mod fsck;
pub(crate) mod key;
#[cfg(feature = "demo")]
pub(crate) mod lab;
pub(crate) mod licence;
pub(crate) mod log;
pub(crate) mod man;
pub(crate) mod mcp;
pub(crate) mod preflight;
mod remote;
pub(crate) mod replay;
pub(crate) mod report;
mod report_age;
pub(crate) mod resolve;
pub(crate) mod restore;
pub(crate) mod robots;
pub(crate) mod scan;
mod scan_progress;
pub(crate) mod scans;
pub(crate) mod serve;
pub(crate) mod verify;
pub(crate) mod visitor;
pub(crate) mod webhook;
pub(crate) mod witness;

use anyhow::Result;

use crate::config::{Config, ConfigArgs, load_config, own_variables};

/// Loads the effective configuration of a command.
fn config_in_force(args: &ConfigArgs) -> Result<Config> {
    load_config(args, &own_variables()?)
}
