//! Background jobs: one file per kind of work.

mod accuracy;
mod body_cleanup;
mod conduct;
mod content_clocks;
mod control;
mod cosigning;
mod daily_sealing;
mod deletions;
mod fair_order;
mod feeds;
mod key_changes;
mod pruning;
mod queued_scans;
mod upkeep;
mod webhooks;

pub use accuracy::run_accuracy;
pub use conduct::run_conduct;
pub use content_clocks::run_content_clocks;
pub use control::run_control;
pub use cosigning::run_cosigning;
pub use daily_sealing::run_daily_sealing;
pub use feeds::run_feeds;
pub use key_changes::run_key_changes;
pub use pruning::run_pruning;
pub use queued_scans::run_queued_scans;
pub use upkeep::run_upkeep;
pub use webhooks::run_webhooks;
