//! The address lists of the operators of agents, as `feeds.lab` serves them:
//!
//! - `/{feed id}`: a list in the format of that feed, or what a test asked for
//!   ([`Lab::set_feed`](crate::Lab::set_feed));
//! - `/good/{feed id}`: always the good list;
//! - `/bad/{kind}` and `/bad/{kind}/{feed id}`: a list with a fault ([`FeedBehaviour`]), by default
//!   made from the list of GPTBot.
//!
//! All addresses are invented: public address space that belongs to none of these operators.

mod behaviour;
mod prefixes;
mod render;
mod serve;
mod state;
mod table;

pub use behaviour::FeedBehaviour;
pub use prefixes::{feed_addresses, feed_prefixes};
pub use table::{FeedFormat, LabFeed, feeds};

pub(crate) use serve::reply;
pub(crate) use state::FeedState;

/// The host that serves the feeds.
pub const FEEDS_HOST: &str = "feeds.lab";

/// Where the lab serves this feed.
#[must_use]
pub fn feed_url(id: &str) -> String {
    format!("https://{FEEDS_HOST}/{id}")
}
