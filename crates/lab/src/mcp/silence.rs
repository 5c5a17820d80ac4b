//! Answers that never come.

use std::time::Duration;

use crate::http::reply::Reply;

/// Longer than anybody waits.
pub(super) const NEVER: Duration = Duration::from_secs(120);

pub(super) fn silent() -> Reply {
    let reply = Reply::text(200, "");
    Reply { delay: NEVER, ..reply }
}
