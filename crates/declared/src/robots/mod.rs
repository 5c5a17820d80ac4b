//! robots.txt: RFC 9309, read as leniently as Google's parser reads it.
//!
//! Works on bytes: files of the real web are not always UTF-8. Every rule keeps its line number, so
//! that a decision can point at the rule behind it. A file is parsed once for any number of agents.
//! What is wrong with a file is reported by [`robots_lint`](crate::robots_lint), which is stricter.

mod access;
mod agent_rules;
pub(crate) mod line;
mod managed;
mod model;
mod parse;
mod path;
pub(crate) mod pattern;
pub(crate) mod record;
mod span;

pub use access::Access;
pub use agent_rules::AgentRule;
pub use managed::ManagedBlock;
pub use model::{MAX_BYTES, Robots, Scope, SitemapLine};
pub use path::path_of;
pub use record::{CrawlDelay, Record, RecordAudience};

#[cfg(test)]
mod tests;
