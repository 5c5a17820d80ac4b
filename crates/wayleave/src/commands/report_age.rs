//! The age of a report that a server returned instead of scanning again.
//!
//! Server and client may have different clocks. The server signs an earlier report again when it returns
//! it, so the record has both times of the server: that of the scan and that of the reply.

use std::time::Duration;

use contract::Timestamp;
use contract::limits::RESCAN_WINDOW;
use contract::records::ScanRecord;

/// When a request was sent and its reply received, by the clock of this machine.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplyTimes {
    pub(super) requested_at: Timestamp,
    pub(super) received_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReportAge {
    /// By the server's clock; `None` if the record does not say when it was returned.
    age_ms: Option<i64>,
    /// What to add to a time of the server to get that of this machine.
    offset_ms: i64,
    scanned_at: Timestamp,
}

impl ReportAge {
    pub(super) fn of(record: &ScanRecord, reply: ReplyTimes) -> Self {
        let replied_at = record.signature.as_ref().map(|signature| signature.signed_at);
        Self::between(record.scanned_at, replied_at, reply)
    }

    fn between(scanned_at: Timestamp, replied_at: Option<Timestamp>, reply: ReplyTimes) -> Self {
        // A server cannot have replied before it scanned.
        let replied_at = replied_at.filter(|replied_at| *replied_at >= scanned_at);
        Self {
            age_ms: replied_at.map(|replied_at| replied_at.millis_since(scanned_at)),
            offset_ms: replied_at.map_or(0, |replied_at| clock_offset(replied_at, reply)),
            scanned_at,
        }
    }

    /// `30 s old`
    pub(super) fn describe(&self) -> String {
        match self.age_ms {
            Some(age) => format!("{} s old", age / 1000),
            None => "of unknown age".to_owned(),
        }
    }

    /// How long until the server scans again: the rest of its window, or all of it if the age is unknown.
    pub(super) fn wait(&self) -> Duration {
        let age = Duration::from_millis(u64::try_from(self.age_ms.unwrap_or(0)).unwrap_or(0));
        // Signed times have whole seconds, so the age may be a second less.
        RESCAN_WINDOW.saturating_sub(age) + Duration::from_secs(2)
    }

    /// Whether the scan was before `since`, a time of this machine.
    pub(super) fn is_before(&self, since: Timestamp) -> bool {
        // A signed time has whole seconds.
        self.scanned_at.plus_millis(self.offset_ms) < since.whole_seconds()
    }
}

/// The difference of the clocks, in milliseconds: 0 if the times can be explained without one. Otherwise
/// the smallest that is possible, so that no report counts as newer than it is.
fn clock_offset(replied_at: Timestamp, reply: ReplyTimes) -> i64 {
    // The server signed between request and reply, and dropped the fraction of the second.
    let least = reply.requested_at.millis_since(replied_at) - 1000;
    let most = reply.received_at.millis_since(replied_at);
    if (least..=most).contains(&0) { 0 } else { least }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: i64) -> Timestamp {
        Timestamp::from_millis(1_800_000_000_000 + ms)
    }

    fn reply(requested: i64, received: i64) -> ReplyTimes {
        ReplyTimes { requested_at: at(requested), received_at: at(received) }
    }

    #[test]
    fn the_age_is_by_the_clock_of_the_server() {
        // The clock of this machine is an hour ahead, or an hour behind.
        for ahead in [0, 3_600_000, -3_600_000] {
            let reply = reply(30_200 + ahead, 30_300 + ahead);
            let age = ReportAge::between(at(0), Some(at(30_000)), reply);
            assert_eq!(age.describe(), "30 s old");
            assert_eq!(age.wait(), Duration::from_secs(92));
            assert!(age.is_before(at(10_000 + ahead)), "{ahead}");
            assert!(!age.is_before(at(ahead - 10_000)), "{ahead}");
        }
    }

    #[test]
    fn equal_clocks_are_not_corrected() {
        for (requested, received) in
            [(5_000, 5_000), (5_998, 6_010), (4_000, 5_001), (2_000, 9_000)]
        {
            let reply = reply(requested, received);
            assert_eq!(clock_offset(at(5_000), reply), 0, "{reply:?}");
            let age = ReportAge::between(at(1_000), Some(at(5_000)), reply);
            assert!(age.is_before(at(2_000)) && !age.is_before(at(1_999)));
        }
        assert_eq!(clock_offset(at(0), reply(10_000, 10_100)), 9_000);
        assert_eq!(clock_offset(at(60_000), reply(10_000, 10_100)), -51_000);
    }

    #[test]
    fn without_the_time_of_the_reply_the_whole_window_is_waited() {
        let whole = RESCAN_WINDOW + Duration::from_secs(2);
        for replied_at in [None, Some(at(-1_000))] {
            let age = ReportAge::between(at(0), replied_at, reply(500, 600));
            assert_eq!((age.wait(), age.describe().as_str()), (whole, "of unknown age"));
            assert!(age.is_before(at(1_000)) && !age.is_before(at(999)));
        }
        let old = ReportAge::between(at(0), Some(at(900_000)), reply(900_000, 900_000));
        assert_eq!(old.wait(), Duration::from_secs(2));
    }
}
