//! The limits of the interface (section 8), by name. No bare number stands where one of these is
//! meant.

use std::time::Duration;

/// Request bodies larger than this are refused with 413 before they are parsed.
pub const BODY_BYTES: usize = 1_048_576;
/// `POST /api/scan`: requests per address in [`SCAN_BURST_WINDOW`].
pub const SCAN_BURST: u32 = 5;
pub const SCAN_BURST_WINDOW: Duration = Duration::from_secs(10);
/// `POST /api/scan`: requests per address in [`SCAN_MINUTE_WINDOW`]. Both rates hold.
pub const SCAN_PER_MINUTE: u32 = 6;
pub const SCAN_MINUTE_WINDOW: Duration = Duration::from_secs(60);
/// `POST /api/scan` without a key: scans per address and UTC day.
pub const SCAN_PER_DAY: u32 = 20;
/// `POST /api/v1/scan`: requests per licence in [`SCAN_MINUTE_WINDOW`]. Ours: the interface names
/// no figure.
pub const KEYED_SCANS_PER_MINUTE: u32 = 60;
/// The log and other feeds: requests per address in [`FEED_WINDOW`].
pub const FEED_PER_MINUTE: u32 = 30;
pub const FEED_WINDOW: Duration = Duration::from_secs(60);
/// `GET /api/v1/log`: batches in one list.
pub const LOG_LIST_MAX: usize = 100;
/// `GET /api/v1/log/sths`: heads when no number is asked for, and the most.
pub const LOG_HEADS_DEFAULT: usize = 50;
pub const LOG_HEADS_MAX: usize = 200;
/// `POST /api/v1/log/gossip`: heads in one request.
pub const GOSSIP_HEADS_MAX: usize = 50;
/// One domain: running scans at a time.
pub const SCANS_AT_ONCE_PER_DOMAIN: usize = 1;
/// A domain scanned within this time is answered with the earlier report.
pub const RESCAN_WINDOW: Duration = Duration::from_secs(120);
/// `POST /api/v1/outcome`: reports per address and UTC day.
pub const OUTCOMES_PER_DAY: u32 = 500;
/// `GET /api/v1/outcomes`: the window when none is asked for, and the longest.
pub const OUTCOME_DAYS_DEFAULT: u32 = 30;
pub const OUTCOME_DAYS_MAX: u32 = 90;
/// `POST /api/v1/visitor`: visitors in one request.
pub const VISITOR_BATCH_MIN: usize = 1;
pub const VISITOR_BATCH_MAX: usize = 100;
/// Just-in-time resolve: all reads together.
pub const LIVE_READ_BUDGET: Duration = Duration::from_millis(1000);
/// Queued full scans begin at these minutes of the hour, UTC.
pub const UPGRADE_MINUTES: [u8; 4] = [2, 17, 32, 47];
/// `POST /api/v1/resolve`: domains in one request.
pub const RESOLVE_BATCH_MIN: usize = 1;
pub const RESOLVE_BATCH_MAX: usize = 100;
/// Of these, how many are made side by side, and the time for all of them. Ours.
pub const RESOLVE_BATCH_LIVE: usize = 10;
pub const RESOLVE_BATCH_BUDGET: Duration = Duration::from_millis(5000);
/// `GET /api/v1/resolve-prefix/{hex}`: digits of the prefix, and the most domains of a bucket.
pub const PREFIX_DIGITS_MIN: usize = 2;
pub const PREFIX_DIGITS_MAX: usize = 8;
pub const PREFIX_BUCKET: usize = 100;
/// Stored answers: a section that takes longer is shown as stored.
pub const SECTION_TIMEOUT: Duration = Duration::from_millis(180);
/// A live reading is kept and served for this long.
pub const KEPT_READING: Duration = Duration::from_secs(6 * 3600);
/// A resolve answer is fresh for this long after `observed_at`.
pub const ANSWER_FRESH_HOURS: u32 = 168;
/// The oldest evidence each action may rest on, in hours.
pub const READ_MAX_AGE_HOURS: u32 = 168;
pub const CITE_MAX_AGE_HOURS: u32 = 168;
pub const CONNECT_MAX_AGE_HOURS: u32 = 72;
pub const TRANSACT_MAX_AGE_HOURS: u32 = 24;
pub const ADMINISTER_MAX_AGE_HOURS: u32 = 0;
/// Resolve answers: capabilities told one by one; more are only counted. Ours: the interface names
/// no figure.
pub const CAPABILITY_ITEMS: usize = 50;
/// Domain-control proofs are checked again after this many days.
pub const CONTROL_RECHECK_DAYS: u32 = 30;
/// Independent readings kept for one domain.
pub const INDEPENDENT_READINGS: usize = 12;
/// Readings by one network within this time count once.
pub const READING_COUNTS_ONCE: Duration = Duration::from_secs(600);
/// Networks that show different things within this time contradict each other; further apart, the
/// site may have changed in between.
pub const CONTESTED_WITHIN: Duration = Duration::from_secs(24 * 3600);
/// What readings need to confirm each other.
pub const CONFIRMING_NETWORKS: usize = 2;
pub const CONFIRMING_READINGS: usize = 3;
/// A change that a thief would make is confirmed when it is still there after this time.
pub const HIGH_RISK_CONFIRMED_AFTER: Duration = Duration::from_secs(24 * 3600);
/// Entries that one new answer adds to the changes.
pub const CHANGES_PER_ANSWER: usize = 100;
/// `GET /api/v1/changes`: entries when no number is asked for, and the most.
pub const CHANGES_DEFAULT: usize = 50;
pub const CHANGES_MAX: usize = 200;
/// An agent is judged in the conduct record only from this many verified requests on.
pub const CONDUCT_MIN_VERIFIED_REQUESTS: u32 = 50;
/// `/api/v1` keeps answering this long after any `/api/v2` is announced.
pub const CORE_NOTICE_DAYS: u32 = 180;
