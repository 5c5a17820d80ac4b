//! What agents did on the service's own site: counts of one day each. No method takes an address or a user
//! agent.

use bytes::Bytes;
use contract::Timestamp;

use crate::fingerprint::Fingerprint;
use crate::size::check_size;
use crate::{BoxFuture, Day, Digest, StoreError};

/// The counts of one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConductDay {
    pub day: Day,
    /// Since when requests were counted for it. For the first day that is stored, this may be on an earlier
    /// day, on which no agent was seen.
    pub since: Timestamp,
    /// The counts by agent, as JSON. The store does not look into them.
    pub counts: Bytes,
}

pub trait Conduct: Send + Sync {
    /// Stores the counts of a day, replacing those that are stored, also damaged ones; durable when this
    /// returns. The counts are totals, so storing them twice counts nothing twice.
    fn put_conduct_day(&self, day: ConductDay) -> BoxFuture<'_, Result<(), StoreError>>;

    fn conduct_day(&self, day: Day) -> BoxFuture<'_, Result<Option<ConductDay>, StoreError>>;

    /// The days after `after` of which counts are stored, oldest first, at most `limit`. Damaged ones are
    /// listed too.
    fn list_conduct_days(
        &self,
        after: Option<Day>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Day>, StoreError>>;
}

impl ConductDay {
    /// A digest over all members, which engines compare when they read.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        Fingerprint::of("conduct 1")
            .time(self.day.begins_at())
            .time(self.since)
            .body(&self.counts)
            .finish()
    }

    /// Refuses counts that are too large for any engine. Engines call this before they write.
    pub fn check_size(&self) -> Result<(), StoreError> {
        check_size("counts of a day", &self.counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_moves_the_fingerprint() {
        let before = ConductDay {
            day: Day::from_number(20_000),
            since: Timestamp::from_millis(1),
            counts: Bytes::from_static(b"{}"),
        };
        let changes: [fn(&mut ConductDay); 3] = [
            |day| day.day = day.day.next(),
            |day| day.since = Timestamp::from_millis(2),
            |day| day.counts = Bytes::from_static(b"{ }"),
        ];
        for change in changes {
            let mut after = before.clone();
            change(&mut after);
            assert_ne!(after.fingerprint(), before.fingerprint(), "{after:?}");
        }
    }
}
