//! When queued full scans run: at fixed minutes of each hour.

use contract::Timestamp;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// The kind of the queued job that replaces a partial answer by one from a full scan.
pub(crate) const UPGRADE_JOB: &str = "upgrade";

/// The minutes of the hour, UTC, at which queued scans start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpgradeWindows(Vec<u8>);

impl Default for UpgradeWindows {
    fn default() -> Self {
        Self(contract::limits::UPGRADE_MINUTES.to_vec())
    }
}

impl UpgradeWindows {
    /// `None` for an empty list, or one with a minute above 59.
    #[must_use]
    pub fn new(mut minutes: Vec<u8>) -> Option<Self> {
        minutes.sort_unstable();
        minutes.dedup();
        (!minutes.is_empty() && minutes.iter().all(|minute| *minute < 60)).then_some(Self(minutes))
    }

    /// The first start time after `now`.
    #[must_use]
    pub fn next(&self, now: Timestamp) -> Timestamp {
        let hour = now.as_millis().div_euclid(HOUR_MS) * HOUR_MS;
        let windows = [0, 1].into_iter().flat_map(|ahead| {
            self.0.iter().map(move |minute| hour + ahead * HOUR_MS + i64::from(*minute) * MINUTE_MS)
        });
        let next = windows.into_iter().find(|window| *window > now.as_millis());
        Timestamp::from_millis(next.unwrap_or(hour + HOUR_MS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_window_is_the_next_of_02_17_32_47() {
        let windows = UpgradeWindows::default();
        for (now, next) in [
            ("2026-11-15T10:00:00Z", "2026-11-15T10:02:00Z"),
            ("2026-11-15T10:02:00Z", "2026-11-15T10:17:00Z"),
            ("2026-11-15T10:31:59Z", "2026-11-15T10:32:00Z"),
            ("2026-11-15T10:47:00Z", "2026-11-15T11:02:00Z"),
            ("2026-12-31T23:59:59Z", "2027-01-01T00:02:00Z"),
        ] {
            let (now, next): (Timestamp, Timestamp) = (now.parse().unwrap(), next.parse().unwrap());
            assert_eq!(windows.next(now), next);
        }
        assert_eq!(UpgradeWindows::new(vec![]), None);
        assert_eq!(UpgradeWindows::new(vec![60]), None);
        assert!(UpgradeWindows::new((0..60).collect()).is_some());
    }
}
