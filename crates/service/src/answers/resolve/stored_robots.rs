//! The robots.txt that an answer was decided from.

use std::sync::Arc;

use declared::robots::Robots;

/// What is known of the robots.txt behind an answer.
#[derive(Debug, Clone)]
pub enum StoredRobots {
    Parsed(Arc<Robots>),
    /// The site has none.
    Absent,
    /// It was read, but its bytes are no longer stored.
    NotStored,
    NotRead,
}
